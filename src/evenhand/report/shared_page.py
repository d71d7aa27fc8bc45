"""The page for others: counts and differences of the groups that may be shown.

It is made from ``shown_part`` of a certificate and from nothing else. Which groups are shown
depends on their counts, so there is no interval, p-value or chance line on it.
"""

from shlex import quote

from evenhand.evidence import Certificate, Partition, Verdict
from evenhand.evidence.sentences import seen_sentence
from evenhand.question import Knowledge
from evenhand.report.graph_section import caused_by, graph_figure
from evenhand.report.groups import Case, widest_in, widest_sides
from evenhand.report.html_report import View
from evenhand.report.limits_and_checking_sections import small_print
from evenhand.report.pictures.charts import case_spots, funnel
from evenhand.wording import Text, VerdictCard, Words, capital
from evenhand.wording.premises import shared_premises
from evenhand.wording.verdict_words import verdict_word

_MOST_GROUPS = 500
_MARKS = {Verdict.CERTIFIED: "certified", Verdict.NOT_CERTIFIED: "not-certified"}


def shared_page(
    shown: Certificate,
    knowledge: Knowledge,
    words: Words,
    *,
    claim: Verdict | None,
    least_count: int,
    question: str,
    name: str,
    generated: str,
    files: tuple[str | None, str | None],
) -> View:
    """Fill the page from what may be shown; ``files`` names certificate and data.

    ``claim`` is the verdict on effects through chosen attributes, if that is asked about.
    """
    cases = _cases(shown)
    privacy = (
        f"Groups with a count under {least_count} are withheld whole, and nothing here depends "
        "on them. Ids number the groups of this page only."
    )
    return View(
        title=f"{shown.verdict}: {question} | {name}",
        masthead=(name, generated, f"copy for others: counts under {least_count} withheld"),
        kick="The rows as released" if shown.release else "The question",
        question=question,
        first_sentence=_first_sentence(shown, least_count),
        lead=_lead(shown, words),
        verdict=VerdictCard(
            about="As released" if shown.release else "In these rows",
            mark=_MARKS.get(shown.verdict, "withheld"),
            word=verdict_word(shown.verdict),
            sentence=(_verdict_sentence(shown, words)),
        ),
        claim=_claim_card(claim, words),
        rests_on=(
            "This holds given the causal graph below and for a threshold of "
            f"{words.threshold_points}, chosen by whoever asked. Groups in which a count is "
            f"under {least_count}, if there are any, are in no number on this page. So the "
            "groups here are a selection, made by their counts: how many would differ by "
            "chance, and what all rows show, the full report tells."
        ),
        causes=(caused_by(shown, words),),
        graph=graph_figure(shown, knowledge, words),
        funnel=_dots(cases, words),
        heads=tuple(map(capital, words.groups)) if shown.partition.two_groups else (),
        groups=tuple(_row(shown.partition, case, words) for case in cases[:_MOST_GROUPS]),
        more=f"{len(cases) - _MOST_GROUPS:,} more groups are in the certificate."
        if len(cases) > _MOST_GROUPS
        else "",
        premises=[*shared_premises(shown, knowledge, words)],
        commands=_commands(files),
        small_print=small_print(shown, words, generated, privacy=privacy),
    )


def _cases(shown: Certificate) -> tuple[Case, ...]:
    """The groups, those that differ most first, each with its widest difference."""
    partition = shown.partition
    people = [widest_in(partition, line) for line in range(len(partition))]
    rows, side = partition.row_counts, widest_sides(partition)
    size = [abs(one.risk_difference or 0) for one in people]
    order = sorted(range(len(partition)), key=lambda at: (-size[at], -rows[at]))
    return tuple(
        Case(
            people[line],
            line,
            int(side[line]),
            shown=False,
            id=f"S{number}",
            rows=int(rows[line]),
        )
        for number, line in enumerate(order, 1)
    )


def _first_sentence(shown: Certificate, least_count: int) -> Text:
    if not len(shown.partition):
        return f"No group may be shown: each has a count under {least_count}."
    seen = seen_sentence(shown.partition)
    which = f"Of the groups in which every count is at least {least_count}: "
    return f"{which}{seen[:1].lower()}{seen[1:]}."


def _lead(shown: Certificate, words: Words) -> Text:
    """Who is compared with whom."""
    alike = words.columns(shown.partition.names)
    sets = len(shown.possible_decision_causes)
    one_of = f", one of {sets} sets of causes that the graph allows" if sets > 1 else ""
    who = f" who are alike in {alike}{one_of}" if shown.partition.names else ""
    people = f"{shown.row_count:,} people are in these groups. " if shown.row_count else ""
    return f"{people}{words.compared}{who}. Counted are those who {words.did}."


def _verdict_sentence(shown: Certificate, words: Words) -> str:
    differ = f"differ by {words.threshold_points} or more"
    two = "the two" if words.is_named else words.both
    if shown.verdict is Verdict.CERTIFIED:
        return f"In no comparable group of the released rows, shown or not, do {two} {differ}."
    if shown.verdict is Verdict.NOT_CERTIFIED:
        return f"There are groups, shown here, in which {two} {differ}."
    if shown.question.rule:
        return "A rule was declared by which was decided: what that gives is not told here."
    if len(shown.possible_decision_causes) > 1:
        return "The graph leaves open what causes the decision; the verdict is not told here."
    return f"Whether {two} {differ} in a group that is not shown is not told."


def _claim_card(claim: Verdict | None, words: Words) -> VerdictCard | None:
    """The verdict on effects through chosen attributes, and nothing else of it."""
    if claim is None:
        return None
    through = words.columns(words.question.redlining)
    return VerdictCard(
        about=f"A second claim, apart from this: through {through}",
        mark=_MARKS.get(claim, "withheld"),
        word=f"{verdict_word(claim)}, through {through}",
        sentence=(
            f"In the released rows {words.protected} changes {words.decision} through "
            f"{through} by less than the threshold of this claim, given this graph."
            if claim is Verdict.CERTIFIED
            else f"Whether {words.protected} changes {words.decision} through {through} rests "
            "on all rows, and is not told."
        ),
    )


def _dots(cases: tuple[Case, ...], words: Words) -> View | None:
    if not cases:
        return None
    chart = funnel(case_spots(cases), words, total=len(cases))
    return chart.but(key=(chart.key[0], "at or beyond it"))


def _row(partition: Partition, case: Case, words: Words) -> View:
    people, line = case.people, case.line
    rows = zip(
        words.groups,
        partition.counts[:, :, line].T.tolist(),
        partition.rows[:, line].tolist(),
        strict=True,
    )
    return View(
        id=case.id,
        alike=words.alike(people.where) or "everybody",
        counts=tuple(
            (capital(who), _counts(counts, total, words)) for who, counts, total in rows
        ),
        pair=words.pair_phrase(people),
        difference=words.points(people.risk_difference),
        direction=words.higher(people.risk_difference, words.pair(people)),
    )


def _counts(counts: list[int], total: int, words: Words) -> str:
    """Favorable decisions of all, or how many got each decision where each is compared."""
    if len(words.cuts) < 2:
        return f"{counts[0]:,} of {total:,}"
    each = zip(counts, words.decision_names, strict=True)
    return ", ".join(f"{many:,} {decided}" for many, decided in each)


def _commands(files: tuple[str | None, str | None]) -> tuple[tuple[str, str], ...]:
    name, data = files[0] or "CERTIFICATE.json", files[1] or "DATA.csv"
    return (
        (f"evenhand verify {quote(name)} {quote(data)}", "by whoever has the rows"),
        (
            f"python -m checker {quote(name)} {quote(data)}",
            "the same without evenhand; of what is counted alone, without the rows",
        ),
    )
