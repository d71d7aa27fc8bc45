"""The neighborhood of one node: what no set of other attributes separates from it.

A node's parents separate it from every node that is not its descendant. So a candidate that
some set of the other members separates is not joined; one that no set separates may be. There
are two searches, and their union:

- ``hiton`` (HITON-PC with interleaved elimination; Aliferis, Statnikov, Tsamardinos, Mani and
  Koutsoukos 2010): candidates come in from the strongest down, so few sets are tried;
- ``pc-select`` (Bühlmann, Kalisch and Maathuis 2010): all candidates are in, and leave in
  rounds of growing sets as in PC-stable, so that the members do not depend on any order;
- ``union``: a candidate leaves only if both searches separate it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, Protocol, TypeAlias

from evenhand.display import ProgressReporter
from evenhand.graph.independence_tests import Independence
from evenhand.graph.orientation import Edge, edge_of
from evenhand.graph.partial_graph import Separation

Method: TypeAlias = Literal["hiton", "pc-select", "union"]


class IndependenceTest(Protocol):
    """Anything that tests whether two attributes are independent given others."""

    def test(self, x: str, y: str, given: Iterable[str]) -> Independence:
        """Test ``x`` and ``y`` within each assignment of ``given``."""


@dataclass(slots=True)
class CachedTests:
    """Runs every test once and caches its result.

    ``weakest`` holds for each pair the test with the largest p so far.
    """

    tester: IndependenceTest
    reporter: ProgressReporter = field(default_factory=lambda: ProgressReporter(None))
    results: dict[tuple[Edge, frozenset[str]], Independence] = field(default_factory=dict)
    weakest: dict[Edge, Separation] = field(default_factory=dict)

    def test(self, x: str, y: str, given: frozenset[str] = frozenset()) -> Independence:
        """Test a pair given a set, or return the cached result."""
        pair = edge_of(x, y)
        result = self.results.get((pair, given))
        if result is None:
            result = self.results[pair, given] = self.tester.test(*pair, sorted(given))
            if pair not in self.weakest or self.weakest[pair].p < result.p:
                self.weakest[pair] = Separation(given, result.p)
            self.reporter.report("tests", len(self.results))
        return result

    def find_separation(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> Separation | None:
        """Find a set from the pool that separates a pair, the smallest first.

        Among sets of one size, one that leaves something to test is preferred: where every
        stratum has a single value of ``x`` or of ``y``, the data say nothing.
        """
        for size in sizes:
            untestable = None
            for given in map(frozenset, combinations(pool, size)):
                result = self.test(x, y, given)
                if result.independent and result.status == "tested":
                    return Separation(given, result.p)
                if result.independent:
                    untestable = untestable or Separation(given, result.p)
            if untestable:
                return untestable
        return None

    def separating_sets(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> set[frozenset[str]]:
        """All sets from the pool that separate a pair."""
        sets = (frozenset(given) for size in sizes for given in combinations(pool, size))
        return {given for given in sets if self.test(x, y, given).independent}


@dataclass(frozen=True, slots=True)
class SearchScope:
    """A node whose neighborhood is searched, and what knowledge says about it.

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

    def find_separation(
        self, name: str, members: Iterable[str], tests: CachedTests, sizes: Sequence[int] = ()
    ) -> Separation | None:
        """Try sets of the other members on one of them, unless it is known to be joined."""
        if name in self.joined:
            return None
        pool = self.pool(name, members)
        return tests.find_separation(self.node, name, pool, sizes=sizes or self.sizes(pool))


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """What no set separates from a node, and what separates the others from it."""

    scope: SearchScope
    members: tuple[str, ...]
    separated: dict[str, Separation]

    @property
    def capped(self) -> bool:
        """Whether larger sets could have been tried than were allowed."""
        return len(self.scope.causes.intersection(self.members)) > self.scope.max_given + 1

    def separating_sets(self, name: str, tests: CachedTests) -> set[frozenset[str]]:
        """All sets of members that separate the node from one that is no member."""
        pool = self.scope.pool(name, self.members)
        sets = tests.separating_sets(self.scope.node, name, pool, sizes=self.scope.sizes(pool))
        return sets | {self.separated[name].given}


def find_neighborhood(scope: SearchScope, tests: CachedTests, method: Method) -> Neighborhood:
    """Find what no set separates from the node."""
    alone = {name: tests.test(scope.node, name) for name in scope.candidates}
    strongest_first = sorted(alone, key=lambda x: (alone[x].p, -alone[x].statistic, x))
    searches = {"hiton": (_hiton,), "pc-select": (_pc_select,), "union": (_hiton, _pc_select)}
    separated = [search(scope, tests, strongest_first) for search in searches[method]]
    by_all = {name: by for name, by in separated[0].items() if name in separated[-1]}
    members = tuple(name for name in strongest_first if name not in by_all)
    return Neighborhood(scope, members, by_all)


def _hiton(
    scope: SearchScope, tests: CachedTests, strongest_first: Iterable[str]
) -> dict[str, Separation]:
    members: list[str] = []
    separated: dict[str, Separation] = {}
    for newcomer in strongest_first:
        members.append(newcomer)
        for name in reversed(members[:]):
            if newcomer in members and (by := scope.find_separation(name, members, tests)):
                members.remove(name)
                separated[name] = by
    return separated


def _pc_select(
    scope: SearchScope, tests: CachedTests, strongest_first: Iterable[str]
) -> dict[str, Separation]:
    members = list(strongest_first)
    separated: dict[str, Separation] = {}
    for size in range(scope.max_given + 1):
        if size >= len(members):
            break
        level = {name: scope.find_separation(name, members, tests, (size,)) for name in members}
        separated |= {name: by for name, by in level.items() if by}
        members = [name for name in members if name not in separated]
    return separated
