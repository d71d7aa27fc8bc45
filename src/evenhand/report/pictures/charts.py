"""Differences as charts: dots with intervals, the funnel, histograms, before and after."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log10
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition
from evenhand.question import Question
from evenhand.question.display_labels import state_before
from evenhand.report.rendering import View
from evenhand.wording import Words, capital, has_sides

# Who is behind by the threshold or more.
KINDS = {1: "group", -1: "other", 0: "none"}
Numbers = TypeVar("Numbers", NDArray[np.int8], NDArray[np.float64])
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
_MOST_TICKS = 7
MOST_DOTS = 2000
_FUNNEL_HEIGHT = 320.0
_HISTOGRAM_HEIGHT = 96.0
_TOP, _BOTTOM = 26.0, 10.0
_KEY = ("significantly beyond the threshold", "beyond the threshold, not significant")


@dataclass(frozen=True, slots=True)
class Scale:
    """Percentage points from left to right, with the band under the threshold."""

    low: float
    high: float
    words: Words

    @classmethod
    def over(
        cls, values: Iterable[float], words: Words, *, left: float = 0.02, right: float = 0.02
    ) -> "Scale":
        """A scale of differences that holds all values and the band, with room for numbers.

        Gaps, which have no sign, begin at zero.
        """
        beyond = 160 * float(words.question.threshold)
        held = [*values, -beyond if words.has_sides else 0.0, beyond]
        low, high = max(min(held), -100.0), min(max(held), 100.0)
        return cls(low - left * (high - low), high + right * (high - low), words)

    def at(self, points: float) -> float:
        """Where a number stands, in percent of the width."""
        return 100 * (min(max(points, self.low), self.high) - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Places with their numbers."""
        step = next((s for s in _STEPS if (self.high - self.low) / s <= _MOST_TICKS), 100)
        first = -floor(-max(self.low, -100.0) / step)
        last = floor(min(self.high, 100.0) / step)
        return [
            (self.at(n * step), f"{'−' if n < 0 else ''}{abs(n * step)}")
            for n in range(first, last + 1)
        ]

    @property
    def band(self) -> tuple[float, float]:
        """Where differences are under the threshold."""
        threshold = float(100 * self.words.question.threshold)
        return self.at(-threshold if self.words.has_sides else 0.0), self.at(threshold)

    @property
    def left(self) -> str:
        """Who is ahead at the left."""
        return f"{self.words.group} higher" if self.words.has_sides else ""

    @property
    def right(self) -> str:
        """Who is ahead at the right."""
        return f"{self.words.other} higher" if self.words.has_sides else "farther apart"


class Mark(NamedTuple):
    """A difference with its interval, in points; ``kind`` is who is behind."""

    points: float
    low: float
    high: float
    kind: str
    shown: bool
    text: str
    description: str


class Dot(NamedTuple):
    """One comparison in a funnel: its place, who is behind, and its id if it is shown."""

    x: float
    y: float
    kind: str
    shown: bool
    id: str


def unsigned(values: Numbers, question: Question) -> Numbers:
    """Differences or sides; where any group may be ahead, these are gaps without a sign."""
    return values if has_sides(question) else abs(values)


def dot_plot(
    lines: Iterable[View],
    words: Words,
    *,
    title: str,
    subtitle: str,
    heads: tuple[str, str],
    rates: str = "",
    key: tuple[str, str] = _KEY,
) -> View:
    """Groups or pairs under each other, one difference each; ``heads`` name what they are.

    ``rates`` heads the rates of both sides. Numbers stand beyond the outer ends of intervals.
    """
    lines = tuple(lines)
    held = [end for line in lines for end in line.mark[:3]]
    left, right = (
        0.26 if any(sign * line.mark.points > 0 for line in lines) else 0.02 for sign in (-1, 1)
    )
    return View(
        title=title,
        subtitle=subtitle,
        heads=heads,
        rates=rates,
        names=(words.group, words.other),
        key=key,
        axis=Scale.over(held, words, left=left, right=right),
        lines=lines,
    )


def funnel(
    partition: Partition,
    chosen: NDArray[np.intp],
    words: Words,
    *,
    most: int = MOST_DOTS,
    shows: bool = True,
    named: bool = False,
    what: str = "comparable group",
    title: str = "Differences by size of group",
) -> View:
    """Comparisons by difference and, logarithmically, by size; of many those with most people.

    ``shows`` marks significant ones and draws these first; ``named`` gives them the ids of
    their groups.
    """
    compared, total = partition.comparisons, len(chosen)
    shown = partition.statistics.shown[chosen] if shows else np.zeros(total, bool)
    kept = np.lexsort((-compared.row_counts[chosen], ~shown))[:most]
    at, shown = chosen[kept], shown[kept]
    rows, line, side = compared.row_counts[at], compared.line[at], compared.side[at]
    group_yes, group, other_yes, other = (column[at] for column in compared.tables)
    points = unsigned(100 * (other_yes / other - group_yes / group), words.question)
    # Gaps are many near zero, where the numbers of people stand.
    left = 0.07 if words.has_sides else 0.14
    axis = Scale.over(points.tolist(), words, left=left, right=0.07)
    least, largest = int(rows.min()), int(rows.max())

    def height(many: float) -> float:
        part = log10(many / least) / (log10(largest / least) or 1.0)
        return _FUNNEL_HEIGHT - _BOTTOM - part * (_FUNNEL_HEIGHT - _TOP - _BOTTOM)

    ids = [""] * len(at)
    if named:
        leads = shown & (partition.lead[line] == at)
        ids = [f"E{rank}" * bool(rank) for rank in partition.strength_rank[line] * leads]
    kinds = (KINDS[one] for one in unsigned(side, words.question).tolist())
    places = map(axis.at, points.tolist()), map(height, rows.tolist())
    dots = [Dot(*one) for one in zip(*places, kinds, shown.tolist(), ids, strict=True)]
    powers = [10**power for power in range(1, 12) if least <= 10**power <= largest]
    some = f"{len(at):,} significant or largest of the " if len(at) < total else ""
    one = f"Each dot is one of the {some}{total:,} {what}s"
    return View(
        title=title,
        subtitle=f"{f'The dot is the one {what}' if total == 1 else one}. Horizontal: the "
        "difference in percentage points. Vertical: the number of people (logarithmic).",
        axis=axis,
        levels=[(height(power), f"{power:,}") for power in powers or [least, largest]],
        dots=sorted(dots, key=lambda dot: (dot.shown, dot.kind != "none")),
        height=_FUNNEL_HEIGHT,
        key=_KEY if shows else (_KEY[0], "at or beyond the threshold"),
        description=f"{total:,} {what}{'s' * (total != 1)} by difference and size.",
    )


def histograms(before: Certificate, after: Certificate, words: Words) -> View:
    """Many groups before and after, in bars as wide as the threshold: no bar crosses it."""
    state = state_before(words.question)
    both = ((f"As {state}", "none", before), ("As released", "after", after))
    ends = [end for *_, one in both for end in one.partition.extremes]
    scale = Scale.over([float(100 * (e if words.has_sides else abs(e))) for e in ends], words)
    step = float(100 * words.question.threshold)
    counted = [(label, kind, count_by_step(one.partition)) for label, kind, one in both]
    tallest = max(max(many.values(), default=1) for *_, many in counted)

    def bar(place: int, many: int, within: str) -> tuple[float, float, float, str]:
        left, right = scale.at(place * step), scale.at((place + 1) * step)
        height = max(2.5, _HISTOGRAM_HEIGHT * many / tallest)
        return left, right - left, height, within if place in (-1, 0) else "beyond"

    return View(
        title="Before and after",
        subtitle=f"{capital(words.comparison)}s by difference in percentage points; each bar "
        f"is {words.threshold_points} wide.",
        axis=scale,
        height=_HISTOGRAM_HEIGHT,
        both=[
            View(
                label=label,
                bars=[bar(place, many, within) for place, many in sorted(steps.items())],
                description=f"{label}: {steps[-1] + steps[0]:,} of {steps.total():,} "
                f"{words.comparison}s are under the threshold.",
            )
            for label, within, steps in counted
        ],
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
