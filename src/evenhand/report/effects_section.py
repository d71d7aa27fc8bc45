"""Effects through chosen attributes: the claim, and the steps from one rate to the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from evenhand.effects.effects import DIRECTIONS, Effect
from evenhand.effects.indirect_claim import Indirect, PathSteps
from evenhand.effects.worlds import Bounds
from evenhand.evidence import Certificate
from evenhand.report.pictures.charts import Scale
from evenhand.report.rendering import View
from evenhand.verdict import StatisticalVerdict
from evenhand.wording import Strong, VerdictCard, Words, capital, share, text
from evenhand.wording.effect_words import PathWords, claim_words, span_text
from evenhand.wording.premises import path_premises
from evenhand.wording.verdict_words import verdict_class, verdict_word

_TICKS = (1, 2, 5, 10, 20, 25)
_MOST_TICKS = 7
_HEIGHTS = {"forward": 38, "backward": 30}
_PARTS = ("direct", "through", "explained", "not judged", "combination")
_KEY = {
    "through": "an effect, from where the one before it ends",
    "shown": "red: significantly beyond the threshold",
    "hatch": "where it may end: it is bounded, not one number",
    "whisker": "95% interval",
    "band": "under the threshold of this claim",
}


def claim_card(
    certificate: Certificate, words: Words, *, about: str | None = None
) -> VerdictCard | None:
    """The verdict of this claim with what would be, in words; None where nothing is claimed."""
    indirect = certificate.indirect
    if indirect is None:
        return None
    words = claim_words(indirect, words)
    through = words.columns(indirect.question.redlining)
    return VerdictCard(
        about=about or f"A second claim, apart from the answer: through {through}",
        mark=verdict_class(
            indirect.verdict, indirect.population_verdict, released=bool(certificate.release)
        ),
        word=f"{verdict_word(indirect.verdict)}, through {through}"
        if about is None
        else verdict_word(indirect.verdict),
        sentence=text(Strong(indirect.sentence(words.labels)), _size(indirect, words))
        if indirect.graphs or about is None
        else "The effect was not measured.",
    )


def _size(indirect: Indirect, words: Words) -> str:
    """How large the effect is in both directions, beside the threshold."""
    if not indirect.graphs:
        return ""
    sizes = [span_text(indirect.effects[at]["through"].bounds, words) for at in DIRECTIONS]
    group, other = words.group_people, words.other_people
    return (
        f" {sizes[0]} points from {group} to {other}, {sizes[1]} from {other} to {group}; the "
        f"threshold of this claim is {words.threshold_points}."
    )


def paths(certificate: Certificate, after: Certificate | None, words: Words) -> View | None:
    """The section; None where the question asks about no effect through attributes.

    ``after`` is the certificate of a release, if there is one.
    """
    indirect = certificate.indirect
    if indirect is None:
        return None
    words = claim_words(indirect, words)
    through = words.columns(indirect.question.redlining)
    both = [("", certificate)]
    if after is not None and after.indirect is not None:
        both.append(("As released", after))
    measured = [Measured.of(one) for _, one in both]
    charts = iter(waterfalls([one for one in measured if one], words))
    return View(
        heading=f"Through {through}",
        beyond=None if after is not None else _beyond_card(certificate, words),
        lead=text(
            f"Does {words.protected} change {words.decision} by way of {through}? This is ",
            Strong("a claim of its own"),
            ", apart from the answer, which is about the direct effect. It is met if this "
            f"effect is smaller than {words.threshold_points} in both directions, given the "
            "graph.",
        ),
        measurements=[
            View(
                heading=heading,
                waterfalls=next(charts) if drawn else (),
                # Where chance did not make the rows, intervals would say nothing.
                result=one.indirect.summary(words.labels)
                if one.indirect and (one.is_sample or not drawn)
                else None,
            )
            for (heading, one), drawn in zip(both, measured, strict=True)
        ],
        rests_on=[*path_premises(certificate, indirect, words)] if indirect.graphs else [],
    )


def _beyond_card(certificate: Certificate, words: Words) -> VerdictCard | None:
    """The verdict on the population; None of rows that chance did not make."""
    indirect = certificate.indirect
    if indirect is None or not (indirect.graphs and certificate.is_sample):
        return None
    verdict = indirect.population_verdict
    return VerdictCard(
        about="Beyond these rows",
        mark=verdict_class(verdict),
        word=verdict_word(verdict),
        sentence=_beyond(verdict, indirect, words),
    )


def _beyond(verdict: StatisticalVerdict, indirect: Indirect, words: Words) -> str:
    limit = words.threshold_points
    if verdict is StatisticalVerdict.SHOWN:
        return f"The effect is significantly beyond {limit}: its 95% interval lies there."
    if verdict is StatisticalVerdict.WITHIN:
        return f"The effect is significantly smaller than {limit} in both directions."
    if why := indirect.why_inconclusive:
        return f"Nothing is shown of a population: {why}."
    return f"The interval reaches to both sides of {limit}."


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
    drawn = [[_drawing(one, direction, words) for direction in DIRECTIONS] for one in measured]
    held = [
        end
        for both in drawn
        for chart in both
        for step in (*chart.steps, *chart.gaps)
        for part in (step.ends, (step.start, step.at), step.whisker, step.band, step.gap)
        for end in part or ()
        if end is not None
    ]
    if not held:
        return ()
    axis, ticks = _axis(held, words)
    return tuple(tuple(chart.but(axis=axis, ticks=ticks) for chart in both) for both in drawn)


def _drawing(measured: Measured, direction: str, words: Words) -> View:
    """The rate at the start, the effects one after another, the rates they lead to.

    Below the first direction stand the gap as the graph tells it, and the one in the rows.
    """
    indirect, forward = measured.indirect, direction == "forward"
    people, steps = PathWords.of(indirect, direction, words), PathSteps.of(indirect, direction)
    own, other = people.sides
    at = _float(steps.start)
    lines = [_rate(own, (people.start, "as the graph has it"), steps.start)]
    for name in _PARTS:
        if name in steps.effects:
            lines.append(
                _effect(measured, people, name, steps.effects[name], direction=direction, at=at)
            )
            at += _float(steps.effects[name])
    lines.append(_rate(f"{own}-would", (people.reached, "with all of these"), steps.reached))
    if not people.on_all_rows:
        spurious = steps.effects["spurious"]
        lines.append(
            _effect(measured, people, "spurious", spurious, direction=direction, at=at)
        )
        lines.append(
            _rate(other, (capital(people.others), "as the graph has it"), steps.others)
        )
    seen = [Effect(lower=rate, upper=rate, value=rate) for rate in measured.rates]
    ends, data = f"{people.own} to {people.others}", Bounds(*2 * [indirect.data_gap])
    missed = ("The gap in the rows", "the rest is what the graph misses")
    told, model = ("The gap by the graph", ends), Bounds(*indirect.model_gap)
    several = (
        f" The bars are those of one of {len(indirect.graphs):,} graphs, the one in which the "
        "effect asked about is the median; the hatching is what all allow."
    )
    whole = (
        f"The share who {words.did}, as the graph tells it, and by how many percentage points "
        f"each way changes it.{several * (len(indirect.graphs) > 1)}"
    )
    less = f"{capital(people.own)}, as they would be with what {people.others} have."
    return View(
        title=f"From {ends}, step by step" if forward else f"The other way: from {ends}",
        subtitle=whole if forward else less,
        height=_HEIGHTS[direction],
        steps=lines,
        gaps=[
            _gap(told, (steps.own, steps.others), model, words),
            _gap(missed, seen, data, words),
        ]
        if forward
        else [],
        key=_key(lines) if forward else (),
    )


def _line(kind: str, label: tuple[str, str], number: str, **parts: Any) -> View:  # noqa: ANN401
    """A step in rates, not yet on paper; ``ends`` are the bounds of where it leads."""
    empty = dict.fromkeys(("start", "whisker", "band", "gap"))
    said = f"{label[0]}: {number}"
    line = View(kind=kind, label=label, number=number, range="", description=said)
    return line.but(**(empty | parts))


def _effect(
    measured: Measured,
    people: PathWords,
    name: str,
    effect: Effect,
    *,
    direction: str,
    at: float,
) -> View:
    indirect, words, label = measured.indirect, people.words, people.way(name)
    errors = indirect.effects[direction][name].end_errors
    # What is 0 whatever the rows are has no interval.
    has_interval = measured.chance and any(errors or ())
    interval = indirect.interval(direction, name) if has_interval else None
    is_asked, limit = name == "through", 100 * float(indirect.threshold)
    beyond = interval and Bounds(*map(Fraction, interval)).beyond(indirect.threshold)
    number, within = span_text(effect.bounds, words), words.interval(interval)
    low, high = (at + 100 * float(end) for end in effect.bounds)
    return _line(
        "shown" if is_asked and beyond else name.replace(" ", "-"),
        label,
        number,
        range=within,
        description=f"{label[0]}: {number} points"
        + (f", 95% interval {within}" if within else ""),
        ends=(low, high),
        at=at + _float(effect),
        start=at,
        whisker=tuple(at + 100 * end for end in interval) if interval else None,
        band=(at - limit, at + limit) if is_asked else None,
    )


def _gap(label: tuple[str, str], rates: Sequence[Effect], gap: Bounds, words: Words) -> View:
    number = span_text(gap, words)
    start, end = map(_float, rates)
    own, others = map(rate_text, rates)
    return _line(
        "gap",
        label,
        number,
        description=f"{label[0]}: {number} points, from {own} to {others}",
        ends=(start + 100 * float(gap.lower), start + 100 * float(gap.upper)),
        at=end,
        gap=(start, end),
    )


def _rate(kind: str, label: tuple[str, str], rate: Effect) -> View:
    ends = (100 * float(rate.lower), 100 * float(rate.upper))
    return _line(kind, label, rate_text(rate), ends=ends, at=_float(rate))


def _axis(held: list[float], words: Words) -> tuple[Scale, tuple[tuple[float, str], ...]]:
    """A scale on which everything lies, and its numbers: percentages."""
    low, high = max(min(held), 0.0), min(max(held), 100.0)
    room = 0.04 * (high - low or 1.0)
    axis = Scale(low - room, high + room, words)
    step = next((s for s in _TICKS if (high - low) / s <= _MOST_TICKS), _TICKS[-1])
    numbers = range(ceil(axis.low / step), floor(axis.high / step) + 1)
    return axis, tuple(
        (axis.at(n * step), f"{n * step}%") for n in numbers if 0 <= n * step <= 100
    )


def _key(steps: Sequence[View]) -> tuple[tuple[str, str], ...]:
    occurs = {
        "shown": any(step.kind == "shown" for step in steps),
        "hatch": any(step.ends[0] < step.ends[1] for step in steps),
        "whisker": any(step.whisker for step in steps),
    }
    return tuple((sign, meaning) for sign, meaning in _KEY.items() if occurs.get(sign, True))


def rate_text(rate: Effect) -> str:
    """A rate as a percentage; both ends where it is not one number."""
    return " to ".join(dict.fromkeys(share(float(end)) for end in rate.bounds))


def _float(effect: Effect) -> float:
    return 100 * float(effect.value or 0)
