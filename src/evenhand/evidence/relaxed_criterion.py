"""The relaxed criterion: most rows, instead of all, lie in subpopulations under the threshold.

Mean and variance of the differences bound that share from below by Chebyshev's inequality,
whatever the distribution. In rows that follow the graph exactly the bound of the decision
causes holds for every block set: the mean is the same there and the variance not larger. Finite
data need not, so every examined block set is judged, and the weakest bound is given.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt
from typing import Any, Literal

import numpy as np

from evenhand.display import Described, Summary, percent, points
from evenhand.errors import QuestionError
from evenhand.evidence.comparisons import distinct_lines
from evenhand.evidence.partition import Partition
from evenhand.question import Number, exact_fraction


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class RelaxedCertificate(Described):
    """A lower bound for the share of rows where the groups differ by less than the threshold.

    ``bound`` speaks of the measured rows, None where there are none; ``bound_of_all_rows`` is
    that times their share of all rows, and decides. A bound below 0 says nothing. ``names``
    are those of the partition with the weakest bound, ``role`` what they are. ``mean`` and
    ``mean_square`` are those of the differences, over the measured rows.

    Paper: def:rnd, thm:rnd
    """

    names: tuple[str, ...]
    threshold: Fraction
    assurance: Fraction
    mean: Fraction | None
    mean_square: Fraction | None
    coverage: Fraction
    role: Literal["decision causes", "block set"] = "decision causes"

    @property
    def bound(self) -> Fraction | None:
        """At least this share of the measured rows differs by less than the threshold."""
        square = self.mean_square
        return None if square is None else 1 - square / self.threshold**2

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the differences."""
        mean, square = self.mean, self.mean_square
        return None if mean is None or square is None else sqrt(square - mean**2)

    @property
    def bound_of_all_rows(self) -> Fraction:
        """At least this share of all rows, the unmeasured ones counted as beyond."""
        return max(self.bound or Fraction(0), Fraction(0)) * self.coverage

    @property
    def claimed(self) -> bool:
        """Whether the bound reaches the assurance that was asked for."""
        return self.bound_of_all_rows >= self.assurance

    def to_dict(self) -> dict[str, Any]:
        """Plain values: exact as fractions, and as numbers to read."""
        mean, bound = self.mean, self.bound
        return {
            "threshold": str(self.threshold),
            "assurance": float(self.assurance),
            "claimed": self.claimed,
            "bound": None if bound is None else float(bound),
            "bound_of_all_rows": float(self.bound_of_all_rows),
            "coverage": float(self.coverage),
            "mean": None if mean is None else float(mean),
            "sd": self.deviation,
        }

    def summary(self) -> Summary:
        """The claim, with the mean and spread it rests on."""
        assurance = percent(float(self.assurance))
        facts: list[tuple[str, str]] = [(self.role, ", ".join(self.names) or "none")]
        if self.mean is not None and self.bound is not None:
            facts += [
                ("mean difference", f"{points(self.mean, threshold=self.threshold)} points"),
                ("standard deviation", f"{100 * (self.deviation or 0):.1f} points"),
                ("bound, measured rows", _bound_text(self.bound)),
                ("measured rows", percent(float(self.coverage))),
            ]
        return Summary(
            title=f"relaxed criterion {'claimed' if self.claimed else 'not claimed'}: at least "
            f"{assurance} of the rows lie where the groups differ by less than "
            f"{self.threshold}",
            facts=(*facts, ("bound, all rows", _bound_text(self.bound_of_all_rows))),
        )


def relax(
    causes: Iterable[Partition],
    others: Iterable[Partition] = (),
    *,
    assurance: Number = "0.8",
    threshold: Fraction,
) -> RelaxedCertificate:
    """The weakest bound among possible decision causes and other block sets.

    Paper: thm:srnd
    """
    level = exact_share(assurance, "assurance")
    bounds = []
    causes = [*causes]
    for at, partition in enumerate([*causes, *others]):
        mean, mean_square = moments(partition) or (None, None)
        bounds.append(
            RelaxedCertificate(
                names=partition.names,
                threshold=threshold,
                assurance=level,
                mean=mean,
                mean_square=mean_square,
                coverage=partition.coverage.overall,
                role="decision causes" if at < len(causes) else "block set",
            )
        )
    return min(bounds, key=lambda one: (one.bound_of_all_rows, one.bound or Fraction(0)))


def moments(partition: Partition) -> tuple[Fraction, Fraction] | None:
    """Mean and mean square of the largest differences, weighed by rows; None without any.

    Two groups and two decisions keep the sign. Of more it is the size: the sign would hang on
    the order of the groups' names, and differences of unlike pairs would cancel. Equal lines
    are one term, and terms of one denominator are added first: large tables have few distinct
    ones.
    """
    signed, measured = partition.two_groups, partition.measured
    widest = partition.widest[measured]
    columns = [column[widest] for column in partition.comparisons.tables]
    columns = [partition.row_counts[measured], *columns]
    first_lines, which = distinct_lines(*columns)
    distinct = (column[first_lines].tolist() for column in columns)
    sums: dict[int, tuple[int, int]] = {}
    for times, rows, a, n, b, m in zip(np.bincount(which).tolist(), *distinct, strict=True):
        crossed, denominator = b * n - a * m, n * m
        crossed = crossed if signed else abs(crossed)
        first, second = sums.get(denominator, (0, 0))
        weighted = times * rows * crossed
        sums[denominator] = first + weighted, second + weighted * crossed
    if not sums:
        return None
    rows = int(partition.row_counts[measured].sum())
    common = lcm(*sums)
    mean = sum(first * (common // d) for d, (first, _) in sums.items())
    square = sum(second * (common // d) ** 2 for d, (_, second) in sums.items())
    return Fraction(mean, common * rows), Fraction(square, common**2 * rows)


def exact_share(value: Number, what: str) -> Fraction:
    """Parse a share between 0 and 1 exactly."""
    reason = ""
    try:
        share = exact_fraction(value)
    except ValueError as error:
        share, reason = Fraction(-1), f"{error}."
    if not 0 <= share <= 1:
        raise QuestionError.of(
            f"The {what} {value!s} is no share.",
            reason,
            "Write a number from 0 to 1, as '0.9'.",
        )
    return share


def _bound_text(bound: Fraction) -> str:
    return percent(float(bound), digits=2) if bound > 0 else "none"
