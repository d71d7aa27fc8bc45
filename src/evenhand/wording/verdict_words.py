"""The verdicts in words: their names, their colours, a sentence each, and what they rest on."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Partition
from evenhand.evidence.decision_rules import met_by_construction
from evenhand.evidence.population import Population
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.verdict import StatisticalVerdict, ThreeValued, Verdict, Word
from evenhand.wording.certificate_words import coverage_phrase
from evenhand.wording.numbers import MOST_LISTED, capital, count, share, shortened
from evenhand.wording.statements import Section, Strong, Text, VerdictCard, text
from evenhand.wording.words import Words

# A verdict's word and the class by which style sheets colour it; the enum has its wire value.
_SHOWN_AS: dict[ThreeValued, tuple[str, str]] = {
    Verdict.CERTIFIED: ("Certified", "certified"),
    Verdict.NOT_CERTIFIED: ("Not certified", "not-certified"),
    Verdict.CANNOT_DECIDE: ("Cannot decide", "cannot-decide"),
    Verdict.WITHHELD: ("Withheld", "withheld"),
    Word.YES: ("Yes", "shown"),
    Word.NO: ("No", "certified"),
    Word.NOT_SHOWN: ("Not shown", "cannot-decide"),
    Word.CANNOT_TELL: ("Cannot tell", "cannot-decide"),
    StatisticalVerdict.SHOWN: ("Difference shown", "shown"),
    StatisticalVerdict.WITHIN: (
        "All differences shown to be within the threshold",
        "certified",
    ),
    StatisticalVerdict.INCONCLUSIVE: ("Inconclusive", "cannot-decide"),
}


class Verdicts(NamedTuple):
    """The exact verdict and the statistical one, and what both rest on.

    ``figures`` are large numbers, each with what it counts.
    """

    exact: VerdictCard
    statistical: VerdictCard
    rests_on: Text
    reasons: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


def verdict_word(verdict: ThreeValued) -> str:
    """The word of a verdict, with a capital letter in front."""
    return _SHOWN_AS[verdict][0]


def verdict_class(
    verdict: ThreeValued,
    population: StatisticalVerdict | None = None,
    *,
    released: bool = False,
) -> str:
    """The class by which a verdict is drawn: red only where a difference is shown.

    Rows that were changed show nothing of a population.
    """
    shown = population is StatisticalVerdict.SHOWN and not released
    return "shown" if verdict is Verdict.NOT_CERTIFIED and shown else _SHOWN_AS[verdict][1]


def certificate_class(certificate: Certificate) -> str:
    """The class of a certificate's exact verdict."""
    population, released = certificate.population.verdict, bool(certificate.release)
    return verdict_class(certificate.verdict, population, released=released)


def question_sentence(words: Words) -> str:
    """What is answered; of predictions it is not whether the attribute itself did it."""
    if words.question.predicts:
        return f"Do people alike in the causes of {words.recorded} get different predictions?"
    several = len(words.question.protected_names) > 1
    does, itself = ("Do", "themselves") if several else ("Does", "itself")
    return f"{does} {words.protected} {itself} change {words.decision.rstrip('?')}?"


def lead(certificate: Certificate, words: Words) -> Text:
    """Who is compared with whom, and why."""
    question, causes = words.question, certificate.partition.names
    counted, sets = certificate.row_count, len(certificate.possible_decision_causes)
    everybody = counted + certificate.examined.left_out + certificate.dropped
    people: tuple[str, ...] = (f"{counted:,} people are recorded. ",)
    if everybody != counted:
        of = f"Of {everybody:,} people recorded {counted:,} are counted"
        people = of, Section(" (section 7)"), ". "
    why: tuple[str, ...] = (". According to the graph nothing else causes the decision.",)
    if causes:
        these = "it" if len(causes) == 1 else "these"
        verb = "causes" if len(causes) == 1 else "cause"
        if certificate.ambiguous:
            verb = "may cause"
        what = f"{words.decision} too"
        if question.predicts:
            what = f"the recorded {words.recorded}"
        among = (f" (one of {sets} possible sets", Section("; section 5 has the others"), ")")
        why = (
            f" who are alike in {words.columns(causes)}, because {these} {verb} {what}",
            *(among if sets > 1 else ()),
            ".",
        )
    few = (
        f" Who is in a group with fewer than {question.min_rows:,} people of the same "
        f"{words.protected} is not compared there."
    )
    did = f" Counted are those who {words.did}.{few if question.min_rows > 1 else ''}"
    return (*people, words.compared, *why, did)


def verdicts(certificate: Certificate, words: Words, doubt: GraphDoubt | None) -> Verdicts:
    """The exact and the statistical verdict with the same weight."""
    population = certificate.population
    return Verdicts(
        exact=VerdictCard(
            about="In these rows",
            mark=certificate_class(certificate),
            word=verdict_word(certificate.verdict) + _where(certificate, words),
            sentence=_exact_sentence(certificate, words),
        ),
        statistical=VerdictCard(
            about="Group by group, and on average",
            mark=verdict_class(population.verdict),
            word=verdict_word(population.verdict),
            sentence=_statistical_sentence(population, words),
        ),
        rests_on=(*_rests_on(certificate, words), *_against(doubt)),
        reasons=reasons(certificate),
        figures=() if certificate.is_determined else _figures(certificate, words),
    )


def reasons(certificate: Certificate) -> tuple[str, ...]:
    """Why nothing could be decided, with what would help."""
    if certificate.verdict is not Verdict.CANNOT_DECIDE:
        return ()
    return tuple(reason.text(words_only) for reason in certificate.reasons)


def _where(certificate: Certificate, words: Words) -> str:
    """In how little of the rows a difference was seen."""
    if certificate.verdict is not Verdict.NOT_CERTIFIED:
        return ""
    return coverage_phrase(certificate.partition, certificate.min_coverage, words.labels)


def _exact_sentence(certificate: Certificate, words: Words) -> Text:
    partition, threshold = certificate.partition, words.threshold_points
    largest = words.points(max(map(abs, partition.extremes), default=0))
    if certificate.verdict is Verdict.CANNOT_DECIDE:
        return _undecided(certificate)
    if certificate.verdict is Verdict.CERTIFIED:
        return f"The largest difference is {largest} points, under {threshold}."
    side, measured = partition.side, int(partition.measured.sum())
    if not (reaching := int(np.count_nonzero(side))):
        return (
            "People alike in what causes the decision differ by less than the threshold, but "
            "another comparison that the graph calls meaningful does not meet it."
        )
    groups = f"{reaching:,} of {measured:,} groups"
    groups = Strong(groups if measured > 1 else "the one comparable group")
    if not words.has_sides:
        apart = f"{capital(words.both)} lie {threshold} or more apart in "
        return apart, groups, f", up to {largest} points."
    above, below = (int(np.count_nonzero(side == ahead)) for ahead in (1, -1))
    if above and below:
        ahead = f"{capital(words.other_people)} {words.lead} by {threshold} or more in "
        less = f", {words.group_people} in "
        return ahead, Strong(count(above, "group")), less, Strong(f"{below:,}"), "."
    people = words.other_people if above else words.group_people
    by = " to ".join(dict.fromkeys(words.points(abs(one)) for one in _ends(partition)))
    return f"{capital(people)} {words.lead} by {by} points in ", groups, "."


def _ends(partition: Partition) -> tuple[Fraction, Fraction]:
    """The least and the greatest of the leading differences that reach the threshold, exact."""
    at = partition.lead[partition.side != 0]
    size = abs(partition.statistics.difference[at])
    least, most = (
        partition.comparisons.difference(int(at[i])) for i in (size.argmin(), size.argmax())
    )
    return least, most


def _undecided(certificate: Certificate) -> str:
    if certificate.question.rule:
        return f"{capital(met_by_construction(certificate.question))}."
    if certificate.is_determined:
        return "Between people alike in what determines the decision nothing differs."
    return "These rows and this graph do not settle the question."


def _statistical_sentence(population: Population, words: Words) -> Text:
    beyond, verdict = f"a difference beyond {words.threshold_points}", population.verdict
    allowed = "Chance and the number of comparisons allowed for, "
    if verdict is StatisticalVerdict.WITHIN:
        return (
            "Chance allowed for, every comparable group is shown to differ by less than "
            f"{words.threshold_points}."
        )
    if population.shown_on_average_only and (common := population.common):
        size = words.points(abs(common.difference))
        return text(
            f"{allowed}{beyond} is shown ",
            Strong("on average, in no single group"),
            f": {size} points, {_ahead(population, words)}. If the average lies beyond, "
            "some group does; which one is not settled.",
        )
    if verdict is StatisticalVerdict.SHOWN and population.measured == 1:
        return "Chance allowed for, ", Strong("the one group"), f" shows {beyond}."
    if verdict is StatisticalVerdict.SHOWN:
        shown, measured = population.shown, population.measured
        rest = "The others do not settle it."
        if shown == measured:
            rest = f"No {words.compared_unit} is left open."
        return (
            allowed,
            Strong(f"{shown:,} of {measured:,} {words.compared_unit}s"),
            f" {'shows' if shown == 1 else 'show'} {beyond}. {rest}",
        )
    if population.agreed:
        within = f"not all are shown to lie within {words.threshold_points}"
        return f"{allowed}no single difference is shown to lie beyond, and {within}."
    return (
        "It hangs on which attributes cause the decision, and the graph leaves that open: "
        "with one possible set the answer is another than with the next."
    )


def _ahead(population: Population, words: Words) -> str:
    """Who is ahead on average, where the difference is clearest."""
    difference = population.common.difference if population.common else 0.0
    return words.higher(difference, words.leading_pair(population.partition))


def _rests_on(certificate: Certificate, words: Words) -> tuple[str, ...]:
    partition, cover = certificate.partition, certificate.coverage
    compared = int(partition.row_counts[partition.measured].sum())
    many = (
        f"All {certificate.row_count:,} rows lie in a group where {words.both} can be compared."
    )
    if cover.overall != 1:
        many = (
            f"{compared:,} of {certificate.row_count:,} rows ({share(float(cover.overall))}) "
            f"lie in a group where {words.both} can be compared: "
            f"{_of_each(cover.groups, words)}. "
            f"{count(len(certificate.unmeasured), 'group')} could not be compared."
        )
    arrow = ""
    if certificate.question.predicts:
        arrow = (
            f" The graph is that of the recorded {words.recorded}, not of the model; the "
            "verdicts are about these predictions, not about the model as a rule for new rows."
        )
    elif not certificate.direct_arrow:
        arrow = (
            f" The graph has no arrow from {words.protected} to {words.decision}; the groups "
            "were compared all the same."
        )
    origin = certificate.graph_origin
    came = "as it was stated" if origin.kind == "given" else f"learned from {origin.rows_text}"
    edited = " and edited" if origin.edits else ""
    return (
        f"{many} The answer and both verdicts hold given the causal graph, {came}{edited}",
        Section(" (section 7)"),
        f", and for a threshold of {words.threshold_points}, chosen by whoever asked.{arrow}",
    )


def _of_each(shares: tuple[Fraction, ...], words: Words) -> str:
    """Which share of each group can be compared; of very many groups those with the least."""
    parts = [*zip(shares, words.groups, strict=True)]
    if len(parts) > MOST_LISTED:
        parts.sort(key=lambda one: one[0])
    article = "the " if words.is_named else ""
    named = shortened([f"{share(float(part))} of {article}{who}" for part, who in parts])
    if len(parts) > MOST_LISTED:
        named[-1] = f"and no less of {named[-1]}"
    return ", ".join(named)


def _against(doubt: GraphDoubt | None) -> tuple[str, ...]:
    """That the rows contradict the graph, if they do."""
    if doubt is None or not doubt.contradicted:
        return ()
    return " ", Strong("The rows speak against this graph"), f": {doubt.sentence}"


def _figures(certificate: Certificate, words: Words) -> tuple[tuple[str, str], ...]:
    """The numbers that open the page: groups seen and by chance, the average, groups shown."""
    population, beyond = certificate.population, words.threshold_points
    common, measured = population.common, int(certificate.partition.measured.sum())
    if common is None:
        return ()
    differ = "group differs" if measured == 1 else "groups differ"
    unit = words.compared_unit + "s" * (population.measured != 1)
    figures = {
        f"comparable {differ} by {beyond} or more": (
            f"{certificate.partition.violating:,} of {measured:,}"
        ),
        "would, by chance alone": _in_one_line(certificate),
        f"difference on average{_clearest(population, words)}": (
            f"{words.points(abs(common.difference))} points"
        ),
        f"{unit} with a difference shown to lie beyond {beyond}": (
            f"{population.shown:,} of {population.measured:,}"
        ),
    }
    return tuple((number, meaning) for meaning, number in figures.items() if number)


def _in_one_line(certificate: Certificate) -> str:
    """How many groups chance alone would make; the range does not break on a narrow page."""
    return certificate.by_chance.text("\u00a0") if certificate.by_chance else ""


def _clearest(population: Population, words: Words) -> str:
    """Who is ahead on average; of several comparisons, in the clearest."""
    partition, common = population.partition, population.common
    if common is None or not common.difference:
        return ""
    if words.has_sides:
        return f", {_ahead(population, words)}"
    pair = words.leading_pair(partition)
    behind, ahead = pair if common.difference > 0 else pair[::-1]
    if not words.is_favor:
        did = words.did_by(partition.leading_decision)
        return f" where it is clearest: {ahead} more often than {behind} {did}"
    by = f" in {words.decision} {partition.leading_decision}" if words.cuts[1:] else ""
    return f" where it is clearest: {ahead} ahead of {behind}{by}"
