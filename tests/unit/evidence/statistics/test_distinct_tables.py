"""Equal tables are worked out once, in blocks, and come back in their places."""

import numpy as np
import pytest

from evenhand.evidence import comparisons
from evenhand.evidence.comparisons import distinct_lines, for_each_distinct


def test_each_line_gets_what_the_function_gives_it_alone():
    columns = np.random.default_rng(5).integers(0, 9, (3, 70_000))
    seen = []

    def weighed(a, b, c):
        seen.append(len(a))
        return a + 10 * b, 100 * c

    first, second = for_each_distinct(weighed, *columns)
    assert (first == columns[0] + 10 * columns[1]).all()
    assert (second == 100 * columns[2]).all()
    assert sum(seen) == 9**3


def test_many_distinct_lines_are_worked_out_in_several_blocks():
    column = np.arange(40_000)[::-1]
    sizes = []

    def same(counts):
        sizes.append(len(counts))
        return (counts,)

    (found,) = for_each_distinct(same, column)
    assert (found == column).all()
    assert len(sizes) > 1


@pytest.mark.parametrize("few_keys", [0, 2])
def test_distinct_lines_are_in_order_of_the_last_column(monkeypatch, few_keys):
    monkeypatch.setattr(comparisons, "_FEW_KEYS", few_keys)
    columns = np.random.default_rng(5).integers(0, 7, (3, 500))
    first, which = distinct_lines(*columns)
    expected = sorted({tuple(line) for line in columns[::-1].T.tolist()})
    assert [tuple(line) for line in columns[::-1, first].T.tolist()] == expected
    assert (columns[:, first[which]] == columns).all()


def test_no_lines_give_no_results():
    (found,) = for_each_distinct(lambda counts: (counts / 2,), np.zeros(0, np.int64))
    assert found.tolist() == []


@pytest.mark.parametrize("largest", [8192, 2**40])
def test_tables_with_very_many_distinct_counts_are_told_apart(largest):
    # The product of the numbers of distinct counts, 2⁶⁸ and more, does not fit into 64 bits.
    many = np.arange(2**17)
    columns = [np.append(many, [largest]), *(np.append(many, [0]) for _ in range(3))]
    first, which = distinct_lines(*columns)
    assert len(first) == len(many) + 1
    assert (first[which] == np.arange(len(many) + 1)).all()
