"""Tables of counts are told from rows of people."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from evenhand import read
from evenhand.rows.counted_lines import counting_column
from evenhand.rows.table_finding import FindingKind

LINES = [*product("fm", "abc", ("yes", "no"))]


def columns(lines, **more):
    names = ("sex", "town", "hired")
    return {**dict(zip(names, map(list, zip(*lines, strict=True)), strict=True)), **more}


def counting(table):
    return counting_column(read(pa.table(table)).lines.table, ())


def test_a_table_of_counts_names_the_column_that_counts():
    table = columns(LINES, people=[*range(3, 15)])
    (found,) = (
        one
        for one in read(pa.table(table)).inspect().findings
        if one.kind is FindingKind.COUNTED
    )
    assert found.columns == ("people",)
    (remedy,) = found.problem.remedies
    assert (remedy.argument, remedy.value) == ("frequency", "people")
    assert "102" in found.problem.what
    counted = read(pa.table(table), frequency="people").inspect()
    assert FindingKind.COUNTED not in {one.kind for one in counted.findings}


@pytest.mark.parametrize(
    "numbers",
    [
        [*range(-1, 11)],
        [at + 0.5 for at in range(12)],
        [*range(11), None],
        [0, 1] * 6,
        [*"abcdefghijkl"],
    ],
    ids=["negative", "fractions", "missing", "no number of people", "texts"],
)
def test_only_whole_numbers_from_0_on_count(numbers):
    assert counting(columns(LINES, people=numbers)) is None


def test_lines_that_repeat_are_people():
    assert counting(columns([*LINES, LINES[0]], people=[*range(3, 16)])) is None


def test_people_with_a_number_of_their_own_are_no_counts():
    rows = LINES * 5
    ages = [18 + at % 40 for at in range(60)]
    assert counting(columns(rows, id=[f"p{at}" for at in range(60)], age=ages)) is None


def test_rows_that_differ_by_chance_are_no_counts():
    draw = np.random.default_rng(5)
    many = {f"c{at}": draw.integers(0, 9, 50).tolist() for at in range(6)}
    assert counting(many) is None
    # Oracle: in these columns hardly two of 50 people are alike.
    assert len({*zip(*[*many.values()][1:], strict=True)}) == 50


def test_what_is_asked_about_does_not_count():
    table = read(pa.table(columns(LINES, people=[*range(3, 15)]))).lines.table
    assert counting_column(table, ["people"]) is None
