"""Whatever a small compressed file holds, memory stays bounded; and reading stops when told."""

import gzip
import subprocess
import sys
import tracemalloc
import weakref
from threading import Event

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evenhand as eh
from evenhand.errors import InputError, ResourceError
from evenhand.rows import csv_files
from evenhand.rows.column_cache import ColumnCache
from evenhand.rows.csv_diagnosis import TextFile

MEGABYTE = 10**6


def packed(path, *pieces):
    """A file that is small, whatever it holds."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.writelines(pieces)
    return path


@pytest.fixture
def essays(tmp_path):
    """Few rows, of which each has a text of its own and of a megabyte."""
    texts = (b"f,%d%s\n" % (number, b"x" * MEGABYTE) for number in range(120))
    return packed(tmp_path / "essays.csv.gz", b"sex,essay\n", *texts)


@pytest.mark.parametrize(
    "piece",
    [b"x" * 1000, b"x," * 500, b'"x\n",' * 200],
    ids=["a text", "a line", "a record of many lines"],
)
def test_what_does_not_end_is_refused_and_never_held(tmp_path, piece):
    path = packed(tmp_path / "bomb.csv.gz", b"a,b\n1,2\n3,", *[piece] * 150_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="does not end") as caught:
            eh.read(path).count()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (problem,) = caught.value.problems
    assert problem.where == f"{path}, line 3"
    assert "all of them have 4,194,304" in problem.found
    assert most < 100 * MEGABYTE


def test_a_character_is_not_cut_by_a_piece_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("evenhand.rows.csv_diagnosis.LONGEST_RECORD", 3)
    path = tmp_path / "data.csv"
    path.write_bytes("a,b\né,日本\n".encode() * 5)
    assert not [*TextFile(str(path), None).invalid_bytes()]
    path.write_bytes("a,b\né,日本\n".encode() + b"1,\xe9\n")
    (problem,) = TextFile(str(path), None).invalid_bytes()
    assert "the byte 0xE9 at byte 16, line 3" in problem.what


@pytest.mark.parametrize("bins", [{}, {"essay": [3]}, {"essay": 4}], ids=str)
def test_few_texts_that_do_not_fit_into_the_memory_are_refused(essays, bins):
    with pytest.raises(ResourceError, match="do not fit into 256 MB") as caught:
        eh.read(essays, bins=bins, memory="256MB").count()
    (problem,) = caught.value.problems
    assert problem.where == str(essays)
    assert problem.found.startswith("The column 'essay' takes ")
    assert "(columns=…)" in problem.remedy_text()
    assert "(memory=…)" in problem.remedy_text()


def test_few_texts_that_do_not_fit_into_the_memory_are_not_profiled(essays):
    assert eh.read(essays, memory="256MB").profile() == {"sex": {"f": 120}, "essay": None}


def test_few_texts_that_do_not_fit_into_the_memory_are_not_kept(essays):
    kept = ColumnCache(eh.read(essays).sources, ("sex", "essay"), eh.Codings(), memory=MEGABYTE)
    kept.source(["sex"])
    with pytest.raises(ResourceError, match="do not fit into 2 MB"):
        kept.source(["essay"])


LINES = 1_000_000


@pytest.fixture
def lines(tmp_path):
    """Far more rows than the size of the file lets one guess."""
    return packed(
        tmp_path / "lines.csv.gz", b"a,b,c,d,n\n", b"x,y,x,y,1\nx,z,y,y,2\n" * (LINES // 2)
    )


def test_columns_read_ahead_are_kept_only_as_far_as_they_fit(lines):
    kept = ColumnCache(eh.read(lines).sources, "abcd", eh.Codings(), memory=3 * LINES)
    kept.source(["d"])
    assert kept.reads == 1
    kept.source(["a", "d"])
    assert kept.reads == 1
    kept.source(["c"])
    assert kept.reads == 2


@pytest.mark.parametrize("frequency", [None, "n"])
def test_more_rows_than_can_be_kept_are_refused(lines, frequency):
    codings = eh.Codings(frequency=frequency)
    kept = ColumnCache(eh.read(lines).sources, "abcd", codings, memory=LINES * 4 // 5)
    with pytest.raises(ResourceError, match="do not fit into 2 MB") as caught:
        kept.source(["a", "b"])
    assert f"The column {frequency or 'b'!r} takes " in caught.value.problems[0].found


@pytest.mark.parametrize("frequency", [None, "n"])
def test_a_table_without_rows_has_none_to_be_kept(tmp_path, frequency):
    nothing = {"a": pa.array([], pa.string()), "n": pa.array([], pa.int64())}
    pq.write_table(pa.table(nothing), tmp_path / "t.parquet")
    rows = eh.read(tmp_path / "t.parquet", columns=["a"], frequency=frequency)
    with pytest.raises(InputError, match="There are no rows"):
        rows.marginal(["a"])


# Arrow reads text ahead, in a thread of its own


def test_nothing_is_read_any_more_when_reading_stops(tmp_path, monkeypatch):
    sources = weakref.WeakSet()

    class Watched(csv_files._ArrowInput):
        def __init__(self, read):
            super().__init__(read)
            sources.add(self)

    monkeypatch.setattr(csv_files, "_BLOCK", 1 << 10)
    monkeypatch.setattr(csv_files, "_ArrowInput", Watched)
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "x,y\n" * 100_000)
    (part,) = eh.read(path).sources
    batches = part.open(["a"], coded=True)
    next(batches)
    assert len(sources) == 1
    batches.close()
    assert not sources


HELD = """
import sys, time
from evenhand.rows import csv_files, read

def slowly(self, size):
    time.sleep(0.1)
    return at_once(self, size)

at_once, csv_files._JoinedFiles.read = csv_files._JoinedFiles.read, slowly
csv_files._BLOCK, csv_files._MOST_SECONDS = 1 << 16, 10**6
batches = read(sys.argv[1]).batches()
next(batches)
"""


def test_python_comes_to_its_end_while_a_text_is_read(lines):
    """A thread that needs Python after that would abort the process."""
    subprocess.run([sys.executable, "-c", HELD, lines], check=True, timeout=60)  # noqa: S603


@pytest.mark.parametrize("cut", [0.5, 1.0])
def test_nobody_waits_for_a_broken_text_that_its_own_error_holds(tmp_path, monkeypatch, cut):
    came = []

    class Told(Event):
        def wait(self, timeout=None):
            came.append(super().wait(timeout))

    monkeypatch.setattr(csv_files, "Event", Told)
    content = gzip.compress(b"a,b\n" + b"x,y\n" * 10**6 + b"z\n", 1)
    path = tmp_path / "data.csv.gz"
    path.write_bytes(content[: int(len(content) * cut)])
    with pytest.raises(InputError):
        eh.read(path).count()
    assert came == [True]
