"""What is left to compare among people who are alike in some columns."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.compared_groups import group_codes, group_labels
from evenhand.counts.count_table import CountTable
from evenhand.display import percent
from evenhand.question import REST, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparability:
    """Kinds of people alike in some columns: those that occur, and those of two groups or more.

    ``without_comparator`` counts the rows of the others, ``same_decision`` the rows of those
    kinds of two groups or more in which everybody got the same decision.
    """

    columns: tuple[str, ...]
    rows: int
    occupied: int
    measured: int
    without_comparator: int
    same_decision: int
    groups: int = 2

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        values = {**asdict(self), "columns": list(self.columns)}
        return {name: value for name, value in values.items() if name != "groups"}

    def __str__(self) -> str:
        rows = max(self.rows, 1)
        groups = "both groups" if self.groups == 2 else "two groups or more"
        columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        kinds = "1 kind" if self.occupied == 1 else f"{self.occupied:,} kinds"
        return (
            f"people alike in {columns}: {kinds}, "
            f"{self.measured:,} with {groups}; {percent(self.without_comparator / rows)} of "
            f"the rows have no comparator, {percent(self.same_decision / rows)} lie where "
            "everybody got the same decision"
        )


def question_groups(table: CountTable, question: Question) -> NDArray[np.int64]:
    """For each line the index of its group among those that are compared, -1 if of none."""
    labels, _ = group_labels(table, question)
    if question.group is None:
        index = {label: at for at, label in enumerate(labels)}
    else:
        others = labels if question.other in (None, REST) else (question.other,)
        index = {**dict.fromkeys(others, 1), question.group: 0}
    return group_codes(table, question, index, others=-1)


def compare_alike(
    table: CountTable, names: Sequence[str], decision: str, groups: NDArray[np.int64]
) -> Comparability:
    """Compare people alike in these columns; lines of no compared group are left out."""
    compared = groups >= 0
    many = int(groups.max(initial=0)) + 1
    table = CountTable(
        table.attributes,
        tuple(column[compared] for column in table.codes),
        table.counts[compared],
    )
    kind, first = table.groups(names)
    rows = table.totals(many * kind + groups[compared], many * len(first)).reshape(-1, many)
    measured = np.count_nonzero(rows, axis=1) > 1
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
        groups=max(many, 2),
    )
