"""The first page: the question, both verdicts, and one group as an example."""

from collections.abc import Sequence

from evenhand.errors import words_only
from evenhand.evidence import Certificate, Verdict
from evenhand.evidence.population import Population, StatisticalVerdict
from evenhand.graph import PartialGraph
from evenhand.report import drawing, view
from evenhand.report.phrases import Words, capital, count, have, rate, share
from evenhand.report.shown_groups import Case, Sharing
from evenhand.report.view import Strong, text

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


def lead(certificate: Certificate, words: Words, sharing: Sharing) -> view.Text:
    """Who is compared with whom, and why."""
    people = f"{certificate.rows:,} people are recorded. " if sharing.whole else ""
    causes = certificate.partition.names
    compared = f"{capital(words.group)} are compared with {words.other}"
    if not causes:
        why = ". According to the graph nothing else causes the decision."
    elif certificate.ambiguous:
        why = (
            f" who are alike in {words.columns(causes)}, because these may cause "
            f"{words.decision} too."
        )
    else:
        why = (
            f" who are alike in {words.columns(causes)}, because these cause "
            f"{words.decision} too."
        )
    return text(f"{people}{compared}{why} Counted are those who {words.did}.")


def verdicts(
    certificate: Certificate,
    drawn: Sequence[Case],
    told: Population,
    words: Words,
    sharing: Sharing,
) -> view.Verdicts:
    """The exact and the statistical verdict with the same weight."""
    return view.Verdicts(
        exact=view.Side(
            about="In these rows",
            mark=mark(certificate.verdict),
            word=capital(str(certificate.verdict)),
            sentence=_exact(certificate, drawn, words, sharing),
        ),
        statistical=view.Side(
            about="Beyond these rows",
            mark=_STATISTICAL_MARKS[told.verdict],
            word=capital(str(told.verdict)),
            sentence=_statistical(told, words, sharing),
        ),
        rests_on=_rests_on(certificate, words, sharing),
        reasons=_reasons(certificate),
        figures=_figures(certificate, told, words) if sharing.whole else (),
    )


def example(drawn: Sequence[Case], words: Words) -> view.Example | None:
    """The strongest finding; its two rates as bars."""
    case = next((case for case in drawn if case.side), None)
    if case is None:
        return None
    found = case.found
    sides = (
        (words.group, "group", found.group_yes, found.group),
        (words.other, "other", found.other_yes, found.other),
    )
    return view.Example(
        sentence=text(
            *words.story(found),
            " A difference of ",
            Strong(f"{words.points(found.risk_difference).removeprefix('−')} points"),
            " between people who are alike in what the decision may depend on (",
            Strong(case.id),
            ").",
        ),
        bars=tuple(
            drawing.Bar(
                who=capital(who),
                kind=kind,
                width=100 * yes / total,
                rate=rate(yes, total),
                counts=f"{yes:,} of {total:,}",
            )
            for who, kind, yes, total in sides
        ),
    )


def _exact(
    certificate: Certificate, drawn: Sequence[Case], words: Words, sharing: Sharing
) -> view.Text:
    verdict = certificate.verdict
    if not sharing.whole:
        return {
            Verdict.NOT_CERTIFIED: text(
                f"There are comparable groups in which {words.group} and {words.other} "
                f"differ by {words.threshold} percentage points or more.",
            ),
            Verdict.CERTIFIED: text(
                f"In every comparable group {words.group} and {words.other} differ by less "
                f"than {words.threshold} percentage points.",
            ),
            Verdict.CANNOT_DECIDE: text(
                "These rows and this graph do not settle the question."
            ),
        }[verdict]
    if verdict is Verdict.CANNOT_DECIDE:
        return text("These rows and this graph do not settle the question.")
    reaching = [case for case in drawn if case.side]
    if verdict is Verdict.CERTIFIED:
        largest = max((abs(case.difference) for case in drawn), default=0)
        return text(
            "In ",
            Strong(_all(len(drawn))),
            f", {words.group} and {words.other} differ by less than {words.threshold} "
            f"percentage points. The largest difference is {words.points(largest)}.",
        )
    if not reaching:
        return text(
            "People alike in what causes the decision differ by less than the threshold, but "
            "another comparison that the graph calls meaningful does not meet it.",
        )
    which = (
        _all(len(drawn))
        if len(reaching) == len(drawn)
        else (f"{len(reaching):,} of {len(drawn):,} comparable groups")
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


def _statistical(told: Population, words: Words, sharing: Sharing) -> view.Text:
    beyond = f"a difference beyond {words.threshold_points}"
    if told.verdict is StatisticalVerdict.WITHIN:
        return text(
            "Chance allowed for, every comparable group of the population differs by less than "
            f"{words.threshold_points}.",
        )
    if told.verdict is StatisticalVerdict.SHOWN and not sharing.whole:
        return text(f"Chance allowed for, {beyond} is shown in some of the groups.")
    if told.verdict is StatisticalVerdict.SHOWN:
        return text(
            "Chance and the number of comparisons allowed for, ",
            Strong(f"{told.shown:,} of {told.measured:,} groups"),
            f" {'shows' if told.shown == 1 else 'show'} {beyond}. "
            + (
                "The others do not settle it."
                if told.shown < told.measured
                else "No group is left open."
            ),
        )
    return text(
        f"Chance and the number of comparisons allowed for, these rows neither show {beyond} "
        "nor show that there is none.",
    )


def _rests_on(certificate: Certificate, words: Words, sharing: Sharing) -> view.Text:
    partition, cover = certificate.partition, certificate.coverage
    compared = int(partition.rows[partition.measured].sum())
    absent = len(certificate.unmeasured)
    many = (
        f"All {certificate.rows:,} rows lie in a group where {words.group} and {words.other} "
        "can be compared."
        if cover.rows == 1
        else f"{compared:,} of {certificate.rows:,} rows ({share(float(cover.rows))}) lie in "
        f"a group where {words.group} and {words.other} can be compared: "
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
    certificate: Certificate, told: Population, words: Words
) -> tuple[view.Figure, ...]:
    partition = certificate.partition
    moments = certificate.relaxed().moments
    mean = moments.mean if moments else None
    size = words.points(mean).removeprefix("−")
    ahead = f", {words.higher(mean)}" if mean else ""
    return (
        view.Figure(
            number=f"{partition.violating:,} of {told.measured:,}",
            meaning=f"comparable groups differ by {words.threshold_points} or more",
        ),
        view.Figure(
            number=size if mean is None else f"{size} points",
            meaning=f"difference on average over the rows{ahead}",
        ),
        view.Figure(
            number=f"{told.shown:,} of {told.measured:,}",
            meaning=f"groups {have(told.shown)} a difference shown to lie beyond "
            f"{words.threshold_points}",
        ),
        view.Figure(
            number=share(float(certificate.coverage.rows)),
            meaning="of the rows could be compared",
        ),
    )
