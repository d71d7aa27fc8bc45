"""Sections 2 and 3: how far the groups differ, and the counts that show it."""

from collections.abc import Sequence

import numpy as np

from evenhand.evidence import Certificate
from evenhand.evidence.subpopulations import p_value
from evenhand.report import drawing, view
from evenhand.report.charts import Scale, ends, funnel, in_points, mark, rates
from evenhand.report.group_names import Naming
from evenhand.report.phrases import Words, capital, count, listing, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.view import Strong, text

# Up to so many groups one plot shows all of them.
FEW = 15
STRONGEST = 20
_MOST_OTHERS = 500
_MOST_FLAGS = 12


def differences(
    certificate: Certificate, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> view.Differences:
    """All groups in one plot if they are few, else where people are, all, and the strongest."""
    few = len(drawn) <= FEW
    reaching = [case for case in drawn if case.side]
    chosen, draw = (drawn, _all_of_few) if few else (reaching[:STRONGEST], _strongest)
    return view.Differences(
        lead=_lead(drawn, words, sharing),
        all_people=f"All {certificate.rows:,} people by the difference in their group.",
        parts=() if few or not sharing.whole else _parts(certificate, words),
        funnel=None if few else funnel(drawn, words, **_marks(sharing)),
        plot=draw(certificate, chosen, words, sharing) if chosen else None,
    )


def evidence(drawn: Sequence[Case], words: Words, sharing: Sharing) -> view.Evidence:
    """The pieces of evidence, strongest first: some in words, the others in numbers."""
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
        return text(
            f"There is no group to show in which {words.group} and {words.other} can be "
            "compared.",
        )
    sides = {case.side for case in drawn}
    values = [case.difference for case in drawn]
    span = f"{words.points(min(values))} to {words.points(max(values))} points"
    which = "Among the groups shown here, the" if not sharing.whole else "The"
    who = (
        f"In every one of them {words.other} are ahead."
        if sides == {1}
        else f"In every one of them {words.group} are ahead."
        if sides == {-1}
        else f"Above zero {words.other} are ahead, below zero {words.group}."
    )
    if len(drawn) == 1:
        return text("The one difference is ", Strong(f"{words.points(values[0])} points"), ".")
    return text(f"{which} differences go from ", Strong(span), f". {who}")


def _parts(certificate: Certificate, words: Words) -> tuple[drawing.Part, ...]:
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
            drawing.Part(
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


def _all_of_few(
    certificate: Certificate, chosen: Sequence[Case], words: Words, sharing: Sharing
) -> drawing.DotPlot:
    """Rates beside differences, for every group."""
    scale, naming = _scale(chosen, words), Naming.of(certificate, words)
    reaching = sum(case.side != 0 for case in chosen)
    title = (
        "In every group, the difference reaches the threshold"
        if reaching == len(chosen)
        else f"In {reaching or 'none'} of {len(chosen)} groups the difference reaches the "
        "threshold"
    )
    return drawing.DotPlot(
        title=title,
        subtitle=f"Shares of {words.group} and of {words.other} who {words.did}, and the "
        "difference with its 95% interval. Evidence first, least likely to be chance first.",
        name=naming.head,
        detail=naming.detail_head,
        flags=(),
        rates=f"Share who {words.did}",
        group=words.group,
        other=words.other,
        **_marks(sharing),
        axis=scale.axis(words),
        lines=tuple(
            drawing.Line(
                id=case.id,
                name=naming.name(case),
                detail=naming.detail(case),
                flags=(),
                rates=rates(case, words),
                mark=mark(case, scale, words),
            )
            for case in chosen
        ),
    )


def _strongest(
    certificate: Certificate, chosen: Sequence[Case], words: Words, sharing: Sharing
) -> drawing.DotPlot:
    """Who is in a group as dots if all attributes have two values, else in words."""
    scale, names = _scale(chosen, words), certificate.partition.names
    common = _common(chosen, names)
    told = [name for name in names if name not in common]
    flags = _flags(certificate, told)
    also = f" All of them: {words.alike(common)}." if common else ""
    return drawing.DotPlot(
        title=f"The {len(chosen)} strongest findings" if len(chosen) > 1 else "The one finding",
        subtitle=f"Groups at or beyond the threshold, least likely to be chance first.{also}",
        name="Group",
        detail="people",
        flags=tuple(words.value(name, value) for name, value in flags.items()),
        rates="",
        group=words.group,
        other=words.other,
        **_marks(sharing),
        axis=scale.axis(words),
        lines=tuple(
            drawing.Line(
                id=case.id,
                name=words.alike({name: case.found.where[name] for name in told or names}),
                detail=f"{case.found.rows:,}",
                flags=tuple(case.found.where[name] == value for name, value in flags.items()),
                rates=None,
                mark=mark(case, scale, words),
            )
            for case in chosen
        ),
    )


def _scale(chosen: Sequence[Case], words: Words) -> Scale:
    """An axis with room for the numbers, which stand beyond the outer ends of intervals."""
    held = [*map(in_points, chosen), *(end for case in chosen for end in ends(case))]
    left, right = (
        0.26 if any(sign * case.difference > 0 for case in chosen) else 0.02 for sign in (-1, 1)
    )
    return Scale.over(held, float(100 * words.question.threshold), left=left, right=right)


def _common(chosen: Sequence[Case], names: Sequence[str]) -> dict[str, str]:
    """Values that all of them share, if there are several."""
    if len(chosen) == 1:
        return {}
    first = chosen[0].found.where
    return {
        n: first[n] for n in names if all(case.found.where[n] == first[n] for case in chosen)
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
    reaching: Sequence[Case], told: Sequence[Case], words: Words, sharing: Sharing
) -> view.Text:
    if not reaching:
        where = "No group that may be shown" if not sharing.whole else "No comparable group"
        return text(
            f"{where} differs by {words.threshold_points} or more: there is no evidence to "
            "list.",
        )
    if not sharing.whole:
        return text(
            f"Of the groups that may be shown, {len(reaching):,} "
            f"{'differs' if len(reaching) == 1 else 'differ'} by {words.threshold_points} or "
            "more.",
        )
    if len(told) < len(reaching):
        return text(
            Strong(f"{len(reaching):,} groups"),
            f" are evidence. The {len(told)} least likely to be chance are told in words, "
            "the others follow in numbers; all of them are in the certificate.",
        )
    many = (
        "The one group that counts as evidence"
        if len(reaching) == 1
        else f"All {len(reaching)} groups that count as evidence"
    )
    return text(f"{many}, least likely to be chance first.")


def _marks(sharing: Sharing) -> dict[str, str]:
    """What filled and hollow mean: without the withheld groups chance cannot be judged."""
    if sharing.whole:
        return {"filled": "shown beyond the threshold", "hollow": "not shown beyond it"}
    return {
        "filled": "interval beyond the threshold",
        "hollow": "interval reaches into the band",
    }


def _note(words: Words, sharing: Sharing) -> str:
    adjusted = (
        "The adjusted p allows for all comparisons made; a difference is shown if its interval "
        "lies wholly beyond the threshold and its adjusted p is under 0.05."
        if sharing.whole
        else "Adjusted p-values depend on groups that are withheld, and are left out: "
        "whether a difference is shown among so many is not said here."
    )
    return (
        "p is the probability of a difference at least so large, were the true one no larger "
        f"than {words.threshold_points}. {adjusted}"
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
