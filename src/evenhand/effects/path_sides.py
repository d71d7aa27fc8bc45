"""Which directed paths from the protected attribute to the decision meet chosen attributes.

Every node reads the protected attribute as the group has it, or as the others have it. The
effect through chosen attributes R is what changes if R is as it would be with the others'
value while everything else reads the group's. What both makes R and reaches the decision
without it would have to read both values at once: such a node is a witness, and the effect is
then not identified (the recanting-witness criterion of Avin, Shpitser and Pearl).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from evenhand.graph import PartialGraph

Side: TypeAlias = Literal["direct", "through", "explained", "not judged", "witness"]


@dataclass(frozen=True, kw_only=True)
class PathSides:
    """The children of the protected attribute by the paths that lead on from them.

    ``graph`` has only ancestors of the decision and of the protected attribute.

    >>> graph = PartialGraph.parse("race -> zip -> loan; race -> income -> loan; race -> loan")
    >>> PathSides(graph=graph, protected="race", decision="loan", chosen=("zip",)).sides
    {'income': 'explained', 'loan': 'direct', 'zip': 'through'}
    """

    graph: PartialGraph
    protected: str
    decision: str
    chosen: tuple[str, ...]
    explained: tuple[str, ...] | None = None

    @cached_property
    def in_use(self) -> frozenset[str]:
        """The chosen attributes that lie on a path to the decision."""
        between = self.graph.descendants(self.protected) & self.graph.ancestors(self.decision)
        return between.intersection(self.chosen)

    @cached_property
    def affected(self) -> frozenset[str]:
        """What the protected attribute reaches by a path on which nothing is chosen."""
        return _reached([self.protected], self.graph.children, avoid=self.in_use)

    @cached_property
    def makes_chosen(self) -> frozenset[str]:
        """What is affected and causes a chosen attribute, be it through others."""
        causes = _reached(self.in_use, self.graph.parents, avoid=())
        return self.affected & causes

    @cached_property
    def reaches_decision(self) -> frozenset[str]:
        """What is affected and leads to the decision past all chosen attributes, and that."""
        causes = _reached([self.decision], self.graph.parents, avoid=self.in_use)
        return self.affected & (causes | {self.decision})

    @cached_property
    def witnesses(self) -> tuple[str, ...]:
        """The nodes because of which the effect is not identified, causes first."""
        both = self.makes_chosen & self.reaches_decision
        return tuple(name for name in self.graph.topological_order() if name in both)

    @cached_property
    def sides(self) -> Mapping[str, Side]:
        """For each child of the protected attribute, which paths lead on from it."""
        return {name: self._side(name) for name in sorted(self.graph.children(self.protected))}

    def children_on(self, *sides: Side) -> frozenset[str]:
        """The children of the protected attribute on these sides."""
        return frozenset(name for name, side in self.sides.items() if side in sides)

    def _side(self, child: str) -> Side:
        if child == self.decision:
            return "direct"
        if child in self.witnesses:
            return "witness"
        if child in self.in_use or child in self.makes_chosen:
            return "through"
        if self.explained is None or child in self.explained:
            return "explained"
        past = _reached([child], self.graph.children, avoid=frozenset(self.explained))
        return "not judged" if self.decision in past else "explained"


def _reached(
    start: Iterable[str], step: Callable[[str], Collection[str]], *, avoid: Collection[str]
) -> frozenset[str]:
    """Everything that steps from the start lead to, without entering what is avoided."""
    reached: set[str] = set()
    ahead = list(start)
    while ahead:
        for name in step(ahead.pop()):
            if name not in reached and name not in avoid:
                reached.add(name)
                ahead.append(name)
    return frozenset(reached)
