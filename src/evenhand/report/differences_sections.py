"""Sections 2 and 3: how far the groups differ, and the counts that show it."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence import Certificate, Partition
from evenhand.evidence.subpopulations import p_value
from evenhand.report.charts import (
    MOST_DOTS,
    Scale,
    case_spots,
    ends,
    funnel,
    further_spots,
    in_points,
    mark,
    rates,
)
from evenhand.report.html_report import View
from evenhand.report.shown_groups import Case, Cases, GroupNames, turned_sides, widest_in
from evenhand.wording import Strong, Text, Words, capital, count, listing, share, text

# Up to so many groups one plot shows all of them.
FEW = 15
STRONGEST = 20
_MOST_OTHERS = 500
_MOST_FLAGS = 12
MARKS_KEY = {"filled": "shown beyond the threshold", "hollow": "not shown beyond it"}


def differences(certificate: Certificate, cases: Cases, words: Words) -> View:
    """All groups in one plot if they are few, else where people are, all, and the strongest."""
    few = len(cases) <= FEW
    chosen, draw = (cases, plot_of_few) if few else (cases.reaching[:STRONGEST], _strongest)
    return View(
        lead=_lead(certificate, cases, words),
        all_people=f"{certificate.row_count:,} people by the difference in their group.",
        segments=() if few else _segments(certificate, words),
        funnel=None if few else group_dots(certificate, cases, words),
        plot=draw(certificate, chosen, words) if chosen else None,
    )


def evidence(certificate: Certificate, cases: Cases, words: Words) -> View:
    """The pieces of evidence, strongest first: some in words, the others in numbers."""
    reaching = cases.reaching
    strongest, others = reaching[:STRONGEST], reaching[STRONGEST : STRONGEST + _MOST_OTHERS]
    beyond = len(reaching) - len(strongest) - len(others)
    return View(
        lead=_evidence_lead(certificate, reaching, len(strongest), words),
        in_words=tuple(finding(certificate.partition, case, words) for case in strongest),
        others=tuple(finding(certificate.partition, case, words) for case in others),
        others_title=f"The other {count(len(others), 'group')}, in numbers"
        + (f"; {beyond:,} more are in the certificate" if beyond else ""),
        group=capital(words.group),
        other=capital(words.other),
        note=_note(words),
    )


def group_dots(certificate: Certificate, cases: Cases, words: Words) -> View:
    """All comparisons; where there are several in a group, an id is that of its strongest."""
    partition = certificate.partition
    spots = [*case_spots(cases.most_notable(MOST_DOTS)), *further_spots(partition)]
    total = len(partition.comparisons)
    return funnel(spots, words, total=total, what=words.comparisons, **MARKS_KEY)


def _lead(certificate: Certificate, cases: Cases, words: Words) -> Text:
    if not cases:
        return text(f"There is no group to show in which {words.both} can be compared.")
    if not words.has_sides:
        widest = words.points(max(map(abs, certificate.partition.extremes)))
        return text(
            "The widest gap in a group is ",
            Strong(f"{widest} points"),
            f". Of each group those two {words.kinds} are drawn and told whose difference "
            "chance explains least.",
        )
    compared, values = certificate.partition.comparisons, certificate.partition.extremes
    sides = {*compared.side.tolist()}
    who = (
        f"In every one of them {words.other_people} {words.lead}."
        if sides == {1}
        else f"In every one of them {words.group_people} {words.lead}."
        if sides == {-1}
        else f"Above zero {words.other_people} {words.lead}, below zero {words.group_people}."
    )
    if len(compared) == 1:
        return text("The one difference is ", Strong(f"{words.points(values[0])} points"), ".")
    least, most = words.points(min(values)), words.points(max(values))
    if least == most:
        return text("The differences are all ", Strong(f"{least} points"), ".")
    return text("The differences go from ", Strong(f"{least} to {most} points"), f". {who}")


def _segments(certificate: Certificate, words: Words) -> tuple[View, ...]:
    """All people by what was found in their group."""
    partition, t = certificate.partition, words.threshold_points
    shown, side = partition.shown, turned_sides(partition)
    calm = partition.measured & (side == 0)
    higher, lower = side > 0, side < 0
    kinds: tuple[tuple[str, str, NDArray[np.bool_]], ...] = (
        ("shown", f"{words.group} higher, shown beyond {t}", lower & shown),
        ("other", f"{words.group} higher by {t} or more, not shown", lower & ~shown),
        ("none", f"under {t} either way", calm),
        ("group", f"{words.other} higher by {t} or more, not shown", higher & ~shown),
        ("shown", f"{words.other} higher, shown beyond {t}", higher & shown),
        ("absent", "no comparison possible", ~partition.measured),
    )
    if not words.has_sides:
        apart = f"{words.both} {t} or more apart"
        kinds = (
            ("none", f"under {t}, all of them", calm),
            ("group", f"{apart}, not shown", higher & ~shown),
            ("shown", f"{apart}, shown beyond {t}", higher & shown),
            kinds[-1],
        )
    segments, at = [], 0.0
    for kind, label, lines in kinds:
        if kind == "shown" and not lines.any():
            continue
        people = int(partition.row_counts[lines].sum())
        width = 100 * people / certificate.row_count
        segments.append(
            View(
                kind=kind,
                label=label,
                groups=f"{np.count_nonzero(lines):,}",
                people=f"{people:,}",
                share=share(people / certificate.row_count),
                at=at,
                width=width,
            )
        )
        at += width
    return tuple(segments)


def plot_of_few(certificate: Certificate, chosen: Sequence[Case], words: Words) -> View:
    """Rates beside differences, for every group."""
    scale, names = _scale(chosen, words), GroupNames.of(certificate, words)
    reaching = sum(case.side != 0 for case in chosen)
    title = (
        "In every group, the difference reaches the threshold"
        if reaching == len(chosen)
        else f"In {reaching or 'none'} of {len(chosen)} groups the difference reaches the "
        "threshold"
    )
    return View(
        title=title,
        subtitle=f"Shares of {words.group} and of {words.other} who {words.did}, and the "
        "difference with its 95% interval. Evidence first, least likely to be chance first.",
        name=names.head,
        detail=names.detail_head,
        flags=(),
        rates=f"Share who {words.did}",
        group=words.group,
        other=words.other,
        **MARKS_KEY,
        axis=scale.axis(words),
        lines=tuple(
            View(
                id=case.id,
                name=names.name(case),
                detail=names.detail(case),
                pair=words.pair_phrase(case.people),
                rates=rates(case, words),
                mark=mark(case, scale, words),
            )
            for case in chosen
        ),
    )


def _strongest(certificate: Certificate, chosen: Sequence[Case], words: Words) -> View:
    """Who is in a group as dots if all attributes have two values, else in words."""
    scale, names = _scale(chosen, words), certificate.partition.names
    common = _common(chosen, names)
    varying = [name for name in names if name not in common]
    flags = _flags(certificate, varying)
    also = f" All of them: {words.alike(common)}." if common else ""
    return View(
        title=_strongest_title(chosen),
        subtitle=f"Groups at or beyond the threshold, least likely to be chance first.{also}",
        name="Group",
        detail="people",
        flags=tuple(words.value(name, value) for name, value in flags.items()),
        rates="",
        group=words.group,
        other=words.other,
        **MARKS_KEY,
        axis=scale.axis(words),
        lines=tuple(
            View(
                id=case.id,
                name=words.alike({name: case.people.where[name] for name in varying or names}),
                detail=f"{case.rows:,}",
                pair=words.pair_phrase(case.people),
                flags=tuple(case.people.where[name] == value for name, value in flags.items()),
                mark=mark(case, scale, words),
            )
            for case in chosen
        ),
    )


def _strongest_title(chosen: Sequence[Case]) -> str:
    """Findings are what is shown; of others it is said that they are not."""
    shown = sum(case.shown for case in chosen)
    if shown == len(chosen):
        return f"The {shown} strongest findings" if shown > 1 else "The one finding"
    groups = f"The {len(chosen)} groups" if len(chosen) > 1 else "The one group"
    title = f"{groups} at or beyond the threshold that chance explains least"
    return f"{title}; {f'{shown:,} shown' if shown else 'none is shown'}"


def _scale(chosen: Sequence[Case], words: Words) -> Scale:
    """An axis with room for the numbers, which stand beyond the outer ends of intervals."""
    held = [*map(in_points, chosen), *(end for case in chosen for end in ends(case))]
    left, right = (
        0.26 if any(sign * case.difference > 0 for case in chosen) else 0.02 for sign in (-1, 1)
    )
    threshold = float(100 * words.question.threshold)
    return Scale.over(held, threshold, signed=words.has_sides, left=left, right=right)


def _common(chosen: Sequence[Case], names: Sequence[str]) -> dict[str, str]:
    """Values that all of them share, if there are several."""
    if len(chosen) == 1:
        return {}
    first = chosen[0].people.where
    return {
        n: first[n] for n in names if all(case.people.where[n] == first[n] for case in chosen)
    }


def _flags(certificate: Certificate, names: Sequence[str]) -> dict[str, str]:
    """The value that a dot stands for, if every attribute has two.

    The shorter one, because it says what the other is not.
    """
    values = {name: certificate.examined.counts.attribute(name).values for name in names}
    if len(names) > _MOST_FLAGS or any(len(two) != 2 for two in values.values()):
        return {}
    return {
        name: min(two, key=lambda value: (len(value), value)) for name, two in values.items()
    }


def _evidence_lead(
    certificate: Certificate, reaching: Cases, in_words: int, words: Words
) -> Text:
    if not reaching:
        if not certificate.partition.measured.any():
            return text("No group can be compared: there is no evidence to list.")
        return text(
            f"No comparable group differs by {words.threshold_points} or more: there is no "
            "evidence to list."
        )
    if in_words < len(reaching):
        return text(
            Strong(f"{len(reaching):,} groups"),
            f" reach the threshold, {len(reaching.shown):,} of them shown to "
            f"lie beyond it. The {in_words} least likely to be chance are told in words, "
            "the others follow in numbers; all of them are in the certificate.",
        )
    many = (
        "The one group that reaches the threshold"
        if len(reaching) == 1
        else f"All {len(reaching)} groups that reach the threshold"
    )
    return text(f"{many}, least likely to be chance first.")


def _note(words: Words) -> str:
    return (
        "p is the probability of a difference at least so large, were the true one no larger "
        f"than {words.threshold_points}. The adjusted p allows for all comparisons made; a "
        "difference is shown if its interval lies wholly beyond the threshold and its adjusted "
        "p is under 0.05."
    )


def finding(partition: Partition, case: Case, words: Words) -> View:
    """A group in words and numbers; where nothing is measured there are fewer numbers."""
    people = case.people
    group, other = words.pair(people)
    named = ("", "") if words.is_named else (f"{group}: ", f"{other}: ")
    measured = people.risk_difference is not None
    return View(
        id=case.id,
        sentence=words.story(people),
        rows=words.alike(people.where) or "everybody",
        group=f"{named[0]}{people.group_yes:,} of {people.group:,}",
        other=f"{named[1]}{people.other_yes:,} of {people.other:,}",
        difference=words.points(people.risk_difference),
        direction=words.higher(people.risk_difference, (group, other)) if measured else "",
        interval=words.interval(people.interval),
        p=p_value(people.p_threshold),
        adjusted=p_value(people.p_adjusted),
        shown=case.shown if measured else None,
        widest=_widest(partition, case, words),
    )


def _widest(partition: Partition, case: Case, words: Words) -> str:
    """The widest gap of a group, where it is not the one that chance explains least."""
    if partition.widest[case.line] == partition.lead[case.line]:
        return ""
    people = widest_in(partition, case.line)
    size = abs(people.risk_difference or Fraction(0))
    group, other = words.pair(people)
    decided = f" {words.did_by(people.decision)}" if len(words.cuts) > 1 else ""
    return (
        f"Widest gap: {words.points(size)} points, "
        f"{people.other_yes:,} of {people.other:,} {other} and {people.group_yes:,} of "
        f"{people.group:,} {group}{decided}."
    )


def ids(chosen: Cases, *, most: int = 12) -> str:
    """The ids of some groups in a row."""
    named, rest = [case.id for case in chosen[:most]], len(chosen) - most
    return listing([*named, f"{rest:,} more"] if rest > 0 else named)
