"""The first page: the question, the first sentence, both verdicts, and one example."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Partition, Subpopulation, Verdict
from evenhand.evidence.decision_rules import met_by_construction
from evenhand.evidence.population import Population
from evenhand.evidence.sentences import average_sentence, coverage_phrase
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.report.html_report import View
from evenhand.report.shown_groups import Case, Cases, turned_sides
from evenhand.verdict import Coverage, StatisticalVerdict
from evenhand.wording import (
    MOST_LISTED,
    Strong,
    Text,
    VerdictCard,
    Words,
    capital,
    count,
    rate,
    share,
    shortened,
    text,
)

MARKS = {
    StatisticalVerdict.SHOWN: "shown",
    StatisticalVerdict.WITHIN: "certified",
    StatisticalVerdict.INCONCLUSIVE: "cannot-decide",
}


def mark(certificate: Certificate) -> str:
    """The name under which the exact verdict is drawn: red only where a difference is shown."""
    shown = certificate.population.verdict is StatisticalVerdict.SHOWN
    # Rows that were changed show nothing of a population.
    if certificate.verdict is Verdict.NOT_CERTIFIED and shown and not certificate.release:
        return "shown"
    return str(certificate.verdict).replace(" ", "-")


def first_sentence(certificate: Certificate, words: Words) -> Text:
    """What was seen, what chance would make, who is ahead."""
    return text(certificate.first_sentence(words.labels))


def lead(certificate: Certificate, words: Words) -> Text:
    """Who is compared with whom, and why."""
    people = f"{_recorded(certificate)} "
    causes = certificate.partition.names
    if not causes:
        why = ". According to the graph nothing else causes the decision."
    else:
        these = "it" if len(causes) == 1 else "these"
        verb = (
            "may cause" if certificate.ambiguous else "causes" if len(causes) == 1 else "cause"
        )
        why = (
            f" who are alike in {words.columns(causes)}, because {these} {verb} "
            + (
                f"the recorded {words.recorded}"
                if certificate.question.predicts
                else f"{words.decision} too"
            )
            + f"{_among(certificate)}."
        )
    least = words.question.min_rows
    few = (
        f" Who is in a group with fewer than {least:,} people of the same {words.protected} is "
        "not compared there."
        if least > 1
        else ""
    )
    return text(f"{people}{words.compared}{why} Counted are those who {words.did}.{few}")


def _among(certificate: Certificate) -> str:
    """That the page is about one of several possible sets of causes."""
    sets = len(certificate.possible_decision_causes)
    return f" (one of {sets} possible sets; section 5 has the others)" if sets > 1 else ""


def _recorded(certificate: Certificate) -> str:
    """How many people there are, and how many of them the question is about."""
    counted = certificate.row_count
    everybody = counted + certificate.examined.left_out + certificate.dropped
    if everybody == counted:
        return f"{counted:,} people are recorded."
    return f"Of {everybody:,} people recorded {counted:,} are counted (section 7)."


def verdicts(certificate: Certificate, words: Words, doubt: GraphDoubt | None) -> View:
    """The exact and the statistical verdict with the same weight."""
    population = certificate.population
    return View(
        exact=VerdictCard(
            about="In these rows",
            mark=mark(certificate),
            word=capital(str(certificate.verdict)) + _where(certificate, words),
            sentence=_exact_sentence(certificate, words),
        ),
        statistical=VerdictCard(
            about="Beyond these rows",
            mark=MARKS[population.verdict],
            word=capital(str(population.verdict)),
            sentence=_statistical_sentence(population, words),
        ),
        rests_on=(*_rests_on(certificate, words), *_against(doubt)),
        reasons=_reasons(certificate),
        figures=() if certificate.is_determined else _figures(certificate, words),
    )


def example(certificate: Certificate, cases: Cases, words: Words) -> View | None:
    """The strongest group whose difference is shown, else the difference on average.

    A group that chance may explain is no example, however far its rates lie apart.
    """
    if cases.shown:
        return _shown_example(cases.shown[0], words)
    common = certificate.population.common
    if common is None or certificate.is_determined:
        return None
    partition = certificate.partition
    rates = (common.group_rate, common.other_rate)
    sides = [*zip(words.leading_pair(partition), ("group", "other"), rates, strict=True)]
    (group_name, _, group), (other_name, _, other) = sides
    did = words.did_by(partition.leading_decision)
    single = f" No single group shows a difference beyond {words.threshold_points}."
    return View(
        heading="On average",
        sentence=text(
            f"All comparable groups weighed together (Mantel–Haenszel), {share(group)} of "
            f"{group_name} and {share(other)} of {other_name} {did}. ",
            Strong(average_sentence(certificate.partition, words.labels)),
            single if certificate.population.measured > 1 else "",
        ),
        bars=tuple(
            View(
                who=capital(who),
                kind=kind,
                width=100 * part,
                rate=share(part),
                counts="weighed",
            )
            for who, kind, part in sides
        ),
    )


def _shown_example(case: Case, words: Words) -> View:
    people = case.people
    return View(
        heading="For example",
        sentence=text(
            *words.story(people),
            " A difference of ",
            Strong(f"{words.points(people.risk_difference).removeprefix('−')} points"),
            " between people who are alike in what "
            + (
                "caused the recorded decision"
                if words.question.predicts
                else "else causes the decision"
            )
            + " by this graph (",
            Strong(case.id),
            f"), shown to lie beyond {words.threshold_points}.",
        ),
        bars=rate_bars(people, words),
    )


def rate_bars(people: Subpopulation, words: Words) -> tuple[View, ...]:
    """The shares of both groups as bars; a group without rows has none."""
    group, other = words.pair(people)
    sides = (
        (group, "group", people.group_yes, people.group),
        (other, "other", people.other_yes, people.other),
    )
    return tuple(
        View(
            who=capital(who),
            kind=kind,
            width=100 * yes / total,
            rate=rate(yes, total),
            counts=f"{yes:,} of {total:,}",
        )
        for who, kind, yes, total in sides
        if total
    )


def _where(certificate: Certificate, words: Words) -> str:
    """In how little of the rows a difference was seen."""
    if certificate.verdict is not Verdict.NOT_CERTIFIED:
        return ""
    return coverage_phrase(certificate.partition, certificate.min_coverage, words.labels)


def _exact_sentence(certificate: Certificate, words: Words) -> Text:
    verdict, threshold = certificate.verdict, words.threshold_points
    if verdict is Verdict.CANNOT_DECIDE:
        return text(_undecided(certificate))
    if verdict is Verdict.CERTIFIED:
        largest = words.points(max(map(abs, certificate.partition.extremes), default=0))
        return text(f"The largest difference is {largest} points, under {threshold}.")
    partition = certificate.partition
    measured, side = int(partition.measured.sum()), turned_sides(partition)
    above, below = (int(np.count_nonzero(side == ahead)) for ahead in (1, -1))
    if not above and not below:
        return text(
            "People alike in what causes the decision differ by less than the threshold, but "
            "another comparison that the graph calls meaningful does not meet it.",
        )
    if not words.has_sides:
        widest = words.points(max(map(abs, partition.extremes)))
        return text(
            f"{capital(words.both)} lie {threshold} or more apart in ",
            Strong(_groups(above, measured)),
            f", up to {widest} points.",
        )
    if above and below:
        return text(
            f"{capital(words.other_people)} {words.lead} by {threshold} or more in ",
            Strong(count(above, "group")),
            f", {words.group_people} in ",
            Strong(f"{below:,}"),
            ".",
        )
    ahead = words.other_people if above else words.group_people
    least, most = (words.points(abs(one)) for one in _ends(partition, side != 0))
    return text(
        f"{capital(ahead)} {words.lead} by "
        f"{most if least == most else f'{least} to {most}'} points in ",
        Strong(_groups(above or below, measured)),
        ".",
    )


def _groups(many: int, measured: int) -> str:
    return f"{many:,} of {measured:,} groups" if measured > 1 else "the one comparable group"


def _ends(partition: Partition, lines: NDArray[np.bool_]) -> tuple[Fraction, Fraction]:
    """The least and the greatest of the leading differences of some lines, exact."""
    at = partition.lead[lines]
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
    beyond = f"a difference beyond {words.threshold_points}"
    if population.verdict is StatisticalVerdict.WITHIN:
        return text(
            "Chance allowed for, every comparable group is shown to differ by less than "
            f"{words.threshold_points}.",
        )
    if population.shown_on_average_only and (common := population.common):
        size = words.points(common.difference).removeprefix("−")
        return text(
            f"Chance and the number of comparisons allowed for, {beyond} is shown ",
            Strong("on average, in no single group"),
            f": {size} points, {_ahead(population, words)}. If the average lies beyond, "
            "some group does; which one is not settled.",
        )
    compared = words.comparisons.removeprefix("comparable ")
    if population.verdict is StatisticalVerdict.SHOWN and population.measured == 1:
        return text("Chance allowed for, ", Strong("the one group"), f" shows {beyond}.")
    if population.verdict is StatisticalVerdict.SHOWN:
        return text(
            "Chance and the number of comparisons allowed for, ",
            Strong(f"{population.shown:,} of {population.measured:,} {compared}"),
            f" {'shows' if population.shown == 1 else 'show'} {beyond}. "
            + (
                "The others do not settle it."
                if population.shown < population.measured
                else f"No {compared.removesuffix('s')} is left open."
            ),
        )
    return text(
        f"Chance and the number of comparisons allowed for, these rows neither show {beyond} "
        "nor show that there is none."
        if population.agreed
        else "It hangs on which attributes cause the decision, and the graph leaves that open: "
        "with one possible set the answer is another than with the next.",
    )


def _ahead(population: Population, words: Words) -> str:
    """Who is ahead on average, where the difference is clearest."""
    difference = population.common.difference if population.common else 0.0
    return words.higher(difference, words.leading_pair(population.partition))


def _rests_on(certificate: Certificate, words: Words) -> Text:
    partition, cover = certificate.partition, certificate.coverage
    compared = int(partition.row_counts[partition.measured].sum())
    absent = len(certificate.unmeasured)
    many = (
        f"All {certificate.row_count:,} rows lie in a group where {words.both} can be compared."
        if cover.overall == 1
        else f"{compared:,} of {certificate.row_count:,} rows ({share(float(cover.overall))}) "
        f"lie in a group where {words.both} can be compared: {_of_each(cover, words)}. "
        f"{count(absent, 'group')} could not be compared."
    )
    arrow = (
        f" The graph is that of the recorded {words.recorded}, not of the model; the verdicts "
        "are about these predictions, not about the model as a rule for new rows."
        if certificate.question.predicts
        else ""
        if certificate.direct_arrow
        else f" The graph has no arrow from {words.protected} to {words.decision}; the groups "
        "were compared all the same."
    )
    return text(
        f"{many} Both verdicts hold given the causal graph, {_origin(certificate)} (section "
        f"7), and for a threshold of {words.threshold_points}, chosen by whoever asked.{arrow}",
    )


def _of_each(cover: Coverage, words: Words) -> str:
    """Which share of each group can be compared; of very many groups those with the least."""
    parts = [*zip(cover.groups, words.groups, strict=True)]
    if len(parts) > MOST_LISTED:
        parts.sort(key=lambda one: one[0])
    article = "the " if words.is_named else ""
    named = shortened([f"{share(float(part))} of {article}{who}" for part, who in parts])
    if len(parts) > MOST_LISTED:
        named[-1] = f"and no less of {named[-1]}"
    return ", ".join(named)


def _against(doubt: GraphDoubt | None) -> Text:
    """That the rows contradict the graph, if they do."""
    if doubt is None or not doubt.contradicted:
        return ()
    return text(" ", Strong("The rows speak against this graph"), f": {doubt.sentence}")


def _origin(certificate: Certificate) -> str:
    origin = certificate.graph_origin
    words = "as it was stated" if origin.kind == "given" else f"learned from {origin.rows_text}"
    return words + (" and edited" if origin.edits else "")


def _reasons(certificate: Certificate) -> tuple[str, ...]:
    """Why nothing could be decided, with what would help."""
    if certificate.verdict is not Verdict.CANNOT_DECIDE:
        return ()
    return tuple(reason.text(words_only) for reason in certificate.reasons)


def _figures(certificate: Certificate, words: Words) -> tuple[tuple[str, str], ...]:
    population, chance = certificate.population, certificate.by_chance
    common, beyond = population.common, words.threshold_points
    if common is None:
        return ()
    ahead = f", {_ahead(population, words)}" if common.difference else ""
    if not words.has_sides and common.difference:
        partition = certificate.partition
        pair = words.leading_pair(partition)
        behind, before = pair if common.difference > 0 else pair[::-1]
        by = f" in {words.decision} {partition.leading_decision}" if words.cuts[1:] else ""
        more = f"{before} ahead of {behind}{by}"
        if not words.is_favor:
            did = words.did_by(partition.leading_decision)
            more = f"{before} more often than {behind} {did}"
        ahead = f" where it is clearest: {more}"
    compared = words.comparisons.removeprefix("comparable ")
    if population.measured == 1:
        compared = compared.removesuffix("s")
    measured = int(certificate.partition.measured.sum())
    differ = "group differs" if measured == 1 else "groups differ"
    return (
        (
            f"{certificate.partition.violating:,} of {measured:,}",
            f"comparable {differ} by {beyond} or more",
        ),
        # The range stays in one line where the page is narrow.
        *(
            [(str(chance).replace(" to ", "\u00a0to\u00a0"), "would, by chance alone")]
            if chance
            else []
        ),
        (
            f"{words.points(common.difference).removeprefix('−')} points",
            f"difference on average{ahead}",
        ),
        (
            f"{population.shown:,} of {population.measured:,}",
            f"{compared} with a difference shown to lie beyond {beyond}",
        ),
    )
