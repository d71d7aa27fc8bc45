"""Effects along paths as a waterfall: from one group's rate, step by step, to the other's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from evenhand.effects.claim import Indirect, PathSteps
from evenhand.effects.effects import DIRECTIONS, Effect
from evenhand.effects.worlds import Bounds
from evenhand.evidence import Certificate
from evenhand.report.html_report import View
from evenhand.report.pictures.charts import Span
from evenhand.wording import Words, capital, share
from evenhand.wording.path_words import PathWords, span_text

_TICKS = (1, 2, 5, 10, 20, 25)
_MOST_TICKS = 7
_HEIGHTS = {"forward": 42, "backward": 30}
_PARTS = ("direct", "through", "explained", "not judged", "combination")
_KEY = {
    "through": "an effect, from where the one before it ends",
    "shown": "red: shown to lie beyond the threshold",
    "hatch": "where it may end: it is bounded, not one number",
    "whisker": "95% interval",
    "band": "under the threshold of this claim",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A step in rates, not yet on paper; ``ends`` are the bounds of where it leads."""

    kind: str
    label: tuple[str, str]
    number: str
    range: str
    description: str
    ends: tuple[float, float]
    at: float
    start: float | None = None
    whisker: tuple[float, float] | None = None
    band: tuple[float, float] | None = None
    gap: tuple[float, float] | None = None

    @property
    def held(self) -> tuple[float, ...]:
        """Everything that has to lie on the picture."""
        start = () if self.start is None else (self.start,)
        pairs = (self.whisker, self.band, self.gap)
        return (*self.ends, self.at, *start, *(end for pair in pairs for end in pair or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Effects in some rows; ``rates`` are those of the group and of the others there.

    Without ``chance`` there are no intervals.
    """

    indirect: Indirect
    rates: tuple[Fraction, Fraction]
    chance: bool

    @classmethod
    def of(cls, certificate: Certificate) -> "Measured | None":
        """What was measured in the rows of a certificate, if anything was."""
        indirect = certificate.indirect
        if indirect is None or not indirect.graphs:
            return None
        partition = certificate.partition
        favorable, rows = partition.favorable[0].sum(axis=1), partition.rows.sum(axis=1)
        group, other = map(Fraction, favorable.tolist(), rows.tolist())
        return cls(indirect=indirect, rates=(group, other), chance=certificate.is_sample)


def waterfalls(measured: Sequence[Measured], words: Words) -> tuple[tuple[View, ...], ...]:
    """For each measurement both directions, the second one smaller; all on one scale."""
    drawn = [[_Steps.of(one, direction, words) for direction in DIRECTIONS] for one in measured]
    held = [
        end
        for both in drawn
        for steps in both
        for line in (*steps.lines(), *steps.gaps())
        for end in line.held
    ]
    if not held:
        return ()
    axis, ticks = _axis(held)
    return tuple(tuple(steps.draw(axis, ticks) for steps in both) for both in drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """The lines of one direction."""

    measured: Measured
    direction: str
    words: PathWords
    steps: PathSteps

    @classmethod
    def of(cls, measured: Measured, direction: str, words: Words) -> "_Steps":
        indirect = measured.indirect
        return cls(
            measured=measured,
            direction=direction,
            words=PathWords.of(indirect, direction, words),
            steps=PathSteps.of(indirect, direction),
        )

    @property
    def indirect(self) -> Indirect:
        return self.measured.indirect

    def draw(self, axis: Span, ticks: tuple[tuple[float, str], ...]) -> View:
        lines = [*self.lines()]
        return View(
            title=self.title,
            subtitle=self.subtitle,
            axis=axis,
            ticks=ticks,
            height=_HEIGHTS[self.direction],
            steps=lines,
            gaps=[*self.gaps()],
            key=_key(lines) if self.direction == "forward" else (),
        )

    @property
    def title(self) -> str:
        """From whom to whom."""
        if self.direction == "forward":
            return f"From {self.words.own} to {self.words.others}, step by step"
        return f"The other way: from {self.words.own} to {self.words.others}"

    @property
    def subtitle(self) -> str:
        """What is drawn."""
        words = self.words
        if self.direction != "forward":
            return f"{capital(words.own)}, as they would be with what {words.others} have."
        several = (
            f" The bars are those of one of {len(self.indirect.graphs):,} graphs, the one in "
            "which the effect asked about is the median; the hatching is what all allow."
            if len(self.indirect.graphs) > 1
            else ""
        )
        return (
            f"The share who {words.words.did}, as the graph tells it, and by how many "
            f"percentage points each way changes it.{several}"
        )

    def lines(self) -> Iterator[_Line]:
        """The rate at the start, the effects one after another, the rates they lead to."""
        words, steps = self.words, self.steps
        own, other = words.sides
        at = _float(steps.start)
        yield _rate_line(own, (words.start, "as the graph has it"), steps.start)
        for name in _PARTS:
            if name in steps.effects:
                yield self._effect(name, at)
                at += _float(steps.effects[name])
        label = (words.reached, "with all of these")
        yield _rate_line(f"{own}-would", label, steps.reached)
        if not words.on_all_rows:
            yield self._effect("spurious", at)
            label = (capital(words.others), "as the graph has it")
            yield _rate_line(other, label, steps.others)

    def _effect(self, name: str, start: float) -> _Line:
        effect = self.steps.effects[name]
        words, threshold = self.words.words, self.indirect.threshold
        interval = self._interval(name)
        low, high = (100 * float(end) for end in effect.bounds)
        number = span_text(effect.bounds, words)
        label = self.words.way(name)
        beyond = interval and Bounds(*map(Fraction, interval)).beyond(threshold)
        shown = name == "through" and beyond
        within = words.interval(interval) if interval else ""
        limit = 100 * float(threshold)
        return _Line(
            kind="shown" if shown else name.replace(" ", "-"),
            label=label,
            number=number,
            range=within,
            description=f"{label[0]}: {number} points"
            + (f", 95% interval {within}" if within else ""),
            ends=(start + low, start + high),
            at=start + _float(effect),
            start=start,
            whisker=(start + 100 * interval[0], start + 100 * interval[1])
            if interval
            else None,
            band=(start - limit, start + limit) if name == "through" else None,
        )

    def _interval(self, name: str) -> tuple[float, float] | None:
        errors = self.indirect.effects[self.direction][name].end_errors
        # What is 0 whatever the rows are has no interval.
        if not self.measured.chance or not any(errors or ()):
            return None
        return self.indirect.interval(self.direction, name)

    def gaps(self) -> Iterator[_Line]:
        """The gap as the graph tells it, and the one in the rows; below the first direction."""
        if self.direction != "forward":
            return
        steps, data = self.steps, self.indirect.data_gap
        ends = f"{self.words.own} to {self.words.others}"
        told = (steps.own, steps.others)
        yield self._gap(("The gap by the graph", ends), told, Bounds(*self.indirect.model_gap))
        label = ("The gap in the rows", "the rest is what the graph misses")
        seen = [Effect(lower=rate, upper=rate, value=rate) for rate in self.measured.rates]
        yield self._gap(label, seen, Bounds(data, data))

    def _gap(self, label: tuple[str, str], rates: Sequence[Effect], gap: Bounds) -> _Line:
        number = span_text(gap, self.words.words)
        start, end = map(_float, rates)
        own, others = map(rate_text, rates)
        return _Line(
            kind="gap",
            label=label,
            number=number,
            range="",
            description=f"{label[0]}: {number} points, from {own} to {others}",
            ends=(start + 100 * float(gap.lower), start + 100 * float(gap.upper)),
            at=end,
            gap=(start, end),
        )


def _rate_line(kind: str, label: tuple[str, str], rate: Effect) -> _Line:
    number = rate_text(rate)
    return _Line(
        kind=kind,
        label=label,
        number=number,
        range="",
        description=f"{label[0]}: {number}",
        ends=(100 * float(rate.lower), 100 * float(rate.upper)),
        at=_float(rate),
    )


def _axis(held: list[float]) -> tuple[Span, tuple[tuple[float, str], ...]]:
    """A scale on which everything lies, and its numbers: percentages."""
    low, high = max(min(held), 0.0), min(max(held), 100.0)
    room = 0.04 * (high - low or 1.0)
    axis = Span(low - room, high + room)
    step = next((s for s in _TICKS if (high - low) / s <= _MOST_TICKS), _TICKS[-1])
    numbers = range(ceil(axis.low / step), floor(axis.high / step) + 1)
    return axis, tuple(
        (axis.at(n * step), f"{n * step}%") for n in numbers if 0 <= n * step <= 100
    )


def _key(lines: list[_Line]) -> tuple[tuple[str, str], ...]:
    occurs = {
        "through": True,
        "shown": any(line.kind == "shown" for line in lines),
        "hatch": any(line.ends[0] < line.ends[1] for line in lines),
        "whisker": any(line.whisker for line in lines),
        "band": True,
    }
    return tuple((sign, meaning) for sign, meaning in _KEY.items() if occurs[sign])


def rate_text(rate: Effect) -> str:
    """A rate as a percentage; both ends where it is not one number."""
    return " to ".join(dict.fromkeys(share(float(end)) for end in rate.bounds))


def _float(effect: Effect) -> float:
    return 100 * float(effect.value or 0)
