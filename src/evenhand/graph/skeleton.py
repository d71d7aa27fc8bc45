"""Which attributes are joined: PC's search for sets that separate them.

The search gets its p-values from a function of batches, so that it runs on data as well as on a
graph whose separations are known. Attributes are positions here; ``discovery`` adds the names.

Two attributes stay joined until some set of their neighbors makes them independent. Sets grow
by one from level to level, and are taken from the neighbors of either end that may, by what is
known, be causes of that end. In the *stable* search the neighbors are frozen during a level,
all sets of the level are tried, and the set with the largest p is kept: neither the order of
the attributes nor their names change what is found. (Where several sets have the same p, as
untestable ones have, the first by name is kept; the graph does not depend on it.) The
*original* search removes an edge at once, with the first set that separates its ends.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.display import ProgressReporter
from evenhand.graph.kernels.batch import Batch, Matrix, batches_of, tests_by_depth

Evaluate = Callable[[Batch], NDArray[np.float64]]

# The work of a search, in tests × cells, that goes on without limits; votes on colliders have
# as much again. A unit takes 15 to 30 ns by numpy and 5 to 15 by numba (bench/dense.py): 30 s.
MOST_WORK = 5 * 10**8
_SECONDS = 2e-8  # of a unit
# What a test costs beside its cells, in cells.
_FIXED_CELLS = 1_000


class WeakestTest(NamedTuple):
    """The set that makes two attributes look most independent, and the p it gives."""

    given: tuple[int, ...]
    p: float


@dataclass(slots=True, kw_only=True)
class Limits:
    """When a search stops early, the tests and the work done so far, and who is told.

    With ``most_work`` no level is begun that would exceed this work, which depends on the
    counts alone and on no clock: a table has the same graph on every machine. ``cards`` and
    ``lines`` are the sizes of the table. Edges and colliders have a budget each. ``to_come`` is
    the most work that levels after the present one can take.
    """

    max_depth: int | None = None
    max_tests: int | None = None
    most_work: int | None = None
    cards: tuple[int, ...] = ()
    lines: int = 0
    work: int = 0
    to_come: int = 0
    reporter: ProgressReporter = field(default_factory=lambda: ProgressReporter(None))
    done: int = 0
    _level: tuple[int, int, int] = (0, 0, 0)

    def __str__(self) -> str:
        sets = [] if self.max_depth is None else [f"sets no larger than {self.max_depth:,}"]
        tests = [] if self.max_tests is None else [f"no more than {self.max_tests:,} tests"]
        return " and ".join(sets + tests)

    def reached(self, depth: int, tests: int) -> str:
        """A note of what is not tried if the next level goes beyond the limits, else ""."""
        if self.too_deep(depth):
            return f"Sets of more than {self.max_depth:,} attributes were not tried."
        if self.max_tests is not None and self.done + tests > self.max_tests:
            return (
                f"Sets of {depth:,} or more attributes were not tried: with them there would "
                f"be more than {self.max_tests:,} tests."
            )
        return ""

    def affordable(self, totals: Sequence[int], depth: int = 0) -> int:
        """How many levels the budget allows, of so many tests each, the first of this depth.

        A level of no sets is always allowed.
        """
        if self.most_work is None:
            return len(totals)
        work = self.work
        for at, tests in enumerate(totals):
            work += self._work(depth + at, tests)
            if depth + at and work > self.most_work:
                return at
        return len(totals)

    def _work(self, depth: int, tests: int) -> int:
        """Tests × cells, of columns with as many values as they have on average.

        Tests of the same columns share what is counted, four fifths of the work.
        """
        size, columns = depth + 2, len(self.cards)
        product: int = sum(self.cards) ** size // max(columns, 1) ** size
        cells = min(self.lines, product)
        sets = min(tests, comb(columns, size))
        return tests * _FIXED_CELLS + (tests + 4 * sets) * cells // 5

    def finish(self, depth: int, tests: int) -> None:
        """Count the tests of a level that is done, and its work."""
        self.done += tests
        self.work += self._work(depth, tests)

    def expect(self, depth: int, totals: Iterable[int], *, votes: bool) -> None:
        """Note the most work of levels to come, the first of this depth, and of ``votes``.

        Edges that are removed only make the levels smaller. Votes take about as much work as
        the search of edges does.
        """
        self.to_come = 0
        for at, tests in enumerate(totals, depth):
            if self.too_deep(at) or self.work + self.to_come > MOST_WORK:
                break
            self.to_come += self._work(at, tests)
        self.to_come = min(self.to_come, max(MOST_WORK - self.work, 0))
        self.to_come += votes * (self.work + self.to_come)

    def too_deep(self, depth: int) -> bool:
        """Whether sets of this size are beyond the limit."""
        return self.max_depth is not None and depth > self.max_depth

    def report(self, depth: int, done: int, total: int) -> None:
        """Report how many of the tests given sets of this size are done."""
        self._level = (depth, done, total)
        rest = (1 - done / total) * self._work(depth, total) if total else 0.0
        work = _SECONDS * (rest + self.to_come)
        self.reporter.report(f"tests given {depth}", done, total, depth=depth, work=work)

    def report_more(self, tests: int) -> None:
        """Report that so many more tests of the present batch are done."""
        depth, done, total = self._level
        self.report(depth, min(done + tests, total), total)


@dataclass(slots=True)
class Skeleton:
    """The state of a search and, in the end, its result.

    ``may_cause[a, b]`` says that a may be a cause of b; ``required`` pairs are never tested.
    ``weakest`` holds for each pair the test with the largest p so far; where the pair is no
    longer adjacent, this is what separates it.
    """

    may_cause: Matrix
    required: Matrix
    significance: float
    adjacent: Matrix = field(init=False)
    weakest: dict[tuple[int, int], WeakestTest] = field(default_factory=dict)
    tests: list[int] = field(default_factory=list)
    stopped: str = ""
    together: list[tuple[int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.adjacent = self.may_cause | self.may_cause.T

    def offers(self) -> Matrix:
        """``[a, z]``: z is joined to a and may cause it, so a may be tested given z."""
        return self.adjacent & self.may_cause.T

    def search(self, evaluate: Evaluate, limits: Limits) -> None:
        """Remove edges level by level, all of a level at once, until no set is left to try."""
        for depth, total in self._levels(limits):
            done = 0
            limits.report(depth, done, total)
            for batch in batches_of(self.adjacent & ~self.required, self.offers(), depth):
                self.update_weakest(batch, evaluate(batch))
                done += len(batch)
                limits.report(depth, done, total)
            self.tests.append(done)
            for x, y in np.argwhere(np.triu(self.adjacent)).tolist():
                weakest = self.weakest.get((x, y))
                if weakest and weakest.p > self.significance:
                    self.adjacent[x, y] = self.adjacent[y, x] = False

    def search_original(self, evaluate: Evaluate, limits: Limits) -> None:
        """Remove each edge with the first set that separates its ends, in the given order."""
        for depth, total in self._levels(limits):
            done = 0
            offered: dict[tuple[int, int], Matrix] = {}
            for x, y in np.argwhere(self.adjacent & ~self.required).tolist():
                if self.adjacent[x, y]:
                    offers = np.zeros_like(self.adjacent)
                    offered[x, y] = offers[x] = self.offers()[x]
                    offers[y] = offered.get((y, x), False)
                    done += self._separate(x, y, offers, depth, evaluate)
                    limits.report(depth, done, max(done, total))
            self.tests.append(done)

    def _levels(self, limits: Limits) -> Iterator[tuple[int, int]]:
        """The size of sets and the number of tests of each level, until a limit is reached."""
        for depth in count():
            by_depth = tests_by_depth(self.adjacent & ~self.required, self.offers())
            totals = islice(by_depth, depth, None)
            total = next(totals, 0)
            self.stopped = limits.reached(depth, total) if total else ""
            if not limits.affordable([total], depth):
                self.stopped = (
                    f"Sets of {depth:,} or more attributes were not tried: that would be more "
                    "work than a search is given."
                )
            if not total or self.stopped:
                return
            limits.expect(depth + 1, totals, votes=True)
            yield depth, total
            limits.finish(depth, self.tests[-1])

    def _separate(self, x: int, y: int, offers: Matrix, depth: int, evaluate: Evaluate) -> int:
        """Try what x offers until a set separates it from y; returns the number of tests."""
        pair = np.zeros_like(self.adjacent)
        pair[x, y] = True
        done = 0
        for batch in batches_of(pair, offers, depth):
            p = evaluate(batch)
            separating = np.flatnonzero(p > self.significance)
            if len(separating):
                first = int(separating[0])
                given = tuple(batch.given[first].tolist())
                self.weakest[min(x, y), max(x, y)] = WeakestTest(given, float(p[first]))
                self.adjacent[x, y] = self.adjacent[y, x] = False
                return done + first + 1
            self.update_weakest(batch, p)
            done += len(batch)
        return done

    def join_together(self, end: int, evaluate: Evaluate, never: Collection[int] = ()) -> None:
        """Join to ``end`` each pair of columns that separate one another from it.

        The end must depend on both, given what else separated them. Two columns that nearly
        repeat each other, one of them a cause, lose their edges in this way. No column in
        ``never`` is joined.
        """
        apart = {
            other: {*weakest.given}
            for pair, weakest in self.weakest.items()
            for other in {*pair} - {end, *never}
            if end in pair and not self.adjacent[pair]
        }
        for x, y in combinations(sorted(apart), 2):
            if x in apart[y] and y in apart[x]:
                ends = np.array([sorted((one, end)) for one in (x, y)])
                given = np.array([sorted((apart[x] | apart[y]) - {x, y})] * 2, np.intp)
                p = evaluate(Batch(ends[:, 0], ends[:, 1], given))
                if (p <= self.significance).all():
                    self.together.append((x, y))
        for pair in self.together:
            self.adjacent[pair, end] = self.adjacent[end, pair] = True

    def update_weakest(self, batch: Batch, p: NDArray[np.float64]) -> None:
        """Remember for each pair the test with the largest p."""
        pair = batch.x * len(self.adjacent) + batch.y
        order = np.lexsort((-p, pair))
        starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
        # Rounded, because p-values that should be equal may differ in their last digits.
        rounded = p.astype(np.float32)
        stops = np.append(starts[1:], len(pair))
        best = order[starts]
        # Where several tests have the largest p, the first by name is kept.
        for at in np.flatnonzero((stops - starts > 1) & (p[best] > self.significance)).tolist():
            tied = order[starts[at] : stops[at]]
            tied = tied[rounded[tied] == rounded[best[at]]]
            best[at] = min(tied.tolist(), key=lambda i: batch.given[i].tolist())
        # As lists: elements of arrays made 124,750 pairs take five times as long.
        for x, y, given, largest, near in zip(
            *(part[best].tolist() for part in (batch.x, batch.y, batch.given, p, rounded)),
            strict=True,
        ):
            known = self.weakest.get((x, y))
            if known is None or near > np.float32(known.p):
                self.weakest[x, y] = WeakestTest(tuple(given), largest)
