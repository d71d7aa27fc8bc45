"""The one pass over the rows: batches are encoded as keys, and keys are counted."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import check_row_count, code_type
from evenhand.counts.label_order import in_order
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import Problem
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.rows import counting_errors
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, reading
from evenhand.rows.counting_errors import raise_all
from evenhand.rows.key_counter import LARGEST_DENSE, Codes, KeyCounter, KeyLayout, sort_order
from evenhand.rows.value_labels import ColumnEncoder, FrequencyParser, LabelEncoder, check_types

# After so many rows a column that hardly repeats a value is refused, before all are read.
_EARLY_ROWS = 10_000
# Measured: memory of the process before it counts, and of each distinct line while lines are
# buffered, sorted and merged, beside two codes for each column.
_PROCESS_BYTES = 160 * 10**6
_LINE_BYTES = 128
_MOST_MEMORY = 2**62


@dataclass(frozen=True, slots=True)
class CountResult:
    """The counts, how many rows were left out for a missing value, and what to know of them."""

    table: CountTable
    dropped: int
    notes: tuple[Problem, ...] = ()


def count(
    sources: Sequence[BatchSource],
    names: Sequence[str],
    codings: Codings,
    *,
    largest_dense: int = LARGEST_DENSE,
    memory: int | None = None,
    progress: ProgressCallback | None = None,
) -> CountResult:
    """Count the assignments of the named columns in all sources.

    Raises ``ResourceError`` for what does not fit into ``memory``; ``progress`` is called after
    each batch.
    """
    if sources[0].group_by:
        source, codings = sources[0].group_by(names, codings)
        sources = (source,)
    known = [source.rows for source in sources]
    total = None if None in known else sum(rows or 0 for rows in known)
    advance = partial(ProgressReporter(progress).advance, "counting rows", total=total)
    counter = _RowCounter(names, codings, largest_dense, memory, advance)
    for source in sources:
        with reading(source.where):
            counter.read(source)
    with reading(sources[0].where):
        result = counter.finish(where=sources[0].where)
    # What Arrow keeps for further batches is 100 MB: the mathematics after this uses none.
    pa.default_memory_pool().release_unused()
    return result


class _RowCounter:
    """State of the pass. A missing value is a label like any other until ``finish``."""

    def __init__(
        self,
        names: Sequence[str],
        codings: Codings,
        largest_dense: int,
        memory: int | None,
        advance: Callable[[int], None],
    ) -> None:
        self.names = names
        self.advance = advance
        self.codings = codings
        self.encoders = [LabelEncoder(name, codings) for name in names]
        self.columns = [ColumnEncoder(encoder, codings.na) for encoder in self.encoders]
        self.frequency = (
            ColumnEncoder(FrequencyParser(codings.frequency)) if codings.frequency else None
        )
        # A dense array of all cells may fill a quarter of the memory, and so may the buffer.
        self.line_bytes = _LINE_BYTES + 2 * len(names)
        limit = self.line_memory = (memory or _MOST_MEMORY) - _PROCESS_BYTES
        self.counter = KeyCounter(
            KeyLayout((0,) * len(names)),
            largest_dense=min(largest_dense, limit // 32),
            most_pending=limit // (4 * self.line_bytes),
        )
        # The place of each code in keys: labels in order, so that sorted keys are sorted lines.
        self.places = [np.zeros(0, np.int64) for _ in names]
        self.rows = 0

    def read(self, source: BatchSource) -> None:
        """Count one source."""
        wanted = [column.name for column in (*self.columns, self.frequency) if column]
        for row, batch in _slices(source.open(wanted, coded=True)):
            if row == 0:
                check_types(batch.schema, where=source.where)
            self._add(batch, source, row)

    def _add(self, batch: pa.RecordBatch, source: BatchSource, row: int) -> None:
        coded = [
            column.encode(batch.column(column.name), source, row) for column in self.columns
        ]
        self._widen_keys()
        weights = self._weights(batch, source, row)
        placed = [(p[codes], at) for p, (codes, at) in zip(self.places, coded, strict=True)]
        self.counter.add(self.counter.layout.keys(placed), weights)
        early = self.rows < _EARLY_ROWS
        self.rows += batch.num_rows if weights is None else sum(weights.tolist())
        self.advance(batch.num_rows)
        self._check_memory(self.counter.distinct, source.where)
        check_row_count(
            self.rows, counts=f"frequencies {self.codings.frequency!r}", where=source.where
        )
        if early and self.rows >= _EARLY_ROWS:
            labels = {encoder.name: encoder.codes for encoder in self.encoders}
            raise_all(
                [*counting_errors.identifiers(labels, self.rows, share=0.9, where=source.where)]
            )

    def _check_memory(self, distinct: int, where: str) -> None:
        memory = self.line_memory + _PROCESS_BYTES
        if distinct * self.line_bytes > self.line_memory:
            sizes = {encoder.name: len(encoder.codes) for encoder in self.encoders}
            raise counting_errors.too_many_assignments(sizes, distinct, memory, where)
        texts = {c.name: c.encoder.bytes for c in (*self.columns, self.frequency) if c}
        if sum(texts.values()) > self.line_memory:
            raise counting_errors.too_large_columns(texts, memory, where)

    def _weights(
        self, batch: pa.RecordBatch, source: BatchSource, row: int
    ) -> NDArray[np.int64] | None:
        if self.frequency is None:
            return None
        column = batch.column(self.frequency.name)
        numbers, indices = self.frequency.encode(column, source, row)
        return numbers[indices]

    def _widen_keys(self) -> None:
        """Change the key layout if a column has more labels than it has room for."""
        layout = self.counter.layout
        sizes = [len(encoder.codes) for encoder in self.encoders]
        if all(0 < room >= size for room, size in zip(layout.capacities, sizes, strict=True)):
            self.places = [
                np.append(places, np.arange(len(places), size))
                if len(places) < size
                else places
                for places, size in zip(self.places, sizes, strict=True)
            ]
            return
        # Exact at first; a column that grows later may grow on, so it gets a power of two.
        wider = KeyLayout(
            tuple(
                max(room, 1 << (size - 1).bit_length() if room else size, 1)
                for room, size in zip(layout.capacities, sizes, strict=True)
            )
        )
        old, self.places = self.places, [_places(encoder) for encoder in self.encoders]
        moved = [new[np.argsort(before)] for before, new in zip(old, self.places, strict=True)]
        self.counter = self.counter.with_layout(wider, moved)

    def finish(self, *, where: str) -> CountResult:
        """Report all problems, apply the rule for missing values, return the counts."""
        errors = [*counting_errors.unfit_texts(self.columns)]
        if self.frequency:
            errors += counting_errors.unfit_frequencies(self.frequency)
        errors += counting_errors.idle_merges(
            self.codings, {e.name: e.text_codes.keys() for e in self.encoders}, where
        )
        if not self.rows:
            raise_all(errors or [counting_errors.no_rows(where)])
        keys, counts = self.counter.result()
        self._check_memory(len(counts), where)
        codes = self.counter.layout.codes(keys)
        missing = {
            encoder.name: column == places[encoder.codes[None]]
            for column, places, encoder in zip(codes, self.places, self.encoders, strict=True)
            if None in encoder.codes
        }
        if self.codings.missing == "error":
            amounts = {name: int(counts[lines].sum()) for name, lines in missing.items()}
            errors += counting_errors.missing_values(self.columns, amounts)
        if self.codings.missing == "level":
            errors += counting_errors.taken_level(
                self.columns, [e.codes for e in self.encoders]
            )
        raise_all(errors)
        left_out = counts == 0
        if self.codings.missing == "drop":
            for lines in missing.values():
                left_out |= lines
        dropped = int(counts[left_out].sum())
        if dropped == self.rows:
            raise counting_errors.nothing_left(dropped, where)
        if left_out.any():
            codes, counts = [column[~left_out] for column in codes], counts[~left_out]
        # Of lines that occur no times the labels may not occur either.
        all_occur = self.frequency is None and not left_out.any()
        labels = {
            encoder.name: np.array(encoder.labels, object)[np.argsort(places)].tolist()
            for encoder, places in zip(self.encoders, self.places, strict=True)
        }
        table = _table(labels, codes, counts, all_occur=all_occur)
        values = {attribute.name: attribute.values for attribute in table.attributes}
        raise_all(
            [*counting_errors.identifiers(values, table.row_count, share=0.5, where=where)]
        )
        spellings = {encoder.name: encoder.spellings for encoder in self.encoders}
        return CountResult(table, dropped, (*counting_errors.spelling_notes(spellings),))


def _places(encoder: LabelEncoder) -> NDArray[np.int64]:
    """For each code of a column the place of its label among those met so far, in order.

    There is one at least, for texts that have no label.
    """
    labels = [MISSING if label is None else label for label in encoder.codes]
    values = in_order(labels)
    if values == tuple(labels):  # met in order, or none: a dictionary of a million is 110 MB
        return np.arange(max(len(labels), 1))
    place = {label: at for at, label in enumerate(values)}
    if len(place) < len(labels):  # one is called as missing ones are: refused
        return np.arange(len(labels))
    return np.array([place[label] for label in labels], np.int64)


def _table(
    labels: Mapping[str, Sequence[str | None]],
    columns: Sequence[Codes],
    counts: NDArray[np.int64],
    *,
    all_occur: bool,
) -> CountTable:
    """Distinct lines as a canonical count table: only labels that occur, sorted."""
    attributes, renumbered, in_place = [], [], True
    for (name, known), codes in zip(labels.items(), columns, strict=True):
        texts = [MISSING if label is None else label for label in known]
        occurs = np.full(len(texts), all_occur)
        if not all_occur:
            occurs[codes] = True
        used = [*compress(texts, occurs.tolist())]
        values = in_order(used)
        if values == tuple(used):
            number = np.maximum(np.cumsum(occurs) - 1, 0)
        else:
            position = {value: code for code, value in enumerate(values)}
            number = np.array([position.get(text, 0) for text in texts], np.int64)
        in_place = in_place and bool((np.diff(number[occurs]) > 0).all())
        attributes.append(Attribute(name, values))
        renumbered.append((number, codes))
    if not in_place:  # some labels were met late
        order = sort_order(KeyLayout(tuple(map(len, attributes))).keys(renumbered))
        renumbered = [(number, codes[order]) for number, codes in renumbered]
        counts = counts[order]
    return CountTable(
        tuple(attributes),
        tuple(
            number.astype(code_type(len(attribute)))[codes]
            for attribute, (number, codes) in zip(attributes, renumbered, strict=True)
        ),
        counts,
    )


def _slices(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of at most ``BATCH_ROWS`` rows, each with the number of its first row."""
    row = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, BATCH_ROWS):
            yield row + begin, batch.slice(begin, BATCH_ROWS)
        row += batch.num_rows
