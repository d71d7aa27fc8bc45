"""Which unshielded triples are colliders: x - z - y, x and y not joined, as x -> z <- y.

By *majority*: of all sets taken from the neighbors of x or of y that separate the two, z is in
less than half if the triple is a collider, in more than half if it is none. At one half, or
where no set separates, the triple is ambiguous and no arrow rests on it. No stored set and no
order decides. By the *first* set: z is in the set that separated x and y, or it is not.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, takewhile

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Batch, batches_of, count_tests
from evenhand.graph.skeleton import Evaluate, Limits, Skeleton

PositionTriple = tuple[int, int, int]


@dataclass(slots=True)
class ClassifiedTriples:
    """Unshielded triples by kind, as positions ``(x, centre, y)`` with x < y."""

    colliders: list[PositionTriple] = field(default_factory=list)
    ambiguous: list[PositionTriple] = field(default_factory=list)
    tests: list[int] = field(default_factory=list)
    stopped: str = ""


def unshielded_triples(skeleton: Skeleton) -> Iterator[PositionTriple]:
    """All x - centre - y whose ends are not joined."""
    adjacent = skeleton.adjacent
    for centre in range(len(adjacent)):
        around = np.flatnonzero(adjacent[centre])
        apart = np.triu(~adjacent[np.ix_(around, around)], 1)
        for x, y in zip(*np.nonzero(apart), strict=True):
            yield int(around[x]), centre, int(around[y])


def classify_by_majority(
    skeleton: Skeleton, evaluate: Evaluate, limits: Limits
) -> ClassifiedTriples:
    """Classify each triple by a vote among all sets that separate its ends."""
    classified, votes = ClassifiedTriples(), _Votes(len(skeleton.adjacent))
    unshielded = list(unshielded_triples(skeleton))
    pairs = np.zeros_like(skeleton.adjacent)
    for x, _, y in unshielded:
        pairs[x, y] = pairs[y, x] = True
    offers = skeleton.offers()
    totals = [*takewhile(bool, (count_tests(pairs, offers, depth) for depth in count()))]
    all_subsets = not limits.reached(len(totals) - 1, sum(totals))
    for depth, total in enumerate(totals):
        if limits.too_deep(depth):
            break
        if stopped := limits.reached(depth, total):
            # Votes of small sets alone would favor colliders.
            classified.stopped = f"No collider was looked for. {stopped}"
            classified.ambiguous = unshielded
            return classified
        done = 0
        limits.report(depth, done, total)
        for batch in batches_of(pairs, offers, depth, all_subsets=all_subsets):
            votes.add(batch, evaluate(batch) > skeleton.significance)
            done += len(batch)
            limits.report(depth, done, total)
        limits.done += done
        classified.tests.append(done)
    for triple in unshielded:
        majority = votes.majority(triple)
        if majority < 0:
            classified.colliders.append(triple)
        elif majority == 0:
            classified.ambiguous.append(triple)
    return classified


class _Votes:
    """How many sets separate each pair, and how many of these hold each attribute."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.separating: Counter[int] = Counter()
        self.holding: Counter[int] = Counter()

    def add(self, batch: Batch, separates: NDArray[np.bool_]) -> None:
        pair = (batch.x * self.nodes + batch.y)[separates]
        member = pair[:, None] * self.nodes + batch.given[separates]
        for votes, keys in ((self.separating, pair), (self.holding, member)):
            distinct, counts = np.unique(keys, return_counts=True)
            votes.update(dict(zip(distinct.tolist(), counts.tolist(), strict=True)))

    def majority(self, triple: PositionTriple) -> int:
        """Sets with the centre minus sets without it."""
        x, centre, y = triple
        pair = x * self.nodes + y
        return 2 * self.holding[pair * self.nodes + centre] - self.separating[pair]


def classify_by_first_set(skeleton: Skeleton) -> ClassifiedTriples:
    """Classify each triple by the set that separated its ends; without one it is ambiguous."""
    classified = ClassifiedTriples()
    for x, centre, y in unshielded_triples(skeleton):
        weakest = skeleton.weakest.get((x, y))
        if weakest is None or weakest.p <= skeleton.significance:
            classified.ambiguous.append((x, centre, y))
        elif centre not in weakest.given:
            classified.colliders.append((x, centre, y))
    return classified
