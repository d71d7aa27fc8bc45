"""Differences as charts: a scale, dots with intervals, the funnel and histograms."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import NamedTuple

import numpy as np

from evenhand.evidence import Partition
from evenhand.report.html_report import View
from evenhand.report.shown_groups import KINDS, Case
from evenhand.wording import Words, has_sides, rate

_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
_MOST_TICKS = 7
MOST_DOTS = 2000
FUNNEL_HEIGHT = 320.0
HISTOGRAM_HEIGHT = 96.0
_TOP, _BOTTOM = 26.0, 10.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Percentage points from left to right."""

    low: float
    high: float

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        threshold: float,
        *,
        signed: bool = True,
        left: float = 0.02,
        right: float = 0.02,
    ) -> "Scale":
        """A scale that holds all values and the band; at both ends some room for numbers.

        Gaps, which are not ``signed``, begin at zero.
        """
        held = [*values, -1.6 * threshold if signed else 0.0, 1.6 * threshold]
        low, high = max(min(held), -100.0), min(max(held), 100.0)
        return cls(low - left * (high - low), high + right * (high - low))

    def at(self, points: float) -> float:
        """Where a difference stands, in percent of the width."""
        return 100 * (min(max(points, self.low), self.high) - self.low) / (self.high - self.low)

    def axis(self, words: Words) -> View:
        """The axis with its band, and which side is whose."""
        threshold = float(100 * words.question.threshold)
        step = next((s for s in _STEPS if (self.high - self.low) / s <= _MOST_TICKS), 100)
        first = -floor(-max(self.low, -100.0) / step)
        last = floor(min(self.high, 100.0) / step)
        return View(
            ticks=tuple(
                (self.at(n * step), f"{'−' if n < 0 else ''}{abs(n * step)}")
                for n in range(first, last + 1)
            ),
            zero=self.at(0.0),
            band=(self.at(-threshold if words.has_sides else 0.0), self.at(threshold)),
            left=f"{words.group} higher" if words.has_sides else "",
            right=f"{words.other} higher" if words.has_sides else "farther apart",
        )


class Spot(NamedTuple):
    """One comparison in a funnel: the difference in points, the people, and what was found."""

    points: float
    rows: int
    kind: str
    shown: bool
    id: str = ""


def case_spots(cases: Iterable[Case]) -> list[Spot]:
    """The comparisons that speak for groups."""
    return [
        Spot(in_points(case), case.people.row_count, case.kind, case.shown, case.id)
        for case in cases
    ]


def further_spots(partition: Partition) -> list[Spot]:
    """The other comparisons, which many groups or values have: shown ones, then the largest."""
    if partition.two_groups:
        return []
    compared, statistics = partition.comparisons, partition.statistics
    rest = np.setdiff1d(np.arange(len(compared)), partition.lead)
    rows, shown = compared.row_counts, statistics.shown
    rest = rest[np.lexsort((-rows[rest], ~shown[rest]))][:MOST_DOTS]
    points, side = 100 * statistics.difference, compared.side
    if not has_sides(partition.question):
        points, side = abs(points), abs(side)
    return [
        Spot(float(points[at]), int(rows[at]), KINDS[int(side[at])], bool(shown[at]))
        for at in rest.tolist()
    ]


def in_points(case: Case) -> float:
    """The difference of a measured group in points, for drawing."""
    return 100 * float(case.difference)


def ends(case: Case) -> tuple[float, float]:
    """Its interval in points."""
    low, high = case.people.interval or (0.0, 0.0)
    return 100 * low, 100 * high


def mark(case: Case, scale: Scale, words: Words) -> View:
    """A dot with its interval, its number on the outer side."""
    low, high = case.people.interval or (0.0, 0.0)
    return interval_mark(
        (case.difference, low, high),
        scale,
        words,
        kind=case.kind,
        shown=case.shown,
        description=f"difference {words.points(case.difference)} points, "
        f"{words.higher(case.difference, words.pair(case.people))}, interval "
        f"{words.interval(case.people.interval)}",
    )


def interval_mark(
    difference: tuple[Fraction | float, float, float],
    scale: Scale,
    words: Words,
    *,
    kind: str,
    shown: bool,
    description: str,
) -> View:
    """A difference and both ends of its interval, drawn."""
    here, low, high = (100 * float(value) for value in difference)
    left = here < 0
    return View(
        at=scale.at(here),
        low=scale.at(low),
        high=scale.at(high),
        text=words.points(difference[0]),
        text_at=scale.at(low if left else high),
        text_left=left,
        kind=kind,
        shown=shown,
        description=description,
    )


def rates(case: Case, words: Words) -> View:
    """The rates of both groups."""
    people = case.people
    names = words.pair(people)
    group, other = people.group_yes / people.group, people.other_yes / people.other
    return View(
        group=100 * group,
        other=100 * other,
        group_text=f"{100 * group:.0f}%",
        other_text=f"{100 * other:.0f}%",
        description=f"{names[0]} {rate(people.group_yes, people.group)}, {names[1]} "
        f"{rate(people.other_yes, people.other)}",
    )


def funnel(
    spots: Iterable[Spot], words: Words, *, total: int, what: str, filled: str, hollow: str
) -> View:
    """All comparisons by difference and, logarithmically, by size.

    If there are many: those that are shown, then the largest. ``total`` is of how many.
    """
    chosen = sorted(spots, key=lambda spot: (not spot.shown, -spot.rows))
    del chosen[MOST_DOTS:]
    sizes = [spot.rows for spot in chosen]
    most, least = max(sizes), min(sizes)
    threshold = float(100 * words.question.threshold)
    held = [spot.points for spot in chosen]
    # Gaps are many near zero, where the numbers of people stand.
    left = 0.07 if words.has_sides else 0.14
    scale = Scale.over(held, threshold, signed=words.has_sides, left=left, right=0.07)

    def height(rows: float) -> float:
        part = log10(rows / least) / (log10(most / least) or 1.0)
        return FUNNEL_HEIGHT - _BOTTOM - part * (FUNNEL_HEIGHT - _TOP - _BOTTOM)

    powers = [10**power for power in range(1, 12) if least <= 10**power <= most]
    dots = tuple(
        View(
            at=scale.at(spot.points),
            y=height(spot.rows),
            kind=spot.kind,
            shown=spot.shown,
            id=spot.id if spot.shown else "",
            id_left=spot.points < 0,
        )
        for spot in sorted(chosen, key=lambda spot: (spot.shown, spot.kind != "none"))
    )
    some = f"{len(chosen):,} shown or largest of the " if len(chosen) < total else ""
    one = "The dot is the one" if total == 1 else f"Each dot is one of the {some}{total:,}"
    what = what.removesuffix("s") if total == 1 else what
    return View(
        title="Differences by size of group",
        subtitle=f"{one} {what}: its "
        "difference in percentage points from left to right, and from bottom to top how many "
        "people it holds (logarithmic).",
        axis=scale.axis(words),
        levels=tuple((height(power), f"{power:,}") for power in powers or [least, most]),
        dots=dots,
        height=FUNNEL_HEIGHT,
        filled=filled,
        hollow=hollow,
        description=f"{total:,} {what} by difference and size.",
    )


def histogram(
    label: str,
    partition: Partition,
    scale: Scale,
    words: Words,
    *,
    tallest: int,
    within: str,
    what: str,
) -> View:
    """Groups by difference in bars as wide as the threshold, so that no bar crosses it."""
    step = float(100 * words.question.threshold)
    many_at = count_by_step(partition)
    return View(
        label=label,
        bars=tuple(
            View(
                at=scale.at(place * step),
                width=scale.at((place + 1) * step) - scale.at(place * step),
                y=HISTOGRAM_HEIGHT - max(2.5, HISTOGRAM_HEIGHT * many / tallest),
                height=max(2.5, HISTOGRAM_HEIGHT * many / tallest),
                kind=within if place in (-1, 0) else "beyond",
            )
            for place, many in sorted(many_at.items())
        ),
        description=f"{label}: {many_at[-1] + many_at[0]:,} of {many_at.total():,} {what} are "
        "under the threshold.",
    )


def count_by_step(partition: Partition) -> Counter[int]:
    """How many differences lie in each step of a threshold, exactly; 0 and -1 are under it."""
    # Python's integers: products of counts may not fit into 64 bits.
    group_yes, group, other_yes, other = (
        column.astype(object) for column in partition.comparisons.tables
    )
    crossed = other_yes * group - group_yes * other
    threshold = partition.question.threshold
    reach = abs(crossed) * threshold.denominator // (group * other * threshold.numerator)
    left = has_sides(partition.question) & (crossed < 0)
    return Counter(np.where(left, -reach - 1, reach).tolist())
