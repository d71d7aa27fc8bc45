"""CSV and similar text is read however it is written; what cannot be is refused."""

import csv
import gzip
import io
import tracemalloc
from dataclasses import astuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reading import COLUMNS, CSV, EXPECTED, MEGABYTE, packed, refusal, the_problem
from tests.repetitions import repetitions

import evenhand as eh
from evenhand.errors import InputError
from evenhand.rows import csv_files, read
from evenhand.rows.csv_files import TextEncoder, TextFile


def zstd(content):
    return pa.Codec("zstd").compress(content, asbytes=True)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", CSV),
        ("a.tsv", CSV.replace(b",", b"\t")),
        ("a.txt", CSV.replace(b",", b";")),
        ("a.data", CSV.replace(b",", b"|")),
        ("no-suffix", CSV),
        ("crlf.csv", CSV.replace(b"\n", b"\r\n")),
        ("cr.csv", CSV.replace(b"\n", b"\r")),
        ("mixed.csv", CSV.replace(b"\n", b"\r\n", 2)),
        ("no-last-newline.csv", CSV.rstrip()),
        ("blank-lines.csv", b"\n\n" + CSV.replace(b"f,", b"\nf,") + b"\n\n"),
        ("byte-order-mark.csv", b"\xef\xbb\xbf" + CSV),
        ("quoted.csv", CSV.replace(b"sex", b'"sex"').replace(b"f", b'"f"')),
        ("a.csv.gz", gzip.compress(CSV, mtime=0)),
        ("members.csv.gz", gzip.compress(CSV[:20], mtime=0) + gzip.compress(CSV[20:], mtime=0)),
        ("a.csv.zst", zstd(CSV)),
        ("gzip-by-another-name.csv", gzip.compress(CSV, mtime=0)),
    ],
)
def test_delimited_text_is_read_however_it_is_written(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert read(tmp_path / name).count() == EXPECTED


@pytest.mark.parametrize(
    ("content", "dialect"),
    [
        (CSV, (",", "\n", False, None)),
        (b"\xef\xbb\xbf" + CSV.replace(b"\n", b"\r\n"), (",", "\r\n", True, None)),
        (gzip.compress(CSV.replace(b",", b";"), mtime=0), (";", "\n", False, "gzip")),
    ],
)
def test_how_text_was_written_is_known(tmp_path, content, dialect):
    (tmp_path / "a.csv").write_bytes(content)
    assert astuple(read(tmp_path / "a.csv").sources[0].dialect) == dialect


def test_a_delimiter_inside_quotes_does_not_mislead(tmp_path):
    (tmp_path / "a.csv").write_text('"a;b;c",d\n"1;2;3",x\n')
    assert read(tmp_path / "a.csv").columns == ("a;b;c", "d")


def test_columns_that_are_not_chosen_are_not_decoded(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV.replace(b"yes", b"\xff"))
    assert read(tmp_path / "a.csv", columns=["sex"]).count().values("sex") == {"f": 3, "m": 1}


def test_batches_of_text_are_text(tmp_path):
    (tmp_path / "a.csv").write_bytes(CSV)
    batches = pa.Table.from_batches(read(tmp_path / "a.csv").batches())
    assert batches.to_pydict() == COLUMNS
    assert batches.schema.types == [pa.string(), pa.string()]


FAR = b"a,b\n" + b"1,2\n" * 200_000
REFUSED = {
    "a header alone": ("a,b\n", {}, "no rows"),
    "a header without an end": ("a,b", {}, "no rows"),
    "a header after a byte order mark": ("\ufeffa,b\r\n", {}, "no rows"),
    "blank lines": ("\n\n\n", {}, "no header"),
    "a NUL byte in the header": (b"a,b\x00\n1,2\n", {}, "NUL byte at byte 3, line 1"),
    "a NUL byte in a field": (FAR + b"3\x00,4\n", {}, "NUL byte", "line 200,002"),
    "another delimiter": (
        *("a;b;c\n1;2;3\n", {"delimiter": ","}, "one column"),
        *("';' would give 3 columns", "delimiter=';'"),
    ),
    "the junk line of adult.test": (
        *("|1x3 Cross validator\na,b,c\n1,2,3\n\n", {"delimiter": ","}, "one column"),
    ),
    **{
        f"delimiter {one}": ("a,b\n1,2\n", {"delimiter": one}, repr(one))
        for one in ("", ",,", '"', "\n", "→")
    },
    "Latin-1": (
        *("name,b\nx,1\nJosé,2\n".encode("latin-1"), {}, "0xE9 at byte 14, line 3", "'é'"),
        *("iconv -f LATIN1", "Excel", "LibreOffice"),
    ),
    "Latin-1 far down": (
        *(FAR + "é,3\n".encode("latin-1"), {}, f"byte {len(FAR):,}, line 200,002"),
    ),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), {}, "at byte 0", "UTF-16", "iconv -f UTF-16"),
    "UTF-16 without a mark": (
        *("a,b\n1,2\n".encode("utf-16-le"), {}, "NUL byte at byte 1", "iconv -f UTF-16"),
    ),
    "a long line": ("a,b\n1," + "x" * 10**7 + "\n", {}, "131,072 characters", "line 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_text_that_is_no_table_is_refused_with_its_place(write_file, case):
    content, options, *said = REFUSED[case]
    path = write_file(content)
    problem = the_problem(InputError, path, **options)
    assert problem.where.startswith(str(path))
    told = f"{problem} {problem.where}"
    assert [text for text in said if text not in told] == []


def test_a_stray_quote_is_part_of_the_text(write_file):
    table = read(write_file('a,b\n5" pipe,2\n')).count()
    assert table.attributes[0].values == ('5" pipe',)


def test_one_column_is_refused_unless_asked_for(write_file):
    path = write_file("a b\n1 2\n")
    assert "delimiter" in str(the_problem(InputError, path))
    assert read(path, delimiter=",").columns == ("a b",)
    assert read(path, delimiter=" ").columns == ("a", "b")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
def test_a_truncated_gzip_file_is_refused(write_file, share):
    packed = gzip.compress(
        b"a,b\n" + np.random.default_rng(0).bytes(20_000).hex(",", 2).encode() + b"\n", mtime=0
    )
    path = write_file(packed[: int(len(packed) * share)], "a.csv.gz")
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "runcated" in problem.found


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (gzip.compress(CSV, mtime=0), "this is gzip again"),
        (b"PAR1" + CSV, "this is Parquet"),
        (b"\x28\xb5\x2f\xfd" + CSV, "this is zstd"),
    ],
)
def test_what_is_packed_twice_is_told(write_file, inside, said):
    with pytest.raises(InputError, match=said):
        read(write_file(gzip.compress(inside), "a.csv.gz"))


def test_a_ragged_line_is_named_by_its_number(write_file):
    path = write_file('a,b\n"x\ny",1\n\n1\n2,3\n4,5,6\n')
    short, long = refusal(InputError, path)
    assert short.where == f"{path}, line 5"
    assert "1 fields, the header has 2" in short.what
    assert long.where == f"{path}, line 7"
    assert "3 fields" in long.what
    assert "quotes" in long.remedy_text()


def test_ragged_lines_are_listed_to_a_limit_with_their_number(write_file):
    problems = refusal(InputError, write_file("a,b\n" + "1\n" * 30))
    assert len(problems) == 21
    assert "30 lines" in problems[-1].what


@pytest.mark.parametrize("end", ["", "\n", "\n3,4\n"])
def test_a_quote_that_is_never_closed_is_found_where_it_opens(write_file, end):
    path = write_file('a,b\n1,2\n3,"4' + end)
    problems = refusal(InputError, path)
    assert f"{path}, line 3" in [problem.where for problem in problems]
    assert any("never closed" in problem.found for problem in problems)


def test_an_open_quote_that_swallows_much_is_found_where_it_opens(write_file):
    path = write_file('a,b\n1,2\n3,"4\n' + "5,6\n" * 100_000)
    assert f"{path}, line 3" in [problem.where for problem in refusal(InputError, path)]


@pytest.mark.parametrize(
    "piece",
    [b"x" * 1000, b"x," * 500, b'"x\n",' * 200],
    ids=["a text", "a line", "a record of many lines"],
)
def test_what_does_not_end_is_refused_and_never_held(tmp_path, piece):
    path = packed(tmp_path / "bomb.csv.gz", b"a,b\n1,2\n3,", *[piece] * 110_000)
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
    monkeypatch.setattr("evenhand.rows.csv_files.LONGEST_RECORD", 3)
    path = tmp_path / "data.csv"
    path.write_bytes("a,b\né,日本\n".encode() * 5)
    assert not [*TextFile(str(path), None).invalid_bytes()]
    path.write_bytes("a,b\né,日本\n".encode() + b"1,\xe9\n")
    (problem,) = TextFile(str(path), None).invalid_bytes()
    assert "the byte 0xE9 at byte 16, line 3" in problem.what


NAMES = ("a", "b", "c")
# Long texts begin alike, and some differ in their last byte or are the beginning of others.
FIELD = st.one_of(
    st.text("aé1", max_size=3),
    st.integers(0, 40).map("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHI".__getitem__),
    st.integers(0, 34).map(lambda size: "x" * size),
    st.tuples(st.integers(0, 31), st.sampled_from("yz")).map(lambda p: "x" * p[0] + p[1]),
)
LINES = st.lists(st.tuples(FIELD, FIELD, FIELD), min_size=1, max_size=30)


def rows_of(batch):
    return [*zip(*(column.to_pylist() for column in batch.columns), strict=True)]


def longest(rows, columns):
    return max(len(row[NAMES.index(name)].encode()) for row in rows for name in columns)


@settings(max_examples=repetitions(300))
@given(
    st.lists(LINES, min_size=1, max_size=3),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([("a", "b", "c"), ("c",), ("a",), ("c", "a")]),
    st.sampled_from([1, 12]),
    st.sampled_from([1 << 5, 1 << 18]),
)
def test_regular_text_is_encoded_as_the_reader_reads_it(blocks, end, columns, bits, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_files, "_SLOT_BITS", bits)  # with one, most slots are taken
        patch.setattr(csv_files, "_SLICE", size + 3 * 70)  # a line at least
        encoder = TextEncoder(";", NAMES, columns)
        for rows in blocks:
            text = "".join(";".join(row) + end for row in rows).encode()
            batch, done = encoder.encode(text)
            assert batch.schema.names == [*columns]
            at = [NAMES.index(name) for name in columns]
            expected = [tuple(row[number] for number in at) for row in rows]
            assert rows_of(batch) == expected[: batch.num_rows]
            if longest(rows, columns) <= 32:
                assert done == len(text)
                assert batch.num_rows == len(rows)


@settings(max_examples=repetitions(300))
@given(st.lists(st.text('ab;"\n\r\0', max_size=9), max_size=12).map("".join))
def test_whatever_the_text_is_only_whole_records_are_taken_from_it(text):
    block = (text + "\n").encode()
    batch, done = TextEncoder(";", NAMES, NAMES).encode(block)
    if done:
        taken = io.StringIO(block[:done].decode(), newline="")
        assert rows_of(batch) == [tuple(row) for row in csv.reader(taken, delimiter=";")]
        # The reader that goes on must find the same records as if it had read all.
        both = [io.StringIO(part.decode(), newline="") for part in (block[:done], block[done:])]
        apart = [row for one in both for row in csv.reader(one, delimiter=";")]
        assert apart == [*csv.reader(io.StringIO(text + "\n", newline=""), delimiter=";")]
    else:
        assert batch.num_rows == 0


@pytest.mark.parametrize(
    "line",
    [b'"a";b;c\n', b"a;b\n", b"a;b;c;d\n", b"\n", b"a;b;\xff\n", b"a\0;b;c\n", b"a;b;c\r;d\n"],
)
def test_irregular_lines_are_left_with_all_after_them(monkeypatch, line):
    monkeypatch.setattr(csv_files, "_SLICE", 8)
    encoder = TextEncoder(";", NAMES, NAMES)
    batch, done = encoder.encode(b"a;b;c\nd;;f\n")
    assert (rows_of(batch), done) == ([("a", "b", "c"), ("d", "", "f")], 11)
    batch, done = encoder.encode(b"a;b;c\n" + line)
    assert rows_of(batch) == [("a", "b", "c")] * (done // 6)
    assert done <= 6


def test_a_column_of_too_many_values_is_left(monkeypatch):
    monkeypatch.setattr(csv_files, "_MOST_VALUES", 5)
    text = "".join(f"{at % 5};x;{at}\n" for at in range(20)).encode()
    assert TextEncoder(";", NAMES, ("a", "b")).encode(text)[1] == len(text)
    assert TextEncoder(";", NAMES, ("a", "c")).encode(text)[1] == 0


def test_nothing_is_regular_if_no_column_is_wanted_or_there_is_only_one():
    assert TextEncoder(";", NAMES, ()).encode(b"a;b;c\n")[1] == 0
    assert TextEncoder(";", ["a"], ["a"]).encode(b"a\n\nb\n")[1] == 0


@settings(max_examples=repetitions(100))
@given(LINES, st.sampled_from([30, 100, 10**6]), st.sampled_from(["", '"q",b,c\n']), st.data())
def test_counts_are_those_of_arrow(tmp_path_factory, rows, block, odd, data):
    at = data.draw(st.integers(0, len(rows)))
    lines = [",".join(row) + "\n" for row in rows]
    lines[at:at] = [odd]
    path = tmp_path_factory.mktemp("texts") / "a.csv"
    path.write_text("a,b,c\n" + "".join(lines))
    source = read(path).sources[0]
    with pytest.MonkeyPatch.context() as patch:
        # A record must fit into a block of Arrow.
        patch.setattr("evenhand.rows.csv_files._BLOCK", block + 2 * max(map(len, lines)))
        mine, plain = (source.open(NAMES, coded=coded) for coded in (True, False))
        assert [r for b in mine for r in rows_of(b)] == [r for b in plain for r in rows_of(b)]
