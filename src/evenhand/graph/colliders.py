"""Which triples x - z - y are colliders x -> z <- y, where x and y are not joined.

By *majority*: of all sets drawn from the neighbors of x or of y that separate the two, z is in
less than half if the triple is a collider, in more than half if it is none. At one half, or
where no set separates, the triple is ambiguous and nothing is drawn from it. No stored set and
no order decides. By the *first* set: z is in the set that separated x and y, or it is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from evenhand.graph.kernels.subsets import count_tests, tests_of
from evenhand.graph.skeleton import Evaluate, Limits, Skeleton

Positions = tuple[int, int, int]


@dataclass(slots=True)
class Reading:
    """How the triples of a skeleton are read, as positions ``(x, centre, y)`` with x < y."""

    colliders: list[Positions] = field(default_factory=list)
    ambiguous: list[Positions] = field(default_factory=list)
    tests: list[int] = field(default_factory=list)
    stopped: str = ""


def triples(skeleton: Skeleton) -> Iterator[Positions]:
    """All x - centre - y whose ends are not joined."""
    adjacent = skeleton.adjacent
    for centre in range(len(adjacent)):
        around = np.flatnonzero(adjacent[centre])
        apart = np.triu(~adjacent[np.ix_(around, around)], 1)
        for x, y in zip(*np.nonzero(apart), strict=True):
            yield int(around[x]), centre, int(around[y])


def by_majority(skeleton: Skeleton, evaluate: Evaluate, limits: Limits) -> Reading:
    """Read each triple by a vote among all sets that separate its ends."""
    reading = Reading()
    found = list(triples(skeleton))
    pairs = np.zeros_like(skeleton.adjacent)
    for x, _, y in found:
        pairs[x, y] = pairs[y, x] = True
    nodes = len(pairs)
    separating: dict[int, int] = {}
    holding: dict[int, int] = {}
    depth = 0
    while total := count_tests(pairs, skeleton.offers(), depth):
        if limits.too_deep(depth):
            break
        reading.stopped = limits.reached(depth, total)
        if reading.stopped:
            # Votes of small sets alone would favor colliders.
            reading.stopped = f"No collider was looked for. {reading.stopped}"
            reading.ambiguous = found
            return reading
        done = 0
        for batch in tests_of(pairs, skeleton.offers(), depth):
            chosen = np.flatnonzero(evaluate(batch) > skeleton.significance)
            pair = batch.x[chosen] * nodes + batch.y[chosen]
            for key, count in zip(*np.unique(pair, return_counts=True), strict=True):
                separating[int(key)] = separating.get(int(key), 0) + int(count)
            member = pair[:, None] * nodes + batch.given[chosen]
            for key, count in zip(*np.unique(member, return_counts=True), strict=True):
                holding[int(key)] = holding.get(int(key), 0) + int(count)
            done += len(batch)
            limits.tell(depth, done, total)
        limits.done += done
        reading.tests.append(done)
        depth += 1
    for x, centre, y in found:
        ends = x * nodes + y
        twice, of = 2 * holding.get(ends * nodes + centre, 0), separating.get(ends, 0)
        if twice == of:
            reading.ambiguous.append((x, centre, y))
        elif twice < of:
            reading.colliders.append((x, centre, y))
    return reading


def by_first_set(skeleton: Skeleton) -> Reading:
    """Read each triple by the set that separated its ends; without one it is ambiguous."""
    reading = Reading()
    for x, centre, y in triples(skeleton):
        verdict = skeleton.weakest.get((x, y))
        if verdict is None or verdict.p <= skeleton.significance:
            reading.ambiguous.append((x, centre, y))
        elif centre not in verdict.given:
            reading.colliders.append((x, centre, y))
    return reading
