"""Small pictures of a column: numbers as a histogram with its cuts, other values as a stack."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from evenhand.question import Bins
from evenhand.question.number_classes import number_text

_MOST_BARS = 100
_MOST_PARTS = 24
_PLAIN = 10**15  # from here on numbers are written with an exponent
_LEAST = 0.4  # of a hundred: what is thinner cannot be seen


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramColumn:
    """One bar, in hundredths of the picture; ``kind`` tells neighbouring classes apart."""

    x: float
    width: float
    height: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnHistogram:
    """Bars of numbers from ``low`` to ``high``, and where the cuts lie."""

    bars: tuple[HistogramColumn, ...]
    cuts: tuple[tuple[float, str], ...]
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPart:
    """A value as part of a whole, in hundredths; ``kind`` is its colour."""

    x: float
    width: float
    kind: str


def number_histogram(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], bins: Bins | None
) -> ColumnHistogram:
    """Bars of single whole numbers where there are few, else of equal width."""
    if not isfinite(float(numbers[-1]) - float(numbers[0])):
        return _of_huge(numbers, rows, bins)
    low, high = float(numbers[0]), float(numbers[-1])
    whole = bool((numbers == np.floor(numbers)).all())
    single = whole and high - low < _MOST_BARS
    bars = int(high - low) + 1 if single else min(_MOST_BARS * 3 // 5, 60)
    width = 1.0 if single else (high - low) / bars or 1.0
    place = np.minimum(((numbers - low) / width).astype(int), bars - 1)
    heights = np.bincount(place, rows, bars)
    tallest = max(float(heights.max(initial=0)), 1.0)
    span = width * bars
    boundaries = bins.boundaries if bins else []
    middles = low + width * (np.arange(bars) + (0.0 if single else 0.5))
    ends = [float(cut) for cut, _ in boundaries]
    classes = np.searchsorted(ends, middles, side="left")
    if bins and single:
        classes = np.array([bins.position(round(m)) for m in middles.tolist()])

    def at(cut: float, below: bool) -> float:  # noqa: FBT001  # of a boundary
        edge = (np.floor(cut) + 1 if below else np.ceil(cut)) if single else cut
        return float(min(max(100 * (edge - low) / span, 0), 100))

    return ColumnHistogram(
        bars=tuple(
            HistogramColumn(
                x=100 * number / bars,
                width=92 / bars,
                height=max(100 * height / tallest, 1.5),
                kind="low" if classes[number] % 2 == 0 else "high",
            )
            for number, height in enumerate(heights.tolist())
            if height
        ),
        cuts=tuple((at(float(cut), below), number_text(cut)) for cut, below in boundaries),
        low=_short(low),
        high=_short(high),
    )


def _of_huge(
    numbers: NDArray[np.float64], rows: NDArray[np.int64], bins: Bins | None
) -> ColumnHistogram:
    """The same picture of numbers whose span is no number: of a thousandth, about."""
    smaller = replace(bins, cuts=tuple(cut / 1024 for cut in bins.cuts)) if bins else None
    made = number_histogram(numbers / 1024, rows, smaller)
    texts = [number_text(cut) for cut in bins.cuts] if bins else []
    cuts = tuple((at, text) for (at, _), text in zip(made.cuts, texts, strict=True))
    low, high = _short(float(numbers[0])), _short(float(numbers[-1]))
    return replace(made, cuts=cuts, low=low, high=high)


def value_stack(values: Mapping[str, int], colours: Mapping[str, str]) -> tuple[StackPart, ...]:
    """The values beside each other by their rows; those that come last are one part."""
    total = max(sum(values.values()), 1)
    counted = [*values.items()]
    shown, rest = counted[:_MOST_PARTS], counted[_MOST_PARTS:]
    if rest:
        shown.append(("", sum(rows for _, rows in rest)))
    begins: Sequence[int] = [0, *accumulate(rows for _, rows in shown)]
    return tuple(
        StackPart(
            x=100 * begin / total,
            width=max(100 * rows / total - _LEAST, _LEAST / 2),
            kind=colours.get(value, "low" if number == 0 and not colours else "high"),
        )
        for number, ((value, rows), begin) in enumerate(zip(shown, begins, strict=False))
    )


def _short(number: float) -> str:
    is_plain = abs(number) < _PLAIN and number == int(number)
    return f"{int(number):,}" if is_plain else f"{number:.6g}"
