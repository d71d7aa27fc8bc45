"""Is a partition meaningful? What the graph says of it, beside the numbers it shows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, Summary
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Question


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartitionExplanation(Described):
    """Whether differences under a partition mean anything, why not, and what they are."""

    check: BlockSetCheck
    partition: Partition

    @property
    def is_meaningful(self) -> bool:
        """Whether only the direct effect can make the groups differ in such a partition."""
        return self.check.holds

    @property
    def subpopulations(self) -> Subpopulations:
        """The partition's subpopulations with their counts and differences."""
        return Subpopulations(self.partition, np.arange(len(self.partition)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "names": list(self.partition.names),
            "is_meaningful": self.is_meaningful,
            "open_path": list(self.check.open_path),
            "consequences": list(self.check.consequences),
            "reasons": list(self.check.reasons),
            "missing": list(self.check.missing),
            "subpopulations": [people.to_dict() for people in self.subpopulations],
        }

    def summary(self) -> Summary:
        """The graph's answer, and the table that must, or must not, be read as evidence."""
        check, table = self.check.summary(), self.subpopulations.summary()
        lead = (
            "The differences are evidence."
            if self.is_meaningful
            else "The differences are misleading: they are no evidence of anything."
        )
        return Summary(
            title=check.title,
            facts=check.facts,
            columns=table.columns,
            lines=table.lines,
            notes=(*table.notes, *check.notes, lead),
        )


def explain_partition(
    counts: CountTable,
    graph: CausalGraph | PartialGraph,
    question: Question,
    names: Collection[str],
) -> PartitionExplanation:
    """Whether comparing people alike in the names means anything, and what it shows.

    A single name may be given as it is. Where edges of the graph are open, the directions of
    ``PartialGraph.to_dag`` stand for all.

    >>> from evenhand.datasets import admissions
    >>> graph = CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    >>> question = Question(protected="gender", group="female",
    ...                     decision="admission", favorable="admitted")
    >>> by_score = explain_partition(admissions(1), graph, question, ["test_score"])
    >>> by_score.is_meaningful, " ".join(by_score.check.open_path)
    (False, 'gender major admission')
    >>> [str(people.risk_difference) for people in by_score.subpopulations]
    ['1/10', '1/10']

    Paper: thm:dce
    """
    names = {names} if isinstance(names, str) else set(names)
    whole = graph.to_dag() if isinstance(graph, PartialGraph) else graph
    check = whole.check_block_set(question, names)
    return PartitionExplanation(
        check=check, partition=Partition.of(examined_counts(counts, question), names)
    )
