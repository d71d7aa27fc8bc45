"""Is it there: subpopulations, exact differences, criteria, and certificates of them."""

from evenhand.evidence.certificate import Certificate
from evenhand.evidence.certification import certify, certify_relaxed
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.disclosure_control import shown_part
from evenhand.evidence.error_bias import DifferenceParts, ErrorBias
from evenhand.evidence.graph_origin import GraphOrigin, UneditedGraph
from evenhand.evidence.known_measures import (
    ComparedPair,
    KnownMeasure,
    KnownMeasures,
    MeasureKind,
    known_measures,
)
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_explanation import (
    ExaminedPartition,
    PartitionExplanation,
    PartitionSurvey,
    explain_partition,
    survey_partitions,
)
from evenhand.evidence.population import GraphOutcome, PairDifference, Population
from evenhand.evidence.relaxed import RelaxedCertificate
from evenhand.evidence.release_statement import ReleaseStatement
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.subpopulations import Subpopulation, Subpopulations
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.evidence.variations.sensitivity import Sensitivity, sensitivity_of_findings
from evenhand.evidence.variations.variations import Variation, Variations
from evenhand.verdict import Coverage, StatisticalVerdict, Verdict

__all__ = [
    "Bootstrap",
    "ByChance",
    "Certificate",
    "ComparedPair",
    "Comparisons",
    "Coverage",
    "DifferenceParts",
    "ErrorBias",
    "ExaminedPartition",
    "GraphDoubt",
    "GraphOrigin",
    "GraphOutcome",
    "KnownMeasure",
    "KnownMeasures",
    "MeasureKind",
    "PairDifference",
    "Partition",
    "PartitionExplanation",
    "PartitionSurvey",
    "Population",
    "RelaxedCertificate",
    "ReleaseStatement",
    "Sensitivity",
    "StatisticalVerdict",
    "Subpopulation",
    "Subpopulations",
    "UneditedGraph",
    "Variation",
    "Variations",
    "Verdict",
    "certify",
    "certify_relaxed",
    "explain_partition",
    "known_measures",
    "sensitivity_of_findings",
    "shown_part",
    "survey_partitions",
]
