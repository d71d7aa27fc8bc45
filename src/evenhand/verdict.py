"""The verdict: integers in, one of three answers out.

A float loses a piece of evidence in the paper's own Example 2, where 90/200 - 240/600 is just
the threshold of 1/20. So this module never divides, and uses no floats.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

INT64_END = abs(int(np.iinfo(np.int64).min))  # what is smaller fits into 64 bits


class ThreeValued(Enum):
    """A verdict with three values: in ``if verdict:`` two of them would count as the same."""

    def __str__(self) -> str:
        return str(self.value)

    def __bool__(self) -> bool:
        kind = type(self)
        raise TypeError(
            "A verdict is not true or false: there are three. Compare it, as in "
            f"`verdict is {kind.__name__}.{next(iter(kind)).name}`."
        )


class Verdict(ThreeValued):
    """What can be said of the criterion: met, not met, or neither from these rows.

    A copy for others may withhold which.
    """

    CERTIFIED = "certified"
    NOT_CERTIFIED = "not certified"
    CANNOT_DECIDE = "cannot decide"
    WITHHELD = "withheld"

    @property
    def status(self) -> int:
        """0 if certified, 1 if not, 3 if that cannot be decided."""
        return {Verdict.CERTIFIED: 0, Verdict.NOT_CERTIFIED: 1}.get(self, 3)


class StatisticalVerdict(ThreeValued):
    """What the rows show of the population: a difference, that there is none, or neither."""

    SHOWN = "difference shown"
    WITHIN = "all differences shown to be within the threshold"
    INCONCLUSIVE = "inconclusive"

    @property
    def status(self) -> int:
        """1 if a difference is shown, 0 if none is there, 3 if neither is shown."""
        return {StatisticalVerdict.WITHIN: 0, StatisticalVerdict.SHOWN: 1}.get(self, 3)


class Word(ThreeValued):
    """The answer in a word."""

    YES = "Yes"
    NO = "No"
    NOT_SHOWN = "Not shown"
    CANNOT_TELL = "Cannot tell"

    @property
    def status(self) -> int:
        """The exit status of a process that says no more than this."""
        return {Word.YES: 1, Word.CANNOT_TELL: 3}.get(self, 0)


# Of a criterion whose verdict this is.
MET = {
    Verdict.CERTIFIED: "met",
    Verdict.NOT_CERTIFIED: "not met",
    Verdict.CANNOT_DECIDE: "neither met nor broken",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """The share of rows that can be compared: of all rows, and of each group's own.

    ``labels`` names the groups, unless they are the two that were asked about.
    """

    overall: Fraction
    groups: tuple[Fraction, ...]
    labels: tuple[str, ...] = ()

    def reaches(self, least: Fraction) -> bool:
        """Whether enough of each group's own rows can be compared."""
        return min(self.groups) >= least

    def to_dict(self) -> dict[str, Any]:
        """The shares as exact fractions, those of the groups in their order."""
        return {"rows": str(self.overall), "groups": [*map(str, self.groups)]}

    def by_name(self, form: Callable[[Fraction], Any]) -> dict[str, Any]:
        """The share of all rows and of each group, by name, in some form."""
        shares = [form(share) for share in self.groups]
        if self.labels:
            groups = {"groups": dict(zip(self.labels, shares, strict=True))}
        else:
            groups = dict(zip(("group", "other"), shares, strict=True))
        return {"rows": form(self.overall), **groups}


def sides(
    group_yes: NDArray[np.int64],
    group: NDArray[np.int64],
    other_yes: NDArray[np.int64],
    other: NDArray[np.int64],
    threshold: Fraction,
) -> NDArray[np.int8]:
    """On which side each difference reaches the threshold: 1, -1, or 0 where it does not.

    The difference other_yes/other - group_yes/group is compared by cross multiplication, in
    64-bit integers where their products provably fit and in Python's integers elsewhere.
    Where a group is absent both products are 0: nothing is measured, and the answer is 0.

    >>> sides(*(np.array([count]) for count in (240, 600, 90, 200)), Fraction(1, 20))
    array([1], dtype=int8)
    """
    # Totals bound the counts of every subpopulation; Python adds them without overflow.
    most = sum(group.tolist()) * sum(other.tolist()) * threshold.denominator
    integer = np.int64 if most < INT64_END else object
    of_group, of_other = group.astype(integer), other.astype(integer)
    crossed = other_yes.astype(integer) * of_group - group_yes.astype(integer) * of_other
    reached = abs(crossed) * threshold.denominator >= of_group * of_other * threshold.numerator
    return np.where(reached, np.sign(crossed), 0).astype(np.int8)


def judge(*, violating: int, coverage: Coverage, min_coverage: Fraction) -> Verdict:
    """The verdict on one partition: violations first, then what could not be measured.

    With nothing measured both shares of the groups are 0, which no coverage above 0 accepts.

    Paper: alg:dd
    """
    if violating:
        return Verdict.NOT_CERTIFIED
    if not coverage.overall or not coverage.reaches(min_coverage):
        return Verdict.CANNOT_DECIDE
    return Verdict.CERTIFIED


def all_must_hold(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict on several partitions of one graph: each of them must meet the criterion.

    Paper: thm:nd
    """
    distinct = set(verdicts)
    for verdict in (Verdict.NOT_CERTIFIED, Verdict.CANNOT_DECIDE):
        if verdict in distinct:
            return verdict
    return Verdict.CERTIFIED


def all_must_agree(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict over graphs of which one is right: theirs if it is the same for all."""
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else Verdict.CANNOT_DECIDE
