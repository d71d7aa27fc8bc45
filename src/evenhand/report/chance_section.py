"""Section 4: what chance could have done, and what all groups say together."""

from collections.abc import Iterator

import numpy as np

from evenhand.evidence import Certificate, Partition, RelaxedCertificate
from evenhand.evidence.population import Population
from evenhand.evidence.sentences import deciding_partition, is_explained, seen_sentence
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.report.differences_sections import ids
from evenhand.report.html_report import View
from evenhand.report.shown_groups import Cases, turned_common
from evenhand.wording import Strong, Text, Words, count, listing, share, text

_LEVEL = 0.05
_MOST_LINES = 30


def chance(certificate: Certificate, cases: Cases, words: Words) -> View:
    """The chance line and the statistical verdict at length."""
    population = certificate.population
    verdict = text("Statistical verdict: ", Strong(f"{population.verdict}."))
    if not population.measured:
        nothing = "No group can be compared, so there is nothing that chance could explain."
        return View(by_chance=(), seen=None, paragraphs=(text(nothing),), notes=())
    return View(
        by_chance=tuple(_by_chance(certificate, words)),
        seen=_picture(certificate, words),
        paragraphs=(
            _each_group(certificate.partition, population, cases, words),
            *_all_together(population, words),
            verdict,
        ),
        notes=tuple(_notes(certificate, words)),
    )


def _by_chance(certificate: Certificate, words: Words) -> Iterator[Text]:
    """What was seen beside what chance alone would make, and what that means."""
    partition = deciding_partition(certificate.partitions)
    chance = partition.by_chance
    if chance is None or certificate.release:
        return
    alike = "" if partition is certificate.partition else f"{words.same(partition.names)}: "
    yield text(
        Strong(f"{alike}{seen_sentence(partition)}; chance alone would make {chance}."),
        f" The probability that it makes as many is {p_value(chance.p)}. People in such "
        f"groups: {partition.violating_rows:,} seen, about {chance.rows:,.0f} by chance. "
        f"{_conclusion(certificate, partition, chance)}",
    )
    meaning = (
        "Chance alone means that nothing differs: in each group as many get the favorable "
        "decision as did, but who they are is drawn by lot. "
    )
    if chance.at_threshold is None:
        meaning = meaning.replace("the favorable decision", "each decision")
        yield text(
            f"{meaning}With more than two {words.kinds} or decisions that is simulated, so "
            f"that the number expected has a standard error, {chance.error or 0:.2g}. The "
            "criterion asks less than that nothing differs; how many groups would be seen to "
            "reach the threshold if every true difference were just under it is not computed."
        )
        return
    yield text(
        f"{meaning}The criterion asks less, that no "
        "difference reaches the threshold: if every true difference were just under "
        f"{words.threshold_points}, {chance.text_at_threshold} groups would be seen to reach "
        "it.",
    )


def _conclusion(certificate: Certificate, partition: Partition, chance: ByChance) -> str:
    """The rule: the number, the shown ones and the average must all be chance's work."""
    if certificate.explained_by_chance:
        return "That is no more than chance would make, given this graph."
    if chance.p < _LEVEL:
        return "That is more than chance alone would make."
    shown = int(partition.statistics.shown.sum())
    what = f"{count(shown, 'difference')} shown beyond the threshold"
    if is_explained(partition):
        others = "other causes that the graph leaves open"
        if len(certificate.possible_decision_causes) < 2:
            others = "the causes of the decision held equal"
        return f"With {others}, chance would not explain it."
    average = f"{'the' if partition.two_groups else 'every'} difference on average"
    return (
        f"The number may be chance, but chance does not explain {what if shown else average}."
    )


def _picture(certificate: Certificate, words: Words) -> View | None:
    if certificate.release:
        return None
    partitions = certificate.partitions[:_MOST_LINES]
    rest = len(certificate.partitions) - len(partitions)
    more = f" {count(rest, 'further comparison')} not drawn." if rest else ""
    return View(
        title=f"Groups at or beyond {words.threshold_points}: seen, and by chance alone",
        subtitle="Share of the comparable groups, from none to all. The range holds 95% of "
        f"what chance alone makes.{more}",
        lines=tuple(
            _line(partition, chance, words)
            for partition in partitions
            if (chance := partition.by_chance)
        ),
    )


def _line(partition: Partition, chance: ByChance, words: Words) -> View:
    measured = int(partition.measured.sum())
    seen = f"{partition.violating:,} of {measured:,}"
    return View(
        alike=words.same(partition.names),
        seen=100 * partition.violating / measured,
        band=(100 * chance.lower / measured, 100 * chance.upper / measured),
        limit=None
        if chance.at_threshold is None
        else 100 * min(chance.at_threshold / measured, 1.0),
        seen_text=seen,
        chance_text=str(chance),
        limit_text=chance.text_at_threshold,
        p=p_value(chance.p),
        description=f"{seen} seen, {chance} by chance",
    )


def _each_group(
    partition: Partition, population: Population, cases: Cases, words: Words
) -> Text:
    shown = cases.shown
    allowing = f"After allowing for {count(population.comparisons, 'comparison')}, "
    if not shown:
        one = "group" if partition.two_groups else "comparison"
        return text(
            f"{allowing}no single {one} is shown to differ by more than "
            f"{words.threshold_points}{_milder(partition)}. "
            f"{f'{population.within:,}' if population.within else 'None'} "
            f"{'are' if population.within > 1 else 'is'} shown to differ by less, each taken "
            "by itself.",
        )
    sides = _sides(population, words)
    reaching = int(np.count_nonzero(partition.comparisons.side))
    many = population.shown
    return text(
        allowing,
        Strong(f"{many:,} of {reaching:,}"),
        f" differences at or beyond the threshold {'is' if many == 1 else 'are'} shown "
        f"to lie beyond it ({ids(shown)}): {sides}{_milder(partition)}. "
        f"{'Its interval lies' if many == 1 else 'Their intervals lie'} wholly beyond "
        f"{words.threshold_points}.",
    )


def _sides(population: Population, words: Words) -> str:
    """How many of the differences shown favor whom."""
    if words.has_sides:
        for_group = population.shown_for_group
        sides = [(population.shown - for_group, words.other), (for_group, words.group)]
    else:
        partition = population.partition
        compared, statistics = partition.comparisons, partition.statistics
        ends = np.array(partition.pairs, np.intp)[compared.pair[statistics.shown]]
        ahead = ends[range(len(ends)), (statistics.difference[statistics.shown] > 0) * 1]
        tally = np.bincount(ahead, minlength=len(partition.groups)).tolist()
        sides = [*zip(tally, map(words.group_name, partition.groups), strict=True)]
    more = "ahead" if words.is_favor else "more often"
    return listing(f"{many:,} with {who} {more}" for many, who in sides if many)


def _milder(partition: Partition) -> str:
    """How many a rule would name that lets some of its findings be false."""
    rates = partition.statistics.discovery_rate
    if len(rates) < 2:
        return ""
    many = int((rates < _LEVEL).sum())
    return (
        f"; {f'{many:,}' if many else 'none'} by the milder rule that one in twenty findings "
        "may be false (Benjamini–Hochberg)"
    )


def _notes(certificate: Certificate, words: Words) -> Iterator[str]:
    """Caveats to the statistical verdict, and the relaxed criterion."""
    yield from certificate.population.notes
    yield _relaxed_sentence(certificate.relaxed(), words)


def _all_together(population: Population, words: Words) -> Iterator[Text]:
    partition = population.partition
    pair = words.leading_pair(partition)
    if common := population.common:
        difference, low, high = turned_common(common, partition.question)
        group, other = pair if difference == common.difference else pair[::-1]
        told = ""
        if not partition.two_groups:
            several = partition.statistics.mean_count
            did = f" who {words.did_by(partition.leading_decision)}" if words.cuts[1:] else ""
            told = f" that is clearest of {several:,}, {other} minus {group}{did},"
        yield text(
            f"Weighed together (Mantel–Haenszel), the difference{told} is ",
            Strong(f"{words.points(difference)} points"),
            f", 95% interval {words.interval((low, high))}, p that it is "
            f"zero: {p_value(common.p_zero)}."
            + (f" {_on_average(common, words)}" if population.measured > 1 else ""),
        )
    if (varying := population.heterogeneity) and population.measured > 1:
        more = f"more often {words.did_by(partition.leading_decision)}"
        both, lead = f"{pair[0]} {more} in some and {pair[1]} in others", more
        if words.is_favor:
            both, lead = f"some favor {pair[0]} and some {pair[1]}", "are ahead"
        yield text(
            f"Whether all groups share one difference: p {p_value(varying.p)}. Whether "
            f"{both}: p "
            f"{p_value(varying.p_opposite)}; {words.people_with(partition.leading_labels[1])} "
            f"{lead} in {varying.for_other:,}, {pair[0]} in {varying.for_group:,}.",
        )


def _on_average(common: PooledDifference, words: Words) -> str:
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
