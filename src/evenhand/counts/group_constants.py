"""Columns that have one value throughout a group and several elsewhere.

Such a column divides the other groups only, as ``black`` does where the groups are ``white`` 0
and 1: people alike in any of its other values are all of one group.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from evenhand.counts.count_table import CountTable

_LEAST_EXPECTED = 20  # rows of the group with other values, were it like the rest


def constant_in_a_group(counts: CountTable, by: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of columns that are constant in a group of ``by``, and not by chance."""
    group, groups = counts.column(by), len(counts.attribute(by))
    for name in names:
        values = len(counts.attribute(name))
        rows = counts.totals(
            group.astype(np.int64) * values + counts.column(name), groups * values
        ).reshape(groups, values)
        own, most = rows.sum(axis=1), rows.max(axis=1)
        rest = own.sum() - own
        differing = rest - (rows.sum(axis=0)[rows.argmax(axis=1)] - most)
        expected = own * differing / np.maximum(rest, 1)
        if ((own == most) & (expected >= _LEAST_EXPECTED)).any():
            yield name
