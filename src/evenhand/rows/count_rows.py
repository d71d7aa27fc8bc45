"""The one pass over the data: batches become keys, keys become counts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import code_type, in_order
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.rows import data_problems
from evenhand.rows.batch_source import BATCH_ROWS, BatchSource, reading
from evenhand.rows.column_encoder import ColumnEncoder
from evenhand.rows.data_problems import raise_all
from evenhand.rows.key_counter import LARGEST_DENSE, Codes, KeyCounter, KeyLayout, sorting
from evenhand.rows.progress import Clock, Watch
from evenhand.rows.text_encoders import FrequencyParser, LabelEncoder
from evenhand.rows.value_labels import check_types

# After so many rows a column that hardly repeats a value is refused, before all are read.
_EARLY_ROWS = 10_000
_MOST_ROWS = 2**62
# Measured: what a process takes before it counts, and then for each distinct line while lines
# wait, are sorted and merged, beside two codes for each column.
_PROCESS_BYTES = 160 * 10**6
_LINE_BYTES = 128
_MOST_MEMORY = 2**62


@dataclass(frozen=True, slots=True)
class CountResult:
    """What one pass gives: the counts, and how many rows were left out for missing values."""

    table: CountTable
    dropped: int


def count(
    parts: Sequence[BatchSource],
    names: Sequence[str],
    codings: Codings,
    *,
    largest_dense: int = LARGEST_DENSE,
    memory: int | None = None,
    watch: Watch | None = None,
) -> CountResult:
    """Count the assignments of the named columns in all parts.

    What does not fit into the ``memory`` is refused; ``watch`` is told of rows as they go by.
    """
    if parts[0].group_by:
        part, codings = parts[0].group_by(names, codings)
        parts = (part,)
    known = [part.rows for part in parts]
    total = None if None in known else sum(rows or 0 for rows in known)
    clock = Clock("counting", total, watch)
    counting = _Counting(names, codings, largest_dense, memory, clock)
    for part in parts:
        with reading(part.where):
            counting.read(part)
    with reading(parts[0].where):
        return counting.finish(where=parts[0].where)


class _Counting:
    """A pass under way. Missing is a label like the others until the end."""

    def __init__(
        self,
        names: Sequence[str],
        codings: Codings,
        largest_dense: int,
        memory: int | None,
        clock: Clock,
    ) -> None:
        self.names = names
        self.clock = clock
        self.codings = codings
        self.domains = [LabelEncoder(name, codings) for name in names]
        self.columns = [ColumnEncoder(domain, codings.na) for domain in self.domains]
        self.frequency = (
            ColumnEncoder(FrequencyParser(codings.frequency)) if codings.frequency else None
        )
        # An array of all cells may fill a quarter of the memory, and so may lines that wait.
        self.line_bytes = _LINE_BYTES + 2 * len(names)
        limit = self.for_lines = (memory or _MOST_MEMORY) - _PROCESS_BYTES
        self.tally = KeyCounter(
            KeyLayout((0,) * len(names)),
            largest_dense=min(largest_dense, limit // 32),
            most_waiting=limit // (4 * self.line_bytes),
        )
        self.rows = 0

    def read(self, part: BatchSource) -> None:
        """Count one part."""
        wanted = [column.name for column in (*self.columns, self.frequency) if column]
        for row, batch in _slices(part.open(wanted, coded=True)):
            if row == 0:
                check_types(batch.schema, where=part.where)
            self._add(batch, part, row)

    def _add(self, batch: pa.RecordBatch, part: BatchSource, row: int) -> None:
        coded = [column.encode(batch.column(column.name), part, row) for column in self.columns]
        self._make_room()
        weights = self._weights(batch, part, row)
        self.tally.add(self.tally.layout.keys(coded), weights)
        early = self.rows < _EARLY_ROWS
        self.rows += batch.num_rows if weights is None else sum(weights.tolist())
        self.clock.passed(batch.num_rows)
        self._check_memory(self.tally.distinct, part.where)
        if self.rows > _MOST_ROWS:
            raise data_problems.too_many_rows(str(self.codings.frequency), part.where)
        if early and self.rows >= _EARLY_ROWS:
            sizes = {domain.name: len(domain.codes) for domain in self.domains}
            raise_all(
                [*data_problems.identifiers(sizes, self.rows, share=0.9, where=part.where)]
            )

    def _check_memory(self, distinct: int, where: str) -> None:
        memory = self.for_lines + _PROCESS_BYTES
        if distinct * self.line_bytes > self.for_lines:
            sizes = {domain.name: len(domain.codes) for domain in self.domains}
            raise data_problems.too_many_assignments(sizes, distinct, memory, where)
        texts = {c.name: c.domain.bytes for c in (*self.columns, self.frequency) if c}
        if sum(texts.values()) > self.for_lines:
            raise data_problems.too_large_columns(texts, memory, where)

    def _weights(
        self, batch: pa.RecordBatch, part: BatchSource, row: int
    ) -> NDArray[np.int64] | None:
        if self.frequency is None:
            return None
        column = batch.column(self.frequency.name)
        numbers, indices = self.frequency.encode(column, part, row)
        return numbers[indices]

    def _make_room(self) -> None:
        """Lay keys out anew if a column has more labels than they have room for."""
        layout = self.tally.layout
        room = [
            (capacity, len(domain.codes))
            for capacity, domain in zip(layout.capacities, self.domains, strict=True)
        ]
        if all(0 < capacity >= size for capacity, size in room):
            return
        # Exact at first; a column that grows later may grow on, so it gets a power of two.
        wider = KeyLayout(
            tuple(
                max(capacity, 1 << (size - 1).bit_length() if capacity else size, 1)
                for capacity, size in room
            )
        )
        self.tally = self.tally.laid_out(wider)

    def finish(self, *, where: str) -> CountResult:
        """Decide about missing values and bring the counts into their canonical form."""
        errors = [*data_problems.unfit_texts(self.columns)]
        if self.frequency:
            errors += data_problems.unfit_frequencies(self.frequency)
        errors += data_problems.idle_merges(
            self.codings, {d.name: d.text_codes.keys() for d in self.domains}, where
        )
        if not self.rows:
            raise_all(errors or [data_problems.no_rows(where)])
        keys, counts = self.tally.content()
        self._check_memory(len(counts), where)
        codes = self.tally.layout.codes(keys)
        missing = {
            domain.name: column == domain.codes[None]
            for column, domain in zip(codes, self.domains, strict=True)
            if None in domain.codes
        }
        if self.codings.missing == "error":
            amounts = {name: int(counts[lines].sum()) for name, lines in missing.items()}
            errors += data_problems.missing_values(self.columns, amounts)
        if self.codings.missing == "level":
            errors += data_problems.taken_level(self.columns, [d.codes for d in self.domains])
        raise_all(errors)
        left_out = counts == 0
        if self.codings.missing == "drop":
            for lines in missing.values():
                left_out |= lines
        dropped = int(counts[left_out].sum())
        if dropped == self.rows:
            raise data_problems.nothing_left(dropped, where)
        if left_out.any():
            codes, counts = [column[~left_out] for column in codes], counts[~left_out]
        table = _table(self.domains, codes, counts)
        sizes = {attribute.name: len(attribute) for attribute in table.attributes}
        raise_all([*data_problems.identifiers(sizes, table.rows, share=0.5, where=where)])
        return CountResult(table, dropped)


def _table(
    domains: Sequence[LabelEncoder], columns: Sequence[Codes], counts: NDArray[np.int64]
) -> CountTable:
    """Distinct lines as a count table: only labels that occur, in their order."""
    attributes, renumbered = [], []
    for domain, codes in zip(domains, columns, strict=True):
        labels = [MISSING if label is None else label for label in domain.codes]
        occurs = np.zeros(len(labels), bool)
        occurs[codes] = True
        values = in_order(label for label, used in zip(labels, occurs, strict=True) if used)
        position = {value: code for code, value in enumerate(values)}
        number = np.array([position.get(label, 0) for label in labels], np.int64)
        attributes.append(Attribute(domain.name, values))
        renumbered.append((number, codes))
    order = sorting(KeyLayout(tuple(map(len, attributes))).keys(renumbered))
    return CountTable(
        tuple(attributes),
        tuple(
            number.astype(code_type(len(attribute)))[codes[order]]
            for attribute, (number, codes) in zip(attributes, renumbered, strict=True)
        ),
        counts[order],
    )


def _slices(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Batches of a bounded size, each with the number of its first row."""
    row = 0
    for batch in batches:
        for begin in range(0, batch.num_rows, BATCH_ROWS):
            yield row + begin, batch.slice(begin, BATCH_ROWS)
        row += batch.num_rows
