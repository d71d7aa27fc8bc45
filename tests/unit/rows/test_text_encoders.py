"""Numbers are binned exactly, whatever their type."""

import pyarrow as pa
import pytest
from tests.people_in_engines import in_duckdb, quiet
from tests.reading import the_problem, value_counts

from evenhand.errors import ValuesError
from evenhand.rows import read


def test_cuts_put_numbers_into_classes_that_include_their_upper_cut():
    numbers = ["36", "37", "37.0", "38", "50.5", " 51 ", "+1e1"]
    found = value_counts(numbers, bins={"a": [37, "50.5"]})
    assert found == {"up to 37": 4, "over 37 to 50.5": 2, "over 50.5": 1}


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.float32(), pa.decimal128(21, 1)])
def test_typed_numbers_are_binned_like_their_texts(kind):
    values = pa.array([1, 2, 3, 4]).cast(kind)
    assert value_counts(values, bins={"a": [2]}) == {"up to 2": 2, "3 or more": 2}


def test_a_cut_is_compared_exactly():
    values = ["0.1", "0.10000000000000000001", "0.09999999999999999999", "0.10"]
    assert value_counts(values, bins={"a": ["0.1"]}) == {"up to 0.1": 3, "over 0.1": 1}


def test_a_float_stands_for_its_shortest_text():
    values = pa.array([0.1, 0.3, 0.1 + 0.2])
    assert value_counts(values, bins={"a": ["0.1", "0.3"]}) == {
        "up to 0.1": 1,
        "over 0.1 to 0.3": 1,
        "over 0.3": 1,
    }


def test_single_precision_stands_for_its_own_shortest_text():
    assert value_counts(pa.array([0.1, 0.2], pa.float32()), bins={"a": ["0.1"]}) == {
        "up to 0.1": 1,
        "over 0.1": 1,
    }


def test_large_integers_are_binned_exactly():
    values = [2**53, 2**53 + 1, 2**53 + 2]
    assert list(value_counts(values, bins={"a": [2**53]}).values()) == [1, 2]


@pytest.mark.parametrize("text", ["nan", "inf", "1,5", "0x1", "1e9999999999"])
def test_what_looks_like_a_number_may_be_none(text):
    problem = the_problem(ValuesError, pa.table({"a": ["1", text]}), bins={"a": [1]})
    assert repr(text) in problem.what
    assert "row 2" in problem.found


@quiet
@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([1.0, 2.0, 3.0], ["up to 1", "2", "3 or more"]),
        ([1.0, 2.0, 3.5], ["up to 1", "over 1 to 2.4", "over 2.4"]),
    ],
)
def test_labels_depend_on_the_numbers_not_on_how_they_are_stored(values, labels, tmp_path):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    frame = pa.table({"a": values, "b": ["x"] * 3})
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{value},x\n" for value in values))
    for source in (frame, path, in_duckdb(ibis, frame)):
        rows = read(source, bins={"a": [1, "2.4"]})
        assert rows.marginal(["a"]).attribute("a").values == tuple(labels)
        assert rows.count().attribute("a").values == tuple(labels)
        assert rows.codings.bins["a"].labels == tuple(labels)
        again = read(source, codings=rows.codings)
        assert again.count() == rows.count()


def test_a_number_that_only_rounds_to_a_whole_one_is_none():
    values = ["36", "36.99999999999999999999"]
    assert value_counts(values, bins={"a": [36]}) == {"up to 36": 1, "over 36": 1}


def test_a_cut_may_begin_a_class():
    values = ["2", "3", "3.5", "70"]
    found = value_counts(values, bins={"a": [">=3", ">=70"]})
    assert found == {"under 3": 1, "3 to under 70": 2, "70 or more": 1}
    assert value_counts(["2", "3", "70"], bins={"a": [">=3", ">=70"]}) == {
        "up to 2": 1,
        "3 to 69": 1,
        "70 or more": 1,
    }
