"""Sections 2 and 3: how far the groups differ, and the counts that show it."""

from collections.abc import Sequence

import numpy as np

from evenhand.evidence import Certificate
from evenhand.evidence.subpopulations import p_value
from evenhand.report import view
from evenhand.report.cases import Case, Sharing
from evenhand.report.charts import Scale, ends, funnel, in_points, mark, rates
from evenhand.report.view import Strong
from evenhand.report.wording import Words, capital, count, listing, share

# Up to so many groups one plot shows all of them.
FEW = 15
STRONGEST = 20
_MOST_OTHERS = 500


def differences(
    certificate: Certificate, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> view.Differences:
    """All groups in one plot if they are few, else where people are, a funnel, the strongest."""
    few = len(drawn) <= FEW
    reaching = [case for case in drawn if case.side]
    chosen = drawn if few else reaching[:STRONGEST]
    return view.Differences(
        lead=_lead(drawn, words, sharing),
        all_people=f"All {certificate.rows:,} people by the difference in their group.",
        parts=() if few or not sharing.whole else _parts(certificate, words),
        funnel=None if few else funnel(drawn, words, shown=_shown(sharing)),
        plot=_plot(certificate, chosen, words, sharing, few=few) if chosen else None,
    )


def evidence(drawn: Sequence[Case], words: Words, sharing: Sharing) -> view.Evidence:
    """The pieces of evidence, strongest first: in words as far as one reads, then in numbers."""
    reaching = [case for case in drawn if case.side]
    told, others = reaching[:STRONGEST], reaching[STRONGEST : STRONGEST + _MOST_OTHERS]
    beyond = len(reaching) - len(told) - len(others)
    return view.Evidence(
        lead=_evidence_lead(reaching, told, words, sharing),
        told=tuple(_finding(case, words, sharing) for case in told),
        others=tuple(_finding(case, words, sharing) for case in others),
        others_title=f"The other {count(len(others), 'group')}, in numbers"
        + (f"; {beyond:,} more are in the certificate" if beyond else ""),
        group=capital(words.group),
        other=capital(words.other),
        shown="shown" if sharing.whole else "interval beyond",
        not_shown="not shown" if sharing.whole else "interval reaches in",
        note=_note(words, sharing),
    )


def _lead(drawn: Sequence[Case], words: Words, sharing: Sharing) -> view.Text:
    if not drawn:
        return (
            f"There is no group to show in which {words.group} and {words.other} can be compared.",
        )
    sides = {case.side for case in drawn}
    values = [case.found.risk_difference or 0 for case in drawn]
    span = f"{words.points(min(values))} to {words.points(max(values))} points"
    if len(drawn) == 1:
        span = f"{words.points(values[0])} points"
    which = "Among the groups shown here, the" if not sharing.whole else "The"
    who = (
        f"In every one of them {words.other} are ahead."
        if sides == {1}
        else f"In every one of them {words.group} are ahead."
        if sides == {-1}
        else f"Above zero {words.other} are ahead, below zero {words.group}."
    )
    return (f"{which} differences go from ", Strong(span), f". {who}")


def _parts(certificate: Certificate, words: Words) -> tuple[view.Part, ...]:
    """All people by what was found in their group."""
    partition, t = certificate.partition, words.threshold_points
    calm = partition.measured & (partition.side == 0)
    kinds = (
        ("other", f"{words.group} higher by {t} or more", partition.side < 0),
        ("none", f"under {t} either way", calm),
        ("group", f"{words.other} higher by {t} or more", partition.side > 0),
        ("absent", "no comparison possible", ~partition.measured),
    )
    parts, at = [], 0.0
    for kind, label, lines in kinds:
        people = int(partition.rows[lines].sum())
        width = 100 * people / certificate.rows
        parts.append(
            view.Part(
                kind=kind,
                label=label,
                groups=f"{np.count_nonzero(lines):,}",
                people=f"{people:,}",
                share=share(people / certificate.rows),
                at=at,
                width=width,
            )
        )
        at += width
    return tuple(parts)


def _plot(
    certificate: Certificate,
    chosen: Sequence[Case],
    words: Words,
    sharing: Sharing,
    *,
    few: bool,
) -> view.DotPlot:
    threshold = float(100 * words.question.threshold)
    values = [end for case in chosen for end in ends(case)]
    drawn = list(map(in_points, chosen))
    # The number stands beyond the outer end of the interval, and needs room there.
    left, right = (0.26 if any(sign * d > 0 for d in drawn) else 0.02 for sign in (-1, 1))
    scale = Scale.over([*values, *drawn], threshold, left=left, right=max(right, 0.02))
    names = certificate.partition.names
    common = _common(chosen, names) if not few else {}
    flags = () if few else _flags(certificate, [n for n in names if n not in common], words)
    title, subtitle = _titles(chosen, words, few=few)
    if common and not flags:
        subtitle += f" All of them: {words.alike(common)}."
        names = tuple(name for name in names if name not in common)
    lead, *rest = sorted(names, key=lambda n: -len(certificate.posed.counts.attribute(n))) or [
        ""
    ]
    return view.DotPlot(
        title=title,
        subtitle=subtitle,
        name=capital(words.column(lead)) if few and lead else "Group",
        detail=" · ".join([*map(words.column, rest), "people"]) if few else "people",
        flags=tuple(text for _, text in flags),
        rates=f"Share who {words.did}" if few else "",
        group=words.group,
        other=words.other,
        shown=_shown(sharing),
        axis=scale.axis(words),
        lines=tuple(
            view.Line(
                id=case.id,
                name=_name(case, lead, words)
                if few
                else words.alike({n: case.found.where[n] for n in names}),
                detail=" · ".join(
                    [
                        *(words.labels.value(n, case.found.where[n]) for n in rest if few),
                        f"{case.found.rows:,}",
                    ]
                ),
                flags=tuple(case.found.where[n] == _yes(certificate, n) for n, _ in flags),
                rates=rates(case, words) if few else None,
                mark=mark(case, scale, words),
            )
            for case in chosen
        ),
    )


def _name(case: Case, lead: str, words: Words) -> str:
    return words.labels.value(lead, case.found.where[lead]) if lead else "Everybody"


def _titles(chosen: Sequence[Case], words: Words, *, few: bool) -> tuple[str, str]:
    if not few:
        return (
            f"The {len(chosen)} strongest findings" if len(chosen) > 1 else "The one finding",
            "Groups at or beyond the threshold, least likely to be chance first.",
        )
    reaching = sum(case.side != 0 for case in chosen)
    title = (
        "In every group, the difference reaches the threshold"
        if reaching == len(chosen)
        else "In no group does the difference reach the threshold"
        if not reaching
        else f"In {reaching} of {len(chosen)} groups the difference reaches the threshold"
    )
    return title, (
        f"Shares of {words.group} and of {words.other} who {words.did}, and the "
        "difference with its 95% interval. Evidence first, least likely to be chance first."
    )


def _common(chosen: Sequence[Case], names: Sequence[str]) -> dict[str, str]:
    """Values that all of them share."""
    first = chosen[0].found.where
    return {
        n: first[n] for n in names if all(case.found.where[n] == first[n] for case in chosen)
    }


def _yes(certificate: Certificate, name: str) -> str:
    """Of two values the one that a dot stands for: the shorter says what the other is not."""
    return min(certificate.posed.counts.attribute(name).values, key=lambda v: (len(v), v))


def _flags(
    certificate: Certificate, names: Sequence[str], words: Words
) -> tuple[tuple[str, str], ...]:
    """Who is in a group as a row of dots, if every attribute has two values."""
    counts = certificate.posed.counts
    if len(names) > 12 or any(len(counts.attribute(name)) != 2 for name in names):
        return ()
    return tuple((name, words.value(name, _yes(certificate, name))) for name in names)


def _evidence_lead(
    reaching: Sequence[Case], told: Sequence[Case], words: Words, sharing: Sharing
) -> view.Text:
    if not reaching:
        where = "No group that may be shown" if not sharing.whole else "No comparable group"
        return (
            f"{where} differs by {words.threshold_points} or more: there is no evidence to list.",
        )
    if not sharing.whole:
        return (
            f"Of the groups that may be shown, {len(reaching):,} "
            f"{'differs' if len(reaching) == 1 else 'differ'} by {words.threshold_points} or more.",
        )
    if len(told) < len(reaching):
        return (
            Strong(f"{len(reaching):,} groups"),
            f" are evidence. The {len(told)} least likely to be chance are told in words, "
            "the others follow in numbers; all of them are in the certificate.",
        )
    many = (
        "The one group that counts as evidence"
        if len(reaching) == 1
        else (f"All {len(reaching)} groups that count as evidence")
    )
    return (f"{many}, least likely to be chance first.",)


def _shown(sharing: Sharing) -> str:
    """What a filled mark means: without the withheld groups chance cannot be allowed for."""
    return "more than chance" if sharing.whole else "interval beyond the threshold"


def _note(words: Words, sharing: Sharing) -> str:
    adjusted = (
        "The adjusted p allows for all comparisons made; a difference is shown if its interval lies "
        "wholly beyond the threshold and its adjusted p is under 0.05."
        if sharing.whole
        else "Adjusted p-values depend on groups that are withheld, and are left out: whether a "
        "difference is more than chance among so many is not said here."
    )
    return (
        "p is the probability of a difference at least so large, were the true one no larger than "
        f"{words.threshold_points}. {adjusted}"
    )


def _finding(case: Case, words: Words, sharing: Sharing) -> view.Finding:
    found = case.found
    return view.Finding(
        id=case.id,
        sentence=words.story(found),
        rows=words.alike(found.where) or "everybody",
        group=f"{found.group_yes:,} of {found.group:,}",
        other=f"{found.other_yes:,} of {found.other:,}",
        difference=words.points(found.risk_difference),
        direction=words.higher(found.risk_difference),
        interval=words.interval(found.interval),
        p=p_value(found.p_threshold),
        adjusted=p_value(found.p_adjusted) if sharing.whole else "withheld",
        shown=case.shown,
    )


def ids(chosen: Sequence[Case], *, most: int = 12) -> str:
    """The ids of some groups in a row."""
    named = [case.id for case in chosen]
    return listing(
        [*named[:most], f"{len(named) - most:,} more"] if len(named) > most else named
    )
