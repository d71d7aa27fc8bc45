"""The page for others: counts and differences of the groups that may be shown.

It is made from ``shown_part`` of a certificate and from nothing else. Which groups are shown
depends on their counts, so there is no interval, p-value or chance line on it.
"""

from dataclasses import replace
from shlex import quote

import numpy as np

from evenhand.evidence import Certificate, Subpopulations, Verdict
from evenhand.evidence.first_sentence import seen_sentence
from evenhand.question import Knowledge
from evenhand.report import picture_types as pictures
from evenhand.report import template_types as page
from evenhand.report.assumptions_section import (
    coding_premises,
    direct_effect_premise,
    order_premises,
    record_premise,
)
from evenhand.report.charts import funnel
from evenhand.report.differences_sections import MARKS_KEY
from evenhand.report.edit_premises import edit_premises
from evenhand.report.graph_section import caused_by, graph_figure
from evenhand.report.limits_and_checking_sections import small_print
from evenhand.report.phrases import Words, capital, count
from evenhand.report.shown_groups import Case
from evenhand.report.template_types import Strong, text

_MOST_GROUPS = 500
_MARKS = {Verdict.CERTIFIED: "certified", Verdict.NOT_CERTIFIED: "not-certified"}


def shared_page(
    shown: Certificate,
    knowledge: Knowledge,
    words: Words,
    *,
    least_count: int,
    question: str,
    name: str,
    generated: str,
    files: tuple[str | None, str | None],
) -> page.SharedPage:
    """Fill the page from what may be shown; ``files`` names certificate and data."""
    cases = _cases(shown)
    privacy = (
        f"Groups with a count under {least_count} are withheld whole, and nothing here depends "
        "on them. Ids number the groups of this page only."
    )
    return page.SharedPage(
        title=f"{shown.verdict}: {question} | {name}",
        masthead=(name, generated, f"copy for others: counts under {least_count} withheld"),
        kick="The rows as released" if shown.release else "The question",
        question=question,
        first_sentence=_first_sentence(shown, least_count),
        lead=_lead(shown, words),
        verdict=page.VerdictCard(
            about="As released" if shown.release else "In these rows",
            mark=_MARKS.get(shown.verdict, "withheld"),
            word=capital(str(shown.verdict)),
            sentence=text(_verdict_sentence(shown, words)),
        ),
        rests_on=text(
            "This holds given the causal graph below and for a threshold of "
            f"{words.threshold_points}, chosen by whoever asked. Groups in which a count is "
            f"under {least_count}, if there are any, are in no number on this page. So the "
            "groups here are a selection, made by their counts: how many would differ by "
            "chance, and what all rows show, the full report tells."
        ),
        causes=(caused_by(shown, words),),
        graph=graph_figure(shown, knowledge, words),
        funnel=_dots(cases, words),
        group=capital(words.group),
        other=capital(words.other),
        groups=tuple(_row(case, words) for case in cases[:_MOST_GROUPS]),
        more=f"{len(cases) - _MOST_GROUPS:,} more groups are in the certificate."
        if len(cases) > _MOST_GROUPS
        else "",
        premises=(
            *_graph_premises(shown),
            *order_premises(shown, knowledge, words),
            *edit_premises(shown),
            *_rule_premises(shown, words),
            *coding_premises(shown, words),
            *_release_premises(shown, words),
            record_premise(words),
            direct_effect_premise(shown, words),
        ),
        commands=_commands(files),
        small_print=small_print(shown, words, generated, privacy=privacy),
    )


def _cases(shown: Certificate) -> tuple[Case, ...]:
    """The groups, those that differ most first."""
    partition = shown.partition
    people = Subpopulations(partition, np.arange(len(partition)))
    cases = [
        Case(one, line, int(partition.side[line]), shown=False, id="")
        for line, one in enumerate(people)
    ]
    cases.sort(key=lambda case: (-abs(case.difference), -case.people.row_count))
    return tuple(replace(case, id=f"S{number}") for number, case in enumerate(cases, 1))


def _first_sentence(shown: Certificate, least_count: int) -> page.Text:
    if not len(shown.partition):
        return text(f"No group may be shown: each has a count under {least_count}.")
    seen = seen_sentence(shown.partition)
    which = f"Of the groups in which every count is at least {least_count}: "
    return text(f"{which}{seen[:1].lower()}{seen[1:]}.")


def _lead(shown: Certificate, words: Words) -> page.Text:
    """Who is compared with whom."""
    alike = words.columns(shown.partition.names)
    sets = len(shown.possible_decision_causes)
    one_of = f", one of {sets} sets of causes that the graph allows" if sets > 1 else ""
    who = f" who are alike in {alike}{one_of}" if shown.partition.names else ""
    people = f"{shown.row_count:,} people are in these groups. " if shown.row_count else ""
    compared = f"{capital(words.group_people)} are compared with {words.other_people}{who}."
    return text(f"{people}{compared} Counted are those who {words.did}.")


def _verdict_sentence(shown: Certificate, words: Words) -> str:
    differ = f"differ by {words.threshold_points} or more"
    if shown.verdict is Verdict.CERTIFIED:
        return (
            f"In no comparable group of the released rows, shown or not, do the two {differ}."
        )
    if shown.verdict is Verdict.NOT_CERTIFIED:
        return f"There are groups, shown here, in which the two {differ}."
    if shown.question.rule:
        return "A rule was declared by which was decided: what that gives is not told here."
    if len(shown.possible_decision_causes) > 1:
        return "The graph leaves open what causes the decision; the verdict is not told here."
    return f"Whether the two {differ} in a group that is not shown is not told."


def _dots(cases: tuple[Case, ...], words: Words) -> pictures.Funnel | None:
    if not cases:
        return None
    key = {**MARKS_KEY, "hollow": "at or beyond it"}
    return funnel(cases, words, total=len(cases), **key)


def _row(case: Case, words: Words) -> tuple[str, ...]:
    people = case.people
    return (
        case.id,
        words.alike(people.where) or "everybody",
        f"{people.group_yes:,} of {people.group:,}",
        f"{people.other_yes:,} of {people.other:,}",
        words.points(people.risk_difference),
        words.higher(people.risk_difference),
    )


def _graph_premises(shown: Certificate) -> tuple[page.Premise, ...]:
    graph = shown.graph
    links = count(len(graph.arrows), "arrow")
    if graph.undirected:
        links += f" and {count(len(graph.undirected), 'link')} of open direction"
    return (
        page.Premise(
            status="Given" if shown.graph_origin.kind == "given" else "Learned, not given",
            what="The causal graph.",
            why=text(
                f"It has {links}, {shown.graph_origin}. It must not lack a common cause of two "
                "attributes. Another graph can change which people are compared."
            ),
        ),
        page.Premise(
            status="Given",
            what="The threshold.",
            why=text("It is a convention, not a natural limit."),
        ),
        *(page.Premise(status="Stated", what=one) for one in shown.contradictions),
    )


def _rule_premises(shown: Certificate, words: Words) -> tuple[page.Premise, ...]:
    if not shown.question.rule:
        return ()
    rule = words.columns(shown.question.rule)
    return (page.Premise(status="Declared", what=f"That was decided by {rule}."),)


def _release_premises(shown: Certificate, words: Words) -> tuple[page.Premise, ...]:
    if shown.release is None:
        return ()
    release = shown.release
    dropped = words.columns(release.dropped_columns)
    return (
        *(
            [page.Premise(status="Stated", what=f"Not released: {dropped}.")]
            if release.dropped_columns
            else []
        ),
        page.Premise(
            status="Stated",
            what=f"How the rows were made: method {release.method}, policy {release.policy}.",
            why=text(Strong(release.notice)),
        ),
    )


def _commands(files: tuple[str | None, str | None]) -> tuple[tuple[str, str], ...]:
    name, data = files[0] or "CERTIFICATE.json", files[1] or "DATA.csv"
    return (
        (f"evenhand verify {quote(name)} {quote(data)}", "by whoever has the rows"),
        (
            f"python -m checker {quote(name)} {quote(data)}",
            "the same without evenhand; of what is counted alone, without the rows",
        ),
    )
