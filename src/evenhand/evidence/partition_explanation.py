"""Is a partition meaningful? What the graph says of it, beside the numbers it shows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, Summary
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.dag import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Question


@dataclass(frozen=True, eq=False, kw_only=True)
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
            "subpopulations": [found.to_dict() for found in self.subpopulations],
        }

    def summary(self) -> Summary:
        """The graph's answer, and the table that must, or must not, be read as evidence."""
        said, table = self.check.summary(), self.subpopulations.summary()
        lead = (
            "The differences are evidence."
            if self.is_meaningful
            else "The differences are misleading: they are no evidence of anything."
        )
        return Summary(
            title=said.title,
            facts=said.facts,
            columns=table.columns,
            rows=table.rows,
            notes=(*table.notes, *said.notes, lead),
        )


def explain_partition(
    counts: CountTable,
    graph: CausalGraph | PartialGraph,
    question: Question,
    names: Iterable[str],
) -> PartitionExplanation:
    """Tell whether comparing people alike in the names is meaningful, with the numbers.

    >>> from evenhand.datasets import admissions
    >>> graph = CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    >>> question = Question(protected="gender", group="female",
    ...                     decision="admission", favorable="admitted")
    >>> told = explain_partition(admissions(1), graph, question, ["test_score"])
    >>> told.is_meaningful, " ".join(told.check.open_path)
    (False, 'gender major admission')
    >>> [str(found.risk_difference) for found in told.subpopulations]
    ['1/10', '1/10']

    Paper: thm:dce
    """
    names = sorted(set(names))
    whole = graph.to_dag() if isinstance(graph, PartialGraph) else graph
    check = whole.is_block_set(question, names)
    return PartitionExplanation(
        check=check, partition=Partition.of(examined_counts(counts, question), names)
    )
