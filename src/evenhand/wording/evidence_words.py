"""What was found, in sentences: differences, evidence, and what chance could have done."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from evenhand.evidence import Certificate, Partition, RelaxedCertificate, Subpopulation
from evenhand.evidence.population import Population
from evenhand.evidence.sentences import deciding_partition, is_explained, seen_sentence
from evenhand.evidence.statistics.by_chance import ByChance
from evenhand.evidence.statistics.pooled_difference import PooledDifference
from evenhand.evidence.subpopulations import p_value
from evenhand.question import Question
from evenhand.wording.numbers import count, listing, share
from evenhand.wording.statements import Strong, Text, text
from evenhand.wording.words import Words, has_sides

_LEVEL = 0.05
_MOST_IDS = 12


def differences_lead(certificate: Certificate, words: Words) -> Text:
    """From where to where the differences go, and who is ahead."""
    partition = certificate.partition
    if not partition.measured.any():
        return f"There is no group to show in which {words.both} can be compared."
    compared, values = partition.comparisons, partition.extremes
    if not words.has_sides:
        return text(
            "The widest gap in a group is ",
            Strong(f"{words.points(max(map(abs, values)))} points"),
            f". Of each group those two {words.kinds} are drawn and told whose difference "
            "chance explains least.",
        )
    ends = Strong(
        " to ".join(dict.fromkeys(map(words.points, (min(values), max(values))))) + " points"
    )
    if len(compared) == 1:
        return "The one difference is ", ends, "."
    if words.points(min(values)) == words.points(max(values)):
        return "The differences are all ", ends, "."
    sides = {*compared.side.tolist()}
    who = f"Above zero {words.other_people} {words.lead}, below zero {words.group_people}."
    if sides in ({1}, {-1}):
        ahead = words.other_people if sides == {1} else words.group_people
        who = f"In every one of them {ahead} {words.lead}."
    return "The differences go from ", ends, f". {who}"


def evidence_lead(
    certificate: Certificate, reaching: int, shown: int, in_words: int, words: Words
) -> Text:
    """How many groups reach the threshold, and how many of them are told in words."""
    if not certificate.partition.measured.any():
        return "No group can be compared: there is no evidence to list."
    if not reaching:
        return (
            f"No comparable group differs by {words.threshold_points} or more: there is no "
            "evidence to list."
        )
    if in_words < reaching:
        return text(
            Strong(f"{reaching:,} groups"),
            f" reach the threshold, {shown:,} of them shown to lie beyond it. The {in_words} "
            "least likely to be chance are told in words, the others follow in numbers; all of "
            "them are in the certificate.",
        )
    many = f"All {reaching} groups that reach the threshold"
    if reaching == 1:
        many = "The one group that reaches the threshold"
    return f"{many}, least likely to be chance first."


def widest_sentence(people: Subpopulation, words: Words) -> str:
    """The widest gap of a group, where it is not the one that chance explains least."""
    group, other = words.pair(people)
    decided = f" {words.did_by(people.decision)}" if len(words.cuts) > 1 else ""
    return (
        f"Widest gap: {words.points(abs(people.risk_difference or Fraction(0)))} points, "
        f"{people.other_yes:,} of {people.other:,} {other} and {people.group_yes:,} of "
        f"{people.group:,} {group}{decided}."
    )


def turned_common(common: PooledDifference, question: Question) -> tuple[float, float, float]:
    """A difference on average with the ends of its interval; a gap is not below zero."""
    if has_sides(question) or common.difference >= 0:
        return common.difference, common.low, common.high
    return -common.difference, 0.0 - common.high, 0.0 - common.low


def by_chance(certificate: Certificate, words: Words) -> Iterator[Text]:
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
    one = "each decision" if chance.at_threshold is None else "the favorable decision"
    meaning = (
        f"Chance alone means that nothing differs: in each group as many get {one} as did, but "
        "who they are is drawn by lot."
    )
    if chance.at_threshold is None:
        yield (
            f"{meaning} With more than two {words.kinds} or decisions that is simulated, so "
            f"that the number expected has a standard error, {chance.error or 0:.2g}. The "
            "criterion asks less than that nothing differs; how many groups would be seen to "
            "reach the threshold if every true difference were just under it is not computed."
        )
    else:
        yield (
            f"{meaning} The criterion asks less, that no difference reaches the threshold: if "
            f"every true difference were just under {words.threshold_points}, "
            f"{chance.text_at_threshold} groups would be seen to reach it."
        )


def _conclusion(certificate: Certificate, partition: Partition, chance: ByChance) -> str:
    """The rule: the number, the shown ones and the average must all be chance's work."""
    if certificate.explained_by_chance:
        return "That is no more than chance would make, given this graph."
    if chance.p < _LEVEL:
        return "That is more than chance alone would make."
    if is_explained(partition):
        others = "other causes that the graph leaves open"
        if len(certificate.possible_decision_causes) < 2:
            others = "the causes of the decision held equal"
        return f"With {others}, chance would not explain it."
    what = f"{'the' if partition.two_groups else 'every'} difference on average"
    if shown := int(partition.statistics.shown.sum()):
        what = f"{count(shown, 'difference')} shown beyond the threshold"
    return f"The number may be chance, but chance does not explain {what}."


def chance_statements(certificate: Certificate, words: Words) -> Iterator[Text]:
    """The statistical verdict at length: each group, all together, and the word for it."""
    population = certificate.population
    if not population.measured:
        yield "No group can be compared, so there is nothing that chance could explain."
        return
    yield _each_group(certificate.partition, population, words)
    yield from _all_together(population, words)
    yield "Statistical verdict: ", Strong(f"{population.verdict}.")


def chance_notes(certificate: Certificate, words: Words) -> Iterator[str]:
    """Caveats to the statistical verdict, and the relaxed criterion."""
    if certificate.population.measured:
        yield from certificate.population.notes
        yield _relaxed_sentence(certificate.relaxed(), words)


def _each_group(partition: Partition, population: Population, words: Words) -> Text:
    allowing = f"After allowing for {count(population.comparisons, 'comparison')}, "
    beyond, within = words.threshold_points, population.within
    leading = np.append(partition.statistics.shown, False)[partition.lead]  # numpy's
    ids = [f"E{rank}" for rank in sorted(partition.strength_rank[leading].tolist())]
    if not ids:
        one = "group" if partition.two_groups else "comparison"
        return (
            f"{allowing}no single {one} is shown to differ by more than "
            f"{beyond}{_milder(partition)}. {f'{within:,}' if within else 'None'} "
            f"{'are' if within > 1 else 'is'} shown to differ by less, each taken by itself."
        )
    named, rest = ids[:_MOST_IDS], len(ids) - _MOST_IDS
    which = listing([*named, f"{rest:,} more"] if rest > 0 else named)
    many, reaching = population.shown, int(np.count_nonzero(partition.comparisons.side))
    verb, their = ("is", "Its interval lies") if many == 1 else ("are", "Their intervals lie")
    return text(
        allowing,
        Strong(f"{many:,} of {reaching:,}"),
        f" differences at or beyond the threshold {verb} shown to lie beyond it ({which}): "
        f"{_sides(population, words)}{_milder(partition)}. {their} wholly beyond {beyond}.",
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


def _all_together(population: Population, words: Words) -> Iterator[Text]:
    partition = population.partition
    pair, did = words.leading_pair(partition), words.did_by(partition.leading_decision)
    if common := population.common:
        difference, low, high = turned_common(common, partition.question)
        group, other = pair if difference == common.difference else pair[::-1]
        told = ""
        if not partition.two_groups:
            several = partition.statistics.mean_count
            who = f"{other} minus {group}{f' who {did}' if words.cuts[1:] else ''}"
            told = f" that is clearest of {several:,}, {who},"
        average = f" {_on_average(common, words)}" if population.measured > 1 else ""
        yield text(
            f"Weighed together (Mantel–Haenszel), the difference{told} is ",
            Strong(f"{words.points(difference)} points"),
            f", 95% interval {words.interval((low, high))}, p that it is zero: "
            f"{p_value(common.p_zero)}.{average}",
        )
    if (varying := population.heterogeneity) and population.measured > 1:
        both, lead = f"some favor {pair[0]} and some {pair[1]}", "are ahead"
        if not words.is_favor:
            lead = f"more often {did}"
            both = f"{pair[0]} {lead} in some and {pair[1]} in others"
        yield (
            f"Whether all groups share one difference: p {p_value(varying.p)}. Whether "
            f"{both}: p {p_value(varying.p_opposite)}; "
            f"{words.people_with(partition.leading_labels[1])} {lead} in "
            f"{varying.for_other:,}, {pair[0]} in {varying.for_group:,}."
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
