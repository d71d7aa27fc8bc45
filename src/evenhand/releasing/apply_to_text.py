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
from evenhand.releasing.row_selection import Integers, rows_differ
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
    begins: Integers
    ends: Integers


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

    def find(self, records: Records, rows: Integers) -> list[tuple[Integers, Integers]]:
        """Where each chosen field begins and ends in some records, in the order of numbers."""
        text, begins, ends = records.text, records.begins[rows], records.ends[rows]
        if b'"' in text:
            places = zip(begins.tolist(), ends.tolist(), strict=True)
            matches = (self._record.match(text, begin, end) for begin, end in places)
            regions = np.array([match.regs[1:] for match in matches if match], np.int64)
            return [(found[:, 0], found[:, 1]) for found in regions.swapaxes(0, 1)]
        marks, sizes = np.frombuffer(text, np.uint8), ends - begins
        inside = np.arange(sizes.sum()) + np.repeat(ends - np.cumsum(sizes), sizes)
        stops = inside[marks[inside] == ord(self._delimiter)].reshape(len(rows), -1)
        ends = ends - (marks[ends - 1] == _LF)
        ends -= marks[ends - 1] == _CR
        bounds = np.column_stack([begins - 1, stops, ends])
        return [(bounds[:, at] + 1, bounds[:, at + 1]) for at in self._numbers]

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
                pieces.append(splicer.released(records, editor.edit(batch)))
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
        self._cells = {
            self._numbers[name]: np.array(cells, object) for name, (cells, _) in spelled.items()
        }
        self._replaced = {
            self._numbers[name]: cells for name, (_, cells) in spelled.items() if cells
        }
        self._dropped = {source.names.index(name) for name in drop}
        # The delimiter goes with the field before it, in a record that begins with such fields
        # with the one after it.
        self._leading = next(at for at in range(len(source.names)) if at not in self._dropped)
        self._edited = sorted({*self._numbers.values(), *self._dropped})
        self._fields = FieldFinder(dialect.delimiter, self._edited)
        self._newline = dialect.newline.encode()

    def header(self, records: Records) -> bytes:
        """The text of a header, with the blank lines before it."""
        return self._with_cells(records, {}) if self._dropped else records.text

    def released(self, records: Records, edit: Edit) -> bytes:
        """The text of the released records, in order."""
        if edit.from_rows is not None:
            records = self._rearranged(records, edit.from_rows)
        return self._with_cells(
            records, {self._numbers[name]: cells for name, cells in edit.cells.items()}
        )

    def _rearranged(self, records: Records, from_rows: Integers) -> Records:
        """The records without those left out, and with those that occur more than once."""
        text, begins, ends = records.text, records.begins, records.ends
        blank_lines = np.cumsum(begins - np.append(0, ends[:-1]))
        copies = np.bincount(from_rows, minlength=len(ends))
        sizes = (ends - begins)[from_rows]
        between = b""
        if not text.endswith((b"\n", b"\r")):
            # The last record of a file may lack the line end that another one needs.
            between = self._newline
            sizes[:-1] += len(between) * (from_rows[:-1] == len(ends) - 1)
        rows = np.flatnonzero(copies != 1)
        places = zip(begins[rows].tolist(), ends[rows].tolist(), strict=True)
        new = [
            (between * (end == len(text))).join([text[begin:end]] * many)
            for (begin, end), many in zip(places, copies[rows].tolist(), strict=True)
        ]
        new_ends = blank_lines[from_rows] + np.cumsum(sizes)
        return Records(_splice(text, begins[rows], ends[rows], new), new_ends - sizes, new_ends)

    def _with_cells(
        self, records: Records, cells: Mapping[int, tuple[Integers, Integers]]
    ) -> bytes:
        """The text of records with other cells, by the number of the field.

        Each value gets one spelling, and dropped fields become empty.
        """
        text, everywhere = records.text, bool(self._dropped or self._replaced)
        rows = np.unique(
            np.concatenate([np.zeros(0, np.int64), *(at for at, _ in cells.values())])
        )
        if everywhere:
            rows = np.arange(len(records.ends))
        if not len(rows):
            return text
        edits = []
        for number, (first, last) in zip(
            self._edited, self._fields.find(records, rows), strict=True
        ):
            if number in self._dropped:
                leads = number < self._leading
                edits.append(
                    (first - (not leads), last + leads, np.full(len(rows), b"", object))
                )
                continue
            new = np.full(len(rows), None, object)
            if known := self._replaced.get(number):
                places = zip(first.tolist(), last.tolist(), strict=True)
                new[:] = [known.get(text[begin:end]) for begin, end in places]
            if number in cells:
                at, index = cells[number]
                new[np.searchsorted(rows, at)] = self._cells[number][index]
            changed = np.array([cell is not None for cell in new])
            edits.append((first[changed], last[changed], new[changed]))
        begins, ends, new = map(np.concatenate, zip(*edits, strict=True))
        order = np.argsort(begins, kind="stable")
        return _splice(text, begins[order], ends[order], new[order].tolist())


def _splice(text: bytes, begins: Integers, ends: Integers, cells: Sequence[bytes]) -> bytes:
    """The text with other bytes between some places, which are in order."""
    between = zip([0, *ends.tolist()], [*begins.tolist(), len(text)], strict=True)
    pieces = [b""] * (2 * len(cells) + 1)
    pieces[::2] = [text[begin:end] for begin, end in between]
    pieces[1::2] = cells
    return b"".join(pieces)
