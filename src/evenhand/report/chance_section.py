"""Section 4: what chance could have done, and what all groups say together."""

from collections.abc import Sequence

from evenhand.evidence import RelaxedCertificate
from evenhand.evidence.population import Population
from evenhand.evidence.subpopulations import p_value
from evenhand.report import view
from evenhand.report.differences_sections import ids
from evenhand.report.phrases import Words, count, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.view import Strong, text


def chance(
    told: Population,
    relaxed: RelaxedCertificate,
    drawn: Sequence[Case],
    words: Words,
    sharing: Sharing,
) -> view.Chance:
    """The statistical verdict at length."""
    verdict = text("Statistical verdict: ", Strong(f"{told.verdict}."))
    if not sharing.whole:
        hidden = (
            "What all groups say together rests on groups that are withheld: it is left out."
        )
        return view.Chance(told=(verdict, text(hidden)), notes=())
    if not told.measured:
        nothing = "No group can be compared, so there is nothing that chance could explain."
        return view.Chance(told=(text(nothing),), notes=())
    return view.Chance(
        told=(_each(told, drawn, words), *_together(told, words), verdict),
        notes=(*told.notes, _relaxed(relaxed, words)),
    )


def _each(told: Population, drawn: Sequence[Case], words: Words) -> view.Text:
    shown = [case for case in drawn if case.shown]
    many = count(told.measured, "comparison")
    if not shown:
        return text(
            Strong("It could be. "),
            f"After allowing for {many}, none beyond {words.threshold_points} is shown. "
            f"{count(told.within, 'group')} {'is' if told.within == 1 else 'are'} shown to "
            "differ by less.",
        )
    for_group = told.shown_for_group
    pairs = ((told.shown - for_group, words.other), (for_group, words.group))
    sides = " and ".join(f"{many:,} with {who} ahead" for many, who in pairs if many)
    reaching = sum(case.side != 0 for case in drawn)
    opening = "Hardly. " if 2 * len(shown) >= reaching else "In most groups it could be. "
    return text(
        Strong(opening),
        f"After allowing for {many}, ",
        Strong(f"{len(shown):,} of {reaching:,}"),
        " differences at or beyond the threshold are shown to lie beyond it "
        f"({ids(shown)}): {sides}. Their intervals lie wholly beyond {words.threshold_points}.",
    )


def _together(told: Population, words: Words) -> tuple[view.Text, ...]:
    said: list[view.Text] = []
    if told.common:
        common = told.common
        said.append(
            text(
                "Weighed together (Mantel–Haenszel), the difference is ",
                Strong(f"{words.points(common.difference)} points"),
                f", 95% interval {words.interval((common.low, common.high))}, p that it is "
                f"zero: {p_value(common.p_zero)}.",
            )
        )
    if told.heterogeneity and told.measured > 1:
        varying = told.heterogeneity
        said.append(
            text(
                f"Whether all groups share one difference: p {p_value(varying.p)}. Whether "
                f"some favor {words.group} and some {words.other}: p "
                f"{p_value(varying.p_opposite)}; {words.other} are ahead in "
                f"{varying.for_other:,}, {words.group} in {varying.for_group:,}.",
            )
        )
    if told.needed:
        needed = told.needed
        aim = (
            "to show a difference"
            if needed.toward == "shown"
            else "to show that all are within"
        )
        said.append(
            text(
                f"About {needed.needed:,} rows instead of {needed.rows:,} would probably do "
                f"{aim} where it is nearest ({words.alike(needed.where) or 'everybody'}).",
            )
        )
    return tuple(said)


def _relaxed(found: RelaxedCertificate, words: Words) -> str:
    claim = "claimed" if found.claimed else "not claimed"
    bound = found.bound_of_all_rows
    least = (
        f"at least {share(float(bound))} of the rows" if bound > 0 else "no share of the rows"
    )
    return (
        f"Relaxed criterion, that {share(float(found.assurance))} of the rows lie in groups "
        f"under {words.threshold_points}: {claim}. Mean and spread of the differences "
        f"guarantee it for {least}."
    )
