"""Records and fields of any text are found where Python's own reader finds them."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.releasing.apply_to_text import FieldFinder, RecordReader

FIELD = st.text(st.sampled_from("a,\"\n\r 'é"), max_size=5)


@settings(max_examples=300)
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
        pieces.append(reader.rest())
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
    for at, row in enumerate(rows):
        begin, end = fields.find(records, at)[number]
        old = records.text[begin:end]
        assert next(csv.reader(io.StringIO(old.decode(), newline="")), [""]) == [row[number]]
        assert fields.decode(old) == row[number]
        new = fields.encode(row[number]).decode()
        assert next(csv.reader(io.StringIO(new, newline="")), [""]) == [row[number]]
