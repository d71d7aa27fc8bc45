"""Which unshielded triples are colliders: x - z - y, x and y not joined, as x -> z <- y.

By *majority*: of all sets taken from the neighbors of x or of y that separate the two, z is in
less than half if the triple is a collider, in more than half if it is none. At one half, or
where no set separates, the triple is ambiguous and no arrow rests on it. No stored set and no
order decides. By the *first* set: z is in the set that separated x and y, or it is not.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evenhand.graph.kernels.batch import Batch, batches_of, tests_by_depth
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
    totals = [*tests_by_depth(pairs, offers)]
    levels = _levels_of_votes(skeleton, totals, limits)
    all_subsets = levels == len(totals) and not limits.reached(levels - 1, sum(totals))
    if levels < len(totals):
        classified.stopped = (
            f"Sets of {levels:,} or more attributes were not asked about colliders: that would "
            "be more work than a search is given."
        )
    for depth, total in enumerate(totals[:levels]):
        if limits.too_deep(depth):
            break
        if stopped := limits.reached(depth, total):
            # Votes of small sets alone would favor colliders.
            classified.stopped = f"No collider was looked for. {stopped}"
            classified.ambiguous = unshielded
            return classified
        done = 0
        limits.expect(depth + 1, totals[depth + 1 : levels], votes=False)
        limits.report(depth, done, total)
        for batch in batches_of(pairs, offers, depth, all_subsets=all_subsets):
            votes.add(batch, evaluate(batch) > skeleton.significance)
            done += len(batch)
            limits.report(depth, done, total)
        limits.finish(depth, done)
        classified.tests.append(done)
    for triple in unshielded:
        majority = votes.majority(triple)
        if majority < 0:
            classified.colliders.append(triple)
        elif majority == 0:
            classified.ambiguous.append(triple)
    return classified


def _levels_of_votes(skeleton: Skeleton, totals: Sequence[int], limits: Limits) -> int:
    """How large sets may be that vote: no larger than those that a stopped search tried."""
    limits.work = 0  # votes have a budget of their own
    if limits.most_work is None:
        return len(totals)
    tried = totals[: len(skeleton.tests)] if skeleton.stopped else totals
    return limits.affordable(tried)


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
