"""Section 4: what chance could have done, and what all groups say together."""

from collections.abc import Iterator, Sequence

from evenhand.evidence import Certificate, RelaxedCertificate
from evenhand.evidence.common_difference import CommonDifference
from evenhand.evidence.population import Population
from evenhand.evidence.subpopulations import p_value
from evenhand.report import template_types as page
from evenhand.report.differences_sections import ids
from evenhand.report.phrases import Words, count, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.template_types import Strong, text


def chance(
    certificate: Certificate, cases: Sequence[Case], words: Words, sharing: Sharing
) -> page.Chance:
    """The statistical verdict at length."""
    population = certificate.population
    verdict = text("Statistical verdict: ", Strong(f"{population.verdict}."))
    if not sharing.whole:
        hidden = (
            "What all groups say together rests on groups that are withheld: it is left out."
        )
        return page.Chance(paragraphs=(verdict, text(hidden)), notes=())
    if not population.measured:
        nothing = "No group can be compared, so there is nothing that chance could explain."
        return page.Chance(paragraphs=(text(nothing),), notes=())
    return page.Chance(
        paragraphs=(
            _each_group(population, cases, words),
            *_all_together(population, words),
            verdict,
        ),
        notes=(*population.notes, _relaxed_sentence(certificate.relaxed(), words)),
    )


def _each_group(population: Population, cases: Sequence[Case], words: Words) -> page.Text:
    shown = [case for case in cases if case.shown]
    many = count(population.comparisons, "comparison")
    if not shown:
        average = population.shown_on_average_only
        return text(
            Strong("In each group alone it could be. " if average else "It could be. "),
            f"After allowing for {many}, none beyond {words.threshold_points} is shown"
            f"{' in a single group' if average else ''}. "
            f"{count(population.within, 'group')} "
            f"{'is' if population.within == 1 else 'are'} shown to differ by less.",
        )
    for_group = population.shown_for_group
    pairs = ((population.shown - for_group, words.other), (for_group, words.group))
    sides = " and ".join(f"{many:,} with {who} ahead" for many, who in pairs if many)
    reaching = sum(case.side != 0 for case in cases)
    opening = "Hardly. " if 2 * len(shown) >= reaching else "In most groups it could be. "
    return text(
        Strong(opening),
        f"After allowing for {many}, ",
        Strong(f"{len(shown):,} of {reaching:,}"),
        " differences at or beyond the threshold are shown to lie beyond it "
        f"({ids(shown)}): {sides}. Their intervals lie wholly beyond {words.threshold_points}.",
    )


def _all_together(population: Population, words: Words) -> Iterator[page.Text]:
    if common := population.common:
        yield text(
            "Weighed together (Mantel–Haenszel), the difference is ",
            Strong(f"{words.points(common.difference)} points"),
            f", 95% interval {words.interval((common.low, common.high))}, p that it is "
            f"zero: {p_value(common.p_zero)}."
            + (f" {_on_average(common, words)}" if population.mean_beyond else ""),
        )
    if (varying := population.heterogeneity) and population.measured > 1:
        yield text(
            f"Whether all groups share one difference: p {p_value(varying.p)}. Whether "
            f"some favor {words.group} and some {words.other}: p "
            f"{p_value(varying.p_opposite)}; {words.other} are ahead in "
            f"{varying.for_other:,}, {words.group} in {varying.for_group:,}.",
        )
    if needed := population.needed:
        aims = {
            "shown": "a difference where it is nearest",
            "shown on average": "the difference on average",
            "within": "that all are within where it is nearest",
        }
        who = words.alike(needed.where)
        whole = "all groups" if needed.toward == "shown on average" else "everybody"
        yield text(
            f"About {needed.needed:,} rows instead of {needed.row_count:,} would probably do "
            f"to show {aims[needed.toward]} ({who or whole}).",
        )


def _on_average(common: CommonDifference, words: Words) -> str:
    p = f"p {p_value(common.p_adjusted)} after allowing for all comparisons"
    if common.shown:
        return (
            f"It is shown to lie beyond {words.threshold_points} ({p}): the difference is "
            "shown on average, so at least one group has it."
        )
    return f"It is not shown to lie beyond {words.threshold_points} ({p})."


def _relaxed_sentence(relaxed: RelaxedCertificate, words: Words) -> str:
    claim = "claimed" if relaxed.claimed else "not claimed"
    bound = relaxed.bound_of_all_rows
    least = (
        f"at least {share(float(bound))} of the rows" if bound > 0 else "no share of the rows"
    )
    return (
        f"Relaxed criterion, that {share(float(relaxed.assurance))} of the rows lie in groups "
        f"under {words.threshold_points}: {claim}. Mean and spread of the differences "
        f"guarantee it for {least}."
    )
