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

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Literal, TypeAlias

from evenhand.display import ProgressReporter
from evenhand.graph.discovery_record import Separation
from evenhand.graph.independence_tester import IndependenceTester
from evenhand.graph.independence_tests import Independence
from evenhand.graph.orientation import Edge, edge_of

Method: TypeAlias = Literal["hiton", "pc-select", "union"]
Asked: TypeAlias = tuple[Edge, frozenset[str]]

# So many tests are evaluated ahead at first, and at most.
_FIRST_BATCH, _LARGEST_BATCH = 32, 2**10


@dataclass(slots=True)
class CachedTests:
    """Runs every test once and caches its result.

    A search looks at one result after the other and stops where it pleases. Tests are asked
    for ahead, in batches that grow; results that nobody looked at do not count. ``weakest``
    holds for each pair the test with the largest p so far.
    """

    tester: IndependenceTester
    reporter: ProgressReporter = field(default_factory=lambda: ProgressReporter(None))
    results: dict[Asked, Independence] = field(default_factory=dict)
    weakest: dict[Edge, Separation] = field(default_factory=dict)
    expected: int | None = None  # how many there will be, where that is known
    _prefetched: dict[Asked, Independence] = field(default_factory=dict)

    def test(self, x: str, y: str, given: frozenset[str] = frozenset()) -> Independence:
        """Test a pair given a set, or return the cached result."""
        pair = edge_of(x, y)
        result = self.results.get((pair, given))
        if result is None:
            result = self._prefetched.pop((pair, given), None)
            result = result or self.tester.test(*pair, sorted(given))
            self.results[pair, given] = result
            if pair not in self.weakest or _rounded(self.weakest[pair].p) < _rounded(result.p):
                self.weakest[pair] = Separation(given, result.p)
            self.reporter.report("tests", len(self.results), self.expected, depth=len(given))
        return result

    def ahead(self, asked: Iterable[Asked]) -> Iterator[Asked]:
        """The tests that will be asked for, each batch evaluated before its first is."""
        rest, size = iter(asked), _FIRST_BATCH
        for first in rest:
            if first in self.results:
                yield first
                continue
            some = [first, *islice(rest, size - 1)]
            tests = [(*pair, sorted(given)) for pair, given in some]
            for part in self.tester.parts(tests):
                named = [((x, y), frozenset(given)) for x, y, given in part]
                new = [
                    (one, test)
                    for one, test in zip(named, part, strict=True)
                    if one not in self.results and one not in self._prefetched
                ]
                results = self.tester.test_all([test for _, test in new])
                self._prefetched |= zip((one for one, _ in new), results, strict=True)
                yield from named
            size = min(size * 4, _LARGEST_BATCH)

    def find_separation(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> Separation | None:
        """Find a set from the pool that separates a pair, the smallest first.

        Among sets of one size, one that leaves something to test is preferred: where every
        stratum has a single value of ``x`` or of ``y``, the data say nothing.
        """
        untestable: Separation | None = None
        for given in self._sets(x, y, pool, sizes):
            if untestable and len(given) > len(untestable.given):
                break
            result = self.test(x, y, given)
            if result.independent and result.status == "tested":
                return Separation(given, result.p)
            if result.independent:
                untestable = untestable or Separation(given, result.p)
        return untestable

    def separating_sets(
        self, x: str, y: str, pool: Collection[str], *, sizes: Iterable[int]
    ) -> set[frozenset[str]]:
        """All sets from the pool that separate a pair."""
        sets = self._sets(x, y, pool, sizes)
        return {given for given in sets if self.test(x, y, given).independent}

    def _sets(
        self, x: str, y: str, pool: Collection[str], sizes: Iterable[int]
    ) -> Iterator[frozenset[str]]:
        """All sets from the pool, in the order of sizes; tests given them are made ahead."""
        sets = (frozenset(given) for size in sizes for given in combinations(pool, size))
        return (given for _, given in self.ahead((edge_of(x, y), given) for given in sets))


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


def _rounded(number: float) -> float:
    """To seven digits: numbers that should be equal may differ in their last ones."""
    return float(f"{number:.7g}")


def find_neighborhood(scope: SearchScope, tests: CachedTests, method: Method) -> Neighborhood:
    """Find what no set separates from the node."""
    pairs = [(edge_of(scope.node, name), frozenset[str]()) for name in scope.candidates]
    tests.expected = len(tests.results) + len(pairs)
    alone = {
        name: tests.test(*pair)
        for name, (pair, _) in zip(scope.candidates, tests.ahead(pairs), strict=True)
    }
    tests.expected = None
    strength = {
        name: (_rounded(one.p), -_rounded(one.statistic)) for name, one in alone.items()
    }
    strongest_first = sorted(alone, key=lambda name: (*strength[name], name))
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
