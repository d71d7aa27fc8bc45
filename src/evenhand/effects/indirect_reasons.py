"""Why a claim about effects through chosen attributes is what it is, with what helps."""

from collections.abc import Sequence
from fractions import Fraction
from operator import itemgetter

from evenhand.display import percent, points
from evenhand.effects.effects import GraphEffects
from evenhand.errors import Problem, Remedy, listed
from evenhand.graph.admissible_graphs import MOST_ORIENTATIONS, AdmissibleGraphs
from evenhand.question import Question
from evenhand.question.group_words import group_heading
from evenhand.verdict import Verdict


def ask_problems(
    question: Question, groups: Sequence[str], decisions: Sequence[str]
) -> tuple[Problem, ...]:
    """Why effects through other attributes cannot be measured at all, if they cannot."""
    problems = []
    if len(question.protected_names) > 1:
        problems.append(
            Problem(
                "Effects through other attributes are measured for one protected attribute.",
                f"{listed(question.protected_names)} are named.",
                Remedy("Name one of them", "protected"),
            )
        )
    elif len(groups) != 2:
        problems.append(
            Problem(
                "Effects through other attributes are measured between two groups.",
                f"The groups are {listed(groups)}.",
                Remedy("Name one of them, and with whom it is compared", "group"),
            )
        )
    if len(decisions) != 2:
        problems.append(
            Problem(
                "Effects through other attributes are measured on one kind of decision.",
                f"With the criterion {question.criterion!r} {len(decisions)} are compared.",
                Remedy("Name what is favorable, and ask for it", "criterion", "favorable"),
            )
        )
    return tuple(problems)


def learned_near_decision(question: Question) -> Problem:
    """The refusal to follow paths in a graph of which only a part was learned."""
    return Problem(
        f"The effect through {listed(question.redlining)} was not measured: the graph was "
        "learned of the columns near the decision.",
        "Paths may go through others, and these may have causes that are not in it.",
        (
            Remedy("Learn the whole graph, of chosen columns if there are many", "columns"),
            Remedy("give it", "graph"),
        ),
    )


def too_many_orientations(question: Question) -> Problem:
    """The refusal to measure more graphs than anybody could look at."""
    return Problem(
        f"The effect through {listed(question.redlining)} was not measured: the open edges can "
        f"be directed in more than {MOST_ORIENTATIONS:,} ways.",
        remedy=(
            Remedy("Put columns in tiers", "tiers"),
            Remedy("require arrows", "required"),
            Remedy("give a graph", "graph"),
        ),
    )


def effect_reasons(
    measured: Sequence[GraphEffects],
    verdicts: Sequence[Verdict],
    graphs: AdmissibleGraphs,
    question: Question,
) -> tuple[Problem, ...]:
    """What the verdict hangs on: the effect itself, or an edge, a witness, unseen people."""
    if all(not one.sides.in_use for one in measured):
        return (
            Problem(
                f"No path from {question.groups_column} to {question.decision} goes through "
                f"{listed(question.redlining)}: the effect is exactly 0."
            ),
        )
    reasons = []
    if not graphs.consistent:
        reasons.append(
            Problem(
                "The graph contradicts itself: no way to direct its open edges fits what was "
                f"found. All {len(measured):,} ways without a cycle were measured."
            )
        )
    distinct = set(verdicts)
    if distinct == {Verdict.NOT_CERTIFIED}:
        reasons.append(_beyond(measured, question))
    reasons += [
        Problem(
            f"The verdict on the effect through {listed(question.redlining)} hangs on the edge "
            f"{a} - {b}, whose direction is open.",
            remedy=(
                Remedy(f"Require {a} -> {b}", "required", [f"{a} -> {b}"]),
                Remedy(f"{b} -> {a}", "required", [f"{b} -> {a}"]),
                Remedy("put the two in different tiers", "tiers"),
            ),
        )
        for a, b in graphs.deciding_edges(verdicts)
    ]
    if Verdict.CANNOT_DECIDE in distinct:
        undecided = [
            one
            for one, verdict in zip(measured, verdicts, strict=True)
            if verdict is Verdict.CANNOT_DECIDE
        ]
        reasons += _undecided(undecided, question)
    return tuple(reasons)


def _beyond(measured: Sequence[GraphEffects], question: Question) -> Problem:
    """How far the effect reaches, in the direction in which its least size is largest."""
    threshold = question.indirect_threshold
    group, other = (
        group_heading(question, str(value)) for value in (question.group, question.other)
    )
    names = {"forward": (group, other), "backward": (other, group)}
    sizes: list[tuple[Fraction, str, str]] = []
    for direction, (start, end) in names.items():
        through = [one.directions[direction].through for one in measured]
        lower = min(effect.lower for effect in through)
        upper = max(effect.upper for effect in through)
        span = " to ".join(
            dict.fromkeys(points(end, threshold=threshold) for end in (lower, upper))
        )
        sizes.append((max(lower, -upper), f"from {start} to {end}", span))
    _, way, span = max(sizes, key=itemgetter(0))
    return Problem(
        f"Through {listed(question.redlining)} the rate changes by {span} points {way}; the "
        f"threshold is {points(threshold, threshold=threshold)} points."
    )


def _undecided(measured: Sequence[GraphEffects], question: Question) -> list[Problem]:
    """Why an interval straddles the threshold: witnesses, or people of whom nothing is seen."""
    reasons = []
    witnesses = sorted({name for one in measured for name in one.sides.witnesses})
    if witnesses:
        reasons.append(not_identified(witnesses, question))
    unseen = max(d.unseen for one in measured for d in one.directions.values())
    if unseen:
        reasons.append(
            Problem(
                f"For {percent(float(unseen))} of the people a table that is needed has no row "
                "to read.",
                "Nothing is put in their place, so that the effect is an interval.",
                (Remedy("Merge values", "merge"), Remedy("use coarser bins", "bins")),
            )
        )
    return reasons


def not_identified(witnesses: Sequence[str], question: Question) -> Problem:
    """The nodes because of which the effect can only be bounded."""
    return Problem(
        f"The effect through {listed(question.redlining)} is not identified: "
        f"{listed(witnesses)} both causes what is asked about and reaches "
        f"{question.decision} without it.",
        "The data can only bound it.",
        (
            Remedy("Ask about these, too", "redlining", [*question.redlining, *witnesses]),
            Remedy("give a graph without such paths", "graph"),
        ),
    )
