"""Applies edits to delimited text: the same bytes, but for the fields that change.

Records are found as the reader of the rows finds them: a quote opens a field only at its
beginning, and a line ends with LF, CR LF or CR outside of quotes. Blank lines are no records.

A value may stand in quotes or not, and a number may be spelled 1 or 1.0. A changed cell that
looked otherwise than its neighbors would tell that it was changed. So it is spelled as the file
at hand spells that value. Where a file has several spellings of a value that may be written,
all its cells get the shortest of them.
"""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import IO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.question.codings import MISSING
from evenhand.releasing.row_editor import Edit, Editor
from evenhand.releasing.row_selection import rows_differ
from evenhand.releasing.writer import Sink
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, Dialect, reading
from evenhand.rows.csv_files import TextFile
from evenhand.rows.value_labels import as_texts, distinct, to_labels

_BLOCK = 1 << 22
_QUOTE, _LF, _CR = b'"\n\r'
_SEVERAL = re.compile(r"-?[0-9]|true\Z|false\Z")  # how labels begin that several texts have


@dataclass(frozen=True, slots=True)
class Records:
    """Consecutive records: their bytes, and where in these each begins and ends.

    A record ends after its line end. Bytes between records are blank lines.
    """

    text: bytes
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class FieldFinder:
    """Finds chosen fields of a record, by their numbers."""

    def __init__(self, delimiter: str, numbers: Iterable[int]) -> None:
        mark = re.escape(delimiter.encode())
        plain = rb"[^" + mark + rb"\r\n]*+"
        field = rb'(?:"[^"]*+(?:""[^"]*+)*+"' + plain + rb'|(?!")' + plain + rb")"
        chosen = set(numbers)
        pieces = [
            b"(" + field + b")" if number in chosen else field
            for number in range(max(chosen, default=-1) + 1)
        ]
        self._numbers = sorted(chosen)
        self._record = re.compile(mark.join(pieces))
        rest = rb"(?:" + mark + field + rb")*+"
        self.line = re.compile(rb"(?>" + field + rest + rb")(\r\n|\n|\r(?!\Z))")
        self._whole = re.compile(
            rb"(?=[^\r\n])" + mark.join(pieces) + rest + rb"(?:\r\n|\n|\r|\Z)"
        )
        self._delimiter = delimiter

    def find(self, text: bytes, begin: int, end: int) -> Sequence[tuple[int, int]]:
        """Where the chosen fields of a record begin and end, in the order of their numbers."""
        match = self._record.match(text, begin, end)
        return [] if match is None else match.regs[1:]

    def cells(self, records: Records) -> Iterator[tuple[int, set[bytes]]]:
        """The different bytes that each chosen field has in these records."""
        found = {*self._whole.findall(records.text)}
        if len(self._numbers) == 1:
            yield self._numbers[0], found
            return
        for at, number in enumerate(self._numbers):
            yield number, {cells[at] for cells in found}

    def encode(self, text: str) -> bytes:
        """A text as bytes of a field, in quotes if it needs them."""
        needs = any(mark in text for mark in ('"', "\n", "\r", self._delimiter))
        return ('"' + text.replace('"', '""') + '"' if needs else text).encode()

    def decode(self, cell: bytes) -> str:
        """The text of a field."""
        lines = io.StringIO(cell.decode(), newline="")
        return next(csv.reader(lines, delimiter=self._delimiter), [""])[0]


class RecordReader:
    """Reads as many records at a time as are asked for."""

    def __init__(self, source: IO[bytes], delimiter: str) -> None:
        self._source, self._delimiter = source, delimiter
        self._line = FieldFinder(delimiter, ()).line
        self._text = b""
        self._scanned = 0
        self._begins = np.zeros(0, np.int64)
        self._ends = np.zeros(0, np.int64)
        self._at_end = False

    def take(self, amount: int) -> Records:
        """The next records, with the blank lines before them; fewer only at the end."""
        while len(self._ends) < amount and not self._at_end:
            self._read_on()
        begins, self._begins = np.split(self._begins, [amount])
        ends, self._ends = np.split(self._ends, [amount])
        size = int(ends[-1]) if len(ends) else 0
        text, self._text = self._text[:size], self._text[size:]
        self._begins, self._ends = self._begins - size, self._ends - size
        self._scanned -= size
        return Records(text, begins, ends)

    def rest(self) -> Iterator[bytes]:
        """What comes after the last record taken."""
        yield self._text
        while block := self._source.read(_BLOCK):
            yield block

    def _read_on(self) -> None:
        """Read another block, and find the records that end in it."""
        block = self._source.read(_BLOCK)
        self._at_end = not block
        self._text += block
        tail = self._text[self._scanned :]
        ends = self._line_ends(tail)
        if self._at_end and len(tail) > (ends[-1] if len(ends) else 0):
            ends = np.append(ends, len(tail))
        begins = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else ends
        # A line that begins with its end is blank, and no record.
        first = np.frombuffer(tail, np.uint8)[begins]
        full = (first != _LF) & (first != _CR)
        self._begins = np.concatenate([self._begins, begins[full] + self._scanned])
        self._ends = np.concatenate([self._ends, ends[full] + self._scanned])
        self._scanned += int(ends[-1]) if len(ends) else 0

    def _line_ends(self, text: bytes) -> NDArray[np.int64]:
        """The places after each line end outside of quotes; the last line may be unfinished."""
        marks = np.frombuffer(text, np.uint8)
        breaks = np.flatnonzero(marks == _LF)
        if b"\r" in text:
            returns = np.flatnonzero(marks[:-1] == _CR)
            alone = returns[marks[returns + 1] != _LF]
            breaks = np.sort(np.concatenate([breaks, alone]))
        if b'"' in text:
            quotes = np.flatnonzero(marks == _QUOTE)
            if not self._are_regular(marks, quotes):
                return np.array([line.end() for line in self._lines(text)], np.int64)
            breaks = breaks[np.searchsorted(quotes, breaks) % 2 == 0]
        return breaks + 1

    def _are_regular(self, marks: NDArray[np.uint8], quotes: NDArray[np.intp]) -> bool:
        """Whether quotes open where fields begin, close where they end, or come doubled."""
        opening, closing = quotes[0::2], quotes[1::2]
        edges = np.zeros(256, bool)
        edges[[_QUOTE, _LF, _CR, ord(self._delimiter)]] = True
        before = marks[opening[opening > 0] - 1]
        after = marks[closing[closing < len(marks) - 1] + 1]
        return bool(edges[before].all() and edges[after].all())

    def _lines(self, text: bytes) -> Iterable[re.Match[bytes]]:
        """Line after line, by the letter of the rule: slow, and right for odd quotes."""
        position = 0
        while line := self._line.match(text, position):
            yield line
            position = line.end()


@contextmanager
def _opened(
    source: BatchSource, dialect: Dialect
) -> Iterator[tuple[bytes, Records, RecordReader]]:
    """The mark and the header of a file, and its reader, which stands after them."""
    text = TextFile(source.where, dialect.compression, dialect.delimiter)
    with reading(source.where), text.open() as file:
        mark, reader = file.read(dialect.mark_bytes), RecordReader(file, dialect.delimiter)
        yield mark, reader.take(1), reader


def spellings(
    source: BatchSource,
    dialect: Dialect,
    labels: Mapping[str, Sequence[str]],
    na: Iterable[str] = (),
) -> dict[str, tuple[list[bytes], dict[bytes, bytes]]]:
    """For each column of a file how its labels are written, and what replaces which bytes."""
    numbers = {name: source.names.index(name) for name in labels}
    finder = FieldFinder(dialect.delimiter, numbers.values())
    found: dict[str, set[bytes]] = {name: set() for name in labels}
    for name, cells in _cells(source, dialect, finder, numbers, labels):
        found[name] |= cells
    spelled = {}
    for name in labels:
        known, chosen = _by_label(found[name], finder, na), []
        replaced: dict[bytes, bytes] = {}
        for label in labels[name]:
            alike = sorted(known.get(label, ()), key=lambda cell: (len(cell), cell))
            alike = alike or [finder.encode("" if label == MISSING else label)]
            chosen.append(alike[0])
            replaced |= dict.fromkeys(alike[1:], alike[0])
        spelled[name] = chosen, replaced
    return spelled


def _cells(
    source: BatchSource,
    dialect: Dialect,
    finder: FieldFinder,
    numbers: Mapping[str, int],
    labels: Mapping[str, Sequence[str]],
) -> Iterator[tuple[str, set[bytes]]]:
    """The different bytes of cells: of all these columns, or of those with several spellings.

    Where no field is in quotes, cells are as the reader of the rows has them.
    """
    with _opened(source, dialect) as (_, _, reader):
        has_quotes = any(b'"' in block for block in reader.rest())
    if has_quotes:
        names = {number: name for name, number in numbers.items()}
        with _opened(source, dialect) as (_, _, reader):
            while len((records := reader.take(BATCH_ROWS)).ends):
                for number, cells in finder.cells(records):
                    yield names[number], cells
        return
    several = [n for n in labels if any(x == MISSING or _SEVERAL.match(x) for x in labels[n])]
    for batch in source.open(several, coded=True) if several else ():
        for name in several:
            values, _ = distinct(batch.column(name))
            yield name, {(value or "").encode() for value in values.to_pylist()}


def _by_label(
    cells: Iterable[bytes], finder: FieldFinder, na: Iterable[str]
) -> dict[str, list[bytes]]:
    """Cells by the label of their values."""
    found = [*cells]
    texts = as_texts([finder.decode(cell) for cell in found])
    labels = to_labels(texts.cast(pa.string()), na=na).to_pylist()
    by_label: dict[str, list[bytes]] = {}
    for cell, label in zip(found, labels, strict=True):
        by_label.setdefault(MISSING if label is None else label, []).append(cell)
    return by_label


def apply_to_text(
    sources: Sequence[BatchSource],
    editor: Editor,
    sink: Sink,
    *,
    drop: Collection[str] = (),
) -> None:
    """Write the released records of all files, under the header of the first."""
    unfinished = False
    dialects = [source.dialect for source in sources if source.dialect]
    for source, dialect in zip(sources, dialects, strict=True):
        splicer = _Splicer(source, dialect, editor, drop)
        with _opened(source, dialect) as (mark, header, reader):
            pieces = [mark, splicer.header(header)] if source is sources[0] else []
            for batch in source.open(editor.names, coded=True):
                records = reader.take(batch.num_rows)
                if len(records.ends) < batch.num_rows:
                    raise rows_differ(source.where, "The file became shorter meanwhile.")
                pieces += splicer.pieces(records, editor.edit(batch))
                unfinished = _write(sink, pieces, dialect, after=unfinished)
                pieces = []
            if len(reader.take(1).ends):
                raise rows_differ(source.where, "The file became longer meanwhile.")
            unfinished = _write(sink, [*pieces, *reader.rest()], dialect, after=unfinished)
    editor.check_complete()


def _write(sink: Sink, pieces: Sequence[bytes], dialect: Dialect, *, after: bool) -> bool:
    """Write pieces, ``after`` an unfinished line if so; return whether they leave one."""
    text = b"".join(pieces)
    if not text:
        return after
    sink.write(dialect.newline.encode() + text if after else text)
    return not text.endswith((b"\n", b"\r"))


def write_plain_text(
    table: pa.Table, dialect: Dialect, delimiter: str | None, sink: Sink
) -> None:
    """Write texts as a file of this dialect has them, in quotes only where they need them."""
    mark = delimiter or ","
    encode = FieldFinder(mark, ()).encode
    sink.write(codecs.BOM_UTF8 if dialect.has_bom else b"")
    columns = [[text or "" for text in column.to_pylist()] for column in table.columns]
    for fields in chain([table.schema.names], zip(*columns, strict=True)):
        sink.write(mark.encode().join(map(encode, fields)) + dialect.newline.encode())


class _Splicer:
    """Replaces fields in the records of one file."""

    def __init__(
        self, source: BatchSource, dialect: Dialect, editor: Editor, drop: Collection[str]
    ) -> None:
        self._numbers = {name: source.names.index(name) for name in editor.values}
        labels = {name: [*stored.index] for name, stored in editor.values.items()}
        spelled = spellings(source, dialect, labels, editor.rows.codings.na)
        self._cells = {name: cells for name, (cells, _) in spelled.items()}
        self._replaced = {
            self._numbers[name]: cells for name, (_, cells) in spelled.items() if cells
        }
        self._dropped = {source.names.index(name) for name in drop}
        # The delimiter goes with the field before it, in a record that begins with such fields
        # with the one after it.
        self._leading = next(at for at in range(len(source.names)) if at not in self._dropped)
        self._edited = sorted({*self._numbers.values(), *self._dropped})
        self._fields = FieldFinder(dialect.delimiter, self._edited)
        self._mark = len(dialect.delimiter.encode())
        self._newline = dialect.newline.encode()

    def header(self, records: Records) -> bytes:
        """The text of a header, with the blank lines before it."""
        if not len(records.ends) or not self._dropped:
            return records.text
        text, begin, end = records.text, int(records.begins[0]), int(records.ends[0])
        pieces, done = b"", 0
        for first, last, cell in self._new_cells(text, begin, end, {}):
            pieces += text[done:first] + cell
            done = last
        return pieces + text[done:]

    def pieces(self, records: Records, edit: Edit) -> list[bytes]:
        """The bytes of the released records, in order."""
        changes = self._changes(edit)
        copies = np.ones(edit.rows, np.int64)
        if edit.from_rows is not None:
            copies = np.bincount(edit.from_rows, minlength=edit.rows)
        touched = (copies != 1) | bool(self._dropped or self._replaced)
        rows = np.fromiter(changes, np.int64, len(changes))
        touched[rows if edit.from_rows is None else edit.from_rows[rows]] = True
        rows = np.flatnonzero(touched)
        numbers = (np.cumsum(copies) - copies)[rows]
        text, pieces, done = records.text, [], 0
        columns = records.begins, records.ends, copies
        places = zip(
            numbers.tolist(), *(column[rows].tolist() for column in columns), strict=True
        )
        for at, begin, end, many in places:
            for copy in range(at, at + many):
                if copy > at:
                    pieces.append(text[done:end])
                    # The last record of a file may lack the line end that another one needs.
                    if not pieces[-1].endswith((b"\n", b"\r")):
                        pieces.append(self._newline)
                    done = begin
                cells = changes.get(copy, {})
                for first, last, cell in self._new_cells(text, begin, end, cells):
                    pieces += (text[done:first], cell)
                    done = last
            if not many:
                pieces.append(text[done:begin])
                done = end
        pieces.append(text[done:])
        return pieces

    def _changes(self, edit: Edit) -> dict[int, dict[int, bytes]]:
        """For each released row that changes, the new bytes by the number of the field."""
        changes: dict[int, dict[int, bytes]] = {}
        for name, (at, index) in edit.cells.items():
            number = self._numbers[name]
            new = [{number: cell} for cell in self._cells[name]]
            for row, value in zip(at.tolist(), index.tolist(), strict=True):
                changes[row] = changes[row] | new[value] if row in changes else new[value]
        return changes

    def _new_cells(
        self, text: bytes, begin: int, end: int, cells: Mapping[int, bytes]
    ) -> Iterator[tuple[int, int, bytes]]:
        """The parts of a record that change, in order: begin, end, and the new bytes.

        Fields get new cells, each value gets one spelling, and dropped fields become empty.
        """
        if not (cells or self._replaced or self._dropped):
            return
        spans = self._fields.find(text, begin, end)
        for number, (first, last) in zip(self._edited, spans, strict=True):
            if number in self._dropped:
                leads = number < self._leading
                yield first - self._mark * (not leads), last + self._mark * leads, b""
                continue
            cell = cells.get(number)
            if cell is None and number in self._replaced:
                cell = self._replaced[number].get(text[first:last])
            if cell is not None:
                yield first, last, cell
