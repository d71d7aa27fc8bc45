"""The table of a partition in a record, and its digest."""

from collections.abc import Iterator
from json.encoder import encode_basestring

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import code_type
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistics.distinct_tables import distinct_lines
from evenhand.record import BLOCK, Table


def encode_table(partition: Partition) -> Table:
    """One line for each subpopulation: its values, its counts, its largest exact difference.

    Counts stand by group, and within a group by decision.
    """
    return Table(tuple(_encode_blocks(partition)))


def _encode_blocks(partition: Partition) -> Iterator[bytes]:
    assignments, counts = partition.assignments, counts_by_cell(partition)
    # Labels and counts are encoded once each: mostly there are far fewer than lines.
    first, which = distinct_lines(*counts)
    differences = partition.comparisons.texts(partition.widest[first])
    cells = zip(
        *(map(str, column[first].tolist()) for column in counts),
        ("null" if text is None else f'"{text}"' for text in differences),
        strict=True,
    )
    columns = [
        *(
            ([*map(encode_basestring, attribute.values)], codes)
            for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True)
        ),
        ([*map(",".join, cells)], which),
    ]
    texts = [(np.array(texts, object), codes) for texts, codes in columns]
    for begin in range(0, len(partition), BLOCK):
        part = slice(begin, begin + BLOCK)
        lines = zip(*(text[codes[part]].tolist() for text, codes in texts), strict=True)
        yield f"[{'],['.join(map(','.join, lines))}]".encode()


def counts_by_cell(partition: Partition) -> NDArray[np.int64]:
    """The counts of each line, by group and within a group by decision."""
    many = len(partition.groups) * len(partition.decisions)
    return partition.counts.transpose(1, 0, 2).reshape(many, len(partition))


def digest(partition: Partition) -> str:
    """SHA-256 of the counts of groups, decision and the partition's attributes.

    They are counted as they were compared: only these groups, only these kinds of decision.
    """
    assignments, question = partition.assignments, partition.question
    groups = Attribute(question.groups_column, partition.groups)
    decisions = Attribute(question.decision, partition.decisions)
    counts = np.ascontiguousarray(counts_by_cell(partition).T)
    line, cell = np.nonzero(counts)
    group, kind = np.divmod(cell, len(partition.decisions))
    return CountTable(
        (*assignments.attributes, groups, decisions),
        (
            *(column[line] for column in assignments.codes),
            group.astype(code_type(len(groups))),
            kind.astype(code_type(len(decisions))),
        ),
        counts[line, cell],
    ).digest
