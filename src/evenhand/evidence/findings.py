"""``Findings``: what was found in counts under a graph, before it is put into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from evenhand.counts import ExaminedCounts
from evenhand.errors import Problem
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import Population, population
from evenhand.evidence.verdict import Coverage, Verdict
from evenhand.graph.dag import CausalGraph
from evenhand.graph.partial_graph import PartialGraph
from evenhand.question import Codings, Question

Scope: TypeAlias = Literal["causes", "minimal", "all"]
Graph: TypeAlias = CausalGraph | PartialGraph


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings:
    """The verdict with everything that it rests on.

    ``partitions`` holds what was examined: first the possible decision causes, finest first,
    then, if asked for, other block sets. ``complete`` says whether all that the scope asks for
    was examined; ``reasons`` why the verdict is what it is, with a remedy where there is one.
    ``direct_arrow`` is None where the graph leaves it open. ``release`` says what was changed
    in these rows, if they are a release.
    """

    verdict: Verdict
    reasons: tuple[Problem, ...]
    examined: ExaminedCounts
    pools_others: bool
    graph: Graph
    graph_origin: str
    direct_arrow: bool | None
    possible_decision_causes: tuple[tuple[str, ...], ...]
    deciding_edges: tuple[tuple[str, str], ...]
    partitions: tuple[Partition, ...]
    scope: Scope
    complete: bool
    min_coverage: Fraction
    codings: Codings = field(default_factory=Codings)
    dropped: int = 0
    also_assumed: tuple[str, ...] = ()
    release: Mapping[str, str | int | list[str]] | None = None

    @property
    def question(self) -> Question:
        """The question, with both groups named."""
        return self.examined.question

    @property
    def pooled(self) -> str | None:
        """The label of all other groups together, if they were put together."""
        return self.question.other if self.pools_others else None

    @property
    def rows(self) -> int:
        """How many rows were examined."""
        return self.examined.counts.rows

    @property
    def ambiguous(self) -> bool:
        """Whether the graph leaves open what causes the decision."""
        return len(self.possible_decision_causes) > 1

    @property
    def decision_causes(self) -> tuple[str, ...]:
        """The certain causes of the decision, the protected attribute aside."""
        first, *others = self.possible_decision_causes
        return tuple(name for name in first if all(name in names for names in others))

    @property
    def partition(self) -> Partition:
        """The people divided by the decision causes; the finest, where these are ambiguous."""
        return self.partitions[0]

    @property
    def causes(self) -> tuple[Partition, ...]:
        """The partitions by possible decision causes."""
        return self.partitions[: len(self.possible_decision_causes)]

    @cached_property
    def population(self) -> Population:
        """What these rows tell about the population that they came from."""
        return population(self.causes, min_coverage=self.min_coverage)

    @property
    def coverage(self) -> Coverage:
        """The share of rows that could be compared."""
        return self.partition.coverage
