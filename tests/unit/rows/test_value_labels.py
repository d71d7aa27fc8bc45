"""Values of every type have the label that a question writes."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from math import inf, nan

import pyarrow as pa
import pytest
from tests.people_in_engines import in_duckdb, quiet
from tests.reading import the_problem, value_counts

from evenhand.counts.label_order import looks_missing
from evenhand.errors import ColumnError, ValuesError
from evenhand.question import as_label
from evenhand.rows import read
from evenhand.rows.inspect.column_profile import ColumnKind, parse_numbers
from evenhand.rows.value_labels import LabelArray, to_texts

TEXTS = ("a", "é", "", "Straße", "x" * 50, *(f"t{at}" for at in range(2000)))


@pytest.mark.parametrize(
    "values",
    [
        [1, 0, -5, 2**62],
        [1.0, 0.5, -0.0, 0.1, 1e15, 1e16, 1e22, 1e-5, 1e-7, 123456789012345.6, float("inf")],
        [True, False],
        [dt.date(2020, 1, 31), dt.date(1, 1, 1)],
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12, 30, 0, 5)],  # noqa: DTZ001
        [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)],
        [dt.time(12, 30), dt.time(1, 2, 3, 4)],
        [Decimal("1.00"), Decimal("0.10"), Decimal("-3.50")],
        ["1", "1.0", "x"],
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_values_of_all_types_get_the_label_of_the_question(values):
    labels = set(map(as_label, values))
    table = pa.table({"a": values})
    assert set(read(table).count().values("a")) == labels
    coded = pa.table({"a": table["a"].dictionary_encode()})
    assert set(read(coded).count().values("a")) == labels


def test_single_precision_numbers_have_their_own_shortest_text():
    table = pa.table({"a": pa.array([0.1, 1e10, 1e-7], pa.float32())})
    assert set(read(table).count().values("a")) == {"0.1", "10000000000", "0.0000001"}


def test_timestamps_keep_their_nanoseconds():
    table = pa.table({"a": pa.array([1, 10**9], pa.timestamp("ns"))})
    labels = set(read(table).count().values("a"))
    assert labels == {"1970-01-01 00:00:00.000000001", "1970-01-01 00:00:01"}


@pytest.mark.parametrize("zone", ["Local", "UTC+2"])
def test_a_time_in_a_zone_that_nobody_knows_is_told_in_utc(zone):
    table = pa.table({"a": pa.array([0, 3600, 0], pa.timestamp("s", zone))})
    labels = {"1970-01-01 00:00:00+00:00": 2, "1970-01-01 01:00:00+00:00": 1}
    rows = read(table)
    assert rows.count().values("a") == labels
    assert dict(rows.inspect().column("a").frequent) == labels


def test_times_beyond_those_of_python_are_told_apart():
    table = pa.table({"a": pa.array([0, 10**12, 10**13], pa.timestamp("s"))})
    assert read(table).count().cards == (3,)


def test_no_number_is_a_missing_value_in_a_frame(polars):
    frame = polars.DataFrame({"a": [1.5, float("nan"), None]})
    assert read(frame, missing="level").count().values("a") == {"1.5": 1, "(missing)": 2}


@pytest.mark.parametrize("value", [[1], {"x": 1}, b"bytes"], ids=["list", "structure", "bytes"])
def test_a_column_without_labels_is_refused_by_type(value):
    table = pa.table({"a": ["x"], "b": [value]})
    problem = the_problem(ColumnError, table)
    assert "'b'" in problem.what
    assert str(table["b"].type) in problem.what
    assert "exclude=['b']" in problem.remedy_text()
    assert read(table, exclude=["b"]).count().row_count == 1


def test_no_library_of_frames_is_loaded_to_read_a_file(tmp_path):
    """Arrow loads pandas, for half a second, where it converts a value of Python."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1.0,x\n1,\n,y\nTrue,z\n")
    code = (
        "import sys; from evenhand.rows import read; "
        f"rows = read({str(path)!r}, missing='level'); rows.count(); assert rows.notes; "
        "sys.exit(bool({'pandas', 'polars', 'narwhals'} & {*sys.modules}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


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


@pytest.mark.parametrize("offset", [0, 3])
def test_it_is_a_sequence_of_texts(offset):
    texts = TEXTS[offset:]
    labels = LabelArray(pa.array(TEXTS).slice(offset))
    assert tuple(labels) == texts
    assert len(labels) == len(texts)
    assert [labels[0], labels[-1]] == [texts[0], texts[-1]]
    assert labels[5:900:7] == [*texts[5:900:7]]
    assert "t7" in labels
    assert "absent" not in labels
    assert labels.index("t7") == texts.index("t7")
    with pytest.raises(ValueError, match="^$"):
        labels.index("absent")


def test_texts_of_an_array():
    assert to_texts(pa.array(TEXTS)) == [*TEXTS]
    assert to_texts(pa.array(TEXTS).slice(1, 3)) == [*TEXTS[1:4]]
    assert to_texts(pa.array([], pa.string())) == []


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2.5", "-3e2"],
        [" 1", "2 ", "+3"],
        ["1", "2", "?", "(missing)", " NA "],
        ["1", "nan"],
        ["1", "inf"],
        ["01", "02"],
        ["1_000", "2"],
        ["1", "two", "n/a"],
        ["٣", "4"],
        ["(missing)", "?"],
        ["a", "b"],
        [],
    ],
)
def test_numbers_are_parsed_as_by_python(texts):
    unknown = [
        at for at, text in enumerate(texts) if text == "(missing)" or looks_missing(text)
    ]
    try:
        expected = [nan if at in unknown else float(text) for at, text in enumerate(texts)]
    except ValueError:
        expected = [inf]
    is_code = any(text[:1] == "0" or "_" in text for text in texts)
    for values in (texts, LabelArray(pa.array(texts, pa.string()))):
        numbers, places = parse_numbers(values)
        assert numbers.tolist() == pytest.approx(
            [] if is_code or inf in expected else expected, nan_ok=True
        )
        assert places == unknown


def test_a_number_column_with_nan_as_text_tells_the_marker():
    table = pa.table({"x": [*map(str, range(40)), "nan"], "y": ["a"] * 41})
    column = read(table).inspect().column("x")
    assert column.kind is ColumnKind.NUMBER
    assert column.markers == (("nan", 1),)
    many = pa.table({"x": [*map(str, range(4000)), "nan", *map(str, range(4000))]})
    column = read(many).inspect().column("x")
    assert column.kind is ColumnKind.NUMBER
    assert column.markers == (("nan", 1),)


def test_unused_levels_are_no_values():
    codes = pa.array([0, 1] * 100, pa.int32())
    labels = pa.array([f"level {number}" for number in range(1_000)])
    table = pa.table({"a": pa.DictionaryArray.from_arrays(codes, labels)})
    assert read(table).count().attributes[0].values == ("level 0", "level 1")


def test_a_wrong_number_is_found_in_a_shared_dictionary():
    labels = pa.array(["old", "never", "1", "young"])
    first = pa.DictionaryArray.from_arrays(pa.array([2, 2]), labels)
    second = pa.DictionaryArray.from_arrays(pa.array([2, 3, 0, 3]), labels)
    table = pa.table({"a": pa.chunked_array([first, second])})
    problem = the_problem(ValuesError, table, bins={"a": [1]})
    assert "'young'" in problem.what
    assert "row 4" in problem.found
    assert "2 such values in all: 'young', 'old'" in problem.found
