"""Which of all partitions are meaningful, and what those that were examined show."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from evenhand.display import Described, Summary
from evenhand.errors import GraphError
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_explanation import PartitionExplanation, explain_partition
from evenhand.evidence.verdict import Verdict
from evenhand.graph.partial_graph import PartialGraph

MOST_BLOCK_SETS = 1000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartitionSurvey(Described):
    """How many combinations of attributes are block sets, and the verdict of each examined one.

    ``attributes`` are those that may be combined, ``block_sets`` is counted up to one more than
    ``MOST_BLOCK_SETS``. ``everybody`` explains the partition by nothing, unless that is the one
    that decides. Both are None where the graph's open edges cannot all be directed.
    """

    attributes: int
    block_sets: int | None
    examined: tuple[tuple[Partition, Verdict], ...]
    everybody: PartitionExplanation | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "attributes": self.attributes,
            "block_sets": self.block_sets,
            "examined": [
                {"names": list(partition.names), "verdict": str(verdict), **partition.numbers}
                for partition, verdict in self.examined
            ],
            "everybody": self.everybody.to_dict() if self.everybody else None,
        }

    def summary(self) -> Summary:
        """How many block sets there are, and a line for each that was examined."""
        many = "an unknown number of" if self.block_sets is None else f"{self.block_sets:,}"
        if self.block_sets is not None and self.block_sets > MOST_BLOCK_SETS:
            many = f"more than {MOST_BLOCK_SETS:,}"
        return Summary(
            title=f"{many} block sets among {self.attributes} attributes",
            columns=("alike in", "verdict", "measured", "violating"),
            lines=tuple(
                (
                    ", ".join(partition.names) or "nothing",
                    str(verdict),
                    f"{partition.measured.sum():,}",
                    f"{partition.violating:,}",
                )
                for partition, verdict in self.examined
            ),
        )


def survey_partitions(certificate: Certificate) -> PartitionSurvey:
    """Count the block sets of the graph, and collect what the examined partitions show.

    >>> from evenhand.datasets import admissions, question
    >>> from evenhand.evidence import certify
    >>> from evenhand.graph import CausalGraph
    >>> graph = CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    >>> certificate = certify(admissions(1), graph, question("admissions").question)
    >>> survey_partitions(certificate)
    <PartitionSurvey: 2 block sets among 2 attributes>
    """
    question, graph = certificate.question, certificate.graph
    block_sets = everybody = None
    with suppress(GraphError):
        whole = graph.to_dag() if isinstance(graph, PartialGraph) else graph
        block_sets = sum(1 for _ in islice(whole.block_sets(question), MOST_BLOCK_SETS + 1))
        if certificate.partition.names:
            everybody = explain_partition(certificate.examined.counts, whole, question, [])
    return PartitionSurvey(
        attributes=len(graph.nodes) - 2,
        block_sets=block_sets,
        examined=tuple(
            (partition, partition.verdict(certificate.min_coverage))
            for partition in certificate.partitions
        ),
        everybody=everybody,
    )
