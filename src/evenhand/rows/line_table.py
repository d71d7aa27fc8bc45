"""Reads all columns of a table as codes, one line per row, for a look at the columns.

Unlike counting this accepts any column: identifiers, free text, numbers of many values. Lines
are neither merged nor sorted. Only as many rows are read as fit into memory.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import code_type
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import Problem
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.rows.arrow_numpy import as_arrow, as_texts, value_type
from evenhand.rows.batch_source import BatchSource, reading
from evenhand.rows.counting_errors import spelling_notes
from evenhand.rows.csv_diagnosis import LONGEST_RECORD
from evenhand.rows.label_array import LabelArray, to_texts
from evenhand.rows.quantiles import frequencies
from evenhand.rows.text_encoders import UNFIT, LabelEncoder
from evenhand.rows.value_labels import distinct, has_labels, to_labels

FIRST_BYTES = 1 << 24  # of codes, for a first look at wide tables
_FEW = 1000  # values up to which they become Python texts at once
_STEP = 500  # columns after which progress is reported
_Codes: TypeAlias = NDArray[np.integer]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTable:
    """The rows as lines of codes; ``unreadable`` names columns whose values are no labels.

    ``complete`` is False if the table has more rows than were read. ``notes`` tell numbers that
    are spelled in several ways.
    """

    table: CountTable
    unreadable: tuple[str, ...]
    complete: bool
    notes: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLines:
    """The values of columns as they stand, one code per row, before any coding is applied.

    The last classes of each column are kept: of many columns one is changed at a time.
    """

    columns: Mapping[str, tuple[pa.Array, _Codes]]
    counts: NDArray[np.int64]
    unreadable: tuple[str, ...]
    complete: bool
    _classes: dict[str, tuple[object, tuple[Sequence[str], _Codes]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def coded(self, names: Collection[str], codings: Codings) -> LineTable:
        """Some of the columns under the labels that codings give them; no row is read again."""
        encoded = {name: self.columns[name] for name in names if name in self.columns}
        attributes, columns = [], []
        spellings: dict[str, dict[str, set[str]]] = {}
        for (name, (stored, _)), labelled in zip(
            encoded.items(), _with_labels([*encoded.values()], codings), strict=True
        ):
            if len(labelled[0]) < len(stored) and name not in codings.bins:
                spellings[name] = _spellings(stored, codings)
            values, codes = self._apply(codings, name, *labelled)
            attributes.append(Attribute(name, values))
            columns.append(codes.astype(code_type(len(values)), copy=False))
        return LineTable(
            table=CountTable(tuple(attributes), tuple(columns), self.counts),
            unreadable=tuple(name for name in self.unreadable if name in names),
            complete=self.complete,
            notes=(*spelling_notes(spellings),),
        )

    def _apply(
        self, codings: Codings, name: str, values: Sequence[str], codes: _Codes
    ) -> tuple[Sequence[str], _Codes]:
        if not codings.is_coded(name):
            return values, codes
        coding = (codings.bins.get(name), codings.merge.get(name), codings.na)
        last, result = self._classes.get(name, (None, (values, codes)))
        if last != coding:
            result = _apply(codings, name, values, codes)
            self._classes[name] = (coding, result)
        return result


def read_lines(
    sources: Sequence[BatchSource],
    names: Sequence[str],
    codings: Codings,
    *,
    memory: int,
    progress: ProgressCallback | None = None,
) -> LineTable:
    """Read the columns in one pass; bins and merges that are given are applied."""
    stored = read_stored(
        sources, names, frequency=codings.frequency, memory=memory, progress=progress
    )
    return stored.coded(names, codings)


def read_stored(
    sources: Sequence[BatchSource],
    names: Sequence[str],
    *,
    frequency: str | None = None,
    memory: int,
    progress: ProgressCallback | None = None,
) -> StoredLines:
    """Read the columns in one pass, as many rows as fit into memory."""
    reporter, total = ProgressReporter(progress), None
    unreadable: tuple[str, ...] = ()
    batches: list[pa.RecordBatch] = []
    size, complete = 0, True
    for batch in _batches(sources, names, frequency):
        unreadable = unreadable if batches else _unreadable(batch.schema)
        size += batch.nbytes
        complete = size <= memory or not batches
        if not complete:
            break
        batches.append(batch)
        if len(batches) == 1:
            total = _expected_rows(sources, batch)
        reporter.advance("reading rows", batch.num_rows, total)
    rows = sum(batch.num_rows for batch in batches)
    counts = np.ones(rows, np.int64)
    if frequency and batches:
        at = batches[0].schema.get_field_index(frequency)
        counts = np.concatenate([frequencies(batch.column(at)) for batch in batches])
    columns = {}
    for at, name in enumerate(names):
        if name not in unreadable:
            columns[name] = _encode([batch.column(at) for batch in batches], counts)
        if at % _STEP == _STEP - 1:
            reporter.report("comparing values of columns", at + 1, len(names))
    return StoredLines(
        columns=columns, counts=counts[counts > 0], unreadable=unreadable, complete=complete
    )


def _expected_rows(sources: Sequence[BatchSource], first: pa.RecordBatch) -> int | None:
    """About how many rows there are, as the first batch tells; None where that is unknown."""
    if all(source.rows is not None for source in sources):
        return sum(source.rows or 0 for source in sources)
    if any(source.dialect is None or source.dialect.compression for source in sources):
        return None
    size = sum(Path(source.where).stat().st_size for source in sources)
    return max(int(first.num_rows) * size // min(size, LONGEST_RECORD), int(first.num_rows))


def _batches(
    sources: Sequence[BatchSource], names: Sequence[str], frequency: str | None
) -> Iterator[pa.RecordBatch]:
    wanted = [*names, *([frequency] if frequency else [])]
    for source in sources:
        with reading(source.where):
            yield from source.open(wanted, coded=True)


def _unreadable(schema: pa.Schema) -> tuple[str, ...]:
    return tuple(field.name for field in schema if not has_labels(value_type(field.type)))


def _encode(chunks: list[pa.Array], counts: NDArray[np.int64]) -> tuple[pa.Array, _Codes]:
    """The values of a column that occur, as they first appear, and the code of each row."""
    whole = pa.chunked_array(chunks, None if chunks else pa.string()).combine_chunks()
    values, codes = distinct(whole)
    codes = codes if counts.all() else codes[counts > 0]
    codes = codes.astype(np.intp, copy=False)  # those of a dictionary may be unsigned
    # A dictionary may hold values that no row has.
    values = values.slice(0, int(codes.max(initial=-1)) + 1)
    occurs = np.bincount(codes, minlength=len(values)) > 0
    if not occurs.all():
        values = values.take(as_arrow(np.flatnonzero(occurs)))
        codes = (np.cumsum(occurs) - 1)[codes]
    return values, codes.astype(code_type(len(values)))  # narrow: all columns are held at once


def _with_labels(
    encoded: Sequence[tuple[pa.Array, _Codes]], codings: Codings
) -> Iterator[tuple[Sequence[str], _Codes]]:
    """The labels of each column instead of its values, and the code of each row."""
    few = _texts([values for values, _ in encoded if len(values) <= _FEW], codings)
    for values, codes in encoded:
        if len(values) <= _FEW:
            labels = next(few)
            new = {label: at for at, label in enumerate(dict.fromkeys(labels))}
            if len(new) == len(labels):
                yield tuple(labels), codes
            else:  # several values have one label, as 1 and 1.0
                yield tuple(new), np.array([*map(new.get, labels)], np.int32)[codes]
        else:
            array = _labels(values, codings)
            if array.equals(values):
                yield LabelArray(array), codes
            else:
                array, at = distinct(array)
                yield LabelArray(array), at[codes]


def _spellings(values: pa.Array, codings: Codings) -> dict[str, set[str]]:
    """All texts of each label; none if the values are typed: then they have no spelling."""
    spellings: dict[str, set[str]] = {}
    if values.type == pa.string():
        for text, label in zip(
            values.to_pylist(), to_texts(_labels(values, codings)), strict=True
        ):
            if label != MISSING:
                spellings.setdefault(label, set()).add(text)
    return spellings


def _texts(arrays: Sequence[pa.Array], codings: Codings) -> Iterator[list[str]]:
    """The labels of each array, converted together: many small calls would cost more."""
    together: dict[pa.DataType, Iterator[str]] = {}
    for kind in {array.type for array in arrays}:
        joined = pa.concat_arrays([array for array in arrays if array.type == kind])
        together[kind] = iter(to_texts(_labels(joined, codings)))
    for array in arrays:
        yield [*islice(together[array.type], len(array))]


def _labels(values: pa.Array, codings: Codings) -> pa.StringArray:
    labels = to_labels(values, na=codings.na).cast(pa.string())
    return pc.fill_null(labels, as_texts([MISSING])[0]) if labels.null_count else labels


def _apply(
    codings: Codings, name: str, values: Sequence[str], codes: _Codes
) -> tuple[Sequence[str], _Codes]:
    """The column in classes or merged values; a text that cannot be binned stays as it is."""
    encoder = LabelEncoder(name, codings)
    texts = as_texts([*values])
    is_missing = pc.equal(texts, as_texts([MISSING])[0])
    new = encoder.encode(pc.if_else(is_missing, pa.nulls(len(texts), pa.string()), texts))
    labels = [MISSING if label is None else label for label in encoder.labels]
    unfit = np.flatnonzero(new == UNFIT)
    new[unfit] = np.arange(len(labels), len(labels) + len(unfit))
    return (*labels, *(values[at] for at in unfit.tolist())), new[codes]
