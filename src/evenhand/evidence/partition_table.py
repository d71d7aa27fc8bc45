"""The table of a partition in a certificate document, as plain values or as JSON in blocks."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.distinct_tables import distinct_lines
from evenhand.evidence.partition import Partition

# Lines that are Python objects at once: a million of them would be 300 MB.
BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class PartitionTable:
    """One line for each subpopulation: its values, its counts, its largest exact difference.

    Counts stand by group, and within a group by decision.
    """

    partition: Partition

    def __len__(self) -> int:
        return len(self.partition)

    def lines(self, begin: int = 0, end: int | None = None) -> list[list[Any]]:
        """Some of the lines as plain values, by default all."""
        part = slice(begin, end)
        assignments = self.partition.assignments
        labels = (
            np.asarray(attribute.values, object)[codes[part]].tolist()
            for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True)
        )
        counts = (column[part].tolist() for column in counts_by_cell(self.partition))
        texts = self.partition.comparisons.texts(self.partition.widest[part])
        return [list(line) for line in zip(*labels, *counts, texts, strict=True)]

    @cached_property
    def blocks(self) -> tuple[bytes, ...]:
        """The lines as JSON, so many in each block, without the brackets around all.

        Put together from columns: the seal and the text need them, 8 times as fast as dumps.
        """
        return tuple(self._encode())

    def _encode(self) -> Iterator[bytes]:
        assignments, compared = self.partition.assignments, self.partition.comparisons
        cells = counts_by_cell(self.partition)
        # Labels and counts are encoded once each: mostly there are far fewer than lines.
        first, which = distinct_lines(*cells)
        differences = compared.texts(self.partition.widest[first])
        counts = zip(
            *(map(str, column[first].tolist()) for column in cells),
            ("null" if text is None else f'"{text}"' for text in differences),
            strict=True,
        )
        columns = [
            *(
                ([*map(encode_basestring, attribute.values)], codes)
                for attribute, codes in zip(
                    assignments.attributes, assignments.codes, strict=True
                )
            ),
            ([*map(",".join, counts)], which),
        ]
        texts = [(np.array(texts, object), codes) for texts, codes in columns]
        for begin in range(0, len(self), BLOCK):
            part = slice(begin, begin + BLOCK)
            lines = zip(*(text[codes[part]].tolist() for text, codes in texts), strict=True)
            yield f"[{'],['.join(map(','.join, lines))}]".encode()


def counts_by_cell(partition: Partition) -> NDArray[np.int64]:
    """The counts of each line, by group and within a group by decision."""
    many = len(partition.groups) * len(partition.decisions)
    return partition.counts.transpose(1, 0, 2).reshape(many, len(partition))
