"""Is it there: subpopulations, exact differences, criteria, and certificates of them."""

from evenhand.evidence.answer import Answer, GraphFit, HiddenCause, Reason
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certificate_record import shown_part
from evenhand.evidence.certification import certify, certify_relaxed
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.evidence.implied_independences import GraphDoubt
from evenhand.evidence.known_measures import (
    ComparedPair,
    KnownMeasure,
    KnownMeasures,
    MeasureKind,
    known_measures,
)
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_explanation import PartitionExplanation, explain_partition
from evenhand.evidence.prediction_errors import DifferenceParts, ErrorBias
from evenhand.evidence.relaxed_criterion import RelaxedCertificate
from evenhand.evidence.release_provenance import ReleaseStatement
from evenhand.evidence.statistical_verdict import PairDifference, Population
from evenhand.evidence.statistics.expected_by_chance import ByChance
from evenhand.evidence.subpopulations import Subpopulation, Subpopulations
from evenhand.evidence.variations.adjustment_sets import AdjustmentSet
from evenhand.evidence.variations.arrows import Variations
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.classes import WithinClasses
from evenhand.verdict import Coverage, StatisticalVerdict, Verdict, Word

__all__ = [
    "AdjustmentSet",
    "Answer",
    "Bootstrap",
    "ByChance",
    "Certificate",
    "ComparedPair",
    "Comparisons",
    "Coverage",
    "DifferenceParts",
    "ErrorBias",
    "GraphDoubt",
    "GraphFit",
    "GraphOrigin",
    "HiddenCause",
    "KnownMeasure",
    "KnownMeasures",
    "MeasureKind",
    "PairDifference",
    "Partition",
    "PartitionExplanation",
    "Population",
    "Reason",
    "RelaxedCertificate",
    "ReleaseStatement",
    "StatisticalVerdict",
    "Subpopulation",
    "Subpopulations",
    "Variations",
    "Verdict",
    "WithinClasses",
    "Word",
    "certify",
    "certify_relaxed",
    "explain_partition",
    "known_measures",
    "shown_part",
]
