"""How the cells of a delimited file spell a value, so that changed cells spell it the same way.

A value may stand in quotes or not, and a number may be spelled 1 or 1.0. A changed cell that
looked otherwise than its neighbors would tell that it was changed. So it is spelled as the file
at hand spells that value. Where a file has several spellings of a value that may be written,
all its cells get the shortest of them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from evenhand.question.codings import MISSING
from evenhand.releasing.csv_records import FieldFinder, RecordReader
from evenhand.rows.arrow_numpy import as_texts
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, Dialect, reading
from evenhand.rows.csv_files import TextFile
from evenhand.rows.value_labels import distinct, to_labels

_BLOCK = 1 << 22
_SEVERAL = re.compile(r"-?[0-9]|true\Z|false\Z")  # how labels begin that several texts have
# By the number of the field, the bytes of its cells.
Cells: TypeAlias = dict[int, set[bytes]]


@dataclass(frozen=True, slots=True)
class Spellings:
    """For each column what to write for a label, and which bytes to replace by others."""

    by_label: Mapping[str, Mapping[str, bytes]]
    replaced: Mapping[str, Mapping[bytes, bytes]]

    @classmethod
    def of(
        cls,
        source: BatchSource,
        dialect: Dialect,
        labels: Mapping[str, Iterable[str]],
        na: Iterable[str] = (),
    ) -> "Spellings":
        """The spellings of some labels, by column, in a file."""
        numbers = {name: source.names.index(name) for name in labels}
        finder = FieldFinder(dialect.delimiter, numbers.values())
        text = TextFile(source.where, dialect.compression, dialect.delimiter)
        with reading(source.where):
            if _has_quotes(text, dialect):
                cells = _cells_of_text(text, finder, dialect, [*numbers.values()])
            else:
                several = [name for name in labels if any(map(_has_several, labels[name]))]
                cells = _cells_of_batches(source, {name: numbers[name] for name in several})
        by_label, replaced = {}, {}
        for name, number in numbers.items():
            known = _by_label(cells.get(number, set()), finder, na)
            chosen = {
                label: min(
                    known.get(label, ()), key=lambda cell: (len(cell), cell), default=None
                )
                for label in labels[name]
            }
            by_label[name] = {
                label: finder.encode("" if label == MISSING else label)
                if cell is None
                else cell
                for label, cell in chosen.items()
            }
            replaced[name] = {
                other: cell
                for label, cell in chosen.items()
                for other in known.get(label, ())
                if cell is not None and other != cell
            }
        return cls(by_label, {name: pairs for name, pairs in replaced.items() if pairs})


def _has_several(label: str) -> bool:
    """Whether other texts may have the same label."""
    return label == MISSING or bool(_SEVERAL.match(label))


def _has_quotes(text: TextFile, dialect: Dialect) -> bool:
    """Whether any field after the header may be in quotes."""
    with text.open() as file:
        file.read(dialect.mark_bytes)
        header = RecordReader(file, dialect.delimiter).take(1).text
    with text.open() as file:
        file.read(dialect.mark_bytes + len(header))
        return any(b'"' in block for block in iter(lambda: file.read(_BLOCK), b""))


def _cells_of_text(
    text: TextFile, finder: FieldFinder, dialect: Dialect, numbers: list[int]
) -> Cells:
    """The cells as they stand in the file."""
    cells: Cells = {number: set() for number in numbers}
    with text.open() as file:
        file.read(dialect.mark_bytes)
        reader = RecordReader(file, dialect.delimiter)
        reader.take(1)
        while len((records := reader.take(BATCH_ROWS)).ends):
            for number, found in finder.cells(records):
                cells[number] |= found
    return cells


def _cells_of_batches(source: BatchSource, numbers: Mapping[str, int]) -> Cells:
    """The cells of columns without quotes, as the reader has them."""
    cells: Cells = {number: set() for number in numbers.values()}
    if numbers:
        for batch in source.open([*numbers], coded=True):
            for name, number in numbers.items():
                values, _ = distinct(batch.column(name))
                cells[number] |= {(value or "").encode() for value in values.to_pylist()}
    return cells


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
