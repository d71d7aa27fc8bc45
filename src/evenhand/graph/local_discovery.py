"""``find_causes``: the causes of the decision, without learning the whole graph.

Only what may come before the decision matters: attributes from which no chain of allowed
arrows leads to the decision are left out at once. Where knowledge settles which of two
attributes is the later, the later one's neighborhood alone tells whether they are joined, and
the direction is known. Two attributes that might each come before the other are *peers*: they
are joined if each is in the other's neighborhood, and the direction must come from the data. So
the search begins at the decision and goes on from peer to peer, along edges without a
direction, until no edge at the decision lacks one or no further peer can give it one.

A node's parents separate it from every node that is not its descendant. So a candidate that
some set of the other members of its neighborhood separates is not joined; one that no set
separates may be. These members are searched by HITON-PC with interleaved elimination (Aliferis,
Statnikov, Tsamardinos, Mani and Koutsoukos 2010): candidates come in from the strongest down,
so few sets are tried.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, combinations, islice
from typing import ClassVar, TypeAlias

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Plain, ProgressCallback, ProgressReporter, Summary
from evenhand.errors import ColumnError, ResourceError, listed
from evenhand.graph.cached_tests import IndependenceTester, Marginals
from evenhand.graph.d_separation import BitsetGraph
from evenhand.graph.discovery_record import Separation
from evenhand.graph.graph import PartialGraph
from evenhand.graph.independence_tests import Independence
from evenhand.graph.orientation import Conflict, Edge, both_ways, edge_of, orient
from evenhand.question import SIGNIFICANCE, Knowledge, KnownOrder, Tiers

Asked: TypeAlias = tuple[Edge, frozenset[str]]
# Sets, and the result of a test given each.
Tested: TypeAlias = Iterator[tuple[frozenset[str], Independence]]

# So many tests are evaluated ahead at first, and at most.
_FIRST_BATCH, _LARGEST_BATCH = 32, 2**10


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LocalCauses(Plain, Described):
    """What is joined to the decision, in which direction, and on what evidence.

    ``parents`` and ``children`` have a direction; ``ambiguous`` says for each other neighbor
    why its edge has none. ``possible_parents`` lists every parent set that remains, none where
    they are too many to list. Effects that knowledge places after the decision are not looked
    for. ``separated`` holds the set that took each other attribute away from the decision;
    those in ``weakly_removed`` went although that set left nothing to test. ``strength`` holds,
    for each neighbor, the set that came nearest to separating it: the larger its p, the weaker
    the edge. ``near`` are the decision and all attributes with an edge that the search found.
    Learning the whole graph (``discover``) makes other tests: with enough rows both find the
    same causes, on few rows they can differ in an edge.
    """

    keys: ClassVar[str] = (
        "decision parents children ambiguous possible_parents separated weakly_removed "
        "strength tests expanded notes"
    )

    decision: str
    parents: tuple[str, ...]
    children: tuple[str, ...]
    ambiguous: Mapping[str, str]
    possible_parents: tuple[frozenset[str], ...]
    separated: Mapping[str, Separation]
    weakly_removed: tuple[str, ...]
    strength: Mapping[str, Separation]
    tests: int
    expanded: tuple[str, ...]
    notes: tuple[str, ...]
    near: tuple[str, ...] = ()

    def summary(self) -> Summary:
        """Describe the decision's neighbors, strongest edge first."""
        role = dict.fromkeys(self.parents, "cause") | dict.fromkeys(self.children, "effect")
        role |= dict.fromkeys(self.ambiguous, "cause or effect")
        ranked = sorted(role, key=lambda name: (self.strength[name].p, name))
        return Summary(
            title=f"Causes of {self.decision}: {', '.join(self.parents) or 'none'}",
            facts=(
                ("possible cause sets", "; ".join(map(_braced, self.possible_parents))),
                ("independence tests", f"{self.tests:,}"),
                ("searched from", ", ".join(self.expanded)),
            ),
            columns=("attribute", "role", "largest p", "given"),
            lines=tuple(
                (
                    name,
                    role[name],
                    f"{self.strength[name].p:.3g}",
                    _braced(self.strength[name].given),
                )
                for name in ranked
            ),
            notes=(*(f"{name}: {why}" for name, why in self.ambiguous.items()), *self.notes),
        )


def find_causes(
    counts: CountTable | Marginals,
    decision: str,
    *,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = SIGNIFICANCE,
    test: str = "chi-square",
    max_given: int = 6,
    max_given_peers: int = 3,
    progress: ProgressCallback | None = None,
) -> LocalCauses:
    """Find the parents of the decision by tests around it only.

    ``knowledge`` is used as given; without it, every direction must come from the data. To say
    that the decision comes last, give ``Tiers(..., [decision])``. Sets of up to ``max_given``
    others are tried on each candidate at the decision, and of up to ``max_given_peers`` at its
    peers, where they only serve to direct edges. ``progress`` is called after each test with
    their number. Given ``Rows`` instead of counts, only the columns that are tested are read.
    """
    if decision not in counts.names:
        raise ColumnError.unknown([decision], counts.names, where="decision")
    tester = IndependenceTester(counts, test=test, significance=significance)
    order = Knowledge.of(knowledge).about(counts.names)
    counts.marginal([decision])  # rows are read now, and not in the time of the first test
    search = LocalSearch(
        decision,
        order,
        CachedTests(tester, ProgressReporter(progress)),
        max_given=max_given,
        max_given_peers=min(max_given_peers, max_given),
    )
    causes = search.causes()
    if test != "chi-square":
        return causes
    weakest = [(decision, name, sorted(by.given)) for name, by in causes.strength.items()]
    adjusted = tester.test_all(weakest, kind="chi-square-adjusted")
    thin = [
        name
        for (_, name, _), test_again in zip(weakest, adjusted, strict=True)
        if test_again.independent and not search.required(decision, name)
    ]
    if not thin:
        return causes
    note = (
        f"Thin strata hold the edges between {decision!r} and {listed(thin)}: there chi-square "
        "rejects too often, and chi-square-adjusted would not keep them."
    )
    return replace(causes, notes=(*causes.notes, note))


@dataclass(slots=True)
class CachedTests:
    """Runs every test once and caches its result.

    ``weakest`` holds for each pair the test with the largest p so far.
    """

    tester: IndependenceTester
    reporter: ProgressReporter = field(default_factory=lambda: ProgressReporter(None))
    results: dict[Asked, Independence] = field(default_factory=dict)
    weakest: dict[Edge, Separation] = field(default_factory=dict)
    expected: int | None = None  # how many there will be, where that is known

    def test(self, x: str, y: str, given: frozenset[str] = frozenset()) -> Independence:
        """Test a pair given a set, or return the cached result."""
        ((_, result),) = self.each([(edge_of(x, y), given)])
        return result

    def each(self, asked: Iterable[Asked]) -> Tested:
        """The result of each test, with the set that it is given.

        A search looks at one after the other and stops where it pleases. So they are evaluated
        ahead, in batches that grow, and those that nobody looked at do not count.
        """
        rest, size = iter(asked), _FIRST_BATCH
        while some := [*islice(rest, size)]:
            new = [one for one in some if one not in self.results]
            parts = self.tester.parts([(*pair, sorted(given)) for pair, given in new])
            found = zip(new, chain.from_iterable(parts), strict=False)
            for one in some:
                pair, given = one
                if one not in self.results:
                    result = next(result for key, result in found if key == one)
                    self.results[one] = result
                    weakest = self.weakest.get(pair)
                    if weakest is None or _rounded(weakest.p) < _rounded(result.p):
                        self.weakest[pair] = Separation(given, result.p)
                    done = len(self.results)
                    self.reporter.report("tests", done, self.expected, depth=len(given))
                yield given, self.results[one]
            size = min(size * 4, _LARGEST_BATCH)


@dataclass(slots=True)
class Neighborhood:
    """What no set of others separates from a node, and what separates the rest from it.

    What is ``joined`` is known to be. Only ``causes``, those that may cause the node, are
    conditioned on, and at most ``max_given`` of them at a time.
    """

    node: str
    joined: frozenset[str]
    causes: frozenset[str]
    max_given: int
    tests: CachedTests
    members: tuple[str, ...] = ()
    separated: dict[str, Separation] = field(default_factory=dict)

    def search(self, candidates: Iterable[str]) -> None:
        """Find the members among the candidates."""
        names, tests = list(candidates), self.tests
        pairs = [(edge_of(self.node, name), frozenset[str]()) for name in names]
        tests.expected = len(tests.results) + len(pairs)
        alone = [result for _, result in tests.each(pairs)]
        tests.expected = None
        strength = {
            name: (_rounded(one.p), -_rounded(one.statistic), name)
            for name, one in zip(names, alone, strict=True)
        }
        members: list[str] = []
        for newcomer in sorted(names, key=lambda name: strength[name]):
            members.append(newcomer)
            for name in reversed(members[:]):
                if newcomer in members and (by := self.separation(name, members)):
                    members.remove(name)
                    self.separated[name] = by
        self.members = tuple(members)

    def separation(self, name: str, members: Iterable[str]) -> Separation | None:
        """The smallest set of other members that separates one of them.

        Among sets of one size, one that leaves something to test is preferred: where every
        stratum has a single value of either end, the data say nothing.
        """
        for level in () if name in self.joined else self._levels(name, members):
            untestable: Separation | None = None
            for given, result in level:
                if result.independent and result.is_testable:
                    return Separation(given, result.p)
                if result.independent:
                    untestable = untestable or Separation(given, result.p)
            if untestable:
                return untestable
        return None

    def separating_sets(self, name: str) -> set[frozenset[str]]:
        """All sets of members that separate the node from one that is no member."""
        tests = chain.from_iterable(self._levels(name, self.members))
        found = {given for given, result in tests if result.independent}
        return found | {self.separated[name].given}

    def _levels(self, name: str, members: Iterable[str]) -> Iterator[Tested]:
        """The tests given sets of the others, those of one size together, small ones first."""
        pool = [other for other in members if other in self.causes and other != name]
        pair = edge_of(self.node, name)
        for size in range(min(len(pool), self.max_given) + 1):
            yield self.tests.each(
                (pair, frozenset(given)) for given in combinations(pool, size)
            )

    @property
    def capped(self) -> bool:
        """Whether larger sets could have been tried than were allowed."""
        return len(self.causes.intersection(self.members)) > self.max_given + 1


class NamesBefore(dict[str, frozenset[str]]):
    """For each name those from which a chain of allowed arrows leads to it.

    Worked out when it is asked for: of thousands of columns a search looks at few.
    """

    def __init__(self, order: KnownOrder) -> None:
        super().__init__()
        place = {name: 1 << at for at, name in enumerate(order.names)}
        whole = (1 << len(place)) - 1
        # Whatever has no tier, or one that is not later, may be a cause.
        upto: dict[int | None, int] = {None: whole}
        reached = sum(place[name] for name, tier in order.tier.items() if tier is None)
        for level in sorted({tier for tier in order.tier.values() if tier is not None}):
            reached |= sum(place[name] for name, tier in order.tier.items() if tier == level)
            upto[level] = reached
        causes = {name: upto[order.tier[name]] & ~place[name] for name in order.names}
        backward = [(effect, cause) for cause, effect in order.required]
        for cause, effect in (*order.forbidden, *backward):
            causes[effect] &= ~place[cause]
        self._allowed = BitsetGraph(order.names, tuple(causes.values()), ())

    def __missing__(self, name: str) -> frozenset[str]:
        allowed = self._allowed
        before = allowed.names_in(allowed.ancestors(allowed.bits(name))) - {name}
        self[name] = before
        return before


class LocalSearch:
    """One search around one decision, with a cache of the neighborhoods it has searched."""

    def __init__(
        self,
        decision: str,
        order: KnownOrder,
        tests: CachedTests,
        *,
        max_given: int,
        max_given_peers: int,
    ) -> None:
        self.decision, self.order, self.tests = decision, order, tests
        self.max_given, self.max_given_peers = max_given, max_given_peers
        self.neighborhoods: dict[str, Neighborhood] = {}
        self.before = NamesBefore(order)

    def causes(self) -> LocalCauses:
        """Search from the decision, and from peer to peer until its edges have directions."""
        expanded: list[str] = []
        nearest: str | None = self.decision
        while nearest is not None:
            expanded.append(nearest)
            for member in self.neighborhood(nearest).members:
                if nearest in self.before[member]:
                    self.neighborhood(member)
            graph, conflicts = self.local_graph()
            # The nodes that undirected edges lead to, nearest first, then by name.
            linked, frontier = [self.decision], [self.decision]
            while frontier:
                around = frozenset[str]().union(*map(graph.neighbors, frontier))
                frontier = sorted(around.difference(linked))
                linked += frontier
            nearest = next((name for name in linked if name not in expanded), None)
        return self.result(graph, conflicts, tuple(expanded))

    def neighborhood(self, name: str) -> Neighborhood:
        """What looks joined to a node among the nodes that may come before it."""
        if name not in self.neighborhoods:
            before = self.before[name]
            around = self.neighborhoods[name] = Neighborhood(
                name,
                joined=frozenset(x for x in before if self.required(name, x)),
                causes=frozenset(x for x in before if self.order.may_cause(x, name)),
                max_given=self.max_given if name == self.decision else self.max_given_peers,
                tests=self.tests,
            )
            around.search(before)
        return self.neighborhoods[name]

    def required(self, a: str, b: str) -> bool:
        """Whether an arrow between the two must be there."""
        return not self.order.required.isdisjoint({(a, b), (b, a)})

    def settled(self, a: str, b: str) -> bool:
        """Whether knowledge leaves at most one direction between the two."""
        return not (self.order.may_cause(a, b) and self.order.may_cause(b, a))

    def joined(self, a: str, b: str) -> bool | None:
        """Whether two nodes are joined; None until the neighborhoods that tell are searched."""
        if not (self.order.may_cause(a, b) or self.order.may_cause(b, a)):
            return False
        sides, searched = ((a, b), (b, a)), self.neighborhoods
        seen = [
            y in searched[x].members for x, y in sides if x in searched and y in self.before[x]
        ]
        if not all(seen):  # so that of thousands of columns no more need be known
            return False
        return True if len(seen) == sum(y in self.before[x] for x, y in sides) else None

    def separated(self, a: str, b: str) -> list[tuple[Neighborhood, str]]:
        """The neighborhoods of the two, of those searched, from which the other was removed."""
        ends = ((self.neighborhoods.get(x), y) for x, y in ((a, b), (b, a)))
        return [
            (around, other) for around, other in ends if around and other in around.separated
        ]

    def separation(self, a: str, b: str) -> Separation | None:
        """The smallest set that separated two nodes, a testable one if there is any."""
        return min(
            (around.separated[other] for around, other in self.separated(a, b)),
            key=lambda s: (self.untestable(a, b, s), len(s.given), -s.p, sorted(s.given)),
            default=None,
        )

    def untestable(self, a: str, b: str, separation: Separation) -> bool:
        """Whether the set left nothing of the two nodes to test."""
        return not self.tests.test(a, b, separation.given).is_testable

    def votes(self, centre: str, x: str, y: str) -> Fraction | None:
        """Of the sets that separate two nodes, the share that contains the centre."""
        found = (around.separating_sets(other) for around, other in self.separated(x, y))
        sets = set[frozenset[str]]().union(*found)
        return Fraction(sum(centre in given for given in sets), len(sets)) if sets else None

    def local_graph(self) -> tuple[PartialGraph, tuple[Conflict, ...]]:
        """Orient the edges that are known so far; triples no rule may rely on are in doubt.

        Every triple of two edges is read, not only those around expanded nodes: a rule that
        takes an unread triple for no collider would draw false arrows. It is a collider if
        most of the sets that separate its outer nodes lack its centre. Where it is not known
        whether these are joined, no rule may rely on the triple.
        """
        edges = {
            edge_of(name, member)
            for name, around in self.neighborhoods.items()
            for member in around.members
            if self.joined(name, member)
        }
        ends: dict[str, set[str]] = {name: set() for name in self.neighborhoods}
        for a, b in both_ways(edges):
            ends.setdefault(a, set()).add(b)
        colliders, ambiguous, support = [], [], {}
        for centre, around_it in sorted(ends.items()):
            for x, y in combinations(sorted(around_it), 2):
                if self.joined(x, y) or (self.settled(x, centre) and self.settled(centre, y)):
                    continue
                share = self.votes(centre, x, y)
                if share is None or share == Fraction(1, 2):
                    ambiguous.append((x, centre, y))
                elif share < Fraction(1, 2):
                    colliders.append((x, centre, y))
                if share is not None:
                    # Rounded, so that what should be equal is equal.
                    support[x, centre, y] = float(np.float32(self.tests.weakest[x, y].p))
        found = orient(
            sorted(ends),
            sorted(edges),
            colliders=colliders,
            ambiguous=ambiguous,
            support=support,
            order=self.order,
        )
        doubts = {*ambiguous, *(claim for one in found.conflicts for claim in one.claims)}
        graph = PartialGraph(
            tuple(ends), found.arrows, found.undirected, doubts=frozenset(doubts)
        )
        return graph, found.conflicts

    def result(
        self, graph: PartialGraph, conflicts: tuple[Conflict, ...], expanded: tuple[str, ...]
    ) -> LocalCauses:
        """What the edges at the decision say, with the evidence for each."""
        decision, notes = self.decision, list(self.notes())
        possible: tuple[frozenset[str], ...] = ()
        try:
            sets = graph.parent_sets(decision)
        except ResourceError as error:
            notes.append(str(error))
        else:
            possible = sets.sets
            if not sets.consistent:
                notes.append(
                    "The edges found contradict each other: no graph fits all of them."
                )
        parents, children, neighbors = (
            tuple(sorted(side(decision)))
            for side in (graph.parents, graph.children, graph.neighbors)
        )
        separated = {
            name: separation
            for name in sorted(self.before[decision])
            if not self.joined(decision, name)
            and (separation := self.separation(decision, name))
        }
        return LocalCauses(
            decision=decision,
            parents=parents,
            children=children,
            ambiguous={name: self.reason(name, conflicts) for name in neighbors},
            possible_parents=possible,
            separated=separated,
            weakly_removed=tuple(
                name for name, by in separated.items() if self.untestable(decision, name, by)
            ),
            strength={
                name: self.tests.weakest[edge_of(decision, name)]
                for name in (*parents, *children, *neighbors)
            },
            tests=len(self.tests.results),
            expanded=expanded,
            notes=tuple(notes),
            near=graph.nodes,
        )

    def reason(self, name: str, conflicts: tuple[Conflict, ...]) -> str:
        """Why the edge between the decision and a neighbor has no direction."""
        edge = edge_of(self.decision, name)
        if told := [str(conflict) for conflict in conflicts if conflict.edge == edge]:
            return "; ".join(told)
        why = "no triple of attributes decides its direction: the data look the same either way"
        searched = (self.neighborhoods[end] for end in edge if end in self.neighborhoods)
        capped = any(around.capped for around in searched)
        return why + ("; larger sets, not tried, might tell" if capped else "")

    def notes(self) -> Iterator[str]:
        """What the answer assumes, and what was not tried."""
        yield "Assumed: no common cause is hidden, and what is known beforehand is right."
        yield "The whole graph is learned by other tests: on few rows it can differ in an edge."
        if all(level is None for level in self.order.tier.values()):
            yield "No tiers were given: directions come from the data and from arrows given."
        capped = [name for name, around in self.neighborhoods.items() if around.capped]
        if capped:
            yield (
                f"Larger sets were not tried at {listed(capped)} (more than {self.max_given} "
                f"at {self.decision!r}, {self.max_given_peers} at its peers)."
            )


def _rounded(number: float) -> float:
    """To seven digits: numbers that should be equal may differ in their last ones."""
    return float(f"{number:.7g}")


def _braced(names: Iterable[str]) -> str:
    return "{" + ", ".join(sorted(names)) + "}"
