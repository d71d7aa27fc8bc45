"""The verdicts in words: their names, their colours, a sentence each, and what they rest on."""

from fractions import Fraction
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from evenhand.errors import words_only
from evenhand.evidence import Answer, Certificate, Partition
from evenhand.evidence.determining_columns import met_by_construction
from evenhand.verdict import StatisticalVerdict, ThreeValued, Verdict, Word
from evenhand.wording.difference_words import coverage_phrase
from evenhand.wording.sentence_parts import (
    Strong,
    Text,
    VerdictCard,
    capital,
    count,
    listing,
    part,
    share,
    shortened,
)
from evenhand.wording.vocabulary import Words

# A verdict's word, where it is not its value with a capital letter in front, and the class by
# which style sheets colour it.
_SHOWN_AS: dict[ThreeValued, tuple[str | None, str]] = {
    Verdict.CERTIFIED: (None, "certified"),
    Verdict.NOT_CERTIFIED: (None, "not-certified"),
    Verdict.CANNOT_DECIDE: (None, "cannot-decide"),
    Verdict.WITHHELD: (None, "withheld"),
    Word.YES: ("Yes", "shown"),
    Word.NO: ("No", "certified"),
    Word.NOT_SHOWN: ("Not shown", "cannot-decide"),
    Word.CANNOT_TELL: ("Cannot tell", "cannot-decide"),
    StatisticalVerdict.SHOWN: ("Significant difference", "shown"),
    StatisticalVerdict.WITHIN: ("All significantly within the threshold", "certified"),
    StatisticalVerdict.INCONCLUSIVE: ("Inconclusive", "cannot-decide"),
}


class Verdicts(NamedTuple):
    """The answer, the release criterion on the rows, who was compared, and what is open."""

    answer: VerdictCard
    release: VerdictCard
    compared: str
    reasons: tuple[str, ...]


def verdict_word(verdict: ThreeValued) -> str:
    """The word of a verdict, with a capital letter in front."""
    return _SHOWN_AS[verdict][0] or capital(str(verdict))


def verdict_class(
    verdict: ThreeValued,
    population: StatisticalVerdict | None = None,
    *,
    released: bool = False,
) -> str:
    """The class by which a verdict is drawn: red only where a difference is significant.

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
    mark = "" if "?" in words.decision[-2:] else "?"
    return f"{does} {words.protected} {itself} change {words.decision}{mark}"


def lead(certificate: Certificate, words: Words) -> str:
    """Who is compared with whom, and why."""
    question, causes = words.question, certificate.partition.names
    counted, sets = certificate.row_count, len(certificate.possible_decision_causes)
    everybody = counted + certificate.examined.left_out + certificate.dropped
    people = f"{counted:,} people are recorded. "
    if everybody != counted:
        people = f"Of {everybody:,} people recorded, {counted:,} are counted. "
    alike, why = "", "The graph shows no other cause of the decision."
    if causes:
        these, verb = ("this", "also causes") if len(causes) == 1 else ("these", "also cause")
        if certificate.ambiguous:
            verb = "may also cause"
        what = f"the recorded {words.recorded}" if question.predicts else words.decision
        among = f" (one of {sets} possible sets of causes)" if sets > 1 else ""
        alike = f" who are alike in {words.columns(causes)}"
        why = f"According to the graph, {these} {verb} {what}{among}."
    few = ""
    if question.min_rows > 1:
        few = f" Groups with fewer than {question.min_rows:,} people of one kind are left out."
    if causes:
        why += " People with the same values of all of them form a comparable group."
    rate = f"The rate is the share who {words.did}."
    return f"{people}{words.compared(alike)}. {why} {rate}{few}"


def verdicts(answer: Answer, sentence: str, words: Words) -> Verdicts:
    """The answer with its sentence, and whether these rows could be released as they are."""
    certificate = answer.certificate
    undecided = certificate.verdict is Verdict.CANNOT_DECIDE
    return Verdicts(
        answer=VerdictCard(
            about="The answer",
            mark=verdict_class(answer.word),
            word=verdict_word(answer.word),
            sentence=capital(sentence),
        ),
        release=VerdictCard(
            about="For release",
            mark=certificate_class(certificate),
            word=verdict_word(certificate.verdict) + _where(certificate, words),
            sentence=release_sentence(certificate, words),
        ),
        compared=compared_sentence(certificate, words),
        reasons=tuple(one.text(words_only) for one in certificate.reasons if undecided),
    )


def _where(certificate: Certificate, words: Words) -> str:
    """In how little of the rows a difference was seen."""
    if certificate.verdict is not Verdict.NOT_CERTIFIED:
        return ""
    return coverage_phrase(certificate.partition, certificate.min_coverage, words)


def release_sentence(certificate: Certificate, words: Words) -> Text:
    """Why the rows meet the criterion exactly, or do not."""
    partition, threshold = certificate.partition, words.threshold_points
    largest = words.points(max(map(abs, partition.extremes), default=0))
    if certificate.verdict is Verdict.CANNOT_DECIDE:
        return _undecided(certificate)
    if certificate.verdict is Verdict.CERTIFIED:
        return f"The largest difference is {largest} points, under {threshold}."
    side, measured = partition.side, int(partition.measured.sum())
    if not (reaching := int(np.count_nonzero(side))):
        return (
            "Groups alike in the causes of the decision differ by less than the threshold, but "
            "groups alike in another valid adjustment set do not."
        )
    groups = Strong(part(reaching, measured, "comparable group"))
    if not words.has_sides:
        apart = f"{capital(words.both)} differ by {threshold} or more in "
        return apart, groups, f", up to {largest} points."
    above, below = (int(np.count_nonzero(side == ahead)) for ahead in (1, -1))
    if above and below:
        lead = f"{capital(words.other_people)} {words.lead} by {threshold} or more in "
        less = f", {words.group_people} in "
        return lead, Strong(count(above, "group")), less, Strong(f"{below:,}"), "."
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
        return "People alike in what determines the decision cannot differ."
    return "These rows and this graph do not settle the question."


def compared_sentence(certificate: Certificate, words: Words) -> str:
    """How many of the rows, and of each group, could be compared; of many the fewest."""
    partition, cover = certificate.partition, certificate.coverage
    if cover.overall == 1:
        return f"All {certificate.row_count:,} rows could be compared."
    parts = sorted(zip(cover.groups, words.group_values, strict=True), key=itemgetter(0))
    shares = (f"{share(float(part))} of {words.people_with(who)}" for part, who in parts)
    return (
        f"{int(partition.row_counts[partition.measured].sum()):,} of "
        f"{certificate.row_count:,} rows ({share(float(cover.overall))}) could be compared: "
        f"{listing(shortened([*shares]))}."
    )
