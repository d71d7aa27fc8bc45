"""Cut points at quantiles are values of the data."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.reading import the_problem

from evenhand.errors import ValuesError
from evenhand.rows import read


def test_quantiles_of_no_numbers_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": ["x", "y"]}), bins={"a": 2})
    assert "no numbers" in problem.found


def test_quantiles_of_one_value_are_refused():
    problem = the_problem(ValuesError, pa.table({"a": [7, 7, 7]}), bins={"a": 2})
    assert "2 classes" in problem.what
    assert "cut points" in problem.remedy_text()


def test_quantiles_become_cuts_at_values_of_the_data():
    rows = read(pa.table({"a": [5, 1, 4, 2, 3, 6, 8, 7]}), bins={"a": 4})
    assert rows.codings.bins["a"].labels == ("up to 2", "3 to 4", "5 to 6", "7 or more")
    assert list(rows.count().values("a").values()) == [2, 2, 2, 2]


def test_quantiles_weigh_frequencies_and_pass_over_missing_values():
    table = pa.table({"a": ["1", "2", None, "?"], "n": [1, 3, 50, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop", na=["?"])
    with pytest.raises(ValueError, match="cannot be split"):
        rows.count()
    table = pa.table({"a": ["1", "2", None], "n": [3, 3, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop")
    assert rows.count().values("a") == {"up to 1": 3, "2 or more": 3}


def test_quantiles_are_exact_where_floats_are_not():
    texts = ["0.1", "0.10000000000000000001", "0.10000000000000000002", "0.2"]
    cuts = read(pa.table({"a": texts}), bins={"a": 4}).codings.bins["a"].cuts
    assert cuts == tuple(map(Fraction, texts[:3]))


def test_quantiles_of_many_numbers_agree_with_a_sort():
    numbers = np.random.default_rng(3).normal(size=300_000)
    rows = read(pa.table({"a": numbers}), bins={"a": 7})
    ordered = np.sort(numbers)
    expected = [ordered[-(-len(numbers) * i // 7) - 1] for i in range(1, 7)]
    assert rows.codings.bins["a"].cuts == tuple(Fraction(repr(float(x))) for x in expected)
    assert max(abs(count - 300_000 / 7) for count in rows.count().values("a").values()) <= 1


def test_a_value_that_fills_several_classes_makes_one():
    rows = read(pa.table({"a": [0] * 9 + [1, 2, 3]}), bins={"a": 4})
    assert rows.count().values("a") == {"up to 0": 9, "1 or more": 3}
