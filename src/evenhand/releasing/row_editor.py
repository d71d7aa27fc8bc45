"""``Editor``: says for batches of rows, in order, what changes in each.

It knows nothing of files and frames: it looks at the columns that the plan names and says which
rows are left out, which occur more than once, and which cells get another of the values stored
in their column. Others apply that to what holds the rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import ResourceError
from evenhand.graph.conditional_tables import ConditionalTable
from evenhand.question.codings import MISSING
from evenhand.releasing.row_selection import (
    FEWER,
    Assigned,
    Integers,
    Patterns,
    StoredValues,
    permute_moves,
    rows_differ,
    select,
)
from evenhand.removal import Plan
from evenhand.rows import Rows
from evenhand.rows.value_labels import ColumnEncoder

# For each column the codes of its distinct values, and for each row which of them it holds.
Encoded: TypeAlias = Mapping[str, tuple[Integers, NDArray[np.integer]]]

RELEASING = "releasing rows"  # the step's name
_MOST_ALIKE = 10**9  # numpy draws from no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What changes in a batch of rows.

    ``from_rows`` says for each released row which row of the batch it was; None if each is
    there once. ``cells`` holds for each changed column the released rows that get another
    value, and the index of that value in ``values``.
    """

    rows: int
    values: Mapping[str, StoredValues]
    cells: Mapping[str, tuple[Integers, Integers]]
    from_rows: Integers | None = None


class Editor:
    """Makes the edits of one pass over the rows, and tells at its end if any row is missing.

    Two editors of the same plan and seed make the same edits, however the rows are cut into
    batches. ``taken`` says which of the rows of each pattern change, if they are not drawn.
    """

    def __init__(
        self,
        rows: Rows,
        plan: Plan,
        values: Mapping[str, StoredValues],
        seed: int,
        *,
        taken: NDArray[np.bool_] | None = None,
        progress: ProgressCallback | None = None,
    ) -> None:
        self.choosing, self._drawing, assigning = np.random.default_rng(seed).spawn(3)
        self.rows, self.values = rows, values
        self._redrawn = plan.redrawn if values else ()
        self._pooled = plan.pooled
        # Rows that lack a value in one of these are left out.
        self._complete = rows.columns if rows.codings.missing == "drop" else ()
        parents = {parent.name for table in self._redrawn for parent in table.parents}
        wanted = {*plan.names, *parents, *values, *self._complete}
        self._columns = {
            name: ColumnEncoder(name, rows.codings) for name in rows.columns if name in wanted
        }
        self.patterns = Patterns(plan)
        patterns = self.patterns.moves
        self.times = np.array([moves[0].times for moves in patterns], np.int64)
        self._becomes = {
            name: np.array(
                [stored.index.get(m.becomes.get(name, ""), -1) for ms in patterns for m in ms],
                np.int64,
            )
            for name, stored in values.items()
        }
        self.amounts = [sum(move.row_count for move in moves) for moves in patterns]
        sizes, of = np.zeros(len(patterns), np.int64), self.patterns.find_in(plan.counted)
        np.add.at(sizes, of[of >= 0], plan.counted.counts[of >= 0])
        self.sizes: list[int] = sizes.tolist()
        if any(amount > size for amount, size in zip(self.amounts, self.sizes, strict=True)):
            raise rows_differ(rows.where, "The plan would change more rows than there are.")
        if max(self.sizes, default=0) >= _MOST_ALIKE:
            raise ResourceError.of(
                f"{max(self.sizes):,} rows are alike, of which some are to be chosen.",
                f"At most {_MOST_ALIKE - 1:,} are allowed.",
                "Divide the table, or release it in an engine.",
                rows.where,
            )
        parts = [[move.row_count * move.times for move in moves] for moves in patterns]
        self._moves = Assigned([*map(sum, parts)], permute_moves(parts, assigning))
        of_rows = [] if rows.codings.frequency else self.sizes
        if taken is None:
            taken = select(of_rows, self.amounts, self.choosing)
        self._taken = Assigned(of_rows, taken, rows.where)
        examined = plan.certificate.examined
        self._rows_to_come = examined.counts.row_count + examined.left_out + rows.dropped
        self._total, self._reporter = self._rows_to_come, ProgressReporter(progress)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it has to see."""
        return tuple(self._columns)

    def encode(self, batch: pa.RecordBatch) -> tuple[Encoded, NDArray[np.bool_], Integers]:
        """The codes of a batch, which rows are not left out, and the pattern of each, or -1."""
        source, columns = self.rows.sources[0], self._columns
        encoded = {name: c.encode(batch.column(name), source, 0) for name, c in columns.items()}
        kept, own = np.ones(batch.num_rows, bool), {}
        for name in self._complete:
            codes, indices = encoded[name]
            kept &= (codes != columns[name].codes.get(None, -1))[indices]
        for name in self.patterns.names:
            codes, indices = encoded[name]
            table = self.patterns.codes_of(name, self._labels(name))
            own[name] = np.take(table[codes], indices, mode="clip")  # all are in range
        return encoded, kept, np.where(kept, self.patterns.find(own), -1)

    def edit(self, batch: pa.RecordBatch) -> Edit:
        """What changes in the next rows."""
        self.advance(batch.num_rows, batch.num_rows)
        encoded, kept, patterns = self.encode(batch)
        taken = self._taken.take(patterns)
        chosen = np.flatnonzero(taken)
        times = self.times[patterns[chosen]]
        units = np.repeat(chosen, times)
        after = self.codes_after(units, patterns, encoded)
        if kept.all() and (times == 1).all():
            cells = self._cells(units, units, after, encoded)
            return Edit(rows=len(patterns), values=self.values, cells=cells)
        stays = np.flatnonzero(kept & ~taken)
        from_rows = np.concatenate([stays, units])
        order = np.argsort(from_rows, kind="stable")
        at = np.flatnonzero(order >= len(stays))
        return Edit(
            rows=len(patterns),
            values=self.values,
            cells=self._cells(at, units, after, encoded),
            from_rows=from_rows[order],
        )

    def advance(self, lines: int, people: int) -> None:
        """Report lines that were read, and the people for whom they stand."""
        self._reporter.advance(RELEASING, lines, self._total)
        self._rows_to_come -= people

    def check_complete(self) -> None:
        """Refuse if fewer rows came than were counted."""
        if self._rows_to_come or not self._taken.complete:
            raise rows_differ(self.rows.where, FEWER)

    def codes_after(
        self, units: Integers, patterns: Integers, encoded: Encoded
    ) -> dict[str, Integers]:
        """Which of its stored values each column gets, for each row that a pattern takes.

        It is -1 where a row keeps a value that the plan does not write. For every row as many
        random numbers are drawn, so that batches do not matter.
        """
        after, move = self._before(units, encoded), self._moves.take(patterns[units])
        for name, by_move in self._becomes.items():
            new = by_move[move]
            after[name] = np.where(new >= 0, new, after[name])
        uniform = self._drawing.random((len(units), len(self._redrawn)))
        for at, table in enumerate(self._redrawn):
            given = []
            for parent in table.parents:
                code = {value: at for at, value in enumerate(parent.values)}
                # Groups that the table knows only together have the code of their pool.
                rest = code.get(self._pooled or "", 0)
                if parent.name in after:
                    labels = self.values[parent.name].index
                    known = np.array([code.get(label, rest) for label in labels], np.int64)
                    given.append(known[after[parent.name]])
                else:
                    codes = _codes(encoded[parent.name], units)
                    given.append(self.table_of(parent.name, code, rest)[codes])
            index = self.values[table.node.name].index
            own = np.array([index.get(value, -1) for value in table.node.values], np.int64)
            after[table.node.name] = own[draw_values(table, tuple(given), uniform[:, at])]
        return after

    def table_of(self, name: str, index: Mapping[str, int], otherwise: int) -> Integers:
        """For each code of a column what an index says of its label."""
        labels = self._labels(name)
        return np.array([index.get(label, otherwise) for label in labels], np.int64)

    def _labels(self, name: str) -> list[str]:
        """The labels of a column in the order of their codes."""
        return [MISSING if label is None else label for label in self._columns[name].codes]

    def _before(self, units: Integers, encoded: Encoded) -> dict[str, Integers]:
        """Which of its stored values each column has in some rows, or -1."""
        return {
            name: self.table_of(name, stored.index, -1)[_codes(encoded[name], units)]
            for name, stored in self.values.items()
        }

    def _cells(
        self, at: Integers, units: Integers, after: Mapping[str, Integers], encoded: Encoded
    ) -> dict[str, tuple[Integers, Integers]]:
        """Where released rows have another value than the rows that they were."""
        cells = {}
        for name, before in self._before(units, encoded).items():
            other = np.flatnonzero(after[name] != before)
            cells[name] = at[other], after[name][other]
        return cells


def whole_edit(edits: Iterable[Edit]) -> tuple[Integers | None, dict[str, Integers]]:
    """Edits of consecutive batches as one: for each released row the row that it was.

    None if each is there once; and the same for the values of each column that changes.
    """
    pieces = list(edits)
    begins = np.cumsum([0, *(piece.rows for piece in pieces)]).tolist()

    def origins(name: str = "") -> Integers:
        parts = [np.zeros(0, np.int64)]
        for edit, begin in zip(pieces, begins, strict=False):
            own = np.arange(edit.rows) if edit.from_rows is None else edit.from_rows
            parts.append(begin + own)
            if name in edit.cells:
                at, index = edit.cells[name]
                parts[-1][at] = edit.values[name].rows[index]
        return np.concatenate(parts)

    moved = any(piece.from_rows is not None for piece in pieces)
    names = pieces[0].cells if pieces else ()
    return origins() if moved else None, {name: origins(name) for name in names}


def draw_values(
    table: ConditionalTable, given: tuple[Integers, ...], uniform: NDArray[np.float64]
) -> Integers:
    """Draw a node's values from their shares, given its parents', with numbers in [0, 1)."""
    upper = np.cumsum(table.shares, axis=-1)
    upper /= upper[..., -1:]  # exactly 1 at the last value that can be drawn
    steps = np.broadcast_to(upper[given], (len(uniform), len(table.node)))
    codes: Integers = (steps <= uniform[:, np.newaxis]).sum(axis=1)
    return codes


def _codes(encoded: tuple[Integers, NDArray[np.integer]], rows: Integers) -> Integers:
    table, indices = encoded
    codes: Integers = table[indices[rows]]
    return codes
