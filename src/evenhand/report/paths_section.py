"""Section 5a: the claim about effects through chosen attributes, apart from the direct one."""

from collections.abc import Iterator

from evenhand.effects.effects import DIRECTIONS, Effect
from evenhand.effects.indirect_claim import Indirect
from evenhand.effects.resampled_effects import ResampledEffects
from evenhand.effects.world_shares import Bounds
from evenhand.errors import words_only
from evenhand.evidence import Certificate, Verdict
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.report.html_report import View
from evenhand.report.opening_section import MARKS
from evenhand.report.path_words import PathWords, claim_words, signed, span_text
from evenhand.report.waterfall import Measured, waterfalls
from evenhand.verdict import StatisticalVerdict
from evenhand.wording import (
    Premise,
    Strong,
    Text,
    VerdictCard,
    Words,
    capital,
    count,
    share,
    text,
)

_SECTION = "section 5a"
_SIDES = {
    "direct": "straight to the decision",
    "through": "only by way of what is asked about",
    "explained": "past it, explained",
    "not judged": "past it, not judged",
    "witness": "both by way of it and past it",
    "open": "as open links are directed",
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
        about=about or f"A second claim, apart from these: through {through} ({_SECTION})",
        mark=_mark(certificate, indirect),
        word=f"{capital(str(indirect.verdict))}, through {through}"
        if about is None
        else capital(str(indirect.verdict)),
        sentence=text(Strong(_sentence(indirect, words)), *_size(indirect, words))
        if indirect.graphs or about is None
        else text("The effect was not measured."),
    )


def _sentence(indirect: Indirect, words: Words) -> str:
    """What would be; a number stays with its sign where a line ends."""
    return indirect.sentence(words.labels).replace(" %", "\u00a0%")


def _mark(certificate: Certificate, indirect: Indirect) -> str:
    """Red only where the effect is shown, and of rows that chance made."""
    shown = indirect.population_verdict is StatisticalVerdict.SHOWN
    if indirect.verdict is Verdict.NOT_CERTIFIED and shown and not certificate.release:
        return "shown"
    return str(indirect.verdict).replace(" ", "-")


def _size(indirect: Indirect, words: Words) -> Text:
    """How large the effect is in both directions, beside the threshold."""
    if not indirect.graphs:
        return ()
    sizes = [span_text(indirect.effects[at]["through"].bounds, words) for at in DIRECTIONS]
    group, other = words.group_people, words.other_people
    return text(
        f" {sizes[0]} points from {group} to {other}, {sizes[1]} from {other} to {group}; the "
        f"threshold of this claim is {words.threshold_points}."
    )


def paths(
    certificate: Certificate,
    after: Certificate | None,
    words: Words,
    resampled: Bootstrap | None,
) -> View | None:
    """The section; None where the question asks about no effect through attributes.

    ``after`` is the certificate of a release, if there is one.
    """
    indirect = certificate.indirect
    if indirect is None:
        return None
    words = claim_words(indirect, words)
    through = words.columns(indirect.question.redlining)
    draws = resampled.indirect if resampled else None
    both = [("" if after is None else "As recorded", certificate)]
    if after is not None and after.indirect is not None:
        both.append(("As released", after))
    return View(
        heading=f"Through {through}",
        claims=tuple(_cards(both, words)),
        lead=(
            text(
                f"Does {words.protected} change {words.decision} by way of {through}? This is ",
                Strong("a claim of its own"),
                ": the verdicts above are about the direct effect alone, and this one changes "
                f"nothing in them. It is met if the effect of {words.protected} through "
                f"{through} is smaller than {words.threshold_points} in both directions, given "
                "this graph.",
            ),
        ),
        measurements=tuple(_measurements(both, words)),
        rests_on=tuple(_rests_on(certificate, indirect, words, draws))
        if indirect.graphs
        else (),
    )


def _cards(both: list[tuple[str, Certificate]], words: Words) -> Iterator[VerdictCard]:
    """The verdict on the rows, and that on the population or on the released rows."""
    for heading, certificate in both:
        if card := claim_card(certificate, words, about=heading or "In these rows"):
            yield card
    _, certificate = both[0]
    indirect = certificate.indirect
    if len(both) == 1 and certificate.is_sample and indirect is not None and indirect.graphs:
        verdict = indirect.population_verdict
        yield VerdictCard(
            about="Beyond these rows",
            mark=MARKS[verdict],
            word=capital(str(verdict)),
            sentence=text(_beyond(verdict, indirect, words)),
        )


def _beyond(verdict: StatisticalVerdict, indirect: Indirect, words: Words) -> str:
    limit = words.threshold_points
    if verdict is StatisticalVerdict.SHOWN:
        return f"Chance allowed for, the effect lies beyond {limit}: its 95% interval does."
    if verdict is StatisticalVerdict.WITHIN:
        return f"Chance allowed for, the effect is smaller than {limit} in both directions."
    if why := indirect.why_inconclusive:
        return f"Nothing is shown of a population: {why}."
    return f"Chance allowed for, the effect may lie on either side of {limit}."


def _measurements(both: list[tuple[str, Certificate]], words: Words) -> Iterator[View]:
    """What was measured in each set of rows, all pictures on one scale."""
    measured = [Measured.of(certificate) for _, certificate in both]
    charts = iter(waterfalls([one for one in measured if one], words))
    for (heading, certificate), one in zip(both, measured, strict=True):
        indirect = certificate.indirect
        reasons = indirect.reasons if indirect else ()
        yield View(
            heading=heading,
            lead=(*_gap(one.indirect, words), *_no_chance(certificate)) if one else (),
            waterfalls=next(charts) if one else (),
            tables_title="The same in numbers, in percentage points",
            tables=tuple(_table(one, at, words) for at in DIRECTIONS) if one else (),
            reasons=tuple(reason.text(words_only) for reason in reasons),
        )


def _gap(indirect: Indirect, words: Words) -> Text:
    """The gap in the rows beside that of the graph."""
    low, high = indirect.model_gap
    missed = Bounds(indirect.data_gap - high, indirect.data_gap - low)
    return text(
        f"The gap between {words.group} and {words.other} is ",
        Strong(f"{signed(indirect.data_gap, words)} points in the rows"),
        " and ",
        Strong(f"{span_text(Bounds(low, high), words)} by the graph"),
        f". What the graph misses is the difference of the two, {span_text(missed, words)}.",
    )


def _no_chance(certificate: Certificate) -> Text:
    """Why there are no intervals, where there are none."""
    if certificate.is_sample:
        return ()
    if certificate.release:
        return text(" Chance did not make these rows: there are no intervals.")
    return text(" The decision is determined: there are no intervals.")


def _table(measured: Measured, direction: str, words: Words) -> View:
    """Every effect of a direction in numbers."""
    named = PathWords.of(measured.indirect, direction, words)
    numbers = 3 if measured.chance else 2
    return View(
        caption=f"From {named.own} to {named.others}",
        heads=("lower", "upper", "standard error")[:numbers],
        rows=tuple(
            (named.way(name)[0], _numbers(effect, words)[:numbers])
            for name, effect in measured.indirect.effects[direction].items()
        ),
    )


def _numbers(effect: Effect, words: Words) -> tuple[str, ...]:
    errors = dict.fromkeys(f"{100 * error:.2f}" for error in effect.end_errors or ())
    return (
        *(signed(end, words, digits=2) for end in effect.bounds),
        " and ".join(errors) or "none",
    )


def _rests_on(
    certificate: Certificate,
    indirect: Indirect,
    words: Words,
    resampled: ResampledEffects | None,
) -> Iterator[Premise]:
    yield Premise(
        status="Yours to say",
        what="Which of these ways are justified.",
        why=text(
            f"Whoever asked put {words.columns(indirect.question.redlining)} in question. An "
            "effect is called explained because it goes in other ways, not because it is right "
            "that it does. This page measures; it does not judge that."
        ),
    )
    learned = certificate.graph_origin.kind != "given"
    doubt = (
        "was learned from rows; that it could have been another is not in the intervals"
        if learned
        else "was stated; that it may be wrong is not in the intervals"
    )
    yield Premise(
        status="Learned" if learned else "Given",
        what="The graph is taken as it is.",
        why=text(
            f"It {doubt}, which hold the chance of the rows alone. It must not lack a common "
            "cause of two attributes; hidden ones are not treated here."
        ),
    )
    yield from _measured(indirect, words)
    if resampled is not None:
        yield Premise(
            status="Resampled",
            what="How far the ends of the effect move in resampled rows.",
            why=text("; ".join(f"{name}: {value}" for name, value in resampled.facts), "."),
        )


def _ways(indirect: Indirect, words: Words) -> Iterator[str]:
    """How the protected attribute goes on, with the children that lead each way."""
    for side, way in _SIDES.items():
        names = [name for name, its in indirect.sides.items() if its == side]
        if names and side == "direct":
            yield way
        elif names:
            yield f"{way}: {words.columns(names)}"


def _measured(indirect: Indirect, words: Words) -> Iterator[Premise]:
    """On whose rows, by which ways, with what missing."""
    group, other = words.group_people, words.other_people
    on_all = indirect.question.basis == "all"
    yield Premise(
        status="Measured",
        what="On everybody’s rows." if on_all else "On the rows of those who are asked about.",
        why=text(
            "Everybody is taken to have one value, then the other."
            if on_all
            else f"From {group} to {other} on the rows of {group}, the other way on those of "
            f"{other}."
        ),
    )
    yield Premise(
        status="Ways",
        what=f"How {words.protected} reaches {words.decision}, by what it changes first.",
        why=text(
            capital("; ".join(_ways(indirect, words))),
            ".",
        ),
    )
    judged = indirect.question.explained
    rest = [name for name, side in indirect.sides.items() if side == "not judged"]
    if judged:
        yield Premise(
            status="Not judged",
            what=f"What goes by way of {words.columns(rest)}."
            if rest
            else "Nothing is left unjudged.",
            why=text(f"Called explained is only what goes through {words.columns(judged)}."),
        )
    if indirect.witnesses:
        yield Premise(
            status="Not identified",
            what=f"Witnesses: {words.columns(indirect.witnesses)}. The effect has bounds.",
            why=text(
                f"Each is changed by {words.protected}, causes what is asked about and "
                f"reaches {words.decision} past it too. It would have to have two values at "
                "once, and no data tell how the two go together."
            ),
        )
    if indirect.unseen_mass:
        yield Premise(
            status="Unseen",
            what=f"For up to {share(float(indirect.unseen_mass))} of the people a table that "
            "is needed has no row.",
            why=text("Nothing is put in its place: they may all count either way."),
        )
    many = len(indirect.graphs)
    if many > 1:
        yield Premise(
            status="Open",
            what=f"The effects in {count(many, 'graph')} that the open links allow.",
            why=text(
                "The bounds are the least and the largest of all of them."
                if indirect.consistent
                else "No way to direct the open links fits all that was found, so every way "
                "without a cycle was taken. The bounds are the least and the largest of all."
            ),
        )
    if not indirect.is_exact:
        yield Premise(
            status="Rounded",
            what="These numbers are floats, on which no verdict rests.",
            why=text("Exact ones would need larger tables than fit."),
        )
