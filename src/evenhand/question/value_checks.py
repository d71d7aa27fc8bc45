"""Whether a question fits the values that were counted: what is asked for has to be there."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from unicodedata import normalize

from evenhand.errors import Problem, QuestionError, Remedy, did_you_mean, listed
from evenhand.question.compared import REST
from evenhand.question.question import Question

# More would be compared in more pairs than anybody reads.
MOST_GROUPS = 50


def check_values(
    question: Question, values: Mapping[str, Mapping[str, int]], *, where: str = ""
) -> None:
    """Raise every way in which the question does not fit the values that were counted.

    ``values`` gives for each protected attribute, for the column of groups and for the decision
    how often each value occurs.
    """
    column = question.groups_column
    groups, decision = values[column], values[question.decision]
    asked = {
        "group": question.group,
        "other": question.other if question.other != REST else None,
    }
    problems = [
        *(
            problem
            for name in question.protected_names
            for problem in _spelling_problems(name, values[name])
        ),
        *_spelling_problems(question.decision, decision),
        *(
            problem
            for role, value in asked.items()
            if value is not None
            for problem in _absent_value(column, role, value, groups)
        ),
        *_favorable_problems(question, decision),
        *_order_problems(question, decision),
    ]
    if question.other == REST in groups:
        problems.append(
            Problem(
                f"{REST!r} is itself a value of {column!r}.",
                "As `other` it means all other groups together.",
                "Merge that value under another name.",
            )
        )
    if len(groups) == 1:
        problems.append(
            Problem(
                f"The protected attribute {column!r} has one value only: {listed(groups)}.",
                "There is nobody to compare with.",
                "Name another column, or read rows of other groups too.",
            )
        )
    elif len(groups) > 2 and question.other is None and question.group is not None:
        problems.append(
            Problem(
                f"The protected attribute {column!r} has {len(groups)} values: "
                f"{listed(groups)}.",
                "One group is compared with one other.",
                (
                    Remedy("Name the other group", "other"),
                    Remedy("pool all others", "other", REST),
                    Remedy("compare all groups in pairs: leave out the group"),
                ),
            )
        )
    elif len(groups) > MOST_GROUPS and question.group is None:
        problems.append(
            Problem(
                f"{column!r} has {len(groups):,} values, each of which would be a group.",
                f"At most {MOST_GROUPS} groups are compared at once.",
                (
                    Remedy("Merge values", "merge"),
                    Remedy("use classes of numbers", "bins"),
                    Remedy("name one group", "group"),
                ),
            )
        )
    if len(decision) == 1:
        what, remedy = (
            ("predictions in {} are", "Give predictions that differ, or leave this model out.")
            if question.predicts
            else ("decision {} is", "Name another column as the decision.")
        )
        problems.append(
            Problem(
                f"The {what.format(repr(question.decision))} always {listed(decision)}.",
                "No difference can show where nothing differs.",
                remedy,
            )
        )
    elif {*decision} <= {*question.favorable_values}:
        problems.append(
            Problem(
                f"Every value of {question.decision!r} is named as favorable.",
                "No difference can show where nothing differs.",
                Remedy("Leave out those that are not", "favorable"),
            )
        )
    if problems:
        raise QuestionError(*(replace(problem, where=where) for problem in problems))


def _favorable_problems(question: Question, decision: Mapping[str, int]) -> list[Problem]:
    """Every favorable value must occur; of predictions one of them, for a model is free."""
    asked = question.favorable_values
    if question.predicts and any(value in decision for value in asked):
        return []
    return [
        problem
        for value in asked
        for problem in _absent_value(question.decision, "favorable", value, decision)
    ]


def _order_problems(question: Question, decision: Mapping[str, int]) -> list[Problem]:
    """An order must name all values that occur, and no other unless a model may say it."""
    missing = [value for value in decision if value not in question.order]
    unknown = [value for value in question.order if value not in decision]
    if not question.order or not (missing or (unknown and not question.predicts)):
        return []
    found = [f"It misses {listed(missing)}."] * bool(missing)
    found += [f"Nobody has {listed(unknown)}."] * bool(unknown)
    return [
        Problem(
            f"The order {listed(question.order)} does not fit the values of "
            f"{question.decision!r}.",
            " ".join(found),
            Remedy("Write each value that occurs once, best first", "order"),
        )
    ]


def _absent_value(
    column: str, role: str, value: str, values: Mapping[str, int]
) -> list[Problem]:
    if value in values:
        return []
    return [
        Problem(
            f"The column {column!r} has no value {value!r}, which is asked for as `{role}`.",
            f"Its values are {listed(values)}. {did_you_mean(value, values)}".strip(),
            "Write the value exactly as it stands in the data.",
        )
    ]


def spelling_variants(values: Iterable[str]) -> list[list[str]]:
    """Values that differ in case, spaces, Unicode form or closing marks alone.

    >>> spelling_variants(["yes", "no", "Yes ", "no."])
    [['yes', 'Yes '], ['no', 'no.']]
    """
    values = [*values]
    keys = [*map(_spelled_plainly, values)]
    if len({*keys}) == len(keys):  # as of most columns: no list for each of a million values
        return []
    alike: dict[str, list[str]] = {}
    for key, value in zip(keys, values, strict=True):
        alike.setdefault(key, []).append(value)
    return [group for group in alike.values() if len(group) > 1]


def _spelled_plainly(value: str) -> str:
    """The value without what does not change its meaning."""
    if value.isascii() and value.isalnum():  # nothing but case: four times as fast
        return value.lower()
    spaced = " ".join(normalize("NFKC", value).split())
    return spaced.rstrip(".,;: ").casefold()


def _spelling_problems(column: str, values: Mapping[str, int]) -> list[Problem]:
    return [
        Problem(
            f"The column {column!r} writes one value in {len(group)} ways: {listed(group)}.",
            "Counted apart they would be different groups.",
            Remedy("Merge them", "merge", {column: {min(group, key=len): group}}),
        )
        for group in spelling_variants(values)
    ]
