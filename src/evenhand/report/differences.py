"""Sections 2 and 4: how far the groups differ, and what chance alone would make."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.evidence import Certificate
from evenhand.report.groups import Case, group_heads, group_names, select_cases, unsigned
from evenhand.report.html_report import View
from evenhand.report.pictures.charts import case_mark, case_rates, dot_plot, funnel
from evenhand.wording import Words, count
from evenhand.wording.certificate_words import chance_facts, population_summary
from evenhand.wording.evidence_words import chance_lead, differences_lead

# Up to so many groups one plot shows all of them.
FEW = 15
STRONGEST = 20
_MOST_FLAGS = 12
_MOST_LINES = 30


def differences(certificate: Certificate, words: Words) -> View:
    """All groups in one plot if they are few, else where people are, all, and the strongest."""
    partition = certificate.partition
    few = is_few(certificate)
    chosen = select_cases(partition, FEW if few else min(STRONGEST, partition.violating))
    draw = plot_of_few if few else _strongest
    return View(
        lead=differences_lead(certificate, words),
        all_people=f"{certificate.row_count:,} people by the difference in their group.",
        segments=() if few else tuple(_segments(certificate, words)),
        funnel=None if few else group_dots(certificate, words),
        plot=draw(certificate, chosen, words) if chosen else None,
    )


def is_few(certificate: Certificate) -> bool:
    """Whether one plot can show all groups that were measured."""
    return int(np.count_nonzero(certificate.partition.measured)) <= FEW


def group_dots(certificate: Certificate, words: Words) -> View | None:
    """All comparisons; where there are several in a group, an id is that of its strongest."""
    every = np.arange(len(certificate.partition.comparisons))
    if not len(every):
        return None
    return funnel(certificate.partition, every, words, named=True, what=words.comparison)


def _segments(
    certificate: Certificate, words: Words
) -> Iterator[tuple[str, str, int, int, float, float]]:
    """All people by what was found in their group: a kind, groups, people, place and share."""
    partition, t = certificate.partition, words.threshold_points
    shown, side = partition.shown, unsigned(partition.side, words.question)
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
    reaching = certificate.partition.violating
    title = "In every group, the difference reaches the threshold"
    if reaching < len(chosen):
        many = f"{reaching or 'none'} of {len(chosen)} groups"
        title = f"In {many} the difference reaches the threshold"
    return dot_plot(
        (
            View(
                id=case.id,
                names=group_names(case, words),
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
        heads=group_heads(certificate.partition.names, words),
        rates=f"Share who {words.did}",
    )


def _strongest(certificate: Certificate, chosen: Sequence[Case], words: Words) -> View:
    """Who is in a group as dots if all attributes have two values, else in words."""
    first, *others = (case.people.where for case in chosen)
    common = {
        name: value
        for name, value in first.items()
        if others and all(one[name] == value for one in others)
    }
    varying = [name for name in first if name not in common]
    flags = _flags(certificate, varying)
    also = f" All of them: {words.alike(common)}." if common else ""
    return dot_plot(
        (
            View(
                id=case.id,
                names=(
                    words.alike({name: case.people.where[name] for name in varying or first}),
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
    shown = sum(case.people.shown for case in chosen)
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


def chance(certificate: Certificate, words: Words) -> View:
    """Section 4: for each way to compare, how many groups reach the threshold, and would."""
    population, partitions = certificate.population, certificate.partitions[:_MOST_LINES]
    is_drawn = population.measured and not certificate.release
    rest = len(certificate.partitions) - len(partitions)
    more = f" {count(rest, 'further comparison')} not drawn." if rest else ""
    facts = chance_facts(certificate.partitions) if is_drawn else []
    tests = population_summary(population)
    together = replace(tests, facts=(*facts, *tests.facts))
    return View(
        lead=chance_lead(certificate) if is_drawn else "",
        title=f"Groups at or beyond {words.threshold_points}: seen, and by chance alone",
        subtitle="Share of the comparable groups, from none to all. The range holds 95% of "
        f"what chance alone makes.{more}",
        seen=[one for one in partitions if one.by_chance] if is_drawn else [],
        words=words,
        results=[together, certificate.relaxed().summary()],
    )
