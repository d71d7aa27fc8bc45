"""Bins, quantiles, merged values, missing values and frequencies, applied while counting."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from evenhand.question import Bins, Codings
from evenhand.rows import read


def counted(values, **options):
    return read(pa.table({"a": values}), **options).count().values("a")


def test_cuts_put_numbers_into_classes_that_include_their_upper_cut():
    numbers = ["36", "37", "37.0", "38", "50.5", " 51 ", "+1e1"]
    found = counted(numbers, bins={"a": [37, "50.5"]})
    assert found == {"<=37": 4, ">37, <=50.5": 2, ">50.5": 1}


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.float32(), pa.decimal128(21, 1)])
def test_typed_numbers_are_binned_like_their_texts(kind):
    values = pa.array([1, 2, 3, 4]).cast(kind)
    assert counted(values, bins={"a": [2]}) == {"<=2": 2, ">2": 2}


def test_a_cut_is_compared_exactly():
    values = ["0.1", "0.10000000000000000001", "0.09999999999999999999", "0.10"]
    assert counted(values, bins={"a": ["0.1"]}) == {"<=0.1": 3, ">0.1": 1}


def test_a_float_stands_for_its_shortest_text():
    values = pa.array([0.1, 0.3, 0.1 + 0.2])
    assert counted(values, bins={"a": ["0.1", "0.3"]}) == {
        "<=0.1": 1,
        ">0.1, <=0.3": 1,
        ">0.3": 1,
    }


def test_single_precision_stands_for_its_own_shortest_text():
    assert counted(pa.array([0.1, 0.2], pa.float32()), bins={"a": ["0.1"]}) == {
        "<=0.1": 1,
        ">0.1": 1,
    }


def test_large_integers_are_binned_exactly():
    values = [2**53, 2**53 + 1, 2**53 + 2]
    assert list(counted(values, bins={"a": [2**53]}).values()) == [1, 2]


def test_quantiles_become_cuts_at_values_of_the_data():
    rows = read(pa.table({"a": [5, 1, 4, 2, 3, 6, 8, 7]}), bins={"a": 4})
    assert rows.codings.bins["a"] == Bins((Fraction(2), Fraction(4), Fraction(6)))
    assert list(rows.count().values("a").values()) == [2, 2, 2, 2]


def test_a_value_that_fills_several_classes_makes_one():
    rows = read(pa.table({"a": [0] * 9 + [1, 2, 3]}), bins={"a": 4})
    assert rows.count().values("a") == {"<=0": 9, ">0": 3}


def test_quantiles_weigh_frequencies_and_pass_over_missing_values():
    table = pa.table({"a": ["1", "2", None, "?"], "n": [1, 3, 50, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop", na=["?"])
    with pytest.raises(ValueError, match="cannot be split"):
        rows.count()
    table = pa.table({"a": ["1", "2", None], "n": [3, 3, 50]})
    rows = read(table, bins={"a": 2}, frequency="n", missing="drop")
    assert rows.count().values("a") == {"<=1": 3, ">1": 3}


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


def test_merged_values_are_counted_as_one():
    found = counted(["x", "y", "z", "z"], merge={"a": {"x or y": ["x", "y"]}})
    assert found == {"x or y": 2, "z": 2}


def test_all_that_is_not_named_can_be_merged():
    assert counted([1, 2, 3, 3], merge={"a": {"one": [1], "other": ["*"]}}) == {
        "one": 1,
        "other": 3,
    }


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["x", "", None, "?"]),
        pa.array(["x", "", None, "?"]).dictionary_encode(),
        pa.array(["x", "", None, "?"], pa.large_string()),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), pa.array(["x", "", None, "?"])),
    ],
)
def test_missing_can_be_a_value_of_its_own(values):
    assert counted(values, missing="level", na=["?"]) == {"x": 1, "(missing)": 3}


def test_what_stands_for_missing_values_need_not_be_text():
    assert counted([1, -1, 2, -1], missing="level", na=["-1"]) == {
        "1": 1,
        "2": 1,
        "(missing)": 2,
    }


def test_no_number_is_a_missing_value_in_a_frame(polars):
    frame = polars.DataFrame({"a": [1.5, float("nan"), None]})
    assert read(frame, missing="level").count().values("a") == {"1.5": 1, "(missing)": 2}


def test_missing_values_can_be_binned_around():
    found = counted(["1", "", "5", "?"], bins={"a": [3]}, missing="level", na=["?"])
    assert found == {"<=3": 1, ">3": 1, "(missing)": 2}


def test_rows_with_missing_values_can_be_dropped_and_are_numbered():
    table = pa.table({"a": ["x", None, "x", "y"], "b": ["1", "2", None, None]})
    rows = read(table, missing="drop")
    assert list(rows.count()) == [(("x", "1"), 1)]
    assert rows.dropped == 3
    assert read(table, columns=["a"], missing="drop").dropped == 1


def test_nothing_is_dropped_where_nothing_is_missing():
    assert read(pa.table({"a": ["x"]}), missing="drop").dropped == 0


def test_a_text_that_means_missing_elsewhere_is_a_label():
    assert counted(["NA", "null", "None", "nan", "?"]) == dict.fromkeys(
        ["?", "NA", "None", "nan", "null"], 1
    )


@pytest.mark.parametrize("numbers", [["3", "0", "2.0"], [3, 0, 2], [3.0, 0.0, 2.0]])
def test_counted_data_are_counted_on(numbers):
    table = pa.table({"a": ["x", "y", "x"], "n": numbers})
    counts = read(table, frequency="n").count()
    assert counts.rows == 5
    assert counts.values("a") == {"x": 5}


def test_counts_are_exact_beyond_floats():
    table = pa.table({"a": ["x", "y", "x"], "n": [2**60, 2**53 + 1, 1]})
    assert read(table, frequency="n").count().values("a") == {"x": 2**60 + 1, "y": 2**53 + 1}


def test_a_relation_that_counts_can_be_read(duckdb):
    relation = duckdb.sql(
        "select i % 3 as a, count(*) as n, sum(1) as s from range(10) t(i) group by 1"
    )
    for frequency in ("n", "s"):
        counts = read(relation, columns=["a"], frequency=frequency).count()
        assert counts.values("a") == {"0": 4, "1": 3, "2": 3}


def test_codings_from_a_question_file_are_taken_whole():
    codings = Codings.of(bins={"a": [2]}, columns=["a"])
    rows = read(pa.table({"a": [1, 2, 3], "b": [[], [], []]}), codings=codings)
    assert rows.codings == codings
    assert rows.count().values("a") == {"<=2": 2, ">2": 1}
