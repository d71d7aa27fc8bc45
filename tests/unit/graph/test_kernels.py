"""Kernels: whichever counts, and however sets are laid out, the results are the same."""

import tracemalloc
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.brute_force import independence

from evenhand import CountTable
from evenhand.counts import Attribute
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.kernels import partition_kernel
from evenhand.graph.kernels.batch import Batch

KERNELS = ("numpy", "numba")
KERNEL_MODULES = ("numpy_kernel", "numba_kernel")


def table_of(codes, counts=None, cards=None):
    """A table of coded columns named a000, a001, ..., whose values need not all occur."""
    codes = np.asarray(codes)
    cards = cards or (codes.max(axis=1) + 1).tolist()
    attributes = [
        Attribute(f"a{at:03}", tuple(map(str, range(card)))) for at, card in enumerate(cards)
    ]
    rows = np.ones(codes.shape[1], np.int64) if counts is None else np.asarray(counts)
    return CountTable.build(attributes, codes, rows)


def random_table(seed, cards, lines, counts=(1, 9)):
    generator = np.random.default_rng(seed)
    codes = [generator.integers(0, card, lines) for card in cards]
    return table_of(codes, generator.integers(*counts, lines), [*cards])


def batch_of(*tests):
    x, y, given = zip(*tests, strict=True)
    depth = len(given[0])
    return Batch(np.array(x), np.array(y), np.array(given, np.intp).reshape(len(x), depth))


def random_batch(seed, nodes, depth, tests):
    generator = np.random.default_rng(seed)
    drawn = [generator.permutation(nodes)[: depth + 2] for _ in range(tests)]
    return batch_of(*((min(s[:2]), max(s[:2]), sorted(s[2:])) for s in drawn))


def assert_as_one_by_one(counts, batch, test, kernel, evaluator=None):
    names = sorted(counts.names)
    evaluator = evaluator or Evaluator(counts, names, kernel=kernel)
    found = evaluator.statistics(batch, test)
    lines = [
        *zip(*(counts.codes[counts.position(name)].tolist() for name in names), strict=True)
    ]
    for i in range(len(batch)):
        asked = batch.x[i], batch.y[i], batch.given[i].tolist()
        statistic, degrees = independence(lines, counts.counts, *asked, test=test)
        assert found.degrees[i] == degrees
        if degrees:
            assert found.statistic[i] == pytest.approx(statistic, abs=1e-7, rel=1e-9)


KERNEL, CHOICE = "evenhand.graph.kernels", "evenhand.graph.cached_tests"
NO_BITS = {f"{CHOICE}.MOST_VALUES": 0}
PARTITIONS = {f"{CHOICE}._CUBE_CELLS": 0, f"{CHOICE}._CUBE_CELLS_PER_LINE": 0}
DEAR = (np.inf, 0.0)
BITS = {f"{CHOICE}._SHARED_CUBE": {"numpy": DEAR, "numba": DEAR}}
WAYS = {
    "bits": BITS,
    "cubes of any size": {f"{CHOICE}._CUBE_CELLS": 2**20},
    "cubes of one set each": {
        f"{KERNEL}.{module}._SHARED_CELLS{more}": 0
        for module in KERNEL_MODULES
        for more in ("", "_PER_LINE")
    },
    "cubes of many sets": {
        f"{KERNEL}.{module}._SHARED_CELLS": 2**16 for module in KERNEL_MODULES
    },
    "tests one by one": {f"{KERNEL}.numpy_kernel._MOST_CELLS": 0},
    "partitions": PARTITIONS,
    "partitions of sorted keys": {
        **PARTITIONS,
        f"{KERNEL}.partition_kernel._PLACES_PER_LINE": 0,
    },
}


def force(monkeypatch, settings):
    for name, value in (NO_BITS | settings if settings is not BITS else settings).items():
        monkeypatch.setattr(name, value)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_counting_gives_the_same(kernel, test, way, monkeypatch):
    force(monkeypatch, WAYS[way])
    counts = random_table(3, (5, 3, 2, 1, 4, 7, 2), 200)
    for depth in (0, 1, 3):
        assert_as_one_by_one(counts, random_batch(depth, 7, depth, 40), test, kernel)


@pytest.mark.parametrize("kernel", [*KERNELS, "auto"])
@pytest.mark.parametrize("kept", [3, 6, 10, 15])
def test_partitions_that_were_forgotten_are_made_again(kernel, kept, monkeypatch):
    force(monkeypatch, PARTITIONS)
    monkeypatch.setattr(partition_kernel, "_MOST_BYTES", 0)
    monkeypatch.setattr(partition_kernel, "_FEWEST_CACHED", kept)
    for seed in range(5):
        counts = random_table(seed, (3, 3, 2, 4, 3, 2), 60)
        evaluator = Evaluator(
            counts, sorted(counts.names), kernel="numpy" if kernel == "auto" else kernel
        )
        for depth in (2, 3, 1, 2):
            batch = random_batch(seed, 6, depth, 30)
            assert_as_one_by_one(counts, batch, "chi-square", kernel, evaluator)
            # As if so much work had been done that the other kernel pays.
            evaluator.kernel = "numba" if kernel == "auto" else kernel


@pytest.mark.parametrize("kernel", KERNELS)
def test_partitions_of_more_lines_than_sixteen_bits_number(kernel, monkeypatch):
    force(monkeypatch, PARTITIONS)
    ids, generator = np.arange(70_000), np.random.default_rng(1)
    counts = table_of([ids // 2, generator.integers(0, 3, 70_000), ids % 2, ids % 5])
    evaluator = Evaluator(counts, counts.names, kernel=kernel)
    batch = batch_of((1, 2, (0,)), (1, 3, (2,)), (2, 3, (0,)))
    assert_as_one_by_one(counts, batch, "chi-square", kernel, evaluator)
    assert evaluator._partitions.by(0b1111).line.max() > 2**16


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("test", TESTS)
def test_partitions_of_more_rows_than_32_bits_count(kernel, test, monkeypatch):
    force(monkeypatch, PARTITIONS)
    few = random_table(2, (3, 3, 2, 4), 40)
    counts = table_of(few.codes, few.counts * 2**27)
    assert counts.row_count > 2**32
    assert_as_one_by_one(counts, random_batch(2, 4, 1, 12), test, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_columns_of_very_many_values_take_no_memory_beyond_their_lines(kernel):
    ids = np.arange(50_000)
    counts = table_of([ids, ids % 2, ids % 3, ids[::-1] // 2])
    batch = batch_of((1, 2, ()), (0, 3, ()), (0, 1, ()))
    assert_as_one_by_one(counts, batch, "chi-square", kernel)  # compiled, before we measure
    tracemalloc.start()
    try:
        assert_as_one_by_one(counts, batch, "chi-square", kernel)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 100e6


@pytest.mark.parametrize("kernel", KERNELS)
def test_attributes_may_have_hundreds_of_values(kernel):
    counts = random_table(6, (300, 2, 700, 3), 2000)
    assert_as_one_by_one(counts, random_batch(6, 4, 1, 12), "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_there_may_be_more_attributes_than_a_machine_word_has_bits(kernel):
    counts = random_table(7, [2] * 150, 80)
    assert_as_one_by_one(counts, random_batch(7, 150, 2, 60), "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("way", ["bits", "cubes of one set each", "partitions"])
def test_weak_dependence_among_very_many_rows_is_told_exactly(kernel, test, way, monkeypatch):
    force(monkeypatch, WAYS[way])
    rows = 10**8
    counts = table_of(
        [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]],
        [rows + 10**4, rows, rows - 5, 3 * rows, 3 * rows, 3 * rows],
    )
    batch = batch_of((0, 1, ()))
    found = Evaluator(counts, counts.names, kernel=kernel).statistics(batch, test)
    cells = {line: Fraction(int(n)) for line, n in zip("abcdef", counts.counts, strict=True)}
    by_x = [cells["a"] + cells["b"] + cells["c"], cells["d"] + cells["e"] + cells["f"]]
    by_y = [cells["a"] + cells["d"], cells["b"] + cells["e"], cells["c"] + cells["f"]]
    total = sum(by_x)
    expected = [r * c / total for r in by_x for c in by_y]
    exact = sum((n - e) ** 2 / e for n, e in zip(cells.values(), expected, strict=True))
    if test == "chi-square-adjusted":
        exact *= (total - 1) / total
    # G² and chi-square agree to the order of the dependence.
    assert found.statistic[0] == pytest.approx(float(exact), rel=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_counts_up_to_the_largest_exact_float_stay_exact(kernel):
    huge = 2**50
    counts = table_of([[0, 0, 1, 1], [0, 1, 0, 1]], [huge, huge, huge, 2 * huge])
    found = Evaluator(counts, counts.names, kernel=kernel).statistics(
        batch_of((0, 1, ())), TESTS[0]
    )
    assert found.statistic[0] == pytest.approx(5 * huge / 36, rel=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_table_without_rows_says_nothing(kernel):
    counts = random_table(8, (2, 2), 5).without("a000", ["0", "1"])
    found = Evaluator(counts, counts.names, kernel=kernel).p_values(
        batch_of((0, 1, ())), TESTS[0]
    )
    assert found.tolist() == [1.0]


def all_tests(columns, depth):
    """Every test of every pair given every set of so many columns."""
    return batch_of(
        *(
            (x, y, given)
            for x, y in combinations(range(columns), 2)
            for given in combinations([at for at in range(columns) if at not in (x, y)], depth)
        )
    )


def assert_bits_as_cubes(counts, depths, test="chi-square"):
    """What bits and cubes give for all tests; an evaluator serves all depths."""
    evaluators = [Evaluator(counts, counts.names, kernel="numpy") for _ in range(2)]
    for depth in depths:
        found = []
        for evaluator, way in zip(evaluators, (BITS, NO_BITS), strict=True):
            with pytest.MonkeyPatch.context() as patch:
                force(patch, way)
                batch = all_tests(len(counts.names), depth)
                found.append(evaluator.statistics(batch, test))
        bits, cubes = found
        assert bits.degrees.tolist() == cubes.degrees.tolist()
        # The counts are equal, but sums of the same terms may run in another order.
        expected = pytest.approx(cubes.statistic.tolist(), rel=1e-12, abs=1e-9)
        assert bits.statistic.tolist() == expected


COUNTS = {"ones": (1, 2), "small": (1, 10), "large": (1, 2**33), "powers": (2**20, 2**20 + 1)}


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("cards", [(2,) * 6, (2, 3, 4, 5, 8), (8, 1, 2, 7, 2)])
def test_bits_give_what_cubes_give(cards, counts, depth):
    assert_bits_as_cubes(random_table(depth, cards, 500, counts), [depth])


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lines", [1, 2, 63, 64, 65, 127, 128, 129, 1000])
def test_the_number_of_lines_need_not_fill_words(lines, test):
    assert_bits_as_cubes(random_table(lines, (2, 3, 2, 4), lines, (1, 4)), [1], test)


@pytest.mark.parametrize("size", [None, 0, 1])
def test_what_is_known_blocks_and_what_is_forgotten_change_nothing(size, monkeypatch):
    for name in ("_BLOCK_WORDS", "_BLOCK_CELLS", "_STACKED_CELLS", "_MOST_CACHED"):
        if size is not None:
            most = max(size, 1) if name.startswith("_BLOCK") else size
            monkeypatch.setattr(f"{KERNEL}.bitset_kernel.{name}", most)
    assert_bits_as_cubes(random_table(7, (2, 3, 2, 4, 2), 300, (1, 5)), (2, 0, 1, 2, 3))
