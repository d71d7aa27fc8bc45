"""Is a partition meaningful? What the graph says of it, beside the numbers it shows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import Described, Summary
from evenhand.errors import GraphError, Remedy, ResourceError
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.graph import PartialGraph
from evenhand.graph.admissible_graphs import MOST_GRAPHS, admissible_graphs
from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.orientation import Edge
from evenhand.question import Question

_LEADS = {
    True: "The differences are evidence.",
    False: "The differences are misleading: they are no evidence of anything.",
    None: "The differences are evidence only in the graphs in which it is one.",
}
# Of predictions, which need not follow the graph of the data.
_LEADS_OF_PREDICTIONS = {
    True: "The differences are of predictions for people alike in what matters in the data.",
    False: _LEADS[False],
    None: "The differences are of people alike only in the graphs in which it is one.",
}
_SETTLE = (
    Remedy("Give tiers", "tiers"),
    Remedy("require arrows", "required"),
    Remedy("give a graph", "graph"),
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PartitionExplanation(Described):
    """Whether differences under a partition mean anything, why not, and what they are.

    ``checks`` holds the answers of all admissible graphs, once for those with equal block sets;
    ``deciding_edges`` the open edges on which it hangs, where these graphs disagree.
    """

    checks: tuple[BlockSetCheck, ...]
    deciding_edges: tuple[Edge, ...]
    partition: Partition

    @property
    def is_meaningful(self) -> bool | None:
        """Whether only the direct effect can make the groups differ in such a partition.

        None where that hangs on the direction of an open edge.
        """
        answers = {check.holds for check in self.checks}
        return answers.pop() if len(answers) == 1 else None

    @property
    def check(self) -> BlockSetCheck:
        """The answer of one graph: of one that says no, if there is one."""

        def first(check: BlockSetCheck) -> tuple[object, ...]:
            path = check.open_path
            return check.holds, len(path), path, check.consequences

        return min(self.checks, key=first)

    @property
    def subpopulations(self) -> Subpopulations:
        """The partition's subpopulations with their counts and differences."""
        return Subpopulations(self.partition, np.arange(len(self.partition)))

    def answer(self) -> dict[str, Any]:
        """What the graph says, as plain values."""
        return {
            "names": list(self.partition.names),
            "is_meaningful": self.is_meaningful,
            "deciding_edges": list(map(list, self.deciding_edges)),
            "open_path": list(self.check.open_path),
            "consequences": list(self.check.consequences),
            "reasons": list(self.check.reasons),
            "missing": list(self.check.missing),
        }

    def to_dict(self) -> dict[str, Any]:
        """The answer and all subpopulations, as plain values."""
        people = [people.to_dict() for people in self.subpopulations]
        return {**self.answer(), "subpopulations": people}

    def summary(self) -> Summary:
        """The graph's answer, and the table that must, or must not, be read as evidence."""
        check, table = self.check.summary(), self.subpopulations.summary()
        title, facts, notes = check.title, check.facts, check.notes
        if self.is_meaningful is None:
            question, names = self.check.question, ", ".join(self.partition.names)
            title = (
                f"Whether {{{names}}} is a block set for {question.groups_column} and "
                f"{question.decision} is open."
            )
            facts = (("it hangs on", ", ".join(f"{a} - {b}" for a, b in self.deciding_edges)),)
            notes = (
                "In some graphs that the open edges allow it is one, in others not:",
                *self.check.reasons,
            )
        elif len(self.checks) > 1:
            notes = (*notes, "That holds however the open edges are directed.")
        leads = _LEADS_OF_PREDICTIONS if self.check.question.predicts else _LEADS
        return Summary(
            title=title,
            facts=facts,
            columns=table.columns,
            lines=table.lines,
            more=table.more,
            notes=(*notes, leads[self.is_meaningful]),
        )


def explain_partition(
    counts: CountTable,
    graph: PartialGraph,
    question: Question,
    names: Collection[str],
) -> PartitionExplanation:
    """Whether comparing people alike in the names means anything, and what it shows.

    A single name may be given as it is. Where edges of the graph are open, every admissible
    graph is asked; a graph that contradicts itself has none and is refused.

    >>> from evenhand.datasets import admissions
    >>> from evenhand.graph import CausalGraph
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
    found = admissible_graphs(graph, question)
    if not found.complete:
        raise ResourceError.of(
            f"The open edges can be directed in more than {MOST_GRAPHS:,} ways.",
            "Not all are tried to say whether a comparison means anything.",
            _SETTLE,
        )
    if not found.graphs:
        raise GraphError.of(
            "The graph contradicts itself: its edges cannot all be directed without a collider "
            "that was not found.",
            "So it does not say which comparisons mean anything.",
            _SETTLE,
        )
    checks = tuple(whole.check_block_set(question, names) for whole in found.graphs)
    return PartitionExplanation(
        checks=checks,
        deciding_edges=found.deciding_edges([check.holds for check in checks]),
        partition=Partition.of(examined_counts(counts, question), names),
    )


def are_meaningful(certificate: Certificate) -> list[bool | None]:
    """Whether the examined partitions are so; None where only some graphs say it, or none.

    >>> from evenhand.datasets import admissions, question
    >>> from evenhand.evidence import certify
    >>> from evenhand.graph import CausalGraph
    >>> graph = CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    >>> certificate = certify(admissions(1), graph, question("admissions").question)
    >>> are_meaningful(certificate)
    [True]
    """
    graphs = admissible_graphs(certificate.graph, certificate.question).pruned
    return [
        (bool(graphs) and all(one.is_block_set(partition.names) for one in graphs)) or None
        for partition in certificate.partitions
    ]


def explain_everybody(certificate: Certificate) -> PartitionExplanation | None:
    """Whether comparing everybody at once means anything.

    None where that is what decides, and where no way to direct open edges is known.
    """
    question, graph = certificate.question, certificate.graph
    if not certificate.partition.names or not certificate.row_count:
        return None
    if not admissible_graphs(graph, question).pruned:
        return None
    return explain_partition(certificate.examined.counts, graph, question, [])
