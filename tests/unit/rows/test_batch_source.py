"""What all sources have in common: names of their own, errors with their place."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reading import refusal

from evenhand.checker.people_in_csv import unique_names as unique_names_of_the_checker
from evenhand.errors import ColumnError, InputError, QuestionError, ResourceError
from evenhand.rows import batch_source, read
from evenhand.rows.batch_source import memory_in_bytes, read_ahead, reading, unique_names


@given(st.lists(st.sampled_from(["a", "a.1", "a.2", "a.1.1", "b"]), min_size=2, max_size=7))
def test_repeated_names_are_numbered_as_pandas_numbers_them(header):
    pandas = pytest.importorskip("pandas")
    names = unique_names(header)
    assert len({*names}) == len(header)
    assert [*names] == unique_names_of_the_checker(header)
    line = ",".join(header) + "\n"
    assert names == tuple(pandas.read_csv(io.StringIO(line + line)).columns)


@pytest.mark.parametrize("unique", [unique_names, unique_names_of_the_checker])
def test_a_name_that_is_repeated_many_times_is_numbered_at_once(unique):
    header = ["a"] * 20_000  # tested against one another they would take minutes
    assert [*unique(header)] == ["a", *(f"a.{number}" for number in range(1, 20_000))]


def test_repeated_column_names_in_parquet_are_refused_with_their_positions(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table([["1"], ["2"], ["3"]], names=["a", "b", "a"]), path)
    (problem,) = refusal(ColumnError, path)
    assert problem.where == str(path)
    assert "'a' occurs 2 times" in problem.what
    assert "1, 3" in problem.found


@pytest.mark.parametrize("is_stream", [True, False])
def test_repeated_column_names_in_an_arrow_file_get_a_number(tmp_path, is_stream):
    table = pa.table([["1"], ["2"], ["3"]], names=["a", "b", "a"])
    writer = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with writer(tmp_path / "a.arrow", table.schema) as out:
        out.write_table(table)
    rows = read(tmp_path / "a.arrow", columns=["a.1", "a"])
    assert dict(rows.count()) == {("3", "1"): 1}


def test_too_little_memory_is_said(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    rows = read(pa.table({"a": ["x"]}))
    monkeypatch.setattr("evenhand.rows.count_rows._RowCounter.read", full)
    with pytest.raises(ResourceError, match="memory") as caught:
        rows.count()
    assert "fewer columns" in str(caught.value.problems[0])


def test_what_arrow_cannot_do_is_a_fault_of_the_file():
    # This class of Arrow is a RuntimeError too, as those of encrypted archives are.
    with pytest.raises(InputError, match="7 bits"), reading("a.arrow"):
        raise pa.ArrowNotImplementedError("Integers of 7 bits")


def test_batches_that_are_read_ahead_come_in_order_and_stop_with_their_reader():
    closed = []

    @read_ahead
    def batches(columns, *, coded):
        assert coded
        try:
            for number in range(5):
                yield pa.record_batch({name: [number] for name in columns})
        finally:
            closed.append(True)

    assert [b.column(0)[0].as_py() for b in batches(["a"], coded=True)] == [*range(5)]
    assert closed == [True]
    started = batches(["a"], coded=True)
    assert next(started).num_columns == 1
    started.close()
    assert closed == [True, True]


def test_an_error_of_the_reading_thread_comes_after_the_batches_before_it():
    @read_ahead
    def batches(columns, *, coded):  # noqa: ARG001  # as all sources are opened
        yield pa.record_batch({"a": [1]})
        raise pa.ArrowInvalid("broken")

    started = batches(["a"], coded=True)
    assert next(started).num_rows == 1
    with pytest.raises(pa.ArrowInvalid, match="broken"):
        next(started)


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("1.5 GiB", 3 * 2**29), (10**9, 10**9), ("500m", 5 * 10**8)],
)
def test_memory_is_read_as_people_write_it(text, size):
    assert memory_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "1..5GB", "100MB", "2 XB", True])
def test_what_is_no_amount_of_memory_is_refused(text):
    with pytest.raises(QuestionError, match="no amount of memory"):
        memory_in_bytes(text)


def test_without_a_word_half_of_the_memory_may_be_used_and_no_more_than_4_gb(monkeypatch):
    assert 10**8 < memory_in_bytes(None) <= 4 * 10**9
    with monkeypatch.context() as windows:
        windows.delattr("os.sysconf")
        assert 10**8 < memory_in_bytes(None) <= 2 * 10**9
    monkeypatch.setattr(batch_source, "_available", lambda: 10**9)
    assert memory_in_bytes(None) == 5 * 10**8
