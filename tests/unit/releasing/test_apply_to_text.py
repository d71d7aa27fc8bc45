"""Edits of delimited text: every other byte stays."""

import csv
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hiring import COLUMNS, NAMES, csv_text, people, released, table
from tests.repetitions import repetitions

from evenhand.releasing.apply_to_text import FieldFinder, RecordReader
from evenhand.removal import LocalPreferentialSampling, ModifyGraph


def fields(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_bytes_of_changed_decisions_change(tmp_path, newline, quoting, mark):
    found = [[field.replace("\n", newline) for field in row] for row in people()]
    text = mark + csv_text(found, newline=newline, quoting=quoting)
    (tmp_path / "people.csv").write_text(text, newline="")
    made = released(tmp_path / "people.csv")
    made.write(tmp_path / "out.csv")
    after = (tmp_path / "out.csv").read_bytes().decode()
    assert after.startswith(mark)
    old, new = fields(text.removeprefix(mark)), fields(after.removeprefix(mark))
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(differing) == made.changed_rows
    at = NAMES.index("hired")
    for a, b in differing:
        assert a[:at] + a[at + 1 :] == b[:at] + b[at + 1 :]
    # Quotes and line ends are as the writer of the old text would put them.
    again = io.StringIO(newline="")
    csv.writer(again, lineterminator=newline, quoting=quoting).writerows(new)
    assert mark + again.getvalue() == after


def test_blank_lines_odd_quotes_and_a_last_line_without_end_stay(tmp_path):
    found = [row if row[0] else ("5\" pipe, 3'", *row[1:]) for row in people()]
    lines = csv_text(found).replace('"5"" pipe, 3\'"', '5" pipe').splitlines(keepends=True)
    lines[5:5] = ["\n", "\r\n"]
    text = "\n" + "".join(lines).removesuffix("\n")
    (tmp_path / "people.csv").write_text(text, newline="")
    released(tmp_path / "people.csv").write(tmp_path / "out.csv")
    after = (tmp_path / "out.csv").read_bytes().decode()
    assert after.startswith("\nnote,")
    assert after.count("\r\n") == text.count("\r\n") > 0
    assert not after.endswith("\n")
    assert after.count('5" pipe,') == text.count('5" pipe,') > 0


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}])
def test_other_delimiters_stay(tmp_path, options):
    (tmp_path / "people.csv").write_text(csv_text(people(), delimiter=";"))
    released(tmp_path / "people.csv", **options).write(tmp_path / "out.csv")
    old, new = (
        fields((tmp_path / name).read_text(), ";") for name in ("people.csv", "out.csv")
    )
    assert [row[:3] for row in old] == [row[:3] for row in new]


def test_rows_left_out_or_doubled_are_whole_records(tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people()).removesuffix("\n"), newline="")
    made = released(
        tmp_path / "people.csv", method=LocalPreferentialSampling(), uncertified=True
    )
    made.write(tmp_path / "out.csv")
    old = fields((tmp_path / "people.csv").read_bytes().decode())
    new = fields((tmp_path / "out.uncertified.csv").read_bytes().decode())
    assert len(new) - 1 == made.certificate.row_count
    assert set(map(tuple, new)) <= set(map(tuple, old))


def test_missing_values_leave_no_trace_in_the_text(tmp_path):
    found = [
        (*row[:2], "" if at % 5 == 0 else row[2], *row[3:]) for at, row in enumerate(people())
    ]
    (tmp_path / "people.csv").write_text(csv_text(found), newline="")
    released(tmp_path / "people.csv", missing="drop").write(tmp_path / "out.csv")
    new = fields((tmp_path / "out.csv").read_bytes().decode())
    assert len(new) == 1 + 320
    assert [row[0] for row in new[1:]] == [row[0] for row in found if row[2]]


def test_counted_lines_are_split_in_the_text(tmp_path):
    lines = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
    lines.to_csv(tmp_path / "lines.csv", index=False)
    made = released(tmp_path / "lines.csv", method=ModifyGraph(), frequency="n")
    made.write(tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["n"].sum() == 400


def test_compressed_text_comes_out_compressed_or_not(tmp_path):
    text = csv_text(people()).encode()
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    made = released(tmp_path / "people.csv.gz")
    made.write(tmp_path / "plain.csv")
    made.write(tmp_path / "packed.csv.gz")
    made.write(tmp_path / "other.csv.zst")
    plain = (tmp_path / "plain.csv").read_bytes()
    assert gzip.decompress((tmp_path / "packed.csv.gz").read_bytes()) == plain
    assert (tmp_path / "packed.certificate.json").exists()


FIELD = st.text(st.sampled_from("a,\"\n\r 'é"), max_size=5)


@settings(max_examples=repetitions(300))
@given(st.lists(FIELD, min_size=1, max_size=12), st.integers(1, 9), st.integers(1, 7))
def test_records_are_those_of_the_reader(pieces, block, amount):
    # Any text at all: quotes in the middle, never closed, blank lines, lone carriage returns.
    text = "".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evenhand.releasing.apply_to_text._BLOCK", block)
        reader = RecordReader(io.BytesIO(text.encode()), ",")
        pieces, records = [], []
        while (found := reader.take(amount)).text:
            pieces.append(found.text)
            records += [found.text[a:b] for a, b in zip(found.begins, found.ends, strict=True)]
        pieces += reader.rest()
    assert b"".join(pieces) == text.encode()
    wanted = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    mine = [next(csv.reader(io.StringIO(r.decode(), newline=""))) for r in records]
    assert mine == wanted


@given(
    st.lists(st.lists(FIELD, min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(0, 2),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_fields_are_found_and_written_as_a_reader_reads_them(rows, number, end, ended):
    text = io.StringIO(newline="")
    # With line ends of another kind the writer quotes no field for a CR.
    breaks = any("\r" in field or "\n" in field for row in rows for field in row)
    quoting = csv.QUOTE_ALL if breaks else csv.QUOTE_MINIMAL
    csv.writer(text, lineterminator=end, quoting=quoting).writerows(rows)
    whole = text.getvalue() if ended else text.getvalue().removesuffix(end)
    records = RecordReader(io.BytesIO(whole.encode()), ",").take(len(rows))
    fields = FieldFinder(",", [number])
    cells = dict(fields.cells(records))[number]
    assert {fields.decode(cell) for cell in cells} == {row[number] for row in rows}
    ((begins, ends),) = fields.find(records, np.arange(len(rows)))
    for row, first, last in zip(rows, begins, ends, strict=True):
        old = records.text[first:last]
        assert next(csv.reader(io.StringIO(old.decode(), newline="")), [""]) == [row[number]]
        assert fields.decode(old) == row[number]
        new = fields.encode(row[number]).decode()
        assert next(csv.reader(io.StringIO(new, newline="")), [""]) == [row[number]]
