"""Tables that kernels count in: codes and rows as plain arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.graph.kernels.counting import refine, whole
from evenhand.graph.kernels.batch import Indices


@dataclass(frozen=True, eq=False)
class Table:
    """Distinct lines: a row of codes for each attribute, and how many rows a line stands for."""

    codes: NDArray[np.unsignedinteger]
    rows: NDArray[np.float64]
    cards: NDArray[np.int64]

    @classmethod
    def of(cls, counts: CountTable, names: Sequence[str]) -> "Table":
        """The counts, with attributes in the order of ``names``."""
        at = [counts.position(name) for name in names]
        # Neighboring lines of a sorted table fall into the same groups and wait for each other.
        mixed = np.lexsort([counts.codes[i] for i in reversed(at)])
        return cls(
            np.stack([counts.codes[i][mixed] for i in at]),
            counts.counts[mixed].astype(np.float64),
            np.array([counts.cards[i] for i in at], np.int64),
        )


def narrowed(table: Table, attributes: Indices) -> Table:
    """Merge the lines that agree in some attributes; codes of others are left meaningless."""
    groups = whole(table.rows)
    for at in attributes:
        groups = refine(groups, table.codes[at], int(table.cards[at]), table.rows)
    line = np.empty(len(groups.rows), np.intp)
    line[groups.of] = np.arange(len(groups.of))
    return Table(np.ascontiguousarray(table.codes[:, line]), groups.rows, table.cards)
