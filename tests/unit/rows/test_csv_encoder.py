"""Regular text is encoded as Python's own reader reads it; other text is left alone."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.rows import csv_files, read
from evenhand.rows.csv_files import TextEncoder

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


@settings(max_examples=300)
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


@settings(max_examples=300)
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


@settings(max_examples=100)
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
