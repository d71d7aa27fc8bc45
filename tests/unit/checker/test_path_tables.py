"""Tables of effects, and products of their shares."""

import copy
from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loans import ZIP_FIRST
from tests.recorded_paths import asked, record_of

from evenhand.checker.path_claims import (
    Shares,
    disagreements,
    eliminate,
    encode,
    read_tables,
)

ENDS = asked().ends
WRITTEN = record_of(ZIP_FIRST)["indirect"]


@pytest.mark.parametrize(
    "cell",
    [[0, 0], [0, 0, 0, 40], [2, 0, 40], [0, -1, 40], [False, 0, 40], ["0", 0, 40], [0, 0, 0],
     [0, 0, "40"], [0, 0, True], [0, 0, -3]],
)  # fmt: skip
def test_cells_that_cannot_be_are_refused(cell):
    written = copy.deepcopy(WRITTEN)
    written["tables"][1]["counts"][0] = cell
    with pytest.raises(ValueError, match="is no cell of"):
        read_tables(written, ENDS)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("zip", "12"),
        ("zip", []),
        ("zip", ["1", 2]),
        ("zip", ["1", "1"]),
        ("zip", ["1", "2", "3"]),
        ("race", ["w", "b"]),
        ("loan", ["yes", "never"]),
    ],
)
def test_values_that_cannot_be_are_refused(name, values):
    with pytest.raises(ValueError, match=r"indirect\.values"):
        read_tables({**WRITTEN, "values": {**WRITTEN["values"], name: values}}, ENDS)


def test_a_decision_that_nobody_got_is_a_value_all_the_same():
    written = {
        "values": {**ENDS},
        "tables": [{"names": ["race", "loan"], "counts": [[0, 0, 3]]}],
    }
    assert read_tables(written, ENDS)[1] == {("race", "loan"): {(0, 0): 3}}


def test_people_of_partitions_have_the_same_codes():
    table = {("lo", "2"): ((4, 36), (2, 6)), ("hi", "9"): ((1, 0), (0, 0))}
    names, cells = encode(["income", "zip"], table, {**WRITTEN["values"]}, ENDS)
    assert names == ("income", "zip", "race", "loan")
    assert +cells == {
        (1, 1, 0, 0): 4, (1, 1, 0, 1): 36, (1, 1, 1, 0): 2, (1, 1, 1, 1): 6, (0, -1, 0, 0): 1,
    }  # fmt: skip
    without = {name: WRITTEN["values"][name] for name in ("race", "loan", "zip")}
    assert encode(["income", "zip"], table, without, ENDS)[0] == ("zip", "race", "loan")


def test_tables_that_count_other_people_are_named():
    _, tables = read_tables(WRITTEN, ENDS)
    pairs = [*tables.items()]
    assert [*disagreements(pairs)] == []
    tables["race", "zip"][0, 0] += 1
    wrong = [*disagreements(pairs)]
    assert len(wrong) == 3
    assert "['race', 'zip'] and ['race', 'zip', 'income'] count other people by" in wrong[1]


NAMES = "abcd"


@st.composite
def factors(draw):
    names = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(0, 3))]
    lines = [*product(range(2), repeat=len(names))]
    numbers = draw(st.lists(st.integers(0, 5), min_size=len(lines), max_size=len(lines)))
    cells = {line: Fraction(n, 7) for line, n in zip(lines, numbers, strict=True) if n}
    return Shares(names, cells)


@given(st.lists(factors(), max_size=4), st.sets(st.sampled_from(NAMES)))
def test_it_is_the_sum_over_all_assignments(tables, keep):
    found = eliminate(tables, sorted(keep))
    present = {name for table in tables for name in table.names}
    assert found.names == tuple(sorted(keep & present))
    totals = dict.fromkeys(product(range(2), repeat=len(found.names)), Fraction(0))
    for line in product(range(2), repeat=len(present)):
        at = dict(zip(sorted(present), line, strict=True))
        totals[tuple(at[name] for name in found.names)] += prod(
            (table.at(at) for table in tables), start=Fraction(1)
        )
    for line, total in totals.items():
        assert found.at(dict(zip(found.names, line, strict=True))) == total
