"""Kernels: whichever counts, and however sets are laid out, the answers are the same."""

import sys
from itertools import combinations

import numpy as np
import pytest

from evenhand import CountTable
from evenhand.counts import Attribute
from evenhand.errors import QuestionError
from evenhand.graph import evaluation
from evenhand.graph.evaluation import Evaluator
from evenhand.graph.independence import TESTS, Tester
from evenhand.graph.kernels import partitions
from evenhand.graph.kernels.batch import Batch, Plan
from evenhand.graph.kernels.subsets import batches_of, count_tests

KERNELS = ("numpy", "numba")


def table_of(codes, counts=None):
    """A table of coded columns named a00, a01, ..."""
    codes = np.asarray(codes)
    attributes = [
        Attribute(f"a{i:02}", tuple(map(str, range(column.max() + 1))))
        for i, column in enumerate(codes)
    ]
    rows = np.ones(codes.shape[1], np.int64) if counts is None else np.asarray(counts)
    return CountTable.build(attributes, codes, rows)


def random_table(seed, cards, lines):
    generator = np.random.default_rng(seed)
    codes = [generator.integers(0, card, lines) for card in cards]
    return table_of(codes, generator.integers(1, 9, lines))


def batch_of(*tests):
    x, y, given = zip(*tests, strict=True)
    depth = len(given[0])
    return Batch(
        np.array(x), np.array(y), np.array(given, np.intp).reshape(len(x), depth), np.array(x)
    )


def random_batch(seed, nodes, depth, tests):
    generator = np.random.default_rng(seed)
    drawn = [generator.permutation(nodes)[: depth + 2] for _ in range(tests)]
    return batch_of(*((min(s[:2]), max(s[:2]), sorted(s[2:])) for s in drawn))


def assert_as_one_by_one(counts, batch, test, kernel):
    names = sorted(counts.names)
    found = Evaluator(counts, names, kernel=kernel).answers(batch, test)
    tester = Tester(counts, test=test)
    for i in range(len(batch)):
        given = [names[at] for at in batch.given[i]]
        one = tester.test(names[batch.x[i]], names[batch.y[i]], given)
        assert found.degrees[i] == one.degrees_of_freedom
        if one.degrees_of_freedom:
            assert found.statistic[i] == pytest.approx(one.statistic, abs=1e-7, rel=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("depth", [0, 1, 2, 4])
def test_a_batch_gives_what_its_tests_give_one_by_one(kernel, test, depth):
    counts = random_table(depth, (2, 3, 2, 4, 3, 2), 300)
    assert_as_one_by_one(counts, random_batch(depth, 6, depth, 40), test, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("test", TESTS)
def test_sets_of_far_more_cells_than_lines_give_the_same(kernel, test, monkeypatch):
    monkeypatch.setattr(evaluation, "_CELLS_PER_LINE", {"numpy": 0, "numba": 0})
    monkeypatch.setattr(evaluation, "_FEW_CELLS", 0)
    counts = random_table(3, (5, 3, 2, 4, 7, 2), 200)
    assert_as_one_by_one(counts, random_batch(3, 6, 3, 40), test, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_partitions_that_were_forgotten_are_made_again(kernel, monkeypatch):
    monkeypatch.setattr(evaluation, "_CELLS_PER_LINE", {"numpy": 0, "numba": 0})
    monkeypatch.setattr(evaluation, "_FEW_CELLS", 0)
    monkeypatch.setattr(partitions, "_MOST_BYTES", 0)
    monkeypatch.setattr(partitions, "_FEWEST_KEPT", 3)
    counts = random_table(4, (3, 3, 2, 4, 3, 2), 100)
    assert_as_one_by_one(counts, random_batch(4, 6, 3, 40), "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_tables_merged_for_one_family_give_the_same(kernel, monkeypatch):
    monkeypatch.setattr(evaluation, "_LONG_TABLE", 0)
    monkeypatch.setattr(evaluation, "_TESTS_PER_ATTRIBUTE", 0)
    counts = random_table(5, (2, 2, 3, 2, 40, 40), 500)
    pairs = np.zeros((6, 6), bool)
    pairs[:4, :4] = ~np.eye(4, dtype=bool)
    (batch,) = batches_of(pairs, pairs, 2)
    tables, _ = Evaluator(counts, counts.names)._tables(batch)
    assert len(tables) > 1
    assert_as_one_by_one(counts, batch, "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_attributes_may_have_hundreds_of_values(kernel):
    counts = random_table(6, (300, 2, 700, 3), 2000)
    assert_as_one_by_one(counts, random_batch(6, 4, 1, 12), "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_there_may_be_more_attributes_than_a_machine_word_has_bits(kernel):
    counts = random_table(7, [2] * 150, 80)
    assert_as_one_by_one(counts, random_batch(7, 150, 2, 60), "chi-square", kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_counts_up_to_the_largest_exact_float_stay_exact(kernel):
    huge = 2**50
    counts = table_of([[0, 0, 1, 1], [0, 1, 0, 1]], [huge, huge, huge, 2 * huge])
    found = Evaluator(counts, counts.names, kernel=kernel).answers(
        batch_of((0, 1, ())), TESTS[0]
    )
    assert found.statistic[0] == pytest.approx(5 * huge / 36, rel=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_table_without_rows_says_nothing(kernel):
    counts = random_table(8, (2, 2), 5).without("a00", ["0", "1"])
    found = Evaluator(counts, counts.names, kernel=kernel).p_values(
        batch_of((0, 1, ())), TESTS[0]
    )
    assert found.tolist() == [1.0]


def test_threads_change_nothing(monkeypatch):
    counts = random_table(9, (2, 3, 2, 4, 3, 2), 400)
    batch = random_batch(9, 6, 2, 60)
    alone = Evaluator(counts, counts.names, kernel="numba").answers(batch, TESTS[0])
    monkeypatch.setattr(evaluation, "_THREAD_WORK", 0)
    monkeypatch.setattr(evaluation, "cpu_count", lambda: 3)
    shared = Evaluator(counts, counts.names, kernel="numba").answers(batch, TESTS[0])
    assert (alone.statistic == shared.statistic).all()


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    from evenhand.graph.kernels import compiled  # noqa: PLC0415  (numba is slow to import)

    def fail(*_):
        raise ArithmeticError

    monkeypatch.setattr(evaluation, "_THREAD_WORK", 0)
    monkeypatch.setattr(evaluation, "cpu_count", lambda: 2)
    monkeypatch.setattr(compiled, "run", fail)
    counts = random_table(9, (2, 3, 2), 40)
    with pytest.raises(ArithmeticError):
        Evaluator(counts, counts.names, kernel="numba").answers(batch_of((0, 1, ())), TESTS[0])


def test_little_work_is_done_without_numba_and_much_with_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "evenhand.graph.kernels.compiled", raising=False)
    evaluator = Evaluator(random_table(1, (2, 2), 9), ("a00", "a01"))
    assert evaluator._chosen() == "numpy"
    evaluator.work = 1e12
    assert evaluator._chosen() == "numba"
    monkeypatch.setattr(evaluation, "find_spec", lambda _: None)
    assert evaluator._chosen() == "numpy"


def test_numba_asked_for_and_absent_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setattr(evaluation, "find_spec", lambda _: None)
    with pytest.raises(QuestionError, match=r"evenhand\[fast\]"):
        Evaluator(random_table(1, (2, 2), 9), ("a00", "a01"), kernel="numba")


def test_a_plan_holds_each_set_once_and_every_test():
    batch = random_batch(2, 60, 3, 200)
    plan = Plan.of(batch, np.zeros(200, np.intp), 60)
    rows = [tuple(row) for row in plan.members.tolist()]
    assert len(set(rows)) == len(rows)
    assert sorted(plan.order.tolist()) == list(range(200))
    for number, members in enumerate(rows):
        for test in range(plan.start[number], plan.start[number + 1]):
            at = plan.order[test]
            ends = [members[plan.x[test]], members[plan.y[test]]]
            assert ends == [batch.x[at], batch.y[at]]
            assert sorted([*ends, *batch.given[at]]) == list(members)


@pytest.mark.parametrize("depth", range(5))
def test_every_pair_gets_each_set_of_either_end_once(depth):
    generator = np.random.default_rng(depth)
    pairs = np.triu(generator.random((7, 7)) < 0.6, 1)
    pairs |= pairs.T
    offers = (generator.random((7, 7)) < 0.7) & ~np.eye(7, dtype=bool)
    expected = {
        (x, y, given)
        for x, y in combinations(range(7), 2)
        if pairs[x, y]
        for a, b in ((x, y), (y, x))
        for given in combinations(np.flatnonzero(offers[a] & (np.arange(7) != b)), depth)
    }
    found = [
        (x, y, tuple(given))
        for batch in batches_of(pairs, offers, depth)
        for x, y, given in zip(batch.x, batch.y, batch.given, strict=True)
    ]
    assert sorted(found) == sorted(expected)
    assert count_tests(pairs, offers, depth) == len(expected)
