"""The page for others: counts and differences of the groups that may be shown.

It is made from ``shown_part`` of a certificate and from nothing else. Which groups are shown
depends on their counts, so there is no interval, p-value or chance line on it.
"""

from typing import Any

from evenhand.evidence import Certificate, Verdict
from evenhand.question import Knowledge
from evenhand.report.differences import widest_in
from evenhand.report.graph_section import caused_by, graph_figure
from evenhand.report.pictures.charts import funnel
from evenhand.report.rendering import View
from evenhand.wording import Text, VerdictCard, Words, capital
from evenhand.wording.difference_words import seen_sentence
from evenhand.wording.premises import shared_premises
from evenhand.wording.verdict_words import verdict_class, verdict_word

_MOST_GROUPS = 500


def shared_page(
    shown: Certificate,
    knowledge: Knowledge,
    words: Words,
    *,
    claim: Verdict | None,
    least_count: int,
) -> dict[str, Any]:
    """What the template needs, from what may be shown.

    ``claim`` is the verdict on effects through chosen attributes, if that is asked about.
    """
    partition = shown.partition
    people = [widest_in(partition, line) for line in range(len(partition))]
    size = [abs(one.risk_difference or 0) for one in people]
    rows = partition.row_counts
    order = sorted(range(len(partition)), key=lambda at: (-size[at], -rows[at]))
    measured = partition.widest[partition.measured]
    return {
        "shown": shown,
        "least_count": least_count,
        "first_sentence": _first_sentence(shown, words, least_count),
        "lead": _lead(shown, words),
        "verdict": VerdictCard(
            about="As released" if shown.release else "In these rows",
            mark=verdict_class(shown.verdict),
            word=verdict_word(shown.verdict),
            sentence=_verdict_sentence(shown, words),
        ),
        "claim": _claim_card(claim, words),
        "causes": (caused_by(shown, words),),
        "graph": graph_figure(shown, knowledge, words),
        "funnel": funnel(partition, measured, words, shows=False) if len(measured) else None,
        "groups": [
            View(people=people[line], counts=[*_counts(shown, line, words)])
            for line in order[:_MOST_GROUPS]
        ],
        "more": max(len(order) - _MOST_GROUPS, 0),
        "premises": [*shared_premises(shown, knowledge, words)],
    }


def _first_sentence(shown: Certificate, words: Words, least_count: int) -> Text:
    if not len(shown.partition):
        return f"No group may be shown: each has a count under {least_count}."
    seen = seen_sentence(shown.partition, words)
    which = f"Of the groups in which every count is at least {least_count}: "
    return f"{which}{seen[:1].lower()}{seen[1:]}."


def _lead(shown: Certificate, words: Words) -> Text:
    """Who is compared with whom."""
    alike = words.columns(shown.partition.names)
    sets = len(shown.possible_decision_causes)
    one_of = f" (one of {sets} possible sets of causes)" if sets > 1 else ""
    who = f" who are alike in {alike}{one_of}" if shown.partition.names else ""
    people = f"{shown.row_count:,} people are in these groups. " if shown.row_count else ""
    group = " People with the same values of all of them form a comparable group."
    return (
        f"{people}{words.compared(who)}.{group * bool(alike)} The rate is the share who "
        f"{words.did}."
    )


def _verdict_sentence(shown: Certificate, words: Words) -> str:
    differ = f"differ by {words.threshold_points} or more"
    two = words.both
    if shown.verdict is Verdict.CERTIFIED:
        return f"In no comparable group of the released rows, shown or not, do {two} {differ}."
    if shown.verdict is Verdict.NOT_CERTIFIED:
        return f"There are groups, shown here, in which {two} {differ}."
    if shown.question.rule:
        return "Some columns fully determine the decision; the result is withheld."
    if len(shown.possible_decision_causes) > 1:
        return "The graph leaves open what causes the decision; the verdict is withheld."
    return f"Whether {two} {differ} in a group that is not shown is withheld."


def _claim_card(claim: Verdict | None, words: Words) -> VerdictCard | None:
    """The verdict on effects through chosen attributes, and nothing else of it."""
    if claim is None:
        return None
    through = words.columns(words.question.redlining)
    changes = f"{words.protected} changes {words.decision} through {through}"
    told = f"Whether {changes} rests on all rows, and is withheld."
    if claim is Verdict.CERTIFIED:
        told = (
            f"In the released rows {changes} by less than the threshold of this claim, given "
            "this graph."
        )
    about = f"A second claim, apart from this: through {through}"
    word = f"{verdict_word(claim)}, through {through}"
    return VerdictCard(about, verdict_class(claim), word, told)


def _counts(shown: Certificate, line: int, words: Words) -> list[tuple[str, str]]:
    """For each group favorable decisions of all, or how many got each decision."""
    partition = shown.partition
    counts, rows = partition.counts[:, :, line].T.tolist(), partition.rows[:, line].tolist()
    return [
        (
            capital(who),
            f"{each[0]:,} of {total:,}"
            if len(words.cuts) < 2
            else ", ".join(
                f"{many:,} {decided}"
                for many, decided in zip(each, words.decision_names, strict=True)
            ),
        )
        for who, each, total in zip(words.groups, counts, rows, strict=True)
    ]
