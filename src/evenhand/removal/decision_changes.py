"""Changed decisions as columns: of which group, in which subpopulation, from what to what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.question import Question


class ByDirection(NamedTuple):
    """How many decisions become favorable, and how many unfavorable.

    Where no value is the favorable one: how many rise in the order of values, and fall.
    """

    to_favorable: int
    to_unfavorable: int


@dataclass(frozen=True, eq=False, kw_only=True)
class DecisionChanges:
    """How many rows change; each element is about one group, line, old and new decision.

    ``old`` and ``new`` are indices of the values of the decision as they are stored.
    """

    group: NDArray[np.intp]
    line: NDArray[np.intp]
    old: NDArray[np.intp]
    new: NDArray[np.intp]
    rows: NDArray[np.int64]

    def by_group(self, rank: NDArray[np.intp], groups: int) -> tuple[ByDirection, ...]:
        """Who gains and who loses, where a lower rank of a stored value is better."""
        step = rank[self.old] - rank[self.new]
        up, down = (
            np.bincount(self.group[way], self.rows[way], groups).astype(int).tolist()
            for way in (step > 0, step < 0)
        )
        return tuple(map(ByDirection, up, down))

    def count_change(
        self, kinds: NDArray[np.intp], shape: tuple[int, ...]
    ) -> NDArray[np.int64]:
        """What is added to counts by kind of decision, group and line."""
        change = np.zeros(shape, np.int64)
        np.add.at(change, (kinds[self.new], self.group, self.line), self.rows)
        np.subtract.at(change, (kinds[self.old], self.group, self.line), self.rows)
        return change


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecisions:
    """How many decisions of each group change: who gains and who loses."""

    groups: tuple[ByDirection, ...]
    labels: tuple[str, ...]
    question: Question

    @property
    def row_count(self) -> int:
        """All of them."""
        return sum(map(sum, self.groups))

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Plain values, by group."""
        names = ("group", "other") if self.question.group else self.labels
        return {name: by._asdict() for name, by in zip(names, self.groups, strict=True)}

    def facts(self) -> tuple[tuple[str, str], ...]:
        """Both directions in words, for a summary."""
        question = self.question
        named = [f"{question.groups_column}={label}" for label in self.labels]
        ways = (
            f"{sum(way):,} ({_each(named, way)})" if any(way) else none
            for way, none in zip(
                zip(*self.groups, strict=True), ("none", "none: nobody loses"), strict=True
            )
        )
        if question.favorable:
            return tuple(zip(("to favorable", "to unfavorable"), ways, strict=True))
        if question.order:
            return tuple(zip(("to a better value", "to a worse value"), ways, strict=True))
        changed = [sum(by) for by in self.groups]
        text = f"{sum(changed):,} ({_each(named, changed)})" if sum(changed) else "none"
        return (("to another value", text),)


def _each(names: Sequence[str], numbers: Sequence[int]) -> str:
    return ", ".join(f"{name}: {many:,}" for name, many in zip(names, numbers, strict=True))
