"""Which of all partitions are meaningful, and what those that were examined show."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from evenhand.display import Described, Summary
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_explanation import PartitionExplanation, explain_partition
from evenhand.graph.admissible_graphs import AdmissibleGraphs
from evenhand.graph.partial_graph import admissible_graphs
from evenhand.verdict import Verdict

MOST_BLOCK_SETS = 1000


class ExaminedPartition(NamedTuple):
    """A partition with its verdict; ``is_meaningful`` is None if some graphs say otherwise."""

    partition: Partition
    verdict: Verdict
    is_meaningful: bool | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartitionSurvey(Described):
    """How many combinations of attributes are block sets, and the verdict of each examined one.

    ``attributes`` are those that may be combined. ``block_sets`` are block sets in every
    admissible graph, ``possible_block_sets`` in at least one; both are counted up to one more
    than ``MOST_BLOCK_SETS``, and None where they are not known. ``everybody`` explains the
    partition by nothing, unless that is the one that decides or no graph is admissible.
    """

    attributes: int
    block_sets: int | None
    possible_block_sets: int | None
    examined: tuple[ExaminedPartition, ...]
    everybody: PartitionExplanation | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "attributes": self.attributes,
            "block_sets": self.block_sets,
            "possible_block_sets": self.possible_block_sets,
            "examined": [
                {
                    "names": list(partition.names),
                    "verdict": str(verdict),
                    "is_meaningful": is_meaningful,
                    **partition.numbers,
                    "by_chance": chance.to_dict() if (chance := partition.by_chance) else None,
                }
                for partition, verdict, is_meaningful in self.examined
            ],
            "everybody": self.everybody.to_dict() if self.everybody else None,
        }

    def summary(self) -> Summary:
        """How many block sets there are, and a line for each that was examined."""
        many = _number(self.block_sets)
        if self.block_sets != self.possible_block_sets:
            many += f" (in some graphs {_number(self.possible_block_sets)})"
        return Summary(
            title=f"{many} block sets among {self.attributes} attributes",
            columns=("alike in", "verdict", "measured", "violating", "by chance alone"),
            lines=tuple(
                (
                    ", ".join(partition.names) or "nothing",
                    str(verdict),
                    f"{partition.measured.sum():,}",
                    f"{partition.violating:,}",
                    str(partition.by_chance or ""),
                )
                for partition, verdict, _ in self.examined
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
    found = admissible_graphs(graph, question)
    pruned = found.pruned
    in_all, in_some = _count(found)
    everybody = None
    if pruned and certificate.partition.names and certificate.row_count:
        everybody = explain_partition(certificate.examined.counts, graph, question, [])
    return PartitionSurvey(
        attributes=len(graph.nodes) - 2,
        block_sets=in_all,
        possible_block_sets=in_some,
        examined=tuple(
            ExaminedPartition(
                partition,
                partition.verdict(certificate.min_coverage),
                (bool(pruned) and all(one.is_block_set(partition.names) for one in pruned))
                or None,
            )
            for partition in certificate.partitions
        ),
        everybody=everybody,
    )


def _count(found: AdmissibleGraphs) -> tuple[int | None, int | None]:
    """How many block sets all graphs have, and how many at least one; None if not known."""
    if not found.graphs:
        return None, None
    most = MOST_BLOCK_SETS + 1
    families = [{*islice(graph.block_sets(found.question), most)} for graph in found.graphs]
    in_some = min(len(frozenset().union(*families)), most)
    fewest = min(families, key=len)
    if len(fewest) == most:
        return most if len(families) == 1 else None, in_some
    pruned = found.pruned
    return sum(all(one.is_block_set(names) for one in pruned) for names in fewest), in_some


def _number(block_sets: int | None) -> str:
    if block_sets is None:
        return "an unknown number of"
    many = block_sets > MOST_BLOCK_SETS
    return f"more than {MOST_BLOCK_SETS:,}" if many else f"{block_sets:,}"
