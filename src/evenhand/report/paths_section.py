"""Section 5a: the claim about effects through chosen attributes, apart from the direct one."""

from collections.abc import Iterator

from evenhand.effects.claim import Indirect
from evenhand.effects.effects import DIRECTIONS
from evenhand.evidence import Certificate
from evenhand.report.html_report import View
from evenhand.report.pictures.waterfall import Measured, waterfalls
from evenhand.verdict import StatisticalVerdict
from evenhand.wording import Section, Strong, VerdictCard, Words, text
from evenhand.wording.path_words import claim_words, span_text
from evenhand.wording.premises import path_premises
from evenhand.wording.verdict_words import verdict_class, verdict_word


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
        about=about
        or (f"A second claim, apart from these: through {through}", Section(" (section 5a)")),
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
    both = [("" if after is None else "As recorded", certificate)]
    if after is not None and after.indirect is not None:
        both.append(("As released", after))
    measured = [Measured.of(one) for _, one in both]
    charts = iter(waterfalls([one for one in measured if one], words))
    return View(
        heading=f"Through {through}",
        claims=tuple(_cards(both, words)),
        lead=text(
            f"Does {words.protected} change {words.decision} by way of {through}? This is ",
            Strong("a claim of its own"),
            ": the verdicts above are about the direct effect alone, and this one changes "
            f"nothing in them. It is met if the effect of {words.protected} through "
            f"{through} is smaller than {words.threshold_points} in both directions, given "
            "this graph.",
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
            mark=verdict_class(verdict),
            word=verdict_word(verdict),
            sentence=_beyond(verdict, indirect, words),
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
