"""d-separation: which nodes of a directed graph are independent once others are known.

A path is open given some nodes if every collider on it (``a -> m <- b``) is given or has a
given descendant, and no other inner node is given. Two sets of nodes are separated if no path
between them is open.

Sets of nodes are integers with one bit for each node: a union is ``|``, and the searches below
visit all nodes of a frontier at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evenhand.errors import GraphError
from evenhand.question.knowledge import Arrow


@dataclass(frozen=True, slots=True)
class BitsetGraph:
    """The arrows of a graph as bit sets: ``parents[i]``, ``children[i]`` of the i-th name."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    children: tuple[int, ...]

    @classmethod
    def of(cls, names: Iterable[str], arrows: Iterable[Arrow]) -> "BitsetGraph":
        """Number the names in their order."""
        names = tuple(names)
        place = {name: index for index, name in enumerate(names)}
        parents = [0] * len(names)
        for cause, effect in arrows:
            parents[place[effect]] |= 1 << place[cause]
        return cls.with_parents(names, parents)

    @classmethod
    def with_parents(cls, names: tuple[str, ...], parents: Iterable[int]) -> "BitsetGraph":
        """The graph in which each node has these parents."""
        sets = tuple(parents)
        return cls(names, sets, transposed(sets))

    def bits(self, *names: str) -> int:
        """The set of the names."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise GraphError.unknown(unknown, self.names)
        return sum({1 << self.names.index(name) for name in names})

    def names_in(self, nodes: int) -> frozenset[str]:
        """The names in a set."""
        return frozenset(self.names[node] for node in members(nodes))

    def without(self, cause: int, effect: int) -> "BitsetGraph":
        """The same without the arrow between two nodes, each given as a set of one."""
        return BitsetGraph(
            self.names,
            tuple(p & ~cause if effect >> i & 1 else p for i, p in enumerate(self.parents)),
            tuple(c & ~effect if cause >> i & 1 else c for i, c in enumerate(self.children)),
        )

    def ancestors(self, nodes: int) -> int:
        """The nodes and everything from which an arrow leads to them."""
        return reachable(nodes, self.parents)

    def descendants(self, nodes: int) -> int:
        """The nodes and everything to which an arrow leads from them."""
        return reachable(nodes, self.children)

    def connected(self, nodes: int, given: int) -> int:
        """Everything that an open path joins to the nodes, themselves included.

        A ball rolls through the graph: what it does at a node depends on whether it came in
        from a child or from a parent, so the two frontiers are kept apart.

        Paper: def:d
        """
        opened = self.ancestors(given)
        from_child, from_parent = nodes, 0
        seen_from_child = seen_from_parent = 0
        while from_child | from_parent:
            seen_from_child |= from_child
            seen_from_parent |= from_parent
            upward = from_child & ~given | from_parent & opened
            downward = (from_child | from_parent) & ~given
            from_child = union(self.parents, upward) & ~seen_from_child
            from_parent = union(self.children, downward) & ~seen_from_parent
        return seen_from_child | seen_from_parent

    def open_path(self, start: str, end: str, given: int) -> tuple[str, ...]:
        """A shortest open path between two names, the first by name; empty if there is none.

        The shortest way of the ball never visits a node twice: if it did, leaving out the loop
        would give a shorter way that is open too.
        """
        opened = self.ancestors(given)
        first = (self.names.index(start), True)
        came_from: dict[tuple[int, bool], tuple[int, bool]] = {first: first}
        frontier = [first]
        for state in frontier:
            node, from_child = state
            if self.names[node] == end:
                path = [state]
                while path[-1] != first:
                    path.append(came_from[path[-1]])
                return tuple(self.names[index] for index, _ in reversed(path))
            free = not given >> node & 1
            upward = free if from_child else bool(opened >> node & 1)
            steps = [(parent, True) for parent in members(self.parents[node]) if upward]
            steps += [(child, False) for child in members(self.children[node]) if free]
            for step in sorted(steps, key=lambda step: self.names[step[0]]):
                if step not in came_from:
                    came_from[step] = state
                    frontier.append(step)
        return ()

    def directed_path(self, start: str, end: str) -> tuple[str, ...]:
        """A shortest path of arrows, the first by name; empty if there is none."""
        # No node is given and only arrows forward are kept, so an open path is a directed one.
        forward = BitsetGraph(self.names, (0,) * len(self.names), self.children)
        return forward.open_path(start, end, 0)

    def order(self) -> tuple[int, ...]:
        """The places of causes before those of effects, without what follows a cycle."""
        rest = (1 << len(self.names)) - 1
        ready = [node for node in members(rest) if not self.parents[node]]
        order: list[int] = []
        while ready:
            order += ready
            taken = sum(1 << node for node in ready)
            rest &= ~taken
            below = members(union(self.children, taken))
            ready = [node for node in below if not self.parents[node] & rest]
        return tuple(order)

    def cycle(self) -> tuple[str, ...]:
        """A shortest directed cycle as a closed path, the first by name; or nothing."""
        shortest: list[int] = []
        for node in sorted({*range(len(self.names))}.difference(self.order())):
            levels, seen = [1 << node], 0
            while levels[-1] and (not shortest or len(levels) + 1 < len(shortest)):
                reached = union(self.children, levels[-1])
                if reached >> node & 1:
                    shortest = [node]
                    for level in reversed(levels):
                        shortest.append(next(members(self.parents[shortest[-1]] & level)))
                    break
                levels.append(reached & ~seen)
                seen |= reached
        return tuple(self.names[node] for node in reversed(shortest))


def members(nodes: int) -> Iterator[int]:
    """The places of the set bits, rising.

    >>> list(members(0b1010))
    [1, 3]
    """
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


def union(sets: Sequence[int], nodes: int) -> int:
    """The union of the sets that stand at the nodes' places."""
    together = 0
    for node in members(nodes):
        together |= sets[node]
    return together


def transposed(sets: Sequence[int]) -> tuple[int, ...]:
    """Of sets of parents those of children, and the other way round."""
    turned = [0] * len(sets)
    for at, nodes in enumerate(sets):
        for node in members(nodes):
            turned[node] |= 1 << at
    return tuple(turned)


def reachable(nodes: int, steps: Sequence[int]) -> int:
    """The nodes and everything that steps lead to."""
    reached, new = 0, nodes
    while new:
        reached |= new
        new = union(steps, new) & ~reached
    return reached
