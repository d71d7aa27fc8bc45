"""``Question``: who is compared with whom, about which decision, and what difference counts.

A question must make sense by itself, and fit the values that were counted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, TypeAlias
from unicodedata import normalize

from evenhand.errors import Problem, QuestionError, Remedy, did_you_mean, listed
from evenhand.question.fields import read_parts, said_parts
from evenhand.question.parse_values import JOIN

OR = " or "  # between decisions that count as one
REST = "rest"  # as ``other``: all other groups, pooled
# More would be compared in more pairs than anybody reads.
MOST_GROUPS = 50
MOST_DECISIONS = 100  # that are compared one by one
_NOTHING_DIFFERS = "No difference can show where nothing differs."
Criterion: TypeAlias = Literal["favorable", "every", "cumulative"]
Basis: TypeAlias = Literal["group", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Did the protected attribute itself change the decision, by the threshold or more?

    ``group`` is compared with ``other``: a value, ``"rest"`` for everybody else pooled, or
    nothing where the protected attribute has two values. Without a ``group`` all groups are
    compared in pairs, or each with ``other``. Several protected attributes define groups by
    their combinations. ``favorable`` is one value of the decision or several that count as one;
    with the ``criterion`` "every" each value is compared, with "cumulative" each cut of their
    ``order``, best first. Groups with fewer than ``min_rows`` rows in a subpopulation are not
    compared there. The threshold is kept exactly. ``rule`` names the columns by which was
    decided, if they leave nothing to decide.

    ``redlining`` names attributes through which the protected one should not change the
    decision either: a claim of its own, with its own ``redlining_threshold`` if one is given.
    ``explained`` names those through which it may. The effect is measured on the rows of the
    group that would change, or with the ``basis`` "all" on all rows.

    ``predicts`` names the recorded decision, if the decision asked about is a model's
    prediction of it: then people alike in the causes of the recorded one are compared.

    >>> question = Question(protected="sex", group="Female", decision="income",
    ...                     favorable=">50K", threshold="0.05")
    >>> question.threshold
    Fraction(1, 20)

    Paper: sec:md
    """

    protected: str | tuple[str, ...]
    group: str | None = None
    other: str | None = None
    decision: str
    favorable: str | tuple[str, ...] | None = None
    threshold: Fraction = Fraction(1, 20)
    rule: tuple[str, ...] = ()
    criterion: Criterion = "favorable"
    order: tuple[str, ...] = ()
    min_rows: int = 1
    redlining: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    redlining_threshold: Fraction | None = None
    basis: Basis = "group"
    predicts: str | None = None

    def __post_init__(self) -> None:
        read_parts(self, "question")
        problems = [
            *self._column_problems(),
            *self._group_problems(),
            *self._value_problems(),
            *self._path_problems(),
        ]
        if problems:
            raise QuestionError(*problems)

    def _column_problems(self) -> Iterable[Problem]:
        if not self.protected_names:
            yield Problem("No protected attribute is named.", "", "Name at least one column.")
        if {*self.columns} & {*self.rule}:
            yield Problem(
                f"The rule {listed(self.rule)} names the protected attribute or the decision.",
                remedy="Name the columns that make the decision.",
            )
        if self.predicts in self.columns:
            yield Problem(
                f"{self.predicts!r} cannot be what {self.decision!r} predicts.",
                remedy="Name the column of predictions, and that of recorded decisions.",
            )
        if self.decision in self.protected_names:
            yield Problem(
                f"{self.decision!r} is named both as the protected attribute and as "
                "the decision.",
                remedy="Name two different columns.",
            )

    def _group_problems(self) -> Iterable[Problem]:
        if self.group is not None and self.other == self.group:
            yield Problem(
                f"{self.group!r} would be compared with itself.",
                remedy=(Remedy("Name another value", "other"), Remedy("leave it out")),
            )
        if self.group is None and self.other == REST:
            pairs = Remedy("compare all groups in pairs: leave out the other")
            yield Problem(
                "It is not said which group is compared with the rest.",
                remedy=(Remedy("Name it", "group"), pairs),
            )

    def _value_problems(self) -> Iterable[Problem]:
        is_favorable = self.criterion == "favorable"
        if is_favorable and not self.favorable:
            every = Remedy("compare every value", "criterion", "every")
            yield Problem(
                "It is not said which decision is favorable.",
                remedy=(Remedy("Name one value or several", "favorable"), every),
            )
        elif not is_favorable and self.favorable:
            yield Problem(
                f"With the criterion {self.criterion!r} no value is the favorable one.",
                f"{self.favorable_label!r} is named.",
                (Remedy("Leave it out"), Remedy("ask for it alone", "criterion", "favorable")),
            )
        elif repeated := [value for value, many in Counter(self.order).items() if many > 1]:
            yield Problem(
                f"The order names {listed(repeated)} more than once.",
                remedy=Remedy("Write each value once, best first", "order"),
            )
        elif self.criterion == "cumulative" and len(self.order) < 2:
            yield Problem(
                "The criterion 'cumulative' needs the order of the decision's values.",
                remedy=Remedy("Write them all, best first, one by one", "order"),
                is_open=True,
            )

    def _path_problems(self) -> Iterable[Problem]:
        if self.predicts and self.redlining:
            yield Problem(
                f"Effects through {listed(self.redlining)} are asked about for predictions.",
                "The graph says what caused the recorded decision, not how a model predicts.",
                "Leave them out, or ask about the recorded decision.",
            )
        named = {"redlining": self.redlining, "explained": self.explained}
        for part, names in named.items():
            for name in sorted({*names} & {*self.columns}):
                role = "decision" if name == self.decision else "protected attribute"
                yield Problem(
                    f"The {role} {name!r} is named in `{part}`.",
                    "Effects go from the protected attribute to the decision, through others.",
                    "Name attributes between the two.",
                )
        if both := {*self.redlining} & {*self.explained}:
            yield Problem(
                f"`redlining` and `explained` both name {listed(sorted(both))}.",
                "Through one attribute effects are either judged or accepted.",
                (
                    Remedy("Keep it here if they are judged", "redlining"),
                    Remedy("here if they are accepted", "explained"),
                ),
            )
        parts = ("explained", "redlining_threshold", "basis")
        needless = [f"`{name}`" for name in parts if name in self.to_dict()]
        if needless and not self.redlining:
            yield Problem(
                f"{' and '.join(needless)} would have no effect.",
                "It is not said through which attributes effects are judged.",
                Remedy("Name them", "redlining"),
            )

    def to_dict(self) -> dict[str, Any]:
        """What is said as plain values, and always the threshold, as a fraction."""
        return said_parts(self, "question", "threshold")

    @property
    def indirect_threshold(self) -> Fraction:
        """The threshold of the claim about effects through other attributes."""
        return self.redlining_threshold or self.threshold

    @property
    def direct(self) -> "Question":
        """The question without the claim about effects through other attributes."""
        none: dict[str, Any] = {"redlining": (), "explained": (), "redlining_threshold": None}
        return replace(self, **none, basis="group") if self.redlining else self

    @property
    def protected_names(self) -> tuple[str, ...]:
        """The columns that define the groups."""
        return (self.protected,) if isinstance(self.protected, str) else self.protected

    @property
    def columns(self) -> tuple[str, ...]:
        """The protected attributes and the decision."""
        return *self.protected_names, self.decision

    @property
    def named_columns(self) -> tuple[str, ...]:
        """All columns that the question names: they have to be counted."""
        return *self.columns, *self.rule, *self.redlining, *self.explained

    @property
    def groups_column(self) -> str:
        """The column of groups in counts that were examined: their attributes, joined."""
        return JOIN.join(self.protected_names)

    @property
    def favorable_values(self) -> tuple[str, ...]:
        """The values of the decision that count as favorable; none if each is compared."""
        favorable = self.favorable or ()
        return (favorable,) if isinstance(favorable, str) else favorable

    @property
    def favorable_label(self) -> str:
        """What counts as favorable, as one text."""
        return OR.join(self.favorable_values)

    def group_values(self, group: str) -> dict[str, str]:
        """The values of the protected attributes that define a group."""
        names = self.protected_names
        values = group.split(JOIN) if len(names) > 1 else [group]
        # Of a pool they are no values, but its name.
        values = values if len(values) == len(names) else [group] * len(names)
        return dict(zip(names, values, strict=True))

    def without_absent(self, decisions: Collection[str]) -> "Question":
        """The question without values of the decision that nobody has."""
        favorable = tuple(value for value in self.favorable_values if value in decisions)
        order = tuple(value for value in self.order if value in decisions)
        return replace(self, favorable=favorable or None, order=order)

    def compared_groups(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The groups that are compared, of those that there are."""
        return tuple(labels) if self.group is None else (self.group, str(self.other))

    def pairs(self, groups: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """Which groups are compared, as places: the group asked about, and the other.

        >>> Question(protected="a", other="c", decision="d", favorable="e").pairs("abc")
        ((0, 2), (1, 2))
        """
        places = range(len(groups))
        if self.group is not None:
            return ((0, 1),)
        if self.other is None:
            return tuple(combinations(places, 2))
        reference = groups.index(self.other)
        return tuple((at, reference) for at in places if at != reference)

    def pairs_text(self, groups: Sequence[str]) -> str:
        """Who is compared with whom."""
        if self.group is not None:
            return f"{self.group} against {self.other}"
        if self.other is None:
            return f"in pairs of {len(groups)} groups"
        return f"against {self.other}: {len(groups) - 1} groups"

    def compared_decisions(self, values: Sequence[str]) -> tuple[str, ...]:
        """The kinds of decision that are counted apart, the favorable one first."""
        if self.criterion != "favorable":
            return self.order if self.criterion == "cumulative" else tuple(values)
        others = [value for value in values if value not in self.favorable_values]
        favorable = self.favorable_label
        return favorable, others[0] if len(others) == 1 else f"not {favorable}"

    def decision_kinds(self, values: Sequence[str]) -> list[int]:
        """For each value of the decision the place of its kind."""
        if self.criterion == "favorable":
            return [int(value not in self.favorable_values) for value in values]
        kinds = self.compared_decisions(values)
        return [kinds.index(value) for value in values]

    def cuts(self, kinds: int) -> tuple[tuple[bool, ...], ...]:
        """For each rate that is compared, which of so many kinds of decision it counts.

        Of every value the rate of each; of two the first tells the other's. By an order the
        rate of each value or a better one, but for the last.
        """
        places, is_each = range(kinds), self.criterion == "every" and kinds > 2
        if is_each:
            return tuple(tuple(kind == one for kind in places) for one in places)
        last = kinds if self.criterion == "cumulative" else 2
        return tuple(tuple(kind < many for kind in places) for many in range(1, last))

    def cuts_text(self, kinds: int) -> str:
        """Which of so many kinds of decision are compared, after the name of their column."""
        if self.criterion == "favorable":
            return f" = {self.favorable_label}"
        return f", each {'cut ' * (self.criterion == 'cumulative')}of {kinds} values"


def check_values(
    question: Question, values: Mapping[str, Mapping[str, int]], *, where: str = ""
) -> None:
    """Raise every way in which the question does not fit the values that were counted.

    ``values`` gives for each protected attribute, for the column of groups and for the decision
    how often each value occurs.
    """
    groups, decision = values[question.groups_column], values[question.decision]
    spellings = [
        (name, alike) for name in question.columns for alike in spelling_variants(values[name])
    ]
    problems = [
        *(
            Problem(
                f"The column {name!r} writes one value in {len(alike)} ways: {listed(alike)}.",
                "Counted apart they would be different groups.",
                Remedy("Merge them", "merge", {name: {min(alike, key=len): alike}}),
            )
            for name, alike in spellings
        ),
        *_absent_values(question, groups, decision),
        *_groups_that_do_not_fit(question, groups),
        *_decisions_that_do_not_fit(question, decision),
    ]
    if problems:
        raise QuestionError(*(replace(problem, where=where) for problem in problems))


def _absent_values(
    question: Question, groups: Mapping[str, int], decision: Mapping[str, int]
) -> Iterator[Problem]:
    """Each value that is asked for must occur; of predictions one favorable one is enough."""
    column, favorable = question.groups_column, question.favorable_values
    asked = [(column, "group", question.group, groups)]
    asked += [(column, "other", question.other, groups)] * (question.other != REST)
    if not question.predicts or {*favorable}.isdisjoint(decision):
        asked += [(question.decision, "favorable", value, decision) for value in favorable]
    for name, role, value, values in asked:
        if value is not None and value not in values:
            near = did_you_mean(value, values)
            yield Problem(
                f"The column {name!r} has no value {value!r}, which is asked for as `{role}`.",
                f"Its values are {listed(values)}. {near}".strip(),
                "Write the value exactly as it stands in the data.",
            )


def _groups_that_do_not_fit(question: Question, groups: Mapping[str, int]) -> Iterator[Problem]:
    """There must be somebody to compare with, and not too many."""
    column, many = question.groups_column, len(groups)
    if question.other == REST in groups:
        yield Problem(
            f"{REST!r} is itself a value of {column!r}.",
            "As `other` it means all other groups together.",
            "Merge that value under another name.",
        )
    if many == 1:
        yield Problem(
            f"The protected attribute {column!r} has one value only: {listed(groups)}.",
            "There is nobody to compare with.",
            "Name another column, or read rows of other groups too.",
        )
    elif many > 2 and question.other is None and question.group is not None:
        yield Problem(
            f"The protected attribute {column!r} has {many} values: {listed(groups)}.",
            "One group is compared with one other.",
            (
                Remedy("Name the other group", "other"),
                Remedy("pool all others", "other", REST),
                Remedy("compare all groups in pairs: leave out the group"),
            ),
        )
    elif many > MOST_GROUPS and question.group is None:
        yield Problem(
            f"{column!r} has {many:,} values, each of which would be a group.",
            f"At most {MOST_GROUPS} groups are compared at once.",
            (
                Remedy("Merge values", "merge"),
                Remedy("use classes of numbers", "bins"),
                Remedy("name one group", "group"),
            ),
        )


def _decisions_that_do_not_fit(
    question: Question, decision: Mapping[str, int]
) -> Iterator[Problem]:
    """Decisions must differ, and an order must name all of them that occur and no other.

    A model may say fewer values than were decided.
    """
    name, order = question.decision, question.order
    missing = [value for value in decision if value not in order]
    unknown = [value for value in order if value not in decision]
    if order and (missing or (unknown and not question.predicts)):
        found = [f"It misses {listed(missing)}."] * bool(missing)
        found += [f"Nobody has {listed(unknown)}."] * bool(unknown)
        yield Problem(
            f"The order {listed(order)} does not fit the values of {name!r}.",
            " ".join(found),
            Remedy("Write each value that occurs once, best first", "order"),
        )
    if len(decision) == 1:
        what, remedy = f"The decision {name!r} is", "Name another column as the decision."
        if question.predicts:
            what = f"The predictions in {name!r} are"
            remedy = "Give predictions that differ, or leave this model out."
        yield Problem(f"{what} always {listed(decision)}.", _NOTHING_DIFFERS, remedy)
    elif {*decision} <= {*question.favorable_values}:
        yield Problem(
            f"Every value of {name!r} is named as favorable.",
            _NOTHING_DIFFERS,
            Remedy("Leave out those that are not", "favorable"),
        )
    elif not question.favorable and len(decision) > MOST_DECISIONS:
        yield Problem(
            f"{name!r} has {len(decision):,} values, each of which would be compared.",
            f"At most {MOST_DECISIONS} values of a decision are compared one by one.",
            (
                Remedy("Name those that are favorable", "favorable"),
                Remedy("merge values", "merge"),
                Remedy("use classes of numbers", "bins"),
            ),
        )


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
