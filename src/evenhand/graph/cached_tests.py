"""``IndependenceTester``: tests of named attributes; ``Evaluator``: each in the fastest way.

- Sets of few possible cells are counted in *cubes*, by numpy or by numba.
- Others are counted by *partitions* of the lines, of either kernel.
- Sets of columns with few values are counted by *bits* where these cost less than cubes.
- All subsets of a pool, which votes ask for, are evaluated together from one cube.

The sizes and costs here were chosen on one machine; they change the time, never the answer.

With many attributes nearly every row is an assignment of its own, and a table of all counts is
as long as the rows. A search around one decision looks only at small sets of attributes, so
that of rows their counts are made on demand and cached. The tests of a batch are evaluated on
one table of all their attributes, or on several where that table would be large.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from math import prod
from types import ModuleType
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import ColumnError, QuestionError, listed
from evenhand.graph.independence_tests import (
    Independence,
    check_significance,
    check_test,
    p_values,
)
from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import (
    Batch,
    BatchPlan,
    BatchResults,
    CodedTable,
    Floats,
    Indices,
    PoolResults,
)
from evenhand.graph.kernels.bitset_kernel import MOST_VALUES, BitsetKernel
from evenhand.graph.kernels.partition_kernel import PartitionCache
from evenhand.question import SIGNIFICANCE

NamedTest: TypeAlias = tuple[str, str, Sequence[str]]
KernelName = Literal["auto", "numpy", "numba"]
Flags = NDArray[np.bool_]
Keys = NDArray[np.int64]

_NUMBA_KERNEL = "evenhand.graph.kernels.numba_kernel"

# Sets of so many possible cells, or of so many for each line, at most, are counted in cubes.
_CUBE_CELLS, _CUBE_CELLS_PER_LINE = 2**13, 0.25
_NUMBA_CUBES = 2  # with numba larger ones pay

# What bits cost, in nanoseconds: for each intersection 1.5 a word and 100, and 200 × 2^k for
# the cube of a set of k columns. A set has an intersection for each combination of values
# beyond the first; those of fewer columns are mostly known from sets before.
_WORD, _INTERSECTION, _CUBE = 1.5, 100.0, 200.0
# What a set costs in a cube that it shares with neighbors: by itself, and for each line.
_SHARED_CUBE = {"numpy": (2e4, 0.3), "numba": (2e3, 0.05)}
# So much takes the first set that is counted by bits; sets are encoded in one integer; packed
# columns take at most so much memory, or as much as the table.
_FIRST_BITS, _LARGEST_KEY, _PACKED_BYTES = 2e5, 2**62, 2**26

# Work, in lines × tests, above which loading numba, compiling its kernel, or threading pays.
# Loading takes 0.7 s and compiling 6, in which numpy does so much; then the code is on disk.
_LOAD_WORK, _COMPILE_WORK = 1e8, 1e9
_THREAD_WORK = 2e7
# Each thread has buffers as long as the table; all together have at most so many lines.
_THREAD_LINES = 2**23
# So many p-values are kept for later searches, at most.
_MOST_KEPT = 2**21
_NO_KEYS = np.empty(0, np.int64)

# Tests share a table of at most so many codes, rows times attributes.
_MOST_CODES = 2**22
_CACHED_TABLES = 16


class Evaluator:
    """Evaluates batches of tests on one table of counts.

    ``after_each`` is called with the number of tests of each set of attributes that takes long,
    ``before_compiling`` if numba has to compile the kernel. ``tests`` says about how many will
    be asked for, so that numba is loaded at once if they are many.
    """

    def __init__(
        self,
        counts: CountTable,
        names: Sequence[str],
        *,
        kernel: KernelName = "auto",
        after_each: Callable[[int], None] = lambda _tests: None,
        before_compiling: Callable[[], None] = lambda: None,
        tests: int = 0,
    ) -> None:
        if kernel == "numba" and (error := _import_numba_kernel()):
            raise QuestionError.of(
                "The kernel 'numba' cannot be loaded.",
                str(error),
                "Install evenhand[fast], or leave the choice of kernel out; if numba has "
                "nowhere to keep its code, name a folder in NUMBA_CACHE_DIR.",
            ) from error
        self.kernel = kernel
        self.names = tuple(names)
        self._place = {name: at for at, name in enumerate(self.names)}
        self.table = CodedTable.of(counts, names)
        self._before_compiling, self._loaded = before_compiling, False
        self.work = float(len(self.table.rows) * tests)
        self._pools: PoolResults | None = None
        # A packed column has so many words.
        self._words = np.bitwise_count(self.table.rows.astype(np.int64)).sum() / 64
        self._bitsets = BitsetKernel(self.table)
        self._partitions = PartitionCache(self.table, numpy_kernel, after_each)

    def p_values(self, batch: Batch, test: str) -> Floats:
        """The p-value of each test."""
        return p_values(*self.statistics(batch, test))

    def statistics_by_name(self, tests: Sequence[NamedTest], test: str) -> BatchResults:
        """Statistic and degrees of freedom of each test; those given equally many together."""
        results = BatchResults.empty(len(tests))
        by_size: dict[int, list[int]] = {}
        for at, (_, _, given) in enumerate(tests):
            by_size.setdefault(len(given), []).append(at)
        for some in by_size.values():
            names = [(*tests[at][:2], *tests[at][2]) for at in some]
            places = np.array([[self._place[name] for name in row] for row in names], np.intp)
            batch = Batch(places[:, 0], places[:, 1], np.sort(places[:, 2:], axis=1))
            results.statistic[some], results.degrees[some] = self.statistics(batch, test)
        return results

    def statistics(self, batch: Batch, test: str) -> BatchResults:
        """Statistic and degrees of freedom of each test."""
        if not len(self.table.rows):
            return BatchResults(np.zeros(len(batch)), np.zeros(len(batch), np.int64))
        found, left = BatchResults.empty(len(batch)), np.arange(len(batch))
        plan, by_bits = self._plan(batch)
        work = len(self.table.rows) * int(np.diff(plan.start)[~by_bits].sum())
        self.work += work
        module = self._module()
        if batch.pools is not None and not by_bits.all():
            if (
                not self._pools
                or self._pools.pools is not batch.pools
                or self._pools.test != test
            ):
                every = module.every_subset
                self._pools = PoolResults(self.table, batch.pools, test, every)
            left = self._pools.look_up(batch, found)
            if not len(left):
                return found
            plan, by_bits = self._plan(batch.take(left))
        most_cells = _CUBE_CELLS * (_NUMBA_CUBES if self.kernel == "numba" else 1)
        in_cubes = ~by_bits & fit_cubes(self.table, plan, most_cells)
        results = BatchResults.empty(len(left))
        self._partitions.kernel = module
        self._bitsets.run(plan, np.flatnonzero(by_bits), test, results)
        self._partitions.run(plan, np.flatnonzero(~by_bits & ~in_cubes), test, results)

        def run(sets: Indices) -> None:
            if len(sets):
                module.run(self.table, plan, sets, test, results)

        threads = 1
        if self.kernel == "numba" and work > _THREAD_WORK:
            threads = max(1, min(_cores(), _THREAD_LINES // len(self.table.rows)))
        if threads == 1:
            run(np.flatnonzero(in_cubes))
        else:
            # Threads write to disjoint results, so their order does not matter.
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(run, np.array_split(np.flatnonzero(in_cubes), threads)))
        order = left[plan.order]
        found.statistic[order], found.degrees[order] = results
        return found

    def _plan(self, batch: Batch) -> tuple[BatchPlan, Flags]:
        """The sets of a batch, and which of them are cheaper by bits than in cubes."""
        plan = BatchPlan.of(batch, len(self.table.cards))
        kernel = "numba" if self.kernel == "numba" else "numpy"
        return plan, sets_by_bits(self.table, self._words, plan, kernel)

    def _module(self) -> ModuleType:
        """The kernel of the next batch: numba once the work so far exceeds what it costs."""
        is_due = _NUMBA_KERNEL in sys.modules or self.work > _LOAD_WORK
        if self.kernel == "auto" and is_due:
            if _import_numba_kernel():
                self.kernel = "numpy"
            elif import_module(_NUMBA_KERNEL).is_on_disk() or self.work > _COMPILE_WORK:
                self.kernel = "numba"
        if self.kernel != "numba":
            return numpy_kernel
        module = import_module(_NUMBA_KERNEL)
        if not self._loaded and not module.is_on_disk():
            self._before_compiling()
        self._loaded = True
        return module


def fit_cubes(table: CodedTable, plan: BatchPlan, most_cells: int) -> Flags:
    """Which sets have few enough possible cells to be counted in cubes."""
    cells = table.cards[plan.members].astype(np.float64).prod(axis=1)
    few: Flags = cells <= max(most_cells, _CUBE_CELLS_PER_LINE * len(table.rows))
    return few


def sets_by_bits(table: CodedTable, words: float, plan: BatchPlan, kernel: str) -> Flags:
    """Which sets are cheaper by bits than in cubes, if a packed column has so many words."""
    size, narrow = plan.members.shape[1], table.cards <= MOST_VALUES
    cards = table.cards[plan.members].astype(np.float64)
    alone, per_line = _SHARED_CUBE[kernel]
    in_cubes = alone + per_line * len(table.rows)
    by_bits = (cards - 1).prod(axis=1) * (words * _WORD + _INTERSECTION) + 2**size * _CUBE
    chosen: Flags = narrow[plan.members].all(axis=1) & (by_bits < in_cubes)
    packed = 8 * words * (table.cards - 1)[narrow].sum()
    if (
        (in_cubes - by_bits)[chosen].sum() < _FIRST_BITS
        or packed > max(_PACKED_BYTES, table.codes.nbytes)
        or len(table.cards) ** size > _LARGEST_KEY
    ):
        chosen[:] = False
    return chosen


def _import_numba_kernel() -> Exception | None:
    """Import the numba kernel; returns the exception if that fails."""
    try:
        import_module(_NUMBA_KERNEL)
    except Exception as error:  # noqa: BLE001  # no numba, an unfit version, or no folder for its cache
        return error
    return None


def _cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class TestsMade:
    """The p-values of tests that were made on one table, to be looked up by later searches.

    A search that is told other tiers makes many of the same tests. They are known by the names
    of their columns, in whatever order a search has these.
    """

    def __init__(self, counts: CountTable, test: str) -> None:
        self.counts, self.test = counts, test
        self._names = sorted(counts.names)
        # By the size of sets: keys of tests, ascending, with their p-values; and those to add.
        self._known: dict[int, tuple[Keys, Floats]] = {}
        self._new: dict[int, list[tuple[Keys, Floats]]] = {}
        self._room = _MOST_KEPT

    def __deepcopy__(self, _: object) -> "TestsMade":
        return self

    def are_of(self, counts: CountTable, test: str) -> bool:
        """Whether they were made on these counts, by this test."""
        return self.test == test and (self.counts is counts or self.counts == counts)

    def evaluating(
        self, evaluate: Callable[[Batch], Floats], names: Sequence[str]
    ) -> Callable[[Batch], Floats]:
        """The same p-values for columns in this order; those not known yet are evaluated."""
        place = np.array([self._names.index(name) for name in names], np.int64)
        new, self._new = self._new, {}
        for size, parts in new.items():
            old = [self._known[size]] if size in self._known else []
            keys, p = (np.concatenate(each) for each in zip(*old, *parts, strict=True))
            keys, first = np.unique(keys, return_index=True)
            self._known[size] = keys, p[first]

        def p_values(batch: Batch) -> Floats:
            size = batch.given.shape[1]
            if len(self._names) ** (size + 2) > _LARGEST_KEY:
                return evaluate(batch)
            keys = self._keys(place, batch)
            known, p = self._known.get(size, (_NO_KEYS, np.empty(1)))
            at = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
            rest = np.flatnonzero(known[at] != keys) if len(known) else np.arange(len(keys))
            if len(rest) == len(keys):
                results = evaluate(batch)
            else:
                results = p[at]
                if len(rest):
                    results[rest] = evaluate(batch.take(rest))
            if len(rest) <= self._room:
                self._room -= len(rest)
                self._new.setdefault(size, []).append((keys[rest], results[rest]))
            return results

        return p_values

    def _keys(self, place: Keys, batch: Batch) -> Keys:
        """A number for each test, whatever order its columns have."""
        x, y = place[batch.x], place[batch.y]
        keys: Keys = np.minimum(x, y) * len(self._names) + np.maximum(x, y)
        for column in np.sort(place[batch.given], axis=1).T:
            keys = keys * len(self._names) + column
        return keys


class Marginals(Protocol):
    """Anything that can count some of its attributes: a table of counts, or rows."""

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        ...

    def marginal(self, names: Iterable[str]) -> CountTable:
        """The counts of some attributes."""
        ...

    @property
    def drops_rows(self) -> bool:
        """Whether rows that lack a value of these attributes are left out of their counts."""
        ...


class IndependenceTester:
    """Tests independence in counts, or in rows of which it counts what the tests need.

    >>> counts = CountTable.of(
    ...     {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}, counts=[10, 20, 30, 40]
    ... )
    >>> result = IndependenceTester(counts).test("x", "y")
    >>> round(result.statistic, 7), result.degrees_of_freedom, result.independent
    (0.7936508, 1, True)
    """

    def __init__(
        self,
        source: CountTable | Marginals,
        *,
        test: str = "chi-square",
        significance: float = SIGNIFICANCE,
    ) -> None:
        self._source = source
        self.kind, self.significance = check_test(test), check_significance(significance)
        self._tables: deque[tuple[frozenset[str], Evaluator]] = deque(maxlen=_CACHED_TABLES)
        # The rows, once something has been counted.
        self._most_lines = _MOST_CODES
        self._cards: dict[str, int] = {}
        # Attributes of other tests would drop rows of their own.
        self._shares = isinstance(source, CountTable) or not source.drops_rows

    def test(self, x: str, y: str, given: Iterable[str] = ()) -> Independence:
        """Test x against y within the strata of ``given``; the order of names is no matter."""
        x, y, given = min(x, y), max(x, y), tuple(given)
        if unknown := [name for name in (x, y, *given) if name not in self._source.names]:
            raise ColumnError.unknown(unknown, self._source.names)
        if len({x, y, *given}) < len(given) + 2:
            raise QuestionError.of(
                f"{x!r} and {y!r} cannot be tested given {listed(given) or 'nothing'}.",
                "A column stands there twice.",
                "Name two different columns, and condition on others.",
            )
        return self.test_all([(x, y, given)])[0]

    def test_all(
        self, tests: Sequence[NamedTest], *, kind: str | None = None
    ) -> list[Independence]:
        """Test each x against its y given its set; by another kind of test, if one is named."""
        return [one for part in self.parts(tests, kind=kind) for one in part]

    def parts(
        self, tests: Sequence[NamedTest], *, kind: str | None = None
    ) -> Iterator[list[Independence]]:
        """The results in turn, of as many tests at a time as share a table."""
        begin = 0
        while begin < len(tests):
            end, names = self._sharing(tests, begin)
            results = self._covering(names).statistics_by_name(
                tests[begin:end], kind or self.kind
            )
            columns = (*results, p_values(*results))
            yield [
                Independence(statistic, degrees, p, independent=p > self.significance)
                for statistic, degrees, p in zip(*map(np.ndarray.tolist, columns), strict=True)
            ]
            begin = end

    def _sharing(self, tests: Sequence[NamedTest], begin: int) -> tuple[int, frozenset[str]]:
        """Where the tests end that share a table, and the attributes of the table."""
        if isinstance(self._source, CountTable):
            return len(tests), frozenset(self._source.names)
        names: frozenset[str] = frozenset()
        lines, most = 1, self._most_lines
        for end in range(begin, len(tests)):
            x, y, given = tests[end]
            both = names.union((x, y), given)
            lines = min(
                most, lines * prod(self._cards.get(name, most) for name in both - names)
            )
            is_large = not self._shares or lines * len(both) > _MOST_CODES
            if end > begin and both != names and is_large:
                return end, names
            names = both
        return len(tests), names

    def _covering(self, names: frozenset[str]) -> Evaluator:
        """What evaluates tests on the counts of these attributes, perhaps with others."""
        for counted, evaluator in self._tables:
            if names == counted or (self._shares and names < counted):
                return evaluator
        source = self._source
        counts = source if isinstance(source, CountTable) else source.marginal(sorted(names))
        self._most_lines = counts.row_count
        self._cards |= dict(zip(counts.names, counts.cards, strict=True))
        evaluator = Evaluator(counts, sorted(counts.names))
        self._tables.appendleft((names, evaluator))
        return evaluator
