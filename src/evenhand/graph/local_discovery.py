"""The causes of the decision, without learning the whole graph.

Only what may come before the decision matters: attributes from which no chain of allowed
arrows leads to the decision are left out at once. Where knowledge settles which of two
attributes is the later, the later one's neighborhood alone tells whether they are joined, and
the direction is known. Two attributes that might each come before the other are *peers*: they
are joined if each is in the other's neighborhood, and the direction must come from the data. So
the search begins at the decision and goes on from peer to peer, along edges without a
direction, until no edge at the decision lacks one or no further peer can give it one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, combinations, permutations
from typing import get_args

import numpy as np

from evenhand.counts import CountTable
from evenhand.display import Described, Summary
from evenhand.errors import ColumnError, Problem, QuestionError, ResourceError, listed
from evenhand.graph.d_separation import BitsetGraph
from evenhand.graph.neighborhood import (
    Method,
    Neighborhood,
    SearchScope,
    TestCache,
    edge_of,
    look,
)
from evenhand.graph.on_demand_tests import Marginals, make_tester
from evenhand.graph.orientation import Edge, Orientation, Triple, orient
from evenhand.graph.parent_sets import ParentSets, possible_parent_sets
from evenhand.graph.partial_graph import Separation
from evenhand.question import Knowledge, KnownOrder, Tiers


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalCauses(Described):
    """What is joined to the decision, in which direction, and on what evidence.

    ``parents`` and ``children`` have a direction; ``ambiguous`` says for each other neighbor
    why its edge has none. ``possible_parents`` lists every parent set that remains, none where
    they are too many to list. Effects that knowledge places after the decision are not looked
    for. ``separated`` holds the set that took each other attribute away from the decision;
    those in ``weakly_removed`` went although that set left nothing to test. ``strength`` holds,
    for each neighbor, the set that came nearest to separating it: the larger its p, the weaker
    the edge. Learning the whole graph (``discover``) makes other tests: with enough rows both
    find the same causes, on few rows they can differ in an edge.
    """

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
            rows=tuple(
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

    def to_dict(self) -> dict[str, object]:
        """Plain values: names, lists and numbers."""
        return {
            "decision": self.decision,
            "parents": list(self.parents),
            "children": list(self.children),
            "ambiguous": dict(self.ambiguous),
            "possible_parents": [sorted(parents) for parents in self.possible_parents],
            "separated": _plain(self.separated),
            "weakly_removed": list(self.weakly_removed),
            "strength": _plain(self.strength),
            "tests": self.tests,
            "expanded": list(self.expanded),
            "notes": list(self.notes),
        }


def find_causes(
    counts: CountTable | Marginals,
    decision: str,
    *,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = 0.01,
    test: str = "chi-square",
    max_given: int = 6,
    max_given_peers: int = 3,
    method: Method = "hiton",
    progress: Callable[[int], None] | None = None,
) -> LocalCauses:
    """Find the parents of the decision by tests around it only.

    ``knowledge`` is used as given; without it, every direction must come from the data. To say
    that the decision comes last, give ``Tiers(..., [decision])``. Sets of up to ``max_given``
    others are tried on each candidate at the decision, and of up to ``max_given_peers`` at its
    peers, where they only serve to direct edges. ``progress`` is told the number of tests after
    each. Given ``Rows`` instead of counts, it reads the columns that it asks for and no others.
    """
    if decision not in counts.names:
        raise ColumnError.unknown([decision], counts.names, where="decision")
    if method not in get_args(Method):
        raise QuestionError(
            Problem(
                f"There is no method {method!r} of local discovery.",
                f"The methods are {listed(get_args(Method))}.",
                "Name one of them.",
            )
        )
    tester = make_tester(counts, test=test, significance=significance)
    order = Knowledge.of(knowledge).about(counts.names)
    search = LocalSearch(
        decision,
        order,
        TestCache(tester, progress),
        method=method,
        max_given=max_given,
        max_given_peers=max_given_peers,
    )
    found = search.causes()
    if test != "chi-square":
        return found
    adjusted = make_tester(counts, test="chi-square-adjusted", significance=significance)
    thin = [
        name
        for name, weakest in found.strength.items()
        if adjusted.test(decision, name, weakest.given).independent
        and not search.required(decision, name)
    ]
    if not thin:
        return found
    note = (
        f"Thin strata hold the edges between {decision!r} and {listed(thin)}: there chi-square "
        "rejects too often, and chi-square-adjusted would not keep them."
    )
    return replace(found, notes=(*found.notes, note))


class LocalSearch:
    """One search around one decision; remembers every neighborhood that it has looked at."""

    def __init__(
        self,
        decision: str,
        order: KnownOrder,
        inquiry: TestCache,
        *,
        method: Method = "hiton",
        max_given: int,
        max_given_peers: int,
    ) -> None:
        self.decision, self.order, self.inquiry, self.method = decision, order, inquiry, method
        self.max_given, self.max_given_peers = max_given, max_given_peers
        self.found: dict[str, Neighborhood] = {}
        arrows = [(a, b) for a, b in permutations(order.names, 2) if order.may_cause(a, b)]
        allowed = BitsetGraph.of(order.names, arrows)
        self.before = {
            name: allowed.names_in(allowed.ancestors(allowed.bits(name))) - {name}
            for name in order.names
        }

    def causes(self) -> LocalCauses:
        """Search from the decision, and from peer to peer until its edges have directions."""
        expanded: list[str] = []
        nearest: str | None = self.decision
        while nearest is not None:
            expanded.append(nearest)
            for member in self.neighborhood(nearest).members:
                if nearest in self.before[member]:
                    self.neighborhood(member)
            drawing = self.drawing()
            reached = _reached(drawing.orientation, self.decision)
            nearest = next((name for name in reached if name not in expanded), None)
        return self.described(drawing, tuple(expanded))

    def neighborhood(self, name: str) -> Neighborhood:
        """What looks joined to a node among the nodes that may come before it."""
        if name not in self.found:
            before = self.before[name]
            view = SearchScope(
                name,
                candidates=before,
                joined=frozenset(x for x in before if self.required(name, x)),
                causes=frozenset(x for x in before if self.order.may_cause(x, name)),
                max_given=self.max_given if name == self.decision else self.max_given_peers,
            )
            self.found[name] = look(view, self.inquiry, self.method)
        return self.found[name]

    def required(self, a: str, b: str) -> bool:
        """Whether an arrow between the two must be there."""
        return not self.order.required.isdisjoint({(a, b), (b, a)})

    def joined(self, a: str, b: str) -> bool | None:
        """Whether two nodes are joined; None as long as nobody has looked."""
        if not (self.order.may_cause(a, b) or self.order.may_cause(b, a)):
            return False
        sides = [(x, y) for x, y in ((a, b), (b, a)) if y in self.before[x]]
        seen = [y in self.found[x].members for x, y in sides if x in self.found]
        return False if not all(seen) else True if len(seen) == len(sides) else None

    def separation(self, a: str, b: str) -> Separation | None:
        """The smallest set that was found to separate two nodes, a testable one if there is."""
        found = [
            self.found[x].separated[y]
            for x, y in ((a, b), (b, a))
            if x in self.found and y in self.found[x].separated
        ]
        return min(
            found,
            key=lambda s: (self.untestable(a, b, s), len(s.given), -s.p, sorted(s.given)),
            default=None,
        )

    def untestable(self, a: str, b: str, separation: Separation) -> bool:
        """Whether the set left nothing of the two nodes to test."""
        return self.inquiry.ask(a, b, separation.given).status == "untestable"

    def drawing(self) -> "_Drawing":
        """Orient the edges that are known so far.

        Every triple of two edges is read, not only those around expanded nodes: a rule that
        takes an unread triple for no collider would draw false arrows. It is a collider if
        most of the sets that separate its outer nodes lack its centre. Where it is not known
        whether these are joined, no rule may draw on the triple.
        """
        edges = sorted(
            {
                edge_of(name, member)
                for name, found in self.found.items()
                for member in found.members
                if self.joined(name, member)
            }
        )
        around: dict[str, set[str]] = {name: set() for name in chain(self.found, *edges)}
        for a, b in edges:
            around[a].add(b)
            around[b].add(a)
        colliders, ambiguous, support = [], [], {}
        for centre, ends in around.items():
            for x, y in combinations(sorted(ends), 2):
                if self.joined(x, y) or (self.settled(x, centre) and self.settled(centre, y)):
                    continue
                share = self.votes(centre, x, y)
                if share is None or share == Fraction(1, 2):
                    ambiguous.append((x, centre, y))
                elif share < Fraction(1, 2):
                    colliders.append((x, centre, y))
                if share is not None:
                    # Rounded, so that what should be equal is equal.
                    support[x, centre, y] = float(np.float32(self.inquiry.nearest[x, y].p))
        orientation = orient(
            sorted(around),
            edges,
            colliders=colliders,
            ambiguous=ambiguous,
            support=support,
            order=self.order,
        )
        return _Drawing(tuple(sorted(around)), orientation, tuple(ambiguous))

    def settled(self, a: str, b: str) -> bool:
        """Whether knowledge leaves at most one direction between the two."""
        return not (self.order.may_cause(a, b) and self.order.may_cause(b, a))

    def votes(self, centre: str, x: str, y: str) -> Fraction | None:
        """The share of the sets found to separate two nodes that hold the centre."""
        sets = {
            given
            for a, b in ((x, y), (y, x))
            if a in self.found and b in self.found[a].separated
            for given in self.found[a].separating(b, self.inquiry)
        }
        return Fraction(sum(centre in given for given in sets), len(sets)) if sets else None

    def described(self, drawing: "_Drawing", expanded: tuple[str, ...]) -> LocalCauses:
        """Put what was found at the decision into words."""
        decision, drawn = self.decision, drawing.orientation
        claims = [claim for conflict in drawn.conflicts for claim in conflict.claims]
        notes = list(self.notes())
        try:
            sets = possible_parent_sets(
                decision,
                drawing.nodes,
                drawn.arrows,
                drawn.undirected,
                (*drawing.ambiguous, *claims),
            )
        except ResourceError as error:
            sets = ParentSets(node=decision, sets=())
            notes.append(str(error))
        if not sets.consistent:
            notes.append("The edges found contradict each other: no graph fits all of them.")
        parents = sorted(cause for cause, effect in drawn.arrows if effect == decision)
        children = sorted(effect for cause, effect in drawn.arrows if cause == decision)
        neighbors = sorted(b for a, b in _both(drawn.undirected) if a == decision)
        separated = {
            name: separation
            for name in sorted(self.before[decision])
            if not self.joined(decision, name)
            and (separation := self.separation(decision, name))
        }
        weak = [
            name
            for name, separation in separated.items()
            if self.untestable(decision, name, separation)
        ]
        return LocalCauses(
            decision=decision,
            parents=tuple(parents),
            children=tuple(children),
            ambiguous={name: self.reason(name, drawn) for name in neighbors},
            possible_parents=sets.sets,
            separated=separated,
            weakly_removed=tuple(weak),
            strength={
                name: self.inquiry.nearest[edge_of(decision, name)]
                for name in (*parents, *children, *neighbors)
            },
            tests=self.inquiry.tests,
            expanded=expanded,
            notes=tuple(notes),
        )

    def reason(self, name: str, drawn: Orientation) -> str:
        """Why the edge between the decision and a neighbor has no direction."""
        edge = edge_of(self.decision, name)
        if conflicts := [
            str(conflict) for conflict in drawn.conflicts if conflict.edge == edge
        ]:
            return "; ".join(conflicts)
        why = "no triple of attributes decides its direction: the data look the same either way"
        capped = any(self.found[end].capped for end in edge if end in self.found)
        return why + ("; larger sets, not tried, might tell" if capped else "")

    def notes(self) -> Iterator[str]:
        """What the answer assumes, and what was not tried."""
        yield "Assumed: no common cause is hidden, and what is known beforehand is right."
        yield "The whole graph is learned by other tests: on few rows it can differ in an edge."
        if all(level is None for level in self.order.tier.values()):
            yield "No tiers were given: directions come from the data and from arrows given."
        capped = [name for name, found in self.found.items() if found.capped]
        if capped:
            yield (
                f"Larger sets were not tried at {listed(capped)} (more than {self.max_given} "
                f"at {self.decision!r}, {self.max_given_peers} at its peers)."
            )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The edges known so far, directed, and the triples that no rule may draw on."""

    nodes: tuple[str, ...]
    orientation: Orientation
    ambiguous: tuple[Triple, ...]


def _reached(drawn: Orientation, start: str) -> Iterator[str]:
    """The nodes that undirected edges lead to, nearest first, then by name."""
    seen, frontier = {start}, [start]
    while frontier:
        frontier = sorted({b for a, b in _both(drawn.undirected) if a in frontier} - seen)
        seen.update(frontier)
        yield from frontier


def _both(edges: Iterable[Edge]) -> list[Edge]:
    return [arrow for a, b in edges for arrow in ((a, b), (b, a))]


def _braced(names: Iterable[str]) -> str:
    return "{" + ", ".join(sorted(names)) + "}"


def _plain(sets: Mapping[str, Separation]) -> dict[str, dict[str, object]]:
    return {name: {"given": sorted(s.given), "p": s.p} for name, s in sets.items()}
