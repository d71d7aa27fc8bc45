"""Values of every type have the label that a question writes."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import pyarrow as pa
import pytest
from tests.reading import the_problem

from evenhand.errors import ColumnError
from evenhand.question import as_label
from evenhand.rows import read


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
