"""Reads columns as codes, one line per row, for a look at them; and quantiles of numbers.

Unlike counting this accepts any column: identifiers, free text, numbers of many values. Lines
are neither merged nor sorted. Only as many rows are read as fit into memory.
"""

from bisect import bisect_left
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate, chain
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import code_type
from evenhand.display import READING, ProgressCallback, ProgressReporter
from evenhand.errors import Problem, ValuesError
from evenhand.question import Bins, Codings
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import exact_number
from evenhand.rows.batch_source import BatchSource, reading
from evenhand.rows.count_rows import (
    absent_merges,
    expected_rows,
    spelling_notes,
    too_large_columns,
)
from evenhand.rows.value_labels import (
    MISSING_TEXT,
    UNFIT,
    ColumnEncoder,
    FrequencyEncoder,
    LabelArray,
    as_arrow,
    as_numpy,
    check_types,
    distinct,
    has_labels,
    nearest_floats,
    to_labels,
    value_type,
)

_ROW_BYTES = 16  # of each row: how often it counts, and the codes of the column at work
FIRST_BYTES = 1 << 24  # of codes, for a first look at wide tables
_FEW = 1000  # values up to which they become Python texts at once
_STEP = 500  # columns after which progress is reported
_Codes: TypeAlias = NDArray[np.integer]
_Labelled: TypeAlias = tuple[Sequence[str], NDArray[np.unsignedinteger], ColumnEncoder]
ValueCounts: TypeAlias = tuple[pa.Array, NDArray[np.int64]]


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
    """The stored values of columns, one code per row, before any coding is applied.

    The last labels of each column are kept: of many columns one is changed at a time.
    """

    columns: Mapping[str, tuple[pa.Array, _Codes]]
    counts: NDArray[np.int64]
    unreadable: tuple[pa.Field, ...]
    complete: bool
    _labelled: dict[str, tuple[object, _Labelled]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def coded(self, names: Collection[str], codings: Codings, *, where: str = "") -> LineTable:
        """Some of the columns under the labels that codings give them; no row is read again."""
        attributes, columns, encoders = [], [], []
        for name in names:
            if name in self.columns:
                values, codes, encoder = self._labels(name, codings)
                attributes.append(Attribute(name, values))
                columns.append(codes)
                encoders.append(encoder)
        spellings = {encoder.name: encoder.spellings for encoder in encoders}
        absent = (problem for problem, _ in absent_merges(codings, encoders, where))
        return LineTable(
            table=CountTable(tuple(attributes), tuple(columns), self.counts),
            unreadable=tuple(one.name for one in self.unreadable if one.name in names),
            complete=self.complete,
            notes=(*spelling_notes(spellings), *absent),
        )

    def _labels(self, name: str, codings: Codings) -> _Labelled:
        """The labels of a column, the code of each row, and what found them."""
        coding = (codings.bins.get(name), codings.merge.get(name), codings.na)
        if name not in self._labelled or self._labelled[name][0] != coding:
            encoder = ColumnEncoder(name, codings)
            values, codes = _label(encoder, codings, *self.columns[name])
            narrow = codes.astype(code_type(len(values)), copy=False)
            self._labelled[name] = coding, (values, narrow, encoder)
        return self._labelled[name][1]


def _label(
    encoder: ColumnEncoder, codings: Codings, stored: pa.Array, codes: _Codes
) -> tuple[Sequence[str], _Codes]:
    """The labels of a column, and the code of each row."""
    labels = to_labels(stored, na=codings.na).cast(pa.string())
    texts = pc.fill_null(labels, MISSING_TEXT) if labels.null_count else labels
    if not texts.equals(stored):
        texts, at = distinct(texts)
        if len(texts) < len(stored) and encoder.name not in codings.bins:
            encoder.note_spellings(stored, labels)
        codes = at[codes]
    if codings.is_coded(encoder.name):
        return _in_classes(encoder, texts, codes)
    few = len(texts) <= _FEW
    return tuple(texts.to_pylist()) if few else LabelArray(texts), codes


def stored_blocks(
    sources: Sequence[BatchSource],
    names: Sequence[str],
    *,
    frequency: str | None = None,
    memory: int,
    progress: ProgressCallback | None = None,
) -> Generator[StoredLines]:
    """Read the columns in one pass, in blocks of as many rows as fit into memory."""
    reporter, total = ProgressReporter(progress), None
    batches: list[pa.RecordBatch] = []
    size = 0
    wanted = [*names, *([frequency] if frequency else [])]

    def stored(*, complete: bool) -> StoredLines:
        schema = batches[0].schema if batches else ()
        unreadable = {one.name: one for one in schema if not has_labels(value_type(one.type))}
        counts = np.ones(sum(batch.num_rows for batch in batches), np.int64)
        if frequency and batches:
            check_types([batches[0].schema.field(len(names))], where=sources[0].where)
            weights = [_frequencies(batch.column(len(names)), sources[0]) for batch in batches]
            counts = np.concatenate(weights)
        columns = {}
        for at, name in enumerate(names):
            if name not in unreadable:
                columns[name] = _encode([batch.column(at) for batch in batches], counts)
            if at % _STEP == _STEP - 1:
                reporter.report("comparing values of columns", at + 1, len(names))
        return StoredLines(
            columns=columns,
            counts=counts[counts > 0],
            unreadable=tuple(unreadable.values()),
            complete=complete,
        )

    for batch in chain.from_iterable(source.batches(wanted) for source in sources):
        taken = batch.nbytes + _ROW_BYTES * batch.num_rows
        if batches and size + taken > memory:
            yield stored(complete=False)
            batches, size = [], 0
        batches.append(batch)
        size += taken
        total = total if batches[1:] else expected_rows(sources, batch.num_rows)
        reporter.advance(READING, batch.num_rows, total)
    yield stored(complete=True)


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


def _in_classes(
    encoder: ColumnEncoder, texts: pa.Array, codes: _Codes
) -> tuple[Sequence[str], _Codes]:
    """The column in classes or merged values; a text that cannot be binned stays as it is."""
    is_missing = pc.equal(texts, MISSING_TEXT)
    new = encoder.encode_labels(
        pc.if_else(is_missing, pa.nulls(len(texts), pa.string()), texts)
    )
    labels = [MISSING if label is None else label for label in encoder.labels]
    unfit = np.flatnonzero(new == UNFIT)
    new[unfit] = np.arange(len(labels), len(labels) + len(unfit))
    return (*labels, *texts.take(as_arrow(unfit)).to_pylist()), new[codes]


def quantile_bins(name: str, classes: int, occurrences: ValueCounts, *, where: str) -> Bins:
    """Cuts at exact values of the data: the smallest value that reaches each share of the rows.

    A value that would fill several classes makes one of them. Texts that are no numbers are
    ignored here; counting reports them.
    """
    values, counts = occurrences
    floats = nearest_floats(values)
    order = np.flatnonzero(np.isfinite(floats))
    order = order[np.argsort(floats[order])]
    reached = np.cumsum(counts[order])
    total = int(reached[-1]) if len(reached) else 0

    def value_at(rank: int) -> Fraction:
        """The value of the row of this rank, from 1."""
        nearest = floats[order[np.searchsorted(reached, rank)]]
        # Several texts may round to one float; these are sorted exactly.
        alike = [
            (exact_number(values[at].as_py()), int(counts[at]))
            for at in np.flatnonzero(floats == nearest).tolist()
        ]
        alike.sort()
        before = int(counts[floats < nearest].sum())
        reached_here = [*accumulate(count for _, count in alike)]
        return alike[bisect_left(reached_here, rank - before)][0]

    ranks = [-(-total * number // classes) for number in range(1, classes)]
    cuts = sorted({value_at(rank) for rank in ranks} - {value_at(total)}) if total else []
    if not cuts:
        raise ValuesError.of(
            f"The column {name!r} cannot be split into {classes} classes of numbers.",
            "One value fills them all." if total else "It has no numbers.",
            "Give cut points in a list, or leave the column as it is.",
            where,
        )
    return Bins(tuple(cuts))


def value_counts(
    sources: Sequence[BatchSource], names: Sequence[str], codings: Codings, *, memory: int
) -> dict[str, ValueCounts]:
    """Each distinct text of some columns, null for missing, and in how many rows it occurs.

    Texts are as they are stored, whatever classes the codings have for them.
    """
    if sources[0].group_by:
        stored = replace(codings, bins={})
        grouped = {name: sources[0].group_by([name], stored) for name in names}
        return {
            name: value_counts([source], [name], its_codings, memory=memory)[name]
            for name, (source, its_codings) in grouped.items()
        }
    totals: dict[str, list[pa.Table]] = {name: [] for name in names}
    blocks = stored_blocks(sources, names, frequency=codings.frequency, memory=memory // 3)
    with reading(where := sources[0].where):
        for block in blocks:
            check_types(block.unreadable, where=where)
            for name, (values, codes) in block.columns.items():
                counts = np.zeros(len(values), np.int64)
                np.add.at(counts, codes, block.counts)
                texts = to_labels(values, na=codings.na).cast(pa.string())
                table = pa.table({"text": texts, "count": as_arrow(counts)})
                totals[name] = [_add_up([*totals[name], table])]
            sizes = {name: tables[0].nbytes for name, tables in totals.items()}
            if 4 * sum(sizes.values()) > memory:
                raise too_large_columns(sizes, memory, where)
    return {
        name: (table["text"].combine_chunks(), as_numpy(table["count"].combine_chunks()))
        for name, tables in totals.items()
        for table in tables
    }


def _frequencies(array: pa.Array, source: BatchSource) -> NDArray[np.int64]:
    """Frequencies; an invalid one counts as 0 here."""
    numbers, indices = FrequencyEncoder("").encode(array, source, 0)
    return numbers[indices]


def _add_up(tables: Sequence[pa.Table]) -> pa.Table:
    """One table with the total of each text."""
    totals = pa.concat_tables(tables).group_by("text").aggregate([("count", "sum")])
    return totals.rename_columns({"count_sum": "count"})
