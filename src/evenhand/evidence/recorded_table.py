"""The table of a partition in a parsed certificate document, kept by column."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.partition_table import BLOCK, PartitionTable, compact


@dataclass(frozen=True, eq=False)
class RecordedTable:
    """A parsed table: the JSON of each attribute's labels, counts by cell, the differences.

    A million lines as the parser makes them are 300 MB, and their memory is not given back
    while any text of them is used; this is 50 MB.
    """

    encoded_labels: tuple[bytes, ...]
    counts: NDArray[np.int64]
    encoded_differences: bytes

    @classmethod
    def of(cls, lines: list[list[Any]], names: int, counts: int) -> "RecordedTable | None":
        """The lines by column; None if not all have so many labels, and then so many counts."""
        if not {*map(len, lines)} <= {names + counts + 1}:
            return None
        labels = []
        for at in range(names):
            column = [line[at] for line in lines]
            if not {*map(type, column)} <= {str}:
                return None
            labels.append(compact(column))
        cells = np.empty((counts, len(lines)), np.int64)
        for at, cell in enumerate(cells, names):
            column = [line[at] for line in lines]
            if not {*map(type, column)} <= {int}:
                return None
            cell[:] = column
        return cls(tuple(labels), cells, compact([line[-1] for line in lines]))

    def __len__(self) -> int:
        return int(self.counts.shape[1])

    @property
    def labels(self) -> Iterator[list[str]]:
        """The values of each attribute."""
        return map(json.loads, self.encoded_labels)

    def is_like(self, table: PartitionTable) -> bool:
        """Whether the lines are the same."""
        return (
            len(self) == len(table)
            and np.array_equal(self.counts, table.counts)
            and self.encoded_labels == tuple(map(compact, table.labels))
            and self.encoded_differences == compact(table.differences)
        )

    @property
    def blocks(self) -> Iterator[list[list[Any]]]:
        """All lines, so many at once."""
        labels, differences = [*self.labels], json.loads(self.encoded_differences)
        for begin in range(0, len(self), BLOCK):
            part = slice(begin, begin + BLOCK)
            counts = self.counts[:, part].tolist()
            columns = (*(column[part] for column in labels), *counts, differences[part])
            yield [*map(list, zip(*columns, strict=True))]

    def lines(self) -> list[list[Any]]:
        """All lines."""
        return [line for block in self.blocks for line in block]
