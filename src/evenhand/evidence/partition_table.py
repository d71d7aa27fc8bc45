"""The table of a partition in a certificate document, as plain values or as JSON in blocks."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.distinct_tables import distinct_lines

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
        """The lines, or some of them, as plain values."""
        part = slice(begin, end)
        labels = (column[part] for column in self.labels)
        columns = (*labels, *self.counts[:, part].tolist(), self.differences[part])
        return [*map(list, zip(*columns, strict=True))]

    @property
    def labels(self) -> Iterator[list[str]]:
        """The values of each attribute."""
        assignments = self.partition.assignments
        for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True):
            yield np.asarray(attribute.values, object)[codes].tolist()

    @property
    def counts(self) -> NDArray[np.int64]:
        """The counts by group, and within a group by decision."""
        return counts_by_cell(self.partition)

    @property
    def differences(self) -> list[str | None]:
        """The largest difference of each line."""
        texts, _, which = self._distinct
        differences: list[str | None] = np.array(texts, object)[which].tolist()
        return differences

    @cached_property
    def _distinct(self) -> tuple[list[str | None], NDArray[np.intp], NDArray[np.intp]]:
        """The differences of distinct counts, where these stand, and which each line has."""
        first, which = distinct_lines(*self.counts)
        texts = self.partition.comparisons.texts(self.partition.widest[first])
        return texts, first, which

    @cached_property
    def blocks(self) -> tuple[bytes, ...]:
        """The lines as JSON, so many in each block, without the brackets around all.

        Put together from columns: the seal and the text need them, 8 times as fast as dumps.
        """
        return tuple(self._encode())

    def _encode(self) -> Iterator[bytes]:
        assignments = self.partition.assignments
        # Labels and counts are encoded once each: mostly there are far fewer than lines.
        differences, first, which = self._distinct
        counts = zip(
            *(map(str, column[first].tolist()) for column in self.counts),
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


def compact(value: object) -> bytes:
    """The JSON text of a few plain values."""
    return json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode()


def counts_by_cell(partition: Partition) -> NDArray[np.int64]:
    """The counts of each line, by group and within a group by decision."""
    many = len(partition.groups) * len(partition.decisions)
    return partition.counts.transpose(1, 0, 2).reshape(many, len(partition))
