"""Tests by bits: what cubes give, and what loops over lines give."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from tests.brute_force import independence

from evenhand import CountTable, discover
from evenhand.counts import Attribute
from evenhand.graph import kernel_choice
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.kernels import bitset_kernel, numpy_kernel
from evenhand.graph.kernels.batch import Batch, BatchPlan, BatchResults, CodedTable
from evenhand.graph.kernels.bitset_kernel import BitsetKernel, JointCounts, PackedColumns


def table_of(codes, counts=None, cards=None):
    """A table of coded columns, which may have values that never occur."""
    codes = np.asarray(codes, np.uint8)
    cards = cards or (codes.max(axis=1) + 1).tolist()
    attributes = [
        Attribute(f"a{at:03}", tuple(map(str, range(card)))) for at, card in enumerate(cards)
    ]
    rows = np.ones(codes.shape[1], np.int64) if counts is None else np.asarray(counts)
    return CountTable.build(attributes, codes, rows)


def random_table(seed, cards, lines, counts=(1, 2)):
    generator = np.random.default_rng(seed)
    codes = [generator.integers(0, card, lines) for card in cards]
    return table_of(codes, generator.integers(*counts, lines), [*cards])


def coded(counts):
    return CodedTable.of(counts, counts.names)


def plan_of(columns, depth):
    """Every test of every pair given every set of so many columns."""
    tests = [
        (x, y, given)
        for x, y in combinations(range(columns), 2)
        for given in combinations([at for at in range(columns) if at not in (x, y)], depth)
    ]
    x, y, given = zip(*tests, strict=True)
    shape = len(tests), depth
    return BatchPlan.of(
        Batch(np.array(x), np.array(y), np.array(given, np.intp).reshape(shape)), columns
    )


def both(counts, depth, test="chi-square"):
    """What bits and cubes give for all tests."""
    table = coded(counts)
    plan = plan_of(len(table.cards), depth)
    sets = np.arange(len(plan.members))
    bits, cubes = (BatchResults.empty(len(plan.x)) for _ in range(2))
    BitsetKernel(table).run(plan, sets, test, bits)
    numpy_kernel.run(table, plan, sets, test, cubes)
    return bits, cubes


def assert_same(results):
    bits, cubes = results
    assert bits.degrees.tolist() == cubes.degrees.tolist()
    # The counts are equal, but sums of the same terms may run in another order.
    assert bits.statistic.tolist() == pytest.approx(
        cubes.statistic.tolist(), rel=1e-12, abs=1e-9
    )


COUNTS = {"ones": (1, 2), "small": (1, 10), "large": (1, 2**33), "powers": (2**20, 2**20 + 1)}


@pytest.mark.parametrize("depth", range(4))
@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
@pytest.mark.parametrize("cards", [(2,) * 6, (2, 3, 4, 5, 8), (8, 1, 2, 7, 2)])
def test_bits_give_what_cubes_give(cards, counts, depth):
    assert_same(both(random_table(depth, cards, 500, counts), depth))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("lines", [1, 2, 63, 64, 65, 127, 128, 129, 1000])
def test_the_number_of_lines_need_not_fill_words(lines, test):
    assert_same(both(random_table(lines, (2, 3, 2, 4), lines, (1, 4)), 1, test))


def test_values_that_never_occur_and_combinations_that_are_missing():
    generator = np.random.default_rng(1)
    first = generator.integers(0, 3, 300)
    codes = [first, (first + generator.integers(0, 2, 300)) % 3, np.zeros(300), first == 2]
    counts = table_of(codes, cards=[4, 3, 2, 3])
    for depth in range(3):
        assert_same(both(counts, depth))


@pytest.mark.parametrize("test", TESTS)
def test_bits_give_what_loops_over_lines_give(test):
    counts = random_table(4, (2, 5, 3, 2), 130, (1, 6))
    table = coded(counts)
    plan = plan_of(4, 1)
    found = BatchResults.empty(len(plan.x))
    BitsetKernel(table).run(plan, np.arange(len(plan.members)), test, found)
    lines = [*zip(*(codes.tolist() for codes in counts.codes), strict=True)]
    for number, members in enumerate(plan.members.tolist()):
        for at in range(plan.start[number], plan.start[number + 1]):
            x, y = members[plan.x[at]], members[plan.y[at]]
            given = [member for member in members if member not in (x, y)]
            statistic, degrees = independence(lines, counts.counts, x, y, given, test=test)
            assert found.degrees[at] == degrees
            assert found.statistic[at] == pytest.approx(statistic, abs=1e-9, rel=1e-9)


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_joint_counts_are_those_of_a_loop(counts):
    drawn = random_table(5, (3, 2, 4, 2), 100, counts)
    members = np.array([[0, 1, 2], [0, 2, 3], [1, 2, 3]])
    lines = [*zip(*(codes.tolist() for codes in drawn.codes), strict=True)]
    for chosen, cubes in JointCounts(coded(drawn)).cubes(members):
        for at, cube in zip(chosen.tolist(), cubes, strict=True):
            rows = Counter()
            for line, often in zip(lines, drawn.counts.tolist(), strict=True):
                rows[tuple(line[member] for member in members[at])] += often
            for cell in product(*map(range, cube.shape)):
                assert cube[cell] == rows[cell]


def test_rows_with_some_values_are_those_of_a_loop():
    counts = random_table(6, (3, 2, 4), 70, (1, 2000))
    packed = PackedColumns(coded(counts))
    packed.pack(np.arange(3))
    beyond = [(at, value) for at, card in enumerate(counts.cards) for value in range(1, card)]
    lines = [*zip(*(codes.tolist() for codes in counts.codes), strict=True)]
    for size in (1, 2, 3):
        values = np.array([*product(range(len(beyond)), repeat=size)])
        expected = [
            sum(
                often
                for line, often in zip(lines, counts.counts.tolist(), strict=True)
                if all(line[beyond[at][0]] == beyond[at][1] for at in row)
            )
            for row in values.tolist()
        ]
        assert packed.rows_with(values).tolist() == expected


def test_blocks_and_what_is_forgotten_change_nothing(monkeypatch):
    counts = random_table(7, (2, 3, 2, 4, 2), 300, (1, 5))
    monkeypatch.setattr(bitset_kernel, "_BLOCK_WORDS", 1)
    monkeypatch.setattr(bitset_kernel, "_BLOCK_CELLS", 1)
    monkeypatch.setattr(bitset_kernel, "_STACKED_CELLS", 0)
    monkeypatch.setattr(bitset_kernel, "_MOST_CACHED", 0)
    for depth in range(4):
        assert_same(both(counts, depth))


def test_what_is_known_from_one_batch_serves_the_next():
    table = coded(random_table(8, (2, 3, 2, 4, 2), 300, (1, 5)))
    kernel = BitsetKernel(table)
    for depth in (2, 0, 1, 2, 3):
        plan = plan_of(5, depth)
        bits, cubes = (BatchResults.empty(len(plan.x)) for _ in range(2))
        for sets in np.array_split(np.arange(len(plan.members)), 3):
            kernel.run(plan, sets, "chi-square", bits)
            numpy_kernel.run(table, plan, sets, "chi-square", cubes)
        assert_same((bits, cubes))


def noisy_network(columns, lines, values):
    """Columns that follow up to two of those before them."""
    generator = np.random.default_rng(columns)
    codes = generator.integers(0, values, (columns, lines))
    for at in range(2, columns):
        for cause in generator.choice(at, generator.integers(0, 3), replace=False):
            codes[at] = np.where(generator.random(lines) < 0.3, codes[cause], codes[at])
    return table_of(codes)


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("test", ["chi-square", "g-square"])
def test_a_search_by_bits_finds_the_same_graph_votes_and_p_values(values, test, monkeypatch):
    counts = noisy_network(30, 3000, values)
    found = discover(counts, test=test, kernel="numpy")
    monkeypatch.setattr(kernel_choice, "MOST_VALUES", 0)
    by_cubes = discover(counts, test=test, kernel="numpy")
    assert (found.arrows, found.undirected) == (by_cubes.arrows, by_cubes.undirected)
    assert found.record.tests == by_cubes.record.tests
    assert len(found.record.tests) > 2
    one, other = found.record.separating, by_cubes.record.separating
    assert {pair: why.given for pair, why in one.items()} == {
        pair: why.given for pair, why in other.items()
    }
    assert [why.p for why in one.values()] == pytest.approx([why.p for why in other.values()])


def test_a_search_of_many_lines_is_done_by_bits_alone(monkeypatch):
    def fail(*_):
        raise AssertionError

    monkeypatch.setattr(numpy_kernel, "run", fail)
    assert sum(discover(noisy_network(30, 5000, 2), kernel="numpy", max_depth=1).record.tests)
