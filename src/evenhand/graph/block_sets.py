"""Block sets: the attributes to hold equal so that only the direct arrow is left to be seen.

Take the arrow from the protected attribute to the decision away. A set is a block set if, given
it, no path between the two is open any more, and if it holds no consequence of the decision.

Both enumerations take polynomial time from one set to the next: a branch of the search is
entered only when a block set is known to lie in it.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from evenhand.display import Described, Summary
from evenhand.errors import GraphError
from evenhand.graph.d_separation import BitsetGraph, members, reachable, union
from evenhand.question.question import Question


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class BlockSetCheck(Described):
    """Whether a set is a block set; if not, the path that stays open or the consequences in it.

    True exactly when it is one. ``reasons`` says why not, in words; ``missing`` are causes of
    the decision that make it one when added, once the consequences are taken out.

    Paper: thm:dce
    """

    question: Question
    names: frozenset[str]
    open_path: tuple[str, ...]
    consequences: tuple[str, ...]
    reasons: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether the set is a block set."""
        return not self.open_path and not self.consequences

    def __bool__(self) -> bool:
        return self.holds

    def summary(self) -> Summary:
        """Say it in words."""
        protected, decision = self.question.groups_column, self.question.decision
        shown = f"{{{', '.join(sorted(self.names))}}}"
        if self.holds:
            meaning = (
                "In the data only a direct effect sets the groups apart among people alike in "
                "it; predictions need not follow the data."
                if self.question.predicts
                else "Among people alike in it, only a direct effect sets the groups apart."
            )
            return Summary(
                title=f"{shown} is a block set for {protected} and {decision}.",
                notes=(meaning,),
            )
        change = [f"add {_and(self.missing)}"] if self.missing else []
        change += [f"leave out {_and(self.consequences)}"] if self.consequences else []
        return Summary(
            title=f"{shown} is not a block set for {protected} and {decision}.",
            notes=(*self.reasons, f"To get a block set, {' and '.join(change)}."),
        )


@dataclass(frozen=True, slots=True)
class PrunedGraph:
    """The graph without the direct arrow, and the nodes that a block set may contain."""

    graph: BitsetGraph
    protected: int
    decision: int
    allowed: int

    @classmethod
    def of(cls, graph: BitsetGraph, question: Question) -> "PrunedGraph":
        """Take the direct arrow away; refuse a graph in which the decision comes first."""
        protected, decision = (
            graph.bits(*question.protected_names),
            graph.bits(question.decision),
        )
        for name in question.protected_names:
            if path := graph.directed_path(question.decision, name):
                raise decision_first_error(path)
        everything = (1 << len(graph.names)) - 1
        return cls(
            graph.without(protected, decision),
            protected,
            decision,
            everything & ~graph.descendants(decision) & ~protected,
        )

    def separated_by(self, given: int) -> bool:
        """Whether, given these nodes, no path but the direct arrow is open."""
        return not self.graph.connected(self.protected, given) & self.decision

    def is_block_set(self, names: Iterable[str]) -> bool:
        """Whether the names block every other path, no consequence of the decision in them."""
        given = self.graph.bits(*names)
        return not given & ~self.allowed and self.separated_by(given)

    def missing_causes(self, given: int) -> int:
        """Few causes of the decision that turn the given into a block set; all of them do.

        Paper: thm:q
        """
        missing = union(self.graph.parents, self.decision) & ~given
        for node in members(missing):
            if self.separated_by(given | missing & ~(1 << node)):
                missing &= ~(1 << node)
        return missing


def check_block_set(
    graph: BitsetGraph, question: Question, names: Iterable[str]
) -> BlockSetCheck:
    """Decide whether the names are a block set, with a witness if not."""
    pruned = PrunedGraph.of(graph, question)
    names = frozenset(names)
    ends = sorted(names & {*question.protected_names, question.decision})
    if ends:
        raise GraphError.of(
            f"{_and(ends)} cannot be held equal: it is what is compared.",
            remedy="Name other attributes.",
        )
    given = graph.bits(*names)
    paths = (
        pruned.graph.open_path(name, question.decision, given)
        for name in question.protected_names
    )
    path = min(filter(None, paths), key=len, default=())
    consequences = tuple(sorted(graph.names_in(given & ~pruned.allowed)))
    return BlockSetCheck(
        question=question,
        names=names,
        open_path=path,
        consequences=consequences,
        reasons=(
            *((_why_open(pruned.graph, path, given),) if path else ()),
            *(
                f"{name!r} is a consequence of the decision "
                f"({' -> '.join(graph.directed_path(question.decision, name))}): "
                "among people alike in it, part of the decision is already given."
                for name in consequences
            ),
        ),
        missing=tuple(sorted(graph.names_in(pruned.missing_causes(given & pruned.allowed)))),
    )


def all_block_sets(pruned: PrunedGraph) -> Iterator[frozenset[str]]:
    """All block sets, small ones early; van der Zander, Liśkiewicz and Textor's LISTSEP.

    A separator that contains ``inside`` and lies within ``within`` exists if and only if the
    ancestors of ``inside`` and of both ends, as far as they lie within, are one.

    Paper: thm:dce
    """
    ends = pruned.protected | pruned.decision
    branches = [(0, pruned.allowed)]
    while branches:
        inside, within = branches.pop()
        if not pruned.separated_by(pruned.graph.ancestors(ends | inside) & within):
            continue
        undecided = within & ~inside
        node = undecided & -undecided
        if node:
            branches += [(inside | node, within), (inside, within & ~node)]
        else:
            yield pruned.graph.names_in(inside)


def minimal_block_sets(pruned: PrunedGraph) -> Iterator[frozenset[str]]:
    """The block sets of which no part is one.

    They are the minimal separators of the two ends in the moral graph of their ancestors. From
    one, the next are found by moving a node of it to the side of the protected attribute.

    Paper: thm:dce
    """
    protected, decision = pruned.protected, pruned.decision
    around = [0] * len(pruned.graph.names)
    for child in members(pruned.graph.ancestors(protected | decision)):
        family = pruned.graph.parents[child] | 1 << child
        for node in members(family):
            around[node] |= family & ~(1 << node)

    def boundary(removed: int) -> int:
        """What separates the decision's side once the removed nodes are gone."""
        side = reachable(decision, [step & ~removed for step in around])
        return union(around, side) & ~side

    beside_decision = union(around, decision)
    first = boundary(union(around, protected))
    seen, waiting = {first}, deque([first])
    while waiting:
        separator = waiting.popleft()
        yield pruned.graph.names_in(separator)
        for node in members(separator & ~beside_decision):
            following = boundary((separator | around[node]) & ~protected & ~decision)
            if following not in seen:
                seen.add(following)
                waiting.append(following)


def smallest_block_sets(
    graphs: Sequence[PrunedGraph], *, limit: int, skip: Collection[frozenset[str]]
) -> set[frozenset[str]]:
    """Block sets of any of the graphs, at most so many besides those to skip: whole layers.

    The first layer are the minimal ones, the next adds one attribute to each, and so on. Which
    sets are chosen depends neither on the names nor on the order of the nodes.
    """
    most = limit + len(skip)
    firsts = (islice(minimal_block_sets(graph), most + 1) for graph in graphs)
    chosen: set[frozenset[str]] = set()
    layer = set(chain.from_iterable(firsts))
    while layer and len((chosen | layer).difference(skip)) <= limit:
        chosen |= layer
        larger = {names | {name} for names in layer for name in graphs[0].graph.names}
        layer = {
            names
            for names in larger - chosen
            if any(graph.is_block_set(names) for graph in graphs)
        }
    return chosen


def decision_first_error(path: tuple[str, ...]) -> GraphError:
    """The error for a graph in which the decision causes the protected attribute."""
    return GraphError.of(
        f"The decision {path[0]!r} causes the protected attribute {path[-1]!r}: "
        f"{' -> '.join(path)}.",
        "Then no difference in the decision can be due to the protected attribute.",
        "Turn or drop one of these arrows, or put the decision in a later tier.",
    )


def _why_open(graph: BitsetGraph, path: tuple[str, ...], given: int) -> str:
    """The open path with the reason at each inner node: a collider opened, another not held."""
    place = graph.names.index
    forward = [bool(graph.children[place(a)] & graph.bits(b)) for a, b in pairwise(path)]
    shown = path[0] + "".join(
        f" {'->' if ahead else '<-'} {name}"
        for ahead, name in zip(forward, path[1:], strict=True)
    )
    held = graph.names_in(given)
    free, reasons = [], []
    for i, name in enumerate(path[1:-1]):
        if not (forward[i] and not forward[i + 1]):
            free.append(name)
        elif name in held:
            reasons.append(
                f"holding {name!r} equal links its causes {path[i]!r} and {path[i + 2]!r}"
            )
        else:
            below = sorted(held & graph.names_in(graph.descendants(graph.bits(name))))
            reasons.append(
                f"holding {below[0]!r} equal, a consequence of {name!r}, links the causes "
                f"{path[i]!r} and {path[i + 2]!r}"
            )
    if free:
        reasons.insert(0, f"{_and(free)} {'is' if len(free) == 1 else 'are'} not held equal")
    return f"The path {shown} stays open: {', and '.join(reasons)}."


def _and(names: Iterable[str]) -> str:
    *most, last = map(repr, names)
    return f"{', '.join(most)} and {last}" if most else last
