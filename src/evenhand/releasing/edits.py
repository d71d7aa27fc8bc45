"""``Changer``: batches of rows in order, and what becomes of each.

It knows nothing of files and frames: it looks at the columns that the plan names and says which
rows are left out, which stand there more than once, and which cells get another of the values
stored in their column. Whoever holds the rows carries that out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.display import ProgressReporter
from evenhand.errors import Problem, ResourceError
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.releasing.moves import CountedSelection, Patterns, Selection, Stored, rows_differ
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.arrow_arrays import as_texts
from evenhand.rows.batch_source import BatchSource
from evenhand.rows.column_encoder import ColumnEncoder
from evenhand.rows.text_encoders import FrequencyParser, LabelEncoder

Integers: TypeAlias = NDArray[np.int64]
Seen: TypeAlias = Mapping[str, tuple[Integers, NDArray[np.integer]]]

_MOST_ALIKE = 10**9  # numpy draws from no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What becomes of a batch of rows.

    ``source`` says for each released row which row of the batch it was; None if each is there
    once. ``cells`` holds for each changed column the released rows that get another value, and
    the place of that value among the stored ones. ``frequencies`` holds the released lines that
    stand for another number of rows than before, and that number.
    """

    rows: int
    source: Integers | None = None
    cells: Mapping[str, tuple[Integers, Integers]] = field(default_factory=dict)
    frequencies: tuple[Integers, Integers] | None = None

    @property
    def released(self) -> int:
        """How many rows there are afterwards."""
        return self.rows if self.source is None else len(self.source)


class Changer:
    """Says what becomes of rows, batch after batch, and at the end whether all have come."""

    def __init__(
        self,
        rows: Rows,
        plan: Plan,
        stored: Mapping[str, Stored],
        examined: ExaminedCounts,
        seed: int,
    ) -> None:
        choosing, self._drawing = np.random.default_rng(seed).spawn(2)
        self._where, self._stored = rows.where, stored
        self._redrawn = plan.redrawn if stored else ()
        self._question, self._pooled = plan.question, plan.pooled
        self._drops = rows.codings.missing == "drop"
        parents = {parent.name for table in self._redrawn for parent in table.parents}
        wanted = {*plan.names, *parents, *stored, *(rows.columns if self._drops else ())}
        self._columns = {
            name: _Labels(name, rows.codings, rows.sources[0])
            for name in rows.columns
            if name in wanted
        }
        self._patterns = Patterns(plan)
        moves = self._patterns.moves
        self._times = np.array([move.times for move in moves], np.int64)
        self._becomes = {
            name: self._columns[name].codes(move.becomes.get(name) for move in moves)
            for name in stored
        }
        frequency = rows.codings.frequency
        self._frequency = ColumnEncoder(FrequencyParser(frequency)) if frequency else None
        self._part = rows.sources[0]
        sizes, amounts = self._sizes(examined.counts), [move.rows for move in moves]
        if any(rows > size for rows, size in zip(amounts, sizes, strict=True)):
            raise rows_differ(self._where, "The plan would change more rows than there are.")
        if max(sizes, default=0) >= _MOST_ALIKE:
            raise ResourceError(
                Problem(
                    f"{max(sizes):,} rows are alike, of which some are to be chosen.",
                    f"At most {_MOST_ALIKE - 1:,} are allowed.",
                    "Divide the table, or release it in an engine.",
                    self._where,
                )
            )
        self._selection = Selection(sizes, amounts, choosing) if not frequency else None
        self._counted = CountedSelection(sizes, amounts, choosing) if frequency else None
        self._rows_to_come = examined.counts.rows + examined.left_out + rows.dropped
        self._total, self._reporter = self._rows_to_come, ProgressReporter(rows.watch)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it has to see."""
        return (*self._columns, *([self._frequency.name] if self._frequency else []))

    def step(self, batch: pa.RecordBatch) -> Edit:
        """What becomes of the next rows."""
        self._reporter.advance("releasing rows", batch.num_rows, self._total)
        seen = {name: labels.read(batch.column(name)) for name, labels in self._columns.items()}
        kept, moves = np.ones(batch.num_rows, bool), self._moves(seen)
        if self._drops:
            for name, (codes, indices) in seen.items():
                kept &= (codes != self._columns[name].missing)[indices]
            moves = np.where(kept, moves, -1)
        try:
            if self._selection:
                return self._edit(kept, moves, self._selection, seen)
            return self._edit_counted(kept, moves, self._numbers(batch), seen)
        except OverflowError:
            raise rows_differ(self._where, "There are more of a kind than before.") from None

    def finish(self) -> None:
        """Refuse if other rows came than were counted."""
        selection = self._selection or self._counted
        if self._rows_to_come or (selection and not selection.complete):
            raise rows_differ(self._where, "There are fewer of a kind than before.")

    def _edit(
        self, kept: NDArray[np.bool_], moves: Integers, selection: Selection, seen: Seen
    ) -> Edit:
        self._rows_to_come -= len(moves)
        taken = selection.take(moves)
        lines = np.flatnonzero(taken)
        times = self._times[moves[lines]]
        after = self._values(np.repeat(lines, times), moves, seen)
        if kept.all() and (times == 1).all():
            return Edit(rows=len(moves), cells=self._cells(lines, lines, after, seen))
        copies = kept.astype(np.int64)
        copies[lines] = times
        source = np.repeat(np.arange(len(moves)), copies)
        at = np.flatnonzero(taken[source])
        cells = self._cells(at, source[at], after, seen)
        return Edit(rows=len(moves), source=source, cells=cells)

    def _edit_counted(
        self, kept: NDArray[np.bool_], moves: Integers, rows: Integers, seen: Seen
    ) -> Edit:
        """A line of which some rows change is split: what stays, and what they become."""
        self._rows_to_come -= sum(rows.tolist())
        taken = self._counted.take(moves, rows) if self._counted else np.zeros_like(rows)
        lines = np.flatnonzero(taken)
        units = np.repeat(lines, taken[lines] * self._times[moves[lines]])
        after = self._values(units, moves, seen)
        parts, amounts = np.unique(
            np.stack([units, *after.values()]), axis=1, return_counts=True
        )
        stays = np.flatnonzero(kept & ((taken == 0) | (taken < rows)))
        source = np.concatenate([stays, parts[0]])
        order = np.argsort(source, kind="stable")
        source, at = source[order], np.flatnonzero(order >= len(stays))
        numbers = np.concatenate([(rows - taken)[stays], amounts])[order]
        other = np.flatnonzero(numbers != rows[source])
        after = dict(zip(after, parts[1:], strict=True))
        return Edit(
            rows=len(rows),
            source=source,
            cells=self._cells(at, parts[0], after, seen),
            frequencies=(other, numbers[other]),
        )

    def _numbers(self, batch: pa.RecordBatch) -> Integers:
        """How many rows each line stands for."""
        if not self._frequency:
            return np.ones(batch.num_rows, np.int64)
        column = batch.column(self._frequency.name)
        numbers, indices = self._frequency.encode(column, self._part, 0)
        return numbers[indices]

    def _moves(self, seen: Seen) -> Integers:
        """The move that each row falls under, or -1."""
        columns = {}
        for name in self._patterns.names:
            codes, indices = seen[name]
            table = self._patterns.codes_of(name, self._columns[name].labels)
            columns[name] = table[codes][indices]
        return self._patterns.find(columns)

    def _sizes(self, counts: CountTable) -> list[int]:
        """How many rows fall under each move."""
        counts = counts.marginal(self._patterns.names)
        found = self._patterns.find(
            {
                name: self._patterns.codes_of(name, counts.attribute(name).values)[codes]
                for name, codes in zip(counts.names, counts.codes, strict=True)
            }
        )
        sizes = np.zeros(len(self._patterns.moves), np.int64)
        np.add.at(sizes, found[found >= 0], counts.counts[found >= 0])
        return sizes.tolist()

    def _values(self, lines: Integers, moves: Integers, seen: Seen) -> dict[str, Integers]:
        """The codes of the columns that change, after the change, for each row that does.

        For every row as many random numbers are drawn, so that batches do not matter.
        """
        after = {name: _codes(seen[name], lines) for name in self._stored}
        for name, by_move in self._becomes.items():
            new = by_move[moves[lines]]
            after[name] = np.where(new >= 0, new, after[name])
        luck = self._drawing.random((len(lines), len(self._redrawn)))
        for at, table in enumerate(self._redrawn):
            given = tuple(
                self._places(parent)[
                    after[parent.name]
                    if parent.name in after
                    else _codes(seen[parent.name], lines)
                ]
                for parent in table.parents
            )
            own = self._columns[table.node.name].codes(table.node.values)
            after[table.node.name] = own[drawn(table, given, luck[:, at])]
        return after

    def _places(self, attribute: Attribute) -> Integers:
        """For each label of a column its place among an attribute's values."""
        group, pooled = self._question.group, self._pooled
        pools = pooled is not None and attribute.name == self._question.protected
        place = {value: at for at, value in enumerate(attribute.values)}
        labels = self._columns[attribute.name].labels
        seen = [pooled if pools and label != group else label for label in labels]
        return np.array([place.get(str(label), 0) for label in seen], np.int64)

    def _cells(
        self, at: Integers, lines: Integers, after: Mapping[str, Integers], seen: Seen
    ) -> dict[str, tuple[Integers, Integers]]:
        """Where released rows have another value than the rows that they were."""
        cells = {}
        for name, codes in after.items():
            other = np.flatnonzero(codes != _codes(seen[name], lines))
            places, labels = self._stored[name].places, self._columns[name].labels
            table = np.array([places.get(label, 0) for label in labels], np.int64)
            cells[name] = (at[other], table[codes[other]])
        return cells


def drawn(
    table: ConditionalTable, given: tuple[Integers, ...], luck: NDArray[np.float64]
) -> Integers:
    """Draw a node's values from their shares, given its parents', with numbers in [0, 1)."""
    upper = np.cumsum(table.shares, axis=-1)
    upper /= upper[..., -1:]  # exactly 1 at the last value that can be drawn
    steps = np.broadcast_to(upper[given], (len(luck), len(table.node)))
    places: Integers = (steps <= luck[:, np.newaxis]).sum(axis=1)
    return places


class _Labels:
    """A column's labels as they are met, each with its code."""

    def __init__(self, name: str, codings: Codings, part: BatchSource) -> None:
        self._domain = LabelEncoder(name, codings)
        self._column = ColumnEncoder(self._domain, codings.na)
        self._part = part

    def read(self, array: pa.Array) -> tuple[Integers, NDArray[np.integer]]:
        """Codes of the distinct values, and for each row which of them it holds."""
        return self._column.encode(array, self._part, 0)

    def codes(self, labels: Iterable[str | None]) -> Integers:
        """The codes of labels, met or not; -1 for None. Only where no coding stands between."""
        return np.array(
            [-1 if label is None else self._code(label) for label in labels], np.int64
        )

    def _code(self, label: str) -> int:
        text = pa.nulls(1, pa.string()) if label == MISSING else as_texts([label])
        return int(self._domain.encode(text)[0])

    @property
    def labels(self) -> list[str]:
        """The labels in the order of their codes."""
        return [MISSING if label is None else label for label in self._domain.codes]

    @property
    def missing(self) -> int:
        """The code of missing values."""
        return self._domain.codes.get(None, -1)


def _codes(seen: tuple[Integers, NDArray[np.integer]], lines: Integers) -> Integers:
    table, indices = seen
    codes: Integers = table[indices[lines]]
    return codes
