"""What is left to compare among people who are alike in some columns."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import CountTable
from evenhand.display import percent
from evenhand.question import Question
from evenhand.question.question import REST

NEITHER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparability:
    """Kinds of people alike in some columns: those that occur, and those of both groups.

    ``without_comparator`` counts the rows of the others, ``same_decision`` the rows of those
    kinds of both groups in which everybody got the same decision.
    """

    columns: tuple[str, ...]
    rows: int
    occupied: int
    measured: int
    without_comparator: int
    same_decision: int

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        return {**asdict(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        rows = max(self.rows, 1)
        return (
            f"people alike in {len(self.columns)} columns: {self.occupied:,} kinds, "
            f"{self.measured:,} with both groups; {percent(self.without_comparator / rows)} of "
            f"the rows have no comparator, {percent(self.same_decision / rows)} lie where "
            "everybody got the same decision"
        )


def question_sides(table: CountTable, question: Question) -> NDArray[np.uint8]:
    """For each line 0 if it is of the group, 1 if of the other, 2 if of neither."""
    values = table.attribute(question.protected).values
    others = {*values} if question.other in (None, REST) else {question.other}
    sides = [
        0 if value == question.group else 1 if value in others else NEITHER for value in values
    ]
    of_lines: NDArray[np.uint8] = np.array(sides, np.uint8)[table.column(question.protected)]
    return of_lines


def compare_alike(
    table: CountTable, names: Sequence[str], decision: str, sides: NDArray[np.uint8]
) -> Comparability:
    """Compare people alike in these columns; lines of neither group are left out."""
    compared = sides < NEITHER
    table = CountTable(
        table.attributes,
        tuple(column[compared] for column in table.codes),
        table.counts[compared],
    )
    kind, first = table.groups(names)
    rows = table.totals(2 * kind + sides[compared], 2 * len(first)).reshape(-1, 2)
    measured = np.logical_and(rows[:, 0], rows[:, 1])
    decisions = table.column(decision)
    same = measured.copy()
    same[kind[decisions != decisions[first][kind]]] = False
    return Comparability(
        columns=tuple(names),
        rows=table.row_count,
        occupied=len(first),
        measured=int(measured.sum()),
        without_comparator=int(rows[~measured].sum()),
        same_decision=int(rows[same].sum()),
    )
