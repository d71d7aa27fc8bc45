"""Applies edits to delimited text: the same bytes, but for the fields that change."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from evenhand.releasing.csv_records import FieldFinder, RecordReader, Records
from evenhand.releasing.csv_spellings import Spellings
from evenhand.releasing.row_editor import Edit, Editor
from evenhand.releasing.row_selection import rows_differ
from evenhand.releasing.writer import Sink
from evenhand.rows.batch_source import BatchSource, Dialect, reading
from evenhand.rows.csv_files import TextFile


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
    for number, (source, dialect) in enumerate(zip(sources, dialects, strict=True)):
        splicer = _Splicer(source, dialect, editor, drop)
        text = TextFile(source.where, dialect.compression, dialect.delimiter)
        with reading(source.where), text.open() as file:
            mark = file.read(dialect.mark_bytes)
            reader = RecordReader(file, dialect.delimiter)
            header = splicer.header(reader.take(1))
            pieces = [mark, header] if number == 0 else []
            for batch in source.open(editor.names, coded=True):
                records = reader.take(batch.num_rows)
                if len(records.ends) < batch.num_rows:
                    raise rows_differ(source.where, "The file became shorter meanwhile.")
                pieces += splicer.pieces(records, editor.edit(batch))
                unfinished = _write(sink, pieces, dialect, after=unfinished)
                pieces = []
            if len(reader.take(1).ends):
                raise rows_differ(source.where, "The file became longer meanwhile.")
            unfinished = _write(sink, [*pieces, reader.rest()], dialect, after=unfinished)
    editor.check_complete()


def _write(sink: Sink, pieces: Sequence[bytes], dialect: Dialect, *, after: bool) -> bool:
    """Write pieces, ``after`` an unfinished line if so; return whether they leave one."""
    text = b"".join(pieces)
    if not text:
        return after
    sink.write(dialect.newline.encode() + text if after else text)
    return not text.endswith((b"\n", b"\r"))


class _Splicer:
    """Replaces fields in the records of one file."""

    def __init__(
        self, source: BatchSource, dialect: Dialect, editor: Editor, drop: Collection[str]
    ) -> None:
        self._numbers = {name: source.names.index(name) for name in editor.values}
        labels = {name: [*stored.index] for name, stored in editor.values.items()}
        spelled = Spellings.of(source, dialect, labels, editor.na)
        self._cells = {
            name: [spelled.by_label[name][label] for label in labels[name]] for name in labels
        }
        self._replaced = {
            self._numbers[name]: cells for name, cells in spelled.replaced.items()
        }
        self._dropped = {source.names.index(name): None for name in drop}
        # The delimiter goes with the field before it, in a record that begins with such fields
        # with the one after it.
        self._leading = next(at for at in range(len(source.names)) if at not in self._dropped)
        numbers = [*self._numbers.values(), *self._dropped]
        self._fields = FieldFinder(dialect.delimiter, numbers)
        self._mark = len(dialect.delimiter.encode())
        self._newline = dialect.newline.encode()

    def header(self, records: Records) -> bytes:
        """The text of a header, with the blank lines before it."""
        if not len(records.ends):
            return records.text
        blank = records.text[: int(records.begins[0])]
        return blank + self._changed(records, 0, self._dropped)

    def pieces(self, records: Records, edit: Edit) -> list[bytes]:
        """The bytes of the released records, in order."""
        if edit.from_rows is None and not (self._dropped or self._replaced):
            return self._with_new_cells(records, edit)
        changes = self._changes(edit)
        copies = np.ones(edit.rows, np.int64)
        if edit.from_rows is not None:
            copies = np.bincount(edit.from_rows, minlength=edit.rows)
        begins = np.cumsum(copies) - copies
        touched = (copies != 1) | bool(self._dropped or self._replaced)
        rows = np.fromiter(changes, np.int64, len(changes))
        touched[rows if edit.from_rows is None else edit.from_rows[rows]] = True
        pieces, done = [], 0
        for row in np.flatnonzero(touched).tolist():
            pieces.append(records.text[done : records.begins[row]])
            released = range(int(begins[row]), int(begins[row] + copies[row]))
            texts = [self._released(records, row, changes.get(at, {})) for at in released]
            pieces += [self._ended(text) for text in texts[:-1]] + texts[-1:]
            done = int(records.ends[row])
        pieces.append(records.text[done:])
        return pieces

    def _with_new_cells(self, records: Records, edit: Edit) -> list[bytes]:
        """The same for records of which all stay: only changed fields are looked for."""
        changed: list[tuple[int, int, bytes]] = []
        for name, (rows, index) in edit.cells.items():
            spans = self._fields.spans(records, rows, self._numbers[name])
            cells = [self._cells[name][value] for value in index.tolist()]
            changed += zip(*map(np.ndarray.tolist, spans), cells, strict=True)
        pieces: list[bytes] = []
        done = 0
        for begin, end, cell in sorted(changed):
            pieces += (records.text[done:begin], cell)
            done = end
        return [*pieces, records.text[done:]]

    def _changes(self, edit: Edit) -> dict[int, dict[int, bytes]]:
        """For each released row that changes, the new bytes by the number of the field."""
        changes: dict[int, dict[int, bytes]] = {}
        for name, (at, index) in edit.cells.items():
            for row, value in zip(at.tolist(), index.tolist(), strict=True):
                changes.setdefault(row, {})[self._numbers[name]] = self._cells[name][value]
        return changes

    def _released(self, records: Records, row: int, cells: Mapping[int, bytes]) -> bytes:
        """A record with some new cells, one spelling of each value, and no field to drop."""
        new: dict[int, bytes | None] = {**self._dropped, **cells}
        if self._replaced:
            spans = self._fields.find(records, row)
            for number, others in self._replaced.items():
                begin, end = spans[number]
                if number not in new and records.text[begin:end] in others:
                    new[number] = others[records.text[begin:end]]
        return self._changed(records, row, new)

    def _changed(self, records: Records, row: int, new: Mapping[int, bytes | None]) -> bytes:
        """A record with new cells, and without the fields that have none."""
        begin, end = int(records.begins[row]), int(records.ends[row])
        if not new:
            return records.text[begin:end]
        spans, pieces = self._fields.find(records, row), []
        for number in sorted(new):
            first, last = spans[number]
            cell = new[number]
            if cell is None:
                leads = number < self._leading
                first, last = (
                    (first, last + self._mark) if leads else (first - self._mark, last)
                )
            pieces.append(records.text[begin:first])
            if cell is not None:
                pieces.append(cell)
            begin = last
        return b"".join([*pieces, records.text[begin:end]])

    def _ended(self, record: bytes) -> bytes:
        """A record that another follows needs a line end, which the last of a file may lack."""
        return record if record.endswith((b"\n", b"\r")) else record + self._newline
