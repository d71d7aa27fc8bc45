"""``ModifyData``: change decisions inside the subpopulations that differ, and nowhere else.

The paper's rule, ⌈n(|Δ|−τ)⌉ changes in one group, can stop exactly at the threshold and can
jump past its other side in small groups. The policies here solve the integer problem exactly;
``paper`` and ``printed`` keep the rule, for comparison, and their plans say what they leave.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Literal, TypeAlias, get_args

import numpy as np

from evenhand.errors import QuestionError
from evenhand.evidence import Certificate, Partition
from evenhand.question import exact_fraction
from evenhand.removal.preconditions import check_releasable
from evenhand.removal.removal_plan import RemovalPlan
from evenhand.removal.smallest_change import Pair, feasible_range, fewest_changes

Policy: TypeAlias = Literal["minimal", "group", "raise", "paper", "printed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One subpopulation: favorable decisions and rows, of the group and of the others."""

    group_yes: int
    group: int
    other_yes: int
    other: int

    @property
    def difference(self) -> Fraction:
        """The others' rate minus the group's."""
        return Fraction(self.other_yes, self.other) - Fraction(self.group_yes, self.group)

    @property
    def group_is_smaller(self) -> bool:
        """Which group moves the difference most with one change; the group itself on a tie."""
        return self.group <= self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class ModifyData:
    """Remove differences by changing the fewest decisions.

    Policies: ``minimal`` changes as few rows as possible, in both groups; ``group`` only rows
    of the group asked about, where that can reach the criterion; ``raise`` only turns
    unfavorable decisions into favorable ones; ``paper`` is the rule behind the paper's tables
    and ``printed`` its pseudo-code to the letter, neither with a guarantee. A ``margin`` asks
    for differences below threshold minus margin.

    Paper: alg:md
    """

    policy: Policy = "minimal"
    margin: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise QuestionError.of(
                f"There is no policy {self.policy!r}.",
                remedy=f"Choose one of {', '.join(get_args(Policy))}.",
            )
        try:
            margin = exact_fraction(self.margin)
        except ValueError as error:
            raise QuestionError.of(
                f"The margin {self.margin!r} cannot be read.",
                f"{error}.",
                "Write a number.",
            ) from error
        if margin < 0:
            raise QuestionError.of(
                f"The margin {self.margin} is negative.", remedy="Write 0 or more."
            )
        object.__setattr__(self, "margin", margin)

    @property
    def guaranteed(self) -> bool:
        """Whether a plan that can be made reaches the criterion."""
        return self.policy not in ("paper", "printed")

    def plan(self, certificate: Certificate) -> RemovalPlan:
        """Compute how many decisions change in each subpopulation."""
        partition, unfavorable = check_releasable(certificate)
        threshold = reduced_threshold(partition, self.margin)
        change = _CHANGES[self.policy]
        group_change = np.zeros(len(partition), np.int64)
        other_change = np.zeros(len(partition), np.int64)
        for at in np.flatnonzero(at_threshold(partition, threshold).side).tolist():
            cell = Cell(
                group_yes=int(partition.group_yes[at]),
                group=int(partition.group[at]),
                other_yes=int(partition.other_yes[at]),
                other=int(partition.other[at]),
            )
            group_change[at], other_change[at] = change(cell, threshold)
        return RemovalPlan(
            method="modify-data",
            policy=self.policy,
            certificate=certificate,
            unfavorable=unfavorable,
            group_change=group_change,
            other_change=other_change,
        )


def reduced_threshold(partition: Partition, margin: Fraction) -> Fraction:
    """The threshold minus a margin; raises if nothing is left."""
    threshold = partition.question.threshold
    if margin >= threshold:
        raise QuestionError.of(
            f"The margin {margin} leaves nothing of the threshold {threshold}.",
            remedy="Choose a smaller margin.",
        )
    return threshold - margin


def at_threshold(partition: Partition, threshold: Fraction) -> Partition:
    """The same partition with another threshold."""
    return replace(partition, question=replace(partition.question, threshold=threshold))


def _fewest(cell: Cell, threshold: Fraction, *, only_raise: bool = False) -> tuple[int, int]:
    group, other = (cell.group_yes, cell.group), (cell.other_yes, cell.other)
    small, large = (group, other) if cell.group_is_smaller else (other, group)
    new = fewest_changes(
        Pair(small[0], large[0]),
        Pair(small[1], large[1]),
        threshold,
        asks_small=cell.group_is_smaller,
        only_raise=only_raise,
    )
    changes = (new.small - small[0], new.large - large[0])
    return changes if cell.group_is_smaller else changes[::-1]


def _only_raise(cell: Cell, threshold: Fraction) -> tuple[int, int]:
    return _fewest(cell, threshold, only_raise=True)


def _only_group(cell: Cell, threshold: Fraction) -> tuple[int, int]:
    """The group's nearest feasible count with the others unchanged, if there is one."""
    counts = feasible_range(cell.other_yes, cell.other, cell.group, threshold)
    if not counts:
        return 0, 0
    return min(max(cell.group_yes, counts[0]), counts[-1]) - cell.group_yes, 0


def _smaller_by_rule(cell: Cell, threshold: Fraction) -> tuple[int, int]:
    if cell.group_is_smaller:
        return _group_by_rule(cell, threshold)
    return 0, -_by_rule(cell, cell.other, threshold)


def _group_by_rule(cell: Cell, threshold: Fraction) -> tuple[int, int]:
    return _by_rule(cell, cell.group, threshold), 0


def _by_rule(cell: Cell, size: int, threshold: Fraction) -> int:
    """So many favorable decisions more for a group of this size, fewer if it is ahead."""
    change = ceil(size * (abs(cell.difference) - threshold))
    return change if cell.difference > 0 else -change


_CHANGES: dict[str, Callable[[Cell, Fraction], tuple[int, int]]] = {
    "minimal": _fewest,
    "group": _only_group,
    "raise": _only_raise,
    "paper": _smaller_by_rule,
    "printed": _group_by_rule,
}
