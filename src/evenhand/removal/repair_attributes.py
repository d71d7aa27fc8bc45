"""``RepairAttributes``: make every other attribute useless for telling the group.

Feldman, Friedler, Moeller, Scheidegger and Venkatasubramanian, "Certifying and Removing
Disparate Impact" (KDD 2015): a value x becomes F_A⁻¹(F_group(x)), where F_A⁻¹ is the lower
median of the groups' quantiles. Decisions stay as they are, so what the attributes explained
becomes a difference between people who are alike now: a method to compare with.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import ColumnError
from evenhand.evidence import Certificate
from evenhand.question.parse_values import require_texts
from evenhand.removal.baselines import Seed, choose_rows
from evenhand.removal.modify_data import check_releasable
from evenhand.removal.plan import BaselinePlan, Move


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairAttributes:
    """Give each attribute the same distribution in every group; decisions stay.

    Without ``attributes`` all are repaired that the question is not about. Values are taken in
    their order: numbers and classes of numbers by size, others by label, so that other labels
    give another repair. Of rows that are alike those that change are chosen by lot.
    """

    attributes: tuple[str, ...] = ()
    name: ClassVar[str] = "repair-attributes"
    guaranteed: ClassVar[bool] = False

    def __post_init__(self) -> None:
        names = require_texts(self.attributes, "`attributes`")
        object.__setattr__(self, "attributes", tuple(dict.fromkeys(names)))

    @property
    def policy(self) -> str:
        """Which attributes change."""
        return ", ".join(self.attributes) or "every attribute"

    def plan(self, certificate: Certificate, *, seed: Seed | None = None) -> BaselinePlan:
        """Decide how many rows of each kind get which values."""
        check_releasable(certificate)
        examined, counts = certificate.examined, certificate.examined.counts
        others = [name for name in counts.names if name not in examined.question.columns]
        if unknown := [name for name in self.attributes if name not in others]:
            raise ColumnError.unknown(unknown, others, where="attributes")
        generator = np.random.default_rng(counts.seed if seed is None else seed)
        codes, groups = np.stack(counts.codes, axis=1).astype(np.int64), examined.group_codes
        lines = _SplitLines(np.arange(len(counts)), codes, counts.counts.copy())
        for name in self.attributes or others:
            at, values = counts.position(name), len(counts.attribute(name))
            lines = _repaired(lines, at, groups[lines.origin], values, generator)
        return BaselinePlan(
            method=self.name,
            policy=self.policy,
            certificate=certificate,
            names=counts.names,
            moves=tuple(_moves(counts, codes, lines)),
        )


class _SplitLines(NamedTuple):
    """Rows as they will be, with the line of counts that each line of them comes from."""

    origin: NDArray[np.intp]
    codes: NDArray[np.int64]
    rows: NDArray[np.int64]


def _repaired(
    lines: _SplitLines,
    at: int,
    groups: NDArray[np.intp],
    values: int,
    generator: np.random.Generator,
) -> _SplitLines:
    """Repair the attribute at one position, in each group; lines are split as needed."""
    column, many = lines.codes[:, at], int(groups.max(initial=0)) + 1
    sizes = np.zeros((many, values), np.int64)
    np.add.at(sizes, (groups, column), lines.rows)
    left, pieces = lines.rows.copy(), [lines]
    for group, old, new, amount in repairs(sizes.tolist()):
        alike = np.flatnonzero((groups == group) & (column == old))
        chosen = choose_rows(left[alike], amount, generator)
        left[alike] -= chosen
        codes = lines.codes[alike]
        codes[:, at] = new
        pieces.append(_SplitLines(lines.origin[alike], codes, chosen))
    origin, codes, rows = map(np.concatenate, zip(*pieces, strict=True))
    rows[: len(left)] = left
    return _SplitLines(origin[rows > 0], codes[rows > 0], rows[rows > 0])


def repairs(sizes: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int, int]]:
    """Which rows change: group, old value, new value, and how many; values are in order.

    ``sizes`` holds the rows of each group and value. A group's k-th row of n, its rows in order
    and ties by lot, stands at the quantile (k + 1/2)/n of every group.

    >>> [*repairs([[6, 4], [2, 8]])]
    [(1, 1, 0, 4)]
    """
    sums = [[*accumulate(rows)] for rows in sizes]
    occurring = [ends for ends in sums if ends and ends[-1]]
    for group, own in enumerate(sums):
        if not own or not own[-1]:
            continue
        size = own[-1]
        # The first row at or beyond a number of another group's rows, rounded up exactly.
        starts = {
            -((ends[-1] - 2 * size * end) // (2 * ends[-1]))
            for ends in occurring
            for end in ends
        }
        # The last start is the size; before the first one every group has its first value.
        for first, last in pairwise(sorted(starts)):
            quantiles = sorted(_value(ends, 2 * first + 1, 2 * size) for ends in occurring)
            old, new = (
                _value(own, 2 * first + 1, 2 * size),
                quantiles[(len(quantiles) - 1) // 2],
            )
            if old != new:
                yield group, old, new, last - first


def _value(ends: Sequence[int], part: int, whole: int) -> int:
    """The value at a quantile, part of whole, of rows that end at these places."""
    return bisect_right(ends, part * ends[-1] // whole)


def _moves(counts: CountTable, codes: NDArray[np.int64], lines: _SplitLines) -> Iterator[Move]:
    """The lines that are not as they were, as moves."""
    is_changed = (lines.codes != codes[lines.origin]).any(axis=1)
    labels = [attribute.values for attribute in counts.attributes]
    for origin, new, rows in zip(*(part[is_changed].tolist() for part in lines), strict=True):
        where = [values[code] for values, code in zip(labels, codes[origin], strict=True)]
        now = [values[code] for values, code in zip(labels, new, strict=True)]
        becomes = {
            name: after
            for name, before, after in zip(counts.names, where, now, strict=True)
            if before != after
        }
        yield Move(dict(zip(counts.names, where, strict=True)), rows, becomes)
