"""What looks joined to one node, seen from its own side.

A node's parents separate it from every node that is not its descendant. So a candidate that
some set of the other members separates is not joined; one that no set separates may be. There
are two ways of searching, and what either of them finds:

- ``hiton`` (HITON-PC with interleaved elimination; Aliferis, Statnikov, Tsamardinos, Mani and
  Koutsoukos 2010): candidates come in from the strongest down, so few sets are tried;
- ``pc-select`` (Bühlmann, Kalisch and Maathuis 2010): all candidates are in, and leave in
  rounds of growing sets as in PC-stable, so that the members do not depend on any order;
- ``union``: a candidate leaves only if both ways separate it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, Protocol, TypeAlias

from evenhand.graph.independence_tests import Independence
from evenhand.graph.orientation import Edge
from evenhand.graph.partial_graph import Separation

Method: TypeAlias = Literal["hiton", "pc-select", "union"]


class IndependenceTest(Protocol):
    """Whatever can say whether two attributes are independent given others."""

    def test(self, x: str, y: str, given: Iterable[str]) -> Independence:
        """Test ``x`` and ``y`` within each assignment of ``given``."""


@dataclass(slots=True)
class TestCache:
    """Asks every question once, remembers the answers, and counts them.

    ``nearest`` holds for each pair the set that came nearest to separating it.
    """

    tester: IndependenceTest
    progress: Callable[[int], None] | None = None
    answers: dict[tuple[Edge, frozenset[str]], Independence] = field(default_factory=dict)
    nearest: dict[Edge, Separation] = field(default_factory=dict)

    @property
    def tests(self) -> int:
        """How many different tests were run."""
        return len(self.answers)

    def ask(self, x: str, y: str, given: frozenset[str] = frozenset()) -> Independence:
        """Test a pair given a set, or recall the answer."""
        pair = edge_of(x, y)
        answer = self.answers.get((pair, given))
        if answer is None:
            answer = self.answers[pair, given] = self.tester.test(*pair, sorted(given))
            if pair not in self.nearest or self.nearest[pair].p < answer.p:
                self.nearest[pair] = Separation(given, answer.p)
            if self.progress:
                self.progress(self.tests)
        return answer

    def separate(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> Separation | None:
        """Find a set from the pool that separates a pair, the smallest first.

        Among sets of one size, one that leaves something to test is preferred: where every
        stratum has a single value of ``x`` or of ``y``, the data say nothing.
        """
        for size in sizes:
            untestable = None
            for given in map(frozenset, combinations(pool, size)):
                answer = self.ask(x, y, given)
                if answer.independent and answer.status == "tested":
                    return Separation(given, answer.p)
                if answer.independent:
                    untestable = untestable or Separation(given, answer.p)
            if untestable:
                return untestable
        return None

    def separating(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> set[frozenset[str]]:
        """All sets from the pool that separate a pair."""
        sets = (frozenset(given) for size in sizes for given in combinations(pool, size))
        return {given for given in sets if self.ask(x, y, given).independent}


@dataclass(frozen=True, slots=True)
class SearchScope:
    """A node from which one looks, and what is known before looking.

    ``candidates`` may be joined to the node, ``joined`` are; only ``causes``, those that may
    cause the node, are conditioned on, and at most ``max_given`` of them at a time.
    """

    node: str
    candidates: frozenset[str]
    joined: frozenset[str]
    causes: frozenset[str]
    max_given: int

    def pool(self, name: str, members: Iterable[str]) -> list[str]:
        """The other members that may be conditioned on."""
        return [other for other in members if other in self.causes and other != name]

    def sizes(self, pool: Sequence[str]) -> range:
        """How many of a pool are given at a time."""
        return range(min(len(pool), self.max_given) + 1)

    def separate(
        self, name: str, members: Iterable[str], inquiry: TestCache, sizes: Sequence[int] = ()
    ) -> Separation | None:
        """Try sets of the other members on one of them, unless it is known to be joined."""
        if name in self.joined:
            return None
        pool = self.pool(name, members)
        return inquiry.separate(self.node, name, pool, sizes=sizes or self.sizes(pool))


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """What no set separates from a node, and what separates the others from it."""

    view: SearchScope
    members: tuple[str, ...]
    separated: dict[str, Separation]

    @property
    def capped(self) -> bool:
        """Whether larger sets could have been tried than were allowed."""
        return len(self.view.causes.intersection(self.members)) > self.view.max_given + 1

    def separating(self, name: str, inquiry: TestCache) -> set[frozenset[str]]:
        """All sets of members that separate the node from one that is no member."""
        pool = self.view.pool(name, self.members)
        sets = inquiry.separating(self.view.node, name, pool, sizes=self.view.sizes(pool))
        return sets | {self.separated[name].given}


def look(view: SearchScope, inquiry: TestCache, method: Method) -> Neighborhood:
    """Find what is joined to the node as far as can be seen from there."""
    alone = {name: inquiry.ask(view.node, name) for name in view.candidates}
    strongest_first = sorted(alone, key=lambda x: (alone[x].p, -alone[x].statistic, x))
    searches = {"hiton": (_hiton,), "pc-select": (_pc_select,), "union": (_hiton, _pc_select)}
    separated = [search(view, inquiry, strongest_first) for search in searches[method]]
    apart = {name: found for name, found in separated[0].items() if name in separated[-1]}
    members = tuple(name for name in strongest_first if name not in apart)
    return Neighborhood(view, members, apart)


def edge_of(x: str, y: str) -> Edge:
    """The pair in the one order in which it is remembered."""
    return (x, y) if x < y else (y, x)


def _hiton(
    view: SearchScope, inquiry: TestCache, strongest_first: Iterable[str]
) -> dict[str, Separation]:
    members: list[str] = []
    separated: dict[str, Separation] = {}
    for newcomer in strongest_first:
        members.append(newcomer)
        for name in reversed(members[:]):
            if newcomer in members and (found := view.separate(name, members, inquiry)):
                members.remove(name)
                separated[name] = found
    return separated


def _pc_select(
    view: SearchScope, inquiry: TestCache, strongest_first: Iterable[str]
) -> dict[str, Separation]:
    members = list(strongest_first)
    separated: dict[str, Separation] = {}
    for size in range(view.max_given + 1):
        if size >= len(members):
            break
        found = {name: view.separate(name, members, inquiry, (size,)) for name in members}
        separated |= {name: separation for name, separation in found.items() if separation}
        members = [name for name in members if name not in separated]
    return separated
