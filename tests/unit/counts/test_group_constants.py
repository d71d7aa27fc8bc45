"""Columns that divide all groups but one, by loops over the rows."""

import numpy as np
import pytest

from evenhand.counts import CountTable
from evenhand.counts.group_constants import constant_in_a_group


def counted(**columns):
    return CountTable.of(columns)


def test_a_part_of_a_group_is_named():
    white = ["1"] * 160 + ["0"] * 40
    table = counted(
        white=white,
        black=["0"] * 160 + ["1", "0"] * 20,
        single=["1", "0"] * 100,
        constant=["x"] * 200,
    )
    names = ["black", "single", "constant"]
    assert [*constant_in_a_group(table, "white", names)] == ["black"]


def test_what_chance_could_do_is_not_named():
    rare = ["no"] * 198 + ["yes"] * 2
    table = counted(white=["0"] * 40 + ["1"] * 160, rare=rare)
    assert not [*constant_in_a_group(table, "white", ["rare"])]


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_loops(seed):
    rng = np.random.default_rng(seed)
    rows = 300
    group = rng.choice([*"abc"], rows, p=[0.5, 0.3, 0.2])
    column = np.where(group == "abc"[seed % 3], "x", rng.choice([*"xyz"], rows))
    if seed % 2:
        column[rng.integers(rows)] = "y"
    named = False
    for one in "abc":
        inside, outside = column[group == one], column[group != one]
        if len({*inside}) == 1:
            share = np.mean([value != inside[0] for value in outside])
            named |= bool(len(inside) * share >= 20)
    table = counted(group=group.tolist(), column=column.tolist())
    assert bool([*constant_in_a_group(table, "group", ["column"])]) == named
