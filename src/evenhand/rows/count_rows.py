"""The one pass over the rows: batches are encoded as keys, and keys are counted."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import check_row_count, code_type
from evenhand.counts.label_order import in_order
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import Problem, ValuesError
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.rows import counting_errors
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, reading
from evenhand.rows.counting_errors import raise_all
from evenhand.rows.key_counter import MOST_PENDING, Codes, KeyCounter, KeyLayout, sort_order
from evenhand.rows.value_labels import ColumnEncoder, FrequencyEncoder, check_types

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
    counter = _RowCounter(names, codings, memory, advance)
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
        memory: int | None,
        advance: Callable[[int], None],
    ) -> None:
        self.advance = advance
        self.codings = codings
        self.columns = [ColumnEncoder(name, codings) for name in names]
        self.frequency = FrequencyEncoder(codings.frequency) if codings.frequency else None
        self.encoders = [*self.columns, *([self.frequency] if self.frequency else [])]
        # The buffer may fill a quarter of the memory.
        self.line_bytes = _LINE_BYTES + 2 * len(names)
        limit = self.line_memory = (memory or _MOST_MEMORY) - _PROCESS_BYTES
        self.counter = KeyCounter(
            KeyLayout((0,) * len(names)),
            most_pending=min(MOST_PENDING, limit // (4 * self.line_bytes)),
        )
        self.rows = 0

    def read(self, source: BatchSource) -> None:
        """Count one source."""
        wanted = [column.name for column in self.encoders]
        for row, batch in _slices(source.open(wanted, coded=True)):
            if row == 0:
                check_types(batch.schema, where=source.where)
            self._add(batch, source, row)

    def _add(self, batch: pa.RecordBatch, source: BatchSource, row: int) -> None:
        coded = [one.encode(batch.column(one.name), source, row) for one in self.encoders]
        self._widen_keys()
        weights = None
        if self.frequency:
            numbers, indices = coded.pop()
            weights = numbers[indices]
        self.counter.add(self.counter.layout.keys(coded), weights)
        early = self.rows < _EARLY_ROWS
        self.rows += batch.num_rows if weights is None else sum(weights.tolist())
        self.advance(batch.num_rows)
        self._check_memory(self.counter.distinct, source.where)
        check_row_count(
            self.rows, counts=f"frequencies {self.codings.frequency!r}", where=source.where
        )
        if early and self.rows >= _EARLY_ROWS:
            labels = {column.name: column.codes for column in self.columns}
            raise_all(
                [*counting_errors.identifiers(labels, self.rows, share=0.9, where=source.where)]
            )

    def _check_memory(self, distinct: int, where: str) -> None:
        memory = self.line_memory + _PROCESS_BYTES
        if distinct * self.line_bytes > self.line_memory:
            sizes = {column.name: len(column.codes) for column in self.columns}
            raise counting_errors.too_many_assignments(sizes, distinct, memory, where)
        texts = {column.name: column.bytes for column in self.encoders}
        if sum(texts.values()) > self.line_memory:
            raise counting_errors.too_large_columns(texts, memory, where)

    def _widen_keys(self) -> None:
        """Change the key layout if a column has more labels than it has room for."""
        rooms = self.counter.layout.capacities
        sizes = [len(column.codes) for column in self.columns]
        if not all(0 < room >= size for room, size in zip(rooms, sizes, strict=True)):
            # Exact at first; a column that grows later may grow on: it gets a power of two.
            # There is one at least, for texts that have no label.
            wider = (
                max(room, 1 << (size - 1).bit_length() if room else size, 1)
                for room, size in zip(rooms, sizes, strict=True)
            )
            self.counter = self.counter.with_layout(KeyLayout(tuple(wider)))

    def finish(self, *, where: str) -> CountResult:
        """Report all problems, apply the rule for missing values, return the counts."""
        errors = [*counting_errors.unfit_texts(self.columns)]
        if self.frequency:
            errors += counting_errors.unfit_frequencies(self.frequency)
        absent = [*counting_errors.absent_merges(self.codings, self.columns, where)]
        errors += [ValuesError(problem) for problem, is_idle in absent if is_idle]
        if not self.rows:
            raise_all(errors or [counting_errors.no_rows(where)])
        keys, counts = self.counter.result()
        self._check_memory(len(counts), where)
        codes = self.counter.layout.codes(keys)
        missing = {
            column.name: lines == column.codes[None]
            for column, lines in zip(self.columns, codes, strict=True)
            if None in column.codes
        }
        if self.codings.missing == "error":
            amounts = {name: int(counts[lines].sum()) for name, lines in missing.items()}
            errors += counting_errors.missing_values(self.columns, amounts)
        if self.codings.missing == "level":
            errors += counting_errors.taken_level(self.columns)
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
        labels = {column.name: column.labels for column in self.columns}
        table = _table(labels, codes, counts, all_occur=all_occur)
        values = {attribute.name: attribute.values for attribute in table.attributes}
        raise_all(
            [*counting_errors.identifiers(values, table.row_count, share=0.5, where=where)]
        )
        spellings = {column.name: column.spellings for column in self.columns}
        notes = [*counting_errors.spelling_notes(spellings), *(one for one, _ in absent)]
        return CountResult(table, dropped, tuple(notes))


def _table(
    labels: Mapping[str, Sequence[str | None]],
    columns: Sequence[Codes],
    counts: NDArray[np.int64],
    *,
    all_occur: bool,
) -> CountTable:
    """Distinct lines as a canonical count table: only labels that occur, sorted."""
    attributes, renumbered, sorted_already = [], [], True
    for (name, known), codes in zip(labels.items(), columns, strict=True):
        texts = [MISSING if label is None else label for label in known]
        used = texts if all_occur else [texts[code] for code in np.unique(codes).tolist()]
        values = in_order(used)
        sorted_already = sorted_already and values == tuple(used)
        place = {value: code for code, value in enumerate(values)}
        attributes.append(Attribute(name, values))
        renumbered.append((np.array([place.get(text, 0) for text in texts], np.int64), codes))
    if not sorted_already:  # some labels were met late
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
