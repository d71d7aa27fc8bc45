"""How much of the data a release keeps: distances between counts before and after."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.display import Described, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility(Described):
    """The paper's measures of loss, on the counts of all columns examined.

    ``distance`` is the Euclidean distance of the two distributions, each cell's change divided
    by the rows before; ``cell_changes`` (n_T) adds up what cells gain and lose, so a changed
    decision counts twice; ``chi_square`` divides each squared change by the new count. A cell
    that the change empties has none: it counts with what it lost, or is left out
    (``chi_square_kept_cells``).

    Paper: table:comparison
    """

    distance: float
    cell_changes: int
    chi_square: float
    chi_square_kept_cells: float

    def to_dict(self) -> dict[str, float]:
        """Plain values."""
        return {
            "distance": self.distance,
            "cell_changes": self.cell_changes,
            "chi_square": self.chi_square,
            "chi_square_kept_cells": self.chi_square_kept_cells,
        }

    def summary(self) -> Summary:
        """The measures in words."""
        return Summary(
            title="What the change costs",
            facts=(
                ("distance of the distributions", f"{self.distance:.2e}"),
                ("cell changes (n_T)", f"{self.cell_changes:,}"),
                ("chi-square", f"{self.chi_square:,.1f}"),
                ("chi-square without emptied cells", f"{self.chi_square_kept_cells:,.1f}"),
            ),
        )


def compare_counts(before: CountTable, after: CountTable) -> Utility:
    """Measure the change from one table of counts to another of the same columns.

    >>> old = CountTable.of({"hired": ["no", "yes"]}, [60, 40])
    >>> new = CountTable.of({"hired": ["no", "yes"]}, [50, 50])
    >>> compare_counts(old, new).cell_changes
    20

    Paper: table:comparison
    """
    old, new = _aligned(before, after)
    change = new - old
    kept = new > 0
    kept_part = float((change[kept] ** 2 / new[kept]).sum())
    return Utility(
        distance=sqrt(float((change.astype(float) ** 2).sum())) / before.rows,
        cell_changes=int(abs(change).sum()),
        chi_square=kept_part + float(old[~kept].sum()),
        chi_square_kept_cells=kept_part,
    )


def _aligned(
    before: CountTable, after: CountTable
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of the same cells before and after, zero where a cell does not occur."""
    names = before.names
    merged = [
        Attribute(
            name,
            tuple(dict.fromkeys(before.attribute(name).values + after.attribute(name).values)),
        )
        for name in names
    ]
    codes = []
    for attribute in merged:
        position = {value: code for code, value in enumerate(attribute.values)}
        sides = [
            np.array([position[v] for v in side.attribute(attribute.name).values], np.int64)[
                side.column(attribute.name)
            ]
            for side in (before, after)
        ]
        codes.append(np.concatenate(sides))
    both = CountTable(tuple(merged), tuple(codes), np.ones(len(before) + len(after), np.int64))
    cell, first = both.groups(names)
    old, new = np.zeros(len(first), np.int64), np.zeros(len(first), np.int64)
    old[cell[: len(before)]] = before.counts
    new[cell[len(before) :]] = after.counts
    return old, new
