"""Numbers are binned exactly, whatever their type."""

import pyarrow as pa
import pytest
from tests.reading import the_problem, value_counts

from evenhand.errors import ValuesError


def test_cuts_put_numbers_into_classes_that_include_their_upper_cut():
    numbers = ["36", "37", "37.0", "38", "50.5", " 51 ", "+1e1"]
    found = value_counts(numbers, bins={"a": [37, "50.5"]})
    assert found == {"<=37": 4, ">37, <=50.5": 2, ">50.5": 1}


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.float32(), pa.decimal128(21, 1)])
def test_typed_numbers_are_binned_like_their_texts(kind):
    values = pa.array([1, 2, 3, 4]).cast(kind)
    assert value_counts(values, bins={"a": [2]}) == {"<=2": 2, ">2": 2}


def test_a_cut_is_compared_exactly():
    values = ["0.1", "0.10000000000000000001", "0.09999999999999999999", "0.10"]
    assert value_counts(values, bins={"a": ["0.1"]}) == {"<=0.1": 3, ">0.1": 1}


def test_a_float_stands_for_its_shortest_text():
    values = pa.array([0.1, 0.3, 0.1 + 0.2])
    assert value_counts(values, bins={"a": ["0.1", "0.3"]}) == {
        "<=0.1": 1,
        ">0.1, <=0.3": 1,
        ">0.3": 1,
    }


def test_single_precision_stands_for_its_own_shortest_text():
    assert value_counts(pa.array([0.1, 0.2], pa.float32()), bins={"a": ["0.1"]}) == {
        "<=0.1": 1,
        ">0.1": 1,
    }


def test_large_integers_are_binned_exactly():
    values = [2**53, 2**53 + 1, 2**53 + 2]
    assert list(value_counts(values, bins={"a": [2**53]}).values()) == [1, 2]


@pytest.mark.parametrize("text", ["nan", "inf", "1,5", "0x1", "1e9999999999"])
def test_what_looks_like_a_number_may_be_none(text):
    problem = the_problem(ValuesError, pa.table({"a": ["1", text]}), bins={"a": [1]})
    assert repr(text) in problem.what
    assert "row 2" in problem.found
