"""Sections 2 and 3: how far the groups differ, and the counts that show it."""

from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.evidence import Certificate, Partition, Subpopulation
from evenhand.evidence.sentences import average_sentence
from evenhand.evidence.subpopulations import p_value
from evenhand.report.groups import (
    Case,
    Cases,
    group_heads,
    group_names,
    turned_sides,
    widest_in,
)
from evenhand.report.html_report import View
from evenhand.report.pictures.charts import (
    MOST_DOTS,
    case_mark,
    case_rates,
    case_spots,
    dot_plot,
    funnel,
    further_spots,
)
from evenhand.wording import Strong, Words, capital, count, rate, share, text
from evenhand.wording.evidence_words import differences_lead, evidence_lead, widest_sentence

# Up to so many groups one plot shows all of them.
FEW = 15
STRONGEST = 20
_MOST_OTHERS = 500
_MOST_FLAGS = 12


def differences(certificate: Certificate, cases: Cases, words: Words) -> View:
    """All groups in one plot if they are few, else where people are, all, and the strongest."""
    few = len(cases) <= FEW
    chosen, draw = (cases, plot_of_few) if few else (cases.reaching[:STRONGEST], _strongest)
    return View(
        lead=differences_lead(certificate, words),
        all_people=f"{certificate.row_count:,} people by the difference in their group.",
        segments=() if few else tuple(_segments(certificate, words)),
        funnel=None if few else group_dots(certificate, cases, words),
        plot=draw(certificate, chosen, words) if chosen else None,
    )


def evidence(certificate: Certificate, cases: Cases, words: Words) -> View:
    """The pieces of evidence, strongest first: some in words, the others in numbers."""
    reaching = cases.reaching
    strongest, others = reaching[:STRONGEST], reaching[STRONGEST : STRONGEST + _MOST_OTHERS]
    beyond = len(reaching) - len(strongest) - len(others)
    return View(
        lead=evidence_lead(
            certificate, len(reaching), len(reaching.shown), len(strongest), words
        ),
        in_words=[finding(certificate.partition, case, words) for case in strongest],
        others=[finding(certificate.partition, case, words) for case in others],
        others_title=f"The other {count(len(others), 'group')}, in numbers"
        + (f"; {beyond:,} more are in the certificate" if beyond else ""),
        group=capital(words.group),
        other=capital(words.other),
        threshold=words.threshold_points,
    )


def group_dots(certificate: Certificate, cases: Cases, words: Words) -> View:
    """All comparisons; where there are several in a group, an id is that of its strongest."""
    partition = certificate.partition
    spots = [*case_spots(cases.most_notable(MOST_DOTS)), *further_spots(partition)]
    return funnel(spots, words, total=len(partition.comparisons), what=words.comparison)


def finding(partition: Partition, case: Case, words: Words) -> View:
    """A group in words and numbers; where nothing is measured there are fewer numbers."""
    people = case.people
    group, other = words.pair(people)
    named = ("", "") if words.is_named else (f"{group}: ", f"{other}: ")
    measured = people.risk_difference is not None
    is_widest = partition.widest[case.line] == partition.lead[case.line]
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
        widest="" if is_widest else widest_sentence(widest_in(partition, case.line), words),
    )


def example(certificate: Certificate, cases: Cases, words: Words) -> View | None:
    """The strongest group whose difference is shown, else the difference on average.

    A group that chance may explain is no example, however far its rates lie apart.
    """
    if cases.shown:
        return _shown_example(cases.shown[0], words)
    common, partition = certificate.population.common, certificate.partition
    if common is None or certificate.is_determined:
        return None
    rates = (common.group_rate, common.other_rate)
    (group, other), did = (
        words.leading_pair(partition),
        words.did_by(partition.leading_decision),
    )
    single = f" No single group shows a difference beyond {words.threshold_points}."
    sides = zip((group, other), ("group", "other"), rates, strict=True)
    return View(
        heading="On average",
        sentence=text(
            f"All comparable groups weighed together (Mantel–Haenszel), {share(rates[0])} of "
            f"{group} and {share(rates[1])} of {other} {did}. ",
            Strong(average_sentence(partition, words.labels)),
            single if certificate.population.measured > 1 else "",
        ),
        bars=[bar(who, kind, part, share(part), "weighed") for who, kind, part in sides],
    )


def _shown_example(case: Case, words: Words) -> View:
    people = case.people
    alike = "else causes the decision"
    if words.question.predicts:
        alike = "caused the recorded decision"
    return View(
        heading="For example",
        sentence=(
            *words.story(people),
            " A difference of ",
            Strong(f"{words.points(abs(case.difference))} points"),
            f" between people who are alike in what {alike} by this graph (",
            Strong(case.id),
            f"), shown to lie beyond {words.threshold_points}.",
        ),
        bars=rate_bars(people, words),
    )


def bar(who: str, kind: str, part: float, rated: str, counts: str) -> View:
    """A rate as a bar: its people, its length, its numbers."""
    return View(who=capital(who), kind=kind, width=100 * part, rate=rated, counts=counts)


def rate_bars(people: Subpopulation, words: Words) -> list[View]:
    """The shares of both groups as bars; a group without rows has none."""
    yes, total = (people.group_yes, people.other_yes), (people.group, people.other)
    return [
        bar(who, kind, some / of, rate(some, of), f"{some:,} of {of:,}")
        for who, kind, some, of in zip(
            words.pair(people), ("group", "other"), yes, total, strict=True
        )
        if of
    ]


def _segments(
    certificate: Certificate, words: Words
) -> Iterator[tuple[str, str, int, int, float, float]]:
    """All people by what was found in their group: a kind, groups, people, place and share."""
    partition, t = certificate.partition, words.threshold_points
    shown, side = partition.shown, turned_sides(partition)
    calm, higher, lower = partition.measured & (side == 0), side > 0, side < 0
    kinds = [
        ("shown", f"{words.group} higher, shown beyond {t}", lower & shown),
        ("other", f"{words.group} higher by {t} or more, not shown", lower & ~shown),
        ("none", f"under {t} either way", calm),
        ("group", f"{words.other} higher by {t} or more, not shown", higher & ~shown),
        ("shown", f"{words.other} higher, shown beyond {t}", higher & shown),
    ]
    if not words.has_sides:
        apart = f"{words.both} {t} or more apart"
        kinds = [
            ("none", f"under {t}, all of them", calm),
            ("group", f"{apart}, not shown", higher & ~shown),
            ("shown", f"{apart}, shown beyond {t}", higher & shown),
        ]
    at = 0.0
    for kind, label, lines in (
        *kinds,
        ("absent", "no comparison possible", ~partition.measured),
    ):
        if kind != "shown" or lines.any():
            people = int(partition.row_counts[lines].sum())
            part = people / certificate.row_count
            yield kind, label, int(np.count_nonzero(lines)), people, at, part
            at += 100 * part


def plot_of_few(certificate: Certificate, chosen: Sequence[Case], words: Words) -> View:
    """Rates beside differences, for every group."""
    names, reaching = certificate.partition.names, sum(case.side != 0 for case in chosen)
    title = "In every group, the difference reaches the threshold"
    if reaching < len(chosen):
        many = f"{reaching or 'none'} of {len(chosen)} groups"
        title = f"In {many} the difference reaches the threshold"
    return dot_plot(
        (
            View(
                id=case.id,
                names=group_names(case, names, words),
                pair=words.pair_phrase(case.people),
                rates=case_rates(case, words),
                mark=case_mark(case, words),
            )
            for case in chosen
        ),
        words,
        title=title,
        subtitle=f"Shares of {words.group} and of {words.other} who {words.did}, and the "
        "difference with its 95% interval. Evidence first, least likely to be chance first.",
        heads=group_heads(names, words),
        rates=f"Share who {words.did}",
    )


def _strongest(certificate: Certificate, chosen: Sequence[Case], words: Words) -> View:
    """Who is in a group as dots if all attributes have two values, else in words."""
    names, first = certificate.partition.names, chosen[0].people.where
    common = {
        name: first[name]
        for name in names
        if len(chosen) > 1 and all(one.people.where[name] == first[name] for one in chosen)
    }
    varying = [name for name in names if name not in common]
    flags = _flags(certificate, varying)
    also = f" All of them: {words.alike(common)}." if common else ""
    return dot_plot(
        (
            View(
                id=case.id,
                names=(
                    words.alike({name: case.people.where[name] for name in varying or names}),
                    f"{case.rows:,}",
                ),
                pair=words.pair_phrase(case.people),
                flags=[case.people.where[name] == value for name, value in flags.items()],
                mark=case_mark(case, words),
            )
            for case in chosen
        ),
        words,
        title=_strongest_title(chosen),
        subtitle=f"Groups at or beyond the threshold, least likely to be chance first.{also}",
        heads=("Group", "people"),
        flags=tuple(words.value(name, value) for name, value in flags.items()),
    )


def _strongest_title(chosen: Sequence[Case]) -> str:
    """Findings are what is shown; of others it is said that they are not."""
    shown = sum(case.shown for case in chosen)
    if shown == len(chosen):
        return f"The {shown} strongest findings" if shown > 1 else "The one finding"
    groups = f"The {len(chosen)} groups" if len(chosen) > 1 else "The one group"
    title = f"{groups} at or beyond the threshold that chance explains least"
    return f"{title}; {f'{shown:,} shown' if shown else 'none is shown'}"


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
