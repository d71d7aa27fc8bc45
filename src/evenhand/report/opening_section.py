"""The first page: the question, both verdicts, and one group as an example."""

from collections.abc import Sequence

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Verdict
from evenhand.evidence.population import Population, StatisticalVerdict
from evenhand.evidence.relaxed import Moments
from evenhand.graph import PartialGraph
from evenhand.report import picture_types as pictures
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, capital, count, have, rate, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.template_types import Strong, text

_MARKS = {
    Verdict.CERTIFIED: "certified",
    Verdict.NOT_CERTIFIED: "not-certified",
    Verdict.CANNOT_DECIDE: "cannot-decide",
}
_STATISTICAL_MARKS = {
    StatisticalVerdict.SHOWN: "not-certified",
    StatisticalVerdict.WITHIN: "certified",
    StatisticalVerdict.INCONCLUSIVE: "cannot-decide",
}


def mark(verdict: Verdict) -> str:
    """The name under which a verdict is drawn."""
    return _MARKS[verdict]


def lead(certificate: Certificate, words: Words, sharing: Sharing) -> page.Text:
    """Who is compared with whom, and why."""
    people = f"{certificate.row_count:,} people are recorded. " if sharing.whole else ""
    causes = certificate.partition.names
    compared = f"{capital(words.group)} are compared with {words.other}"
    if not causes:
        why = ". According to the graph nothing else causes the decision."
    else:
        may = "may " if certificate.ambiguous else ""
        why = (
            f" who are alike in {words.columns(causes)}, because these {may}cause "
            f"{words.decision} too."
        )
    return text(f"{people}{compared}{why} Counted are those who {words.did}.")


def verdicts(
    certificate: Certificate, cases: Sequence[Case], words: Words, sharing: Sharing
) -> page.Verdicts:
    """The exact and the statistical verdict with the same weight."""
    population = certificate.population
    return page.Verdicts(
        exact=page.VerdictCard(
            about="In these rows",
            mark=mark(certificate.verdict),
            word=capital(str(certificate.verdict)),
            sentence=_exact_sentence(certificate, cases, words, sharing),
        ),
        statistical=page.VerdictCard(
            about="Beyond these rows",
            mark=_STATISTICAL_MARKS[population.verdict],
            word=capital(str(population.verdict)),
            sentence=_statistical_sentence(population, words, sharing),
        ),
        rests_on=_rests_on(certificate, words, sharing),
        reasons=_reasons(certificate),
        figures=_figures(certificate, population, words) if sharing.whole else (),
    )


def example(cases: Sequence[Case], words: Words) -> page.Example | None:
    """The strongest finding; its two rates as bars."""
    case = next((case for case in cases if case.side), None)
    if case is None:
        return None
    people = case.people
    sides = (
        (words.group, "group", people.group_yes, people.group),
        (words.other, "other", people.other_yes, people.other),
    )
    return page.Example(
        sentence=text(
            *words.story(people),
            " A difference of ",
            Strong(f"{words.points(people.risk_difference).removeprefix('−')} points"),
            " between people who are alike in what the decision may depend on (",
            Strong(case.id),
            ").",
        ),
        bars=tuple(
            pictures.Bar(
                who=capital(who),
                kind=kind,
                width=100 * yes / total,
                rate=rate(yes, total),
                counts=f"{yes:,} of {total:,}",
            )
            for who, kind, yes, total in sides
        ),
    )


def _exact_sentence(
    certificate: Certificate, cases: Sequence[Case], words: Words, sharing: Sharing
) -> page.Text:
    verdict = certificate.verdict
    if verdict is Verdict.CANNOT_DECIDE:
        return text("These rows and this graph do not settle the question.")
    if not sharing.whole:
        return text(
            f"In every comparable group {words.group} and {words.other} differ by less than "
            f"{words.threshold} percentage points."
            if verdict is Verdict.CERTIFIED
            else f"There are comparable groups in which {words.group} and {words.other} differ "
            f"by {words.threshold} percentage points or more.",
        )
    reaching = [case for case in cases if case.side]
    if verdict is Verdict.CERTIFIED:
        largest = max((abs(case.difference) for case in cases), default=0)
        return text(
            "In ",
            Strong(_all(len(cases))),
            f", {words.group} and {words.other} differ by less than {words.threshold} "
            f"percentage points. The largest difference is {words.points(largest)}.",
        )
    if not reaching:
        return text(
            "People alike in what causes the decision differ by less than the threshold, but "
            "another comparison that the graph calls meaningful does not meet it.",
        )
    which = (
        _all(len(cases))
        if len(reaching) == len(cases)
        else f"{len(reaching):,} of {len(cases):,} comparable groups"
    )
    above, below = (sum(case.side == side for case in reaching) for side in (1, -1))
    if above and below:
        return text(
            "In ",
            Strong(which),
            f", {words.group} and {words.other} who are otherwise alike differ by "
            f"{words.threshold} percentage points or more: {above:,} {_favor(above)} "
            f"{words.other}, {below:,} {_favor(below)} {words.group}.",
        )
    ahead, behind = (words.other, words.group) if above else (words.group, words.other)
    sizes = [abs(case.difference) for case in reaching]
    least, most = words.points(min(sizes)), words.points(max(sizes))
    span = most if least == most else f"{least} to {most}"
    return text(
        "In ",
        Strong(which),
        f", {ahead} {words.did} more often than {behind} who are otherwise alike, by {span} "
        f"percentage points. The threshold is {words.threshold}.",
    )


def _all(many: int) -> str:
    return "the one comparable group" if many == 1 else f"all {many:,} comparable groups"


def _favor(many: int) -> str:
    return "favors" if many == 1 else "favor"


def _statistical_sentence(population: Population, words: Words, sharing: Sharing) -> page.Text:
    beyond = f"a difference beyond {words.threshold_points}"
    if population.verdict is StatisticalVerdict.WITHIN:
        return text(
            "Chance allowed for, every comparable group of the population differs by less than "
            f"{words.threshold_points}.",
        )
    if population.verdict is StatisticalVerdict.SHOWN and not sharing.whole:
        return text(f"Chance allowed for, {beyond} is shown.")
    if population.shown_on_average_only and (common := population.common):
        size = words.points(common.difference).removeprefix("−")
        return text(
            f"Chance and the number of comparisons allowed for, {beyond} is shown ",
            Strong("on average, in no single group"),
            f": {size} points, {words.higher(common.difference)}. If the average lies beyond, "
            "some group does; which one is not settled.",
        )
    if population.verdict is StatisticalVerdict.SHOWN:
        return text(
            "Chance and the number of comparisons allowed for, ",
            Strong(f"{population.shown:,} of {population.measured:,} groups"),
            f" {'shows' if population.shown == 1 else 'show'} {beyond}. "
            + (
                "The others do not settle it."
                if population.shown < population.measured
                else "No group is left open."
            ),
        )
    return text(
        f"Chance and the number of comparisons allowed for, these rows neither show {beyond} "
        "nor show that there is none.",
    )


def _rests_on(certificate: Certificate, words: Words, sharing: Sharing) -> page.Text:
    partition, cover = certificate.partition, certificate.coverage
    compared = int(partition.row_counts[partition.measured].sum())
    absent = len(certificate.unmeasured)
    many = (
        f"All {certificate.row_count:,} rows lie in a group where {words.group} and "
        f"{words.other} can be compared."
        if cover.overall == 1
        else f"{compared:,} of {certificate.row_count:,} rows ({share(float(cover.overall))}) "
        f"lie in a group where {words.group} and {words.other} can be compared: "
        f"{share(float(cover.group))} of the {words.group}, {share(float(cover.other))} of "
        f"the {words.other}. "
        f"{count(absent, 'group')} could not be compared."
    )
    if not sharing.whole:
        many = (
            f"{count(sharing.withheld, 'group')} with a count under {sharing.least_count} "
            f"{'is' if sharing.withheld == 1 else 'are'} withheld, and with "
            f"{'it' if sharing.withheld == 1 else 'them'} all totals."
        )
    arrow = {
        True: "",
        False: f" The graph has no arrow from {words.protected} to {words.decision}; the "
        "groups were compared all the same.",
        None: f" Whether an arrow leads from {words.protected} to {words.decision} is open "
        "in it.",
    }[certificate.direct_arrow]
    return text(
        f"{many} Both verdicts hold given the causal graph, {_origin(certificate)} (section "
        f"7), and for a threshold of {words.threshold_points}, chosen by whoever asked.{arrow}",
    )


def _origin(certificate: Certificate) -> str:
    graph = certificate.graph
    learned = isinstance(graph, PartialGraph) and graph.record is not None
    return "learned from the same rows" if learned else "as it was stated"


def _reasons(certificate: Certificate) -> tuple[str, ...]:
    """Why nothing could be decided, with what would help."""
    if certificate.verdict is not Verdict.CANNOT_DECIDE:
        return ()
    return tuple(reason.text(words_only) for reason in certificate.reasons)


def _figures(
    certificate: Certificate, population: Population, words: Words
) -> tuple[tuple[str, str], ...]:
    partition = certificate.partition
    moments = Moments.of(certificate.partition)
    mean = moments.mean if moments else None
    size = words.points(mean).removeprefix("−")
    ahead = f", {words.higher(mean)}" if mean else ""
    beyond = words.threshold_points
    return (
        (
            f"{partition.violating:,} of {population.measured:,}",
            f"comparable groups differ by {beyond} or more",
        ),
        (
            size if mean is None else f"{size} points",
            f"difference on average over the rows{ahead}",
        ),
        (
            f"{population.shown:,} of {population.measured:,}",
            f"groups {have(population.shown)} a difference shown to lie beyond {beyond}",
        ),
        (share(float(certificate.coverage.overall)), "of the rows could be compared"),
    )
