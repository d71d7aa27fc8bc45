"""``Editor``: says for batches of rows, in order, what changes in each.

It knows nothing of files and frames: it looks at the columns that the plan names and says which
rows are left out, which occur more than once, and which cells get another of the values stored
in their column. The modules ``apply_to_…`` apply that to what holds the rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import ResourceError
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question import Codings
from evenhand.question.codings import MISSING
from evenhand.releasing.row_selection import (
    GivenRows,
    LineSelection,
    Outcomes,
    Patterns,
    Selection,
    StoredValues,
    rows_differ,
)
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.arrow_numpy import as_arrow, as_texts
from evenhand.rows.batch_source import BatchSource
from evenhand.rows.value_labels import ColumnEncoder, FrequencyEncoder

Integers: TypeAlias = NDArray[np.int64]
# For each column the codes of its distinct values, and for each row which of them it holds.
Encoded: TypeAlias = Mapping[str, tuple[Integers, NDArray[np.integer]]]

_MOST_ALIKE = 10**9  # numpy draws from no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What changes in a batch of rows.

    ``from_rows`` says for each released row which row of the batch it was; None if each is
    there once. ``cells`` holds for each changed column the released rows that get another
    value, and the index of that value in ``values``. ``people`` are how many each released line
    of a counted table stands for, which goes into the column ``frequency``.
    """

    rows: int
    values: Mapping[str, StoredValues]
    cells: Mapping[str, tuple[Integers, Integers]]
    from_rows: Integers | None = None
    frequency: str = ""
    people: Integers | None = None

    @property
    def rows_after(self) -> int:
        """How many rows there are after the edit."""
        return self.rows if self.from_rows is None else len(self.from_rows)

    def new_values(self) -> Iterator[tuple[str, Integers, pa.Array]]:
        """Each column that changes, its released rows that do, and their new values."""
        for name, (at, index) in self.cells.items():
            yield name, at, self.values[name].values.take(as_arrow(index))
        if self.people is not None:
            yield self.frequency, np.arange(len(self.people)), as_arrow(self.people)

    def origins(self, name: str = "") -> Integers:
        """The row that each released row was, or from which it has its value of a column."""
        origins = np.arange(self.rows) if self.from_rows is None else self.from_rows.copy()
        if name in self.cells:
            at, index = self.cells[name]
            origins[at] = self.values[name].rows[index]
        return origins


class Editor:
    """Makes the edits of one pass over the rows, and tells at its end if any row is missing.

    Two editors of the same plan and seed make the same edits, however the rows are cut into
    batches.
    """

    def __init__(
        self,
        rows: Rows,
        plan: Plan,
        values: Mapping[str, StoredValues],
        examined: ExaminedCounts,
        seed: int,
        *,
        taken: NDArray[np.bool_] | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        choosing, self._drawing, assigning = np.random.default_rng(seed).spawn(3)
        self._where, self.values, self.na = rows.where, values, rows.codings.na
        self._redrawn = plan.redrawn if values else ()
        self._question, self._pooled = plan.question, plan.pooled
        # Rows that lack a value in one of these are left out.
        self._complete = rows.columns if rows.codings.missing == "drop" else ()
        parents = {parent.name for table in self._redrawn for parent in table.parents}
        wanted = {*plan.names, *parents, *values, *self._complete}
        self._columns = {
            name: _Labels(name, rows.codings, rows.sources[0])
            for name in rows.columns
            if name in wanted
        }
        self._patterns = Patterns(plan)
        patterns = self._patterns.moves
        self._times = np.array([moves[0].times for moves in patterns], np.int64)
        self._becomes = {
            name: self._columns[name].codes(m.becomes.get(name) for ms in patterns for m in ms)
            for name in values
        }
        parts = [[move.row_count for move in moves] for moves in patterns]
        self._outcomes = Outcomes(parts, assigning)
        self.frequency = rows.codings.frequency or ""
        self._frequency_parser = FrequencyEncoder(self.frequency)
        self._source = rows.sources[0]
        sizes, amounts = self._sizes(examined.counts), [sum(rows) for rows in parts]
        if any(amount > size for amount, size in zip(amounts, sizes, strict=True)):
            raise rows_differ(self._where, "The plan would change more rows than there are.")
        if max(sizes, default=0) >= _MOST_ALIKE:
            raise ResourceError.of(
                f"{max(sizes):,} rows are alike, of which some are to be chosen.",
                f"At most {_MOST_ALIKE - 1:,} are allowed.",
                "Divide the table, or release it in an engine.",
                self._where,
            )
        self._selection: GivenRows | LineSelection | Selection
        if taken is not None:
            self._selection = GivenRows(taken)
        else:
            select = LineSelection if self.frequency else Selection
            self._selection = select(sizes, amounts, choosing)
        self._rows_to_come = examined.counts.row_count + examined.left_out + rows.dropped
        self._total, self._reporter = self._rows_to_come, ProgressReporter(progress)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it has to see."""
        return (*self._columns, *([self.frequency] if self.frequency else []))

    @property
    def amounts(self) -> list[tuple[int, list[Mapping[str, str]]]]:
        """For each pattern how many of its rows change, and what they become."""
        return [
            (sum(move.row_count for move in moves), [move.becomes for move in moves])
            for moves in self._patterns.moves
        ]

    def patterns_of(self, batch: pa.RecordBatch) -> Integers:
        """The pattern that each row falls under, or -1; rows that are left out have none."""
        return self._encode(batch)[2]

    def _encode(self, batch: pa.RecordBatch) -> tuple[Encoded, NDArray[np.bool_], Integers]:
        """The codes of a batch, which of its rows are not left out, and their patterns."""
        encoded = {name: c.encode(batch.column(name)) for name, c in self._columns.items()}
        kept, moves = np.ones(batch.num_rows, bool), self._moves(encoded)
        for name in self._complete:
            codes, indices = encoded[name]
            kept &= (codes != self._columns[name].missing)[indices]
        return encoded, kept, np.where(kept, moves, -1)

    def edit(self, batch: pa.RecordBatch) -> Edit:
        """What changes in the next rows."""
        self._reporter.advance("releasing rows", batch.num_rows, self._total)
        encoded, kept, moves = self._encode(batch)
        people: Integers | None = None
        taken: NDArray[np.bool_] | Integers
        try:
            if isinstance(self._selection, LineSelection):
                people = self._people(batch)
                taken = self._selection.take(moves, people)
            else:
                taken = self._selection.take(moves)
        except OverflowError:
            raise rows_differ(self._where, "There are more of a kind than before.") from None
        self._rows_to_come -= len(moves) if people is None else sum(people.tolist())
        chosen = np.flatnonzero(taken)
        times = self._times[moves[chosen]]
        units = np.repeat(chosen, times if people is None else times * taken[chosen])
        after = self._codes_after(units, moves, encoded)
        if people is None and kept.all() and (times == 1).all():
            cells = self._cells(units, units, after, encoded)
            return Edit(rows=len(moves), values=self.values, cells=cells)
        stays = np.flatnonzero(kept & (taken < (1 if people is None else people)))
        if people is not None:  # those of a line that become alike are one line
            parts, amounts = np.unique(
                np.stack([units, *after.values()]), axis=1, return_counts=True
            )
            units, after = parts[0], dict(zip(after, parts[1:], strict=True))
            people = np.concatenate([(people - taken)[stays], amounts])
        from_rows = np.concatenate([stays, units])
        order = np.argsort(from_rows, kind="stable")
        return Edit(
            rows=len(moves),
            values=self.values,
            cells=self._cells(np.flatnonzero(order >= len(stays)), units, after, encoded),
            from_rows=from_rows[order],
            frequency=self.frequency,
            people=None if people is None else people[order],
        )

    def check_complete(self) -> None:
        """Refuse if fewer rows came than were counted."""
        if self._rows_to_come or not self._selection.complete:
            raise rows_differ(self._where, "There are fewer of a kind than before.")

    def _people(self, batch: pa.RecordBatch) -> Integers:
        """How many people each line stands for."""
        column = batch.column(self.frequency)
        numbers, indices = self._frequency_parser.encode(column, self._source, 0)
        return numbers[indices]

    def _moves(self, encoded: Encoded) -> Integers:
        """The move that each row falls under, or -1."""
        columns = {}
        for name in self._patterns.names:
            codes, indices = encoded[name]
            table = self._patterns.codes_of(name, self._columns[name].labels)
            columns[name] = np.take(table[codes], indices, mode="clip")  # all are in range
        return self._patterns.find(columns)

    def _sizes(self, counts: CountTable) -> list[int]:
        """How many rows fall under each move."""
        counts = counts.marginal(self._patterns.names)
        moves = self._patterns.find_in(counts)
        sizes = np.zeros(len(self._patterns.moves), np.int64)
        np.add.at(sizes, moves[moves >= 0], counts.counts[moves >= 0])
        return sizes.tolist()

    def _codes_after(
        self, chosen: Integers, moves: Integers, encoded: Encoded
    ) -> dict[str, Integers]:
        """The new codes of the columns that change, for each chosen row.

        For every row as many random numbers are drawn, so that batches do not matter.
        """
        after = {name: _codes(encoded[name], chosen) for name in self.values}
        move = self._outcomes.take(moves[chosen])
        for name, by_move in self._becomes.items():
            new = by_move[move]
            after[name] = np.where(new >= 0, new, after[name])
        uniform = self._drawing.random((len(chosen), len(self._redrawn)))
        for at, table in enumerate(self._redrawn):
            given = tuple(
                self._codes_in(parent)[
                    after[parent.name]
                    if parent.name in after
                    else _codes(encoded[parent.name], chosen)
                ]
                for parent in table.parents
            )
            own = self._columns[table.node.name].codes(table.node.values)
            after[table.node.name] = own[draw_values(table, given, uniform[:, at])]
        return after

    def _codes_in(self, attribute: Attribute) -> Integers:
        """For each label of a column its code in an attribute of a conditional table."""
        group, pooled = self._question.group, self._pooled
        pools = pooled is not None and attribute.name == self._question.groups_column
        code = {value: at for at, value in enumerate(attribute.values)}
        labels = self._columns[attribute.name].labels
        known = [pooled if pools and label != group else label for label in labels]
        return np.array([code.get(str(label), 0) for label in known], np.int64)

    def _cells(
        self, at: Integers, chosen: Integers, after: Mapping[str, Integers], encoded: Encoded
    ) -> dict[str, tuple[Integers, Integers]]:
        """Where released rows have another value than the rows that they were."""
        cells = {}
        for name, codes in after.items():
            other = np.flatnonzero(codes != _codes(encoded[name], chosen))
            index, labels = self.values[name].index, self._columns[name].labels
            table = np.array([index.get(label, 0) for label in labels], np.int64)
            cells[name] = (at[other], table[codes[other]])
        return cells


def join_edits(edits: Iterable[Edit]) -> Edit:
    """Edits of consecutive batches as one."""
    pieces = list(edits)
    begins = np.cumsum([0, *(piece.rows for piece in pieces)])
    begins_after = np.cumsum([0, *(piece.rows_after for piece in pieces)])

    def joined(parts: Iterable[Integers]) -> Integers:
        return np.concatenate([np.zeros(0, np.int64), *parts])

    cells = {}
    for name in pieces[0].cells:
        rows, values = zip(*(piece.cells[name] for piece in pieces), strict=True)
        shifted = (at + begin for at, begin in zip(rows, begins_after, strict=False))
        cells[name] = (joined(shifted), joined(values))
    from_rows = (piece.origins() + begin for piece, begin in zip(pieces, begins, strict=False))
    return Edit(
        rows=int(begins[-1]),
        values=pieces[0].values,
        cells=cells,
        from_rows=joined(from_rows) if any(p.from_rows is not None for p in pieces) else None,
        frequency=pieces[0].frequency,
        people=joined(p.people for p in pieces if p.people is not None)
        if pieces[0].frequency
        else None,
    )


def draw_values(
    table: ConditionalTable, given: tuple[Integers, ...], uniform: NDArray[np.float64]
) -> Integers:
    """Draw a node's values from their shares, given its parents', with numbers in [0, 1)."""
    upper = np.cumsum(table.shares, axis=-1)
    upper /= upper[..., -1:]  # exactly 1 at the last value that can be drawn
    steps = np.broadcast_to(upper[given], (len(uniform), len(table.node)))
    codes: Integers = (steps <= uniform[:, np.newaxis]).sum(axis=1)
    return codes


class _Labels:
    """A column's labels in the order in which they are met, each with its code."""

    def __init__(self, name: str, codings: Codings, source: BatchSource) -> None:
        self._column = ColumnEncoder(name, codings)
        self._source = source

    def encode(self, array: pa.Array) -> tuple[Integers, NDArray[np.integer]]:
        """Codes of the distinct values, and for each row which of them it holds."""
        return self._column.encode(array, self._source, 0)

    def codes(self, labels: Iterable[str | None]) -> Integers:
        """The codes of labels, met or not; -1 for None. Only for columns without a coding."""
        return np.array(
            [-1 if label is None else self._code(label) for label in labels], np.int64
        )

    def _code(self, label: str) -> int:
        text = pa.nulls(1, pa.string()) if label == MISSING else as_texts([label])
        return int(self._column.encode_labels(text)[0])

    @property
    def labels(self) -> list[str]:
        """The labels in the order of their codes."""
        return [MISSING if label is None else label for label in self._column.codes]

    @property
    def missing(self) -> int:
        """The code of missing values."""
        return self._column.codes.get(None, -1)


def _codes(encoded: tuple[Integers, NDArray[np.integer]], rows: Integers) -> Integers:
    table, indices = encoded
    codes: Integers = table[indices[rows]]
    return codes
