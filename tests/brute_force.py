"""Answers straight from the definitions, slow and obvious: what faster code is held against.

A graph is a set of arrows between names here, a table a list of lines with their counts;
nothing of evenhand is used.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from math import fsum, log


def all_dags(names: str) -> Iterator[frozenset[tuple[str, str]]]:
    """The arrows of every graph without cycles on the names: 1, 3, 25, 543, 29281 of them."""
    pairs = list(combinations(names, 2))
    for choice in product((0, 1, 2), repeat=len(pairs)):
        arrows = frozenset(
            (a, b) if kind == 1 else (b, a)
            for (a, b), kind in zip(pairs, choice, strict=True)
            if kind
        )
        if is_acyclic(arrows):
            yield arrows


def subsets(names: Iterable[str]) -> Iterator[frozenset[str]]:
    """Every subset, small ones first."""
    names = sorted(names)
    return map(
        frozenset,
        chain.from_iterable(combinations(names, size) for size in range(len(names) + 1)),
    )


def is_acyclic(arrows: frozenset[tuple[str, str]]) -> bool:
    """Whether taking effects that cause nothing away, again and again, leaves nothing."""
    while arrows:
        causes = {cause for cause, _ in arrows}
        rest = frozenset(arrow for arrow in arrows if arrow[1] in causes)
        if rest == arrows:
            return False
        arrows = rest
    return True


def descendants(arrows: frozenset[tuple[str, str]], node: str) -> set[str]:
    """The node and everything that arrows lead to from it."""
    found = {node}
    while more := {effect for cause, effect in arrows if cause in found} - found:
        found |= more
    return found


def paths(
    arrows: frozenset[tuple[str, str]], start: str, end: str
) -> Iterator[tuple[str, ...]]:
    """All paths between two nodes, along and against arrows, that visit no node twice."""
    around = {}
    for a, b in arrows:
        around.setdefault(a, set()).add(b)
        around.setdefault(b, set()).add(a)

    def walk(path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if path[-1] == end:
            yield path
            return
        for step in around.get(path[-1], set()) - set(path):
            yield from walk((*path, step))

    return walk((start,))


def is_blocked(
    arrows: frozenset[tuple[str, str]], path: tuple[str, ...], given: frozenset[str]
) -> bool:
    """The paper's definition of a blocked path, word by word."""
    for i, m, j in zip(path, path[1:], path[2:], strict=False):
        if (i, m) in arrows and (j, m) in arrows:
            if not descendants(arrows, m) & given:
                return True
        elif m in given:
            return True
    return False


def is_separated(
    arrows: frozenset[tuple[str, str]], a: str, b: str, given: frozenset[str]
) -> bool:
    """Whether all paths are blocked."""
    return all(is_blocked(arrows, path, given) for path in paths(arrows, a, b))


def block_sets(
    arrows: frozenset[tuple[str, str]], names: str, protected: str, decision: str
) -> set[frozenset[str]]:
    """All block sets, by trying every set."""
    without = arrows - {(protected, decision)}
    allowed = set(names) - descendants(arrows, decision) - {protected}
    return {
        given for given in subsets(allowed) if is_separated(without, protected, decision, given)
    }


def colliders(arrows: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str, str]]:
    """Triples (a, centre, b), a < b, of which a and b cause the centre and are not joined."""
    return frozenset(
        (a, centre, b)
        for a, centre in arrows
        for b, effect in arrows
        if effect == centre and a < b and (a, b) not in arrows and (b, a) not in arrows
    )


def directions(
    edges: Iterable[tuple[str, str]],
) -> Iterator[frozenset[tuple[str, str]]]:
    """Every way to direct the edges without a cycle."""
    for arrows in product(*(((a, b), (b, a)) for a, b in edges)):
        if is_acyclic(frozenset(arrows)):
            yield frozenset(arrows)


def equivalent(
    arrows: frozenset[tuple[str, str]], may_cause
) -> list[frozenset[tuple[str, str]]]:
    """All graphs with the same edges and colliders that keep to what is known."""
    seen = colliders(arrows)
    return [
        other
        for other in directions(arrows)
        if colliders(other) == seen and all(may_cause(*arrow) for arrow in other)
    ]


def extensions(partial) -> list[frozenset[tuple[str, str]]]:
    """Every way to direct the edges that keeps the arrows and adds no collider but in doubt."""
    allowed = colliders(partial.arrows) | partial.doubtful
    return [
        arrows
        for arrows in directions([*partial.arrows, *partial.undirected])
        if arrows >= partial.arrows and colliders(arrows) <= allowed
    ]


def independence(
    lines: Sequence[tuple[int, ...]],
    counts: Sequence[int],
    x: int,
    y: int,
    given: Sequence[int],
    *,
    test: str,
) -> tuple[float, int]:
    """Statistic and degrees of freedom of one test, stratum by stratum."""
    strata: defaultdict[tuple[int, ...], Counter[tuple[int, int]]] = defaultdict(Counter)
    for line, rows in zip(lines, counts, strict=True):
        strata[tuple(line[at] for at in given)][line[x], line[y]] += int(rows)
    terms, degrees = [], 0
    for cells in strata.values():
        by_x, by_y = Counter(), Counter()
        for (a, b), rows in cells.items():
            by_x[a] += rows
            by_y[b] += rows
        total = sum(by_x.values())
        degrees += (len(by_x) - 1) * (len(by_y) - 1)
        if test == "g-square":
            terms += [
                2 * n * log(n * total / (by_x[a] * by_y[b])) for (a, b), n in cells.items()
            ]
        else:
            # An empty cell adds its expected count: together what the others leave of all rows.
            expected = {(a, b): by_x[a] * by_y[b] / total for a, b in cells}
            found = [(n - expected[cell]) ** 2 / expected[cell] for cell, n in cells.items()]
            found.append(total - fsum(expected.values()))
            weight = (total - 1) / total if test == "chi-square-adjusted" else 1
            terms += [weight * term for term in found]
    return fsum(terms), degrees
