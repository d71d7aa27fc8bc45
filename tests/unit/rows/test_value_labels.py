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
from evenhand.rows.value_labels import LabelArray

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


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (pa.array([0.1, 1e10, 1e-7], pa.float32()), {"0.1", "10000000000", "0.0000001"}),
        (
            pa.array([1, 10**9], pa.timestamp("ns")),
            {"1970-01-01 00:00:00.000000001", "1970-01-01 00:00:01"},
        ),
        (
            pa.array([0, 10**12, 10**13], pa.timestamp("s")),  # beyond the times of Python
            {"1970-01-01", *(f"<value out of range: {10**n}>" for n in (12, 13))},
        ),
    ],
)
def test_numbers_and_times_of_arrow_have_their_shortest_text(values, labels):
    assert {*value_counts(values)} == labels


@pytest.mark.parametrize("zone", ["Local", "UTC+2"])
def test_a_time_in_a_zone_that_nobody_knows_is_told_in_utc(zone):
    table = pa.table({"a": pa.array([0, 3600, 0], pa.timestamp("s", zone))})
    labels = {"1970-01-01 00:00:00+00:00": 2, "1970-01-01 01:00:00+00:00": 1}
    rows = read(table)
    assert rows.count().values("a") == labels
    assert dict(rows.inspect().column("a").frequent) == labels


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


def typed(kind):
    return pa.array([1, 2, 3, 4]).cast(kind), [2], {"up to 2": 2, "3 or more": 2}


BINNED = {
    "upper cuts": (
        *(["36", "37", "37.0", "38", "50.5", " 51 ", "+1e1"], [37, "50.5"]),
        {"up to 37": 4, "over 37 to 50.5": 2, "over 50.5": 1},
    ),
    "lower cuts": (
        *(["2", "3", "3.5", "70"], [">=3", ">=70"]),
        {"under 3": 1, "3 to under 70": 2, "70 or more": 1},
    ),
    "lower cuts of whole numbers": (
        *(["2", "3", "70"], [">=3", ">=70"]),
        {"up to 2": 1, "3 to 69": 1, "70 or more": 1},
    ),
    "int64": typed(pa.int64()),
    "float64": typed(pa.float64()),
    "float32": typed(pa.float32()),
    "decimal": typed(pa.decimal128(21, 1)),
    "texts beyond floats": (
        *(["0.1", "0.10000000000000000001", "0.09999999999999999999", "0.10"], ["0.1"]),
        {"up to 0.1": 3, "over 0.1": 1},
    ),
    "floats stand for their shortest text": (
        *(pa.array([0.1, 0.3, 0.1 + 0.2]), ["0.1", "0.3"]),
        {"up to 0.1": 1, "over 0.1 to 0.3": 1, "over 0.3": 1},
    ),
    "so do those of single precision": (
        *(pa.array([0.1, 0.2], pa.float32()), ["0.1"]),
        {"up to 0.1": 1, "over 0.1": 1},
    ),
    "large integers": (
        *([2**53, 2**53 + 1, 2**53 + 2], [2**53]),
        {f"up to {2**53}": 1, f"{2**53 + 1} or more": 2},
    ),
    "what only rounds to a whole number": (
        *(["36", "36.99999999999999999999"], [36]),
        {"up to 36": 1, "over 36": 1},
    ),
}


@pytest.mark.parametrize("case", BINNED)
def test_numbers_are_put_into_classes_exactly(case):
    values, cuts, expected = BINNED[case]
    assert value_counts(values, bins={"a": cuts}) == expected


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
