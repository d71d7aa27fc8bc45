"""The rows that a question examines: counts of the groups that it compares, others left out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import Attribute, CountTable
from evenhand.counts.label_order import in_order
from evenhand.display import percent
from evenhand.errors import ColumnError, Remedy, listed
from evenhand.question import JOIN, REST, Question
from evenhand.question.question import check_values


@dataclass(frozen=True, slots=True, kw_only=True)
class ExaminedCounts:
    """Counts of the rows that a question compares, and how it divides them.

    ``left_out`` counts the rows of groups that the question does not ask about;
    ``absent_groups`` are compared although no row of them is here.
    """

    counts: CountTable
    question: Question
    left_out: int
    absent_groups: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that are compared: the two that were asked about, or all."""
        labels, _ = group_labels(self.counts, self.question)
        return self.question.compared_groups(in_order({*labels, *self.absent_groups}))

    @property
    def decisions(self) -> tuple[str, ...]:
        """The kinds of decision that are counted apart, the favorable one first."""
        return self.question.compared_decisions(self._values)

    @property
    def _values(self) -> Sequence[str]:
        return self.counts.attribute(self.question.decision).values

    @property
    def group_codes(self) -> NDArray[np.intp]:
        """The index of each line's group in ``groups``; all but the group are pooled as one."""
        index = {group: at for at, group in enumerate(self.groups)}
        return group_codes(self.counts, self.question, index, others=1)

    @property
    def decision_codes(self) -> NDArray[np.intp]:
        """The index of each line's decision in ``decisions``."""
        codes = self.counts.column(self.question.decision)
        of_lines: NDArray[np.intp] = self.decision_kinds[codes]
        return of_lines

    @property
    def decision_kinds(self) -> NDArray[np.intp]:
        """The index in ``decisions`` of each value of the decision as it is stored."""
        return np.array(self.question.decision_kinds(self._values), np.intp)


def examined_counts(counts: CountTable, question: Question) -> ExaminedCounts:
    """Check the question against the counts and bring both into the form of a comparison.

    With ``other="rest"`` all further groups are pooled; with a group and a named other, rows of
    further groups are left out, and their number is returned. Of two groups neither of which
    is named the first is the group.
    """
    unknown = [name for name in question.named_columns if name not in counts.names]
    if unknown:
        raise ColumnError.unknown(unknown, counts.names, where="question")
    labels, line = group_labels(counts, question)
    rows = counts.totals(line, len(labels)).tolist()
    groups = {label: many for label, many in zip(labels, rows, strict=True) if many}
    values = {name: counts.values(name) for name in question.columns}
    pooled = f"not {question.group}"
    if len(question.protected_names) > 1 and question.other == pooled not in groups:
        question = replace(question, other=REST)  # examined before: the pool is no value
    check_values(question, {**values, question.groups_column: groups}, where="question")
    if question.predicts and question.order:  # a model need not say all that was decided
        said = values[question.decision]
        order = tuple(one for one in question.order if one in said)
        question = replace(question, order=order)
    if question.criterion == "cumulative":  # counts may know a value that nobody has
        known = counts.attribute(question.decision).values
        ordered = [value for value in known if value in question.order]
        counts = _with_values(counts, question.decision, ordered)
    if question.other == REST:
        return ExaminedCounts(
            counts=_pooled(counts, question, pooled),
            question=replace(question, other=pooled),
            left_out=0,
        )
    if question.group is None:
        if len(groups) > 2:
            return ExaminedCounts(counts=counts, question=question, left_out=0)
        first = next(value for value in in_order(groups) if value != question.other)
        question = replace(question, group=first)
    other = question.other or next(value for value in groups if value != question.group)
    further = [value for value in groups if value not in (question.group, other)]
    is_compared = np.array([label not in further for label in labels])[line]
    compared = counts.chosen(is_compared) if further else counts
    if question.criterion == "cumulative":  # all are decisions, also those of further groups
        compared = _with_values(
            compared, question.decision, counts.attribute(question.decision).values
        )
    favorable = {*question.favorable_values}
    absent = favorable - {*compared.values(question.decision)}
    if absent and (absent == favorable or not question.predicts):
        raise ColumnError.of(
            f"Nobody with {question.groups_column} {question.group!r} or {other!r} has "
            f"{question.decision} {listed(sorted(absent))}.",
            f"Others have, of {listed(further)}.",
            Remedy("Compare with all others", "other", REST),
            where="question",
        )
    return ExaminedCounts(
        counts=compared,
        question=replace(question, other=other),
        left_out=counts.row_count - compared.row_count,
    )


def _with_values(counts: CountTable, name: str, values: Sequence[str]) -> CountTable:
    """The counts with these values of an attribute, in the same order; nobody has others."""
    old = counts.attribute(name).values
    if tuple(old) == tuple(values):
        return counts
    place = {value: code for code, value in enumerate(values)}
    new = np.array([place.get(value, 0) for value in old])
    return counts.with_column(name, values, new[counts.column(name)])


def _pooled(counts: CountTable, question: Question, pooled: str) -> CountTable:
    """The counts with all groups but one under one name, if one column defines them."""
    if len(question.protected_names) > 1:
        return counts
    column = question.groups_column
    others = [value for value in counts.attribute(column).values if value != question.group]
    return counts.recoded(column, dict.fromkeys(others, pooled))


def group_labels(
    counts: CountTable, question: Question
) -> tuple[tuple[str, ...], NDArray[np.integer]]:
    """The labels of groups, and the index of each line's label."""
    names = question.protected_names
    if len(names) == 1:
        return tuple(counts.attribute(names[0]).values), counts.column(names[0])
    line, first = counts.groups(names)
    columns = [
        np.asarray(counts.attribute(name).values, object)[counts.column(name)[first]]
        for name in names
    ]
    joined = {
        name: sorted({label for label in column if JOIN in label})
        for name, column in zip(names, columns, strict=True)
    }
    if having := [name for name in names if joined[name]]:
        raise ColumnError.of(
            f"Values of {listed(having)} contain {JOIN!r}: {listed(chain(*joined.values()))}.",
            "It is written between the values of a group that several columns define.",
            Remedy("Give them other names", "merge"),
            where="question",
        )
    return tuple(JOIN.join(parts) for parts in zip(*columns, strict=True)), line


def group_codes(
    counts: CountTable, question: Question, index: Mapping[str, int], *, others: int
) -> NDArray[np.intp]:
    """The index of each line's group; ``others`` stands for groups without one."""
    labels, line = group_labels(counts, question)
    codes = np.array([index.get(label, others) for label in labels], np.intp)
    of_lines: NDArray[np.intp] = codes[line]
    return of_lines


def with_groups(counts: CountTable, question: Question) -> CountTable:
    """The counts with a column of groups: one more if several columns define them."""
    if len(question.protected_names) == 1:
        return counts
    labels, line = group_labels(counts, question)
    values = in_order({*labels})
    codes = np.array([values.index(label) for label in labels])[line]
    return counts.with_column(question.groups_column, values, codes)


def group_columns(
    question: Question, groups: Sequence[str]
) -> list[tuple[Attribute, NDArray[np.intp]]]:
    """The protected attributes, each with the code of its value for each group."""
    parts = [[*question.group_values(group).values()] for group in groups]
    columns = []
    for name, labels in zip(question.protected_names, zip(*parts, strict=True), strict=True):
        values = tuple(dict.fromkeys(labels))
        codes = np.array([values.index(label) for label in labels], np.intp)
        columns.append((Attribute(name, values), codes))
    return columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparability:
    """Kinds of people alike in some columns: those that occur, and those of two groups or more.

    ``without_comparator`` counts the rows of the others, ``same_decision`` the rows of those
    kinds of two groups or more in which everybody got the same decision.
    """

    columns: tuple[str, ...]
    rows: int
    occupied: int
    measured: int
    without_comparator: int
    same_decision: int
    groups: int = 2

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        values = {**asdict(self), "columns": list(self.columns)}
        return {name: value for name, value in values.items() if name != "groups"}

    def __str__(self) -> str:
        rows = max(self.rows, 1)
        groups = "both groups" if self.groups == 2 else "two groups or more"
        columns = "1 column" if len(self.columns) == 1 else f"{len(self.columns)} columns"
        kinds = "1 kind" if self.occupied == 1 else f"{self.occupied:,} kinds"
        return (
            f"people alike in {columns}: {kinds}, "
            f"{self.measured:,} with {groups}; {percent(self.without_comparator / rows)} of "
            f"the rows have no comparator, {percent(self.same_decision / rows)} lie where "
            "everybody got the same decision"
        )


def question_groups(table: CountTable, question: Question) -> NDArray[np.int64]:
    """For each line the index of its group among those that are compared, -1 if of none."""
    labels, _ = group_labels(table, question)
    if question.group is None:
        index = {label: at for at, label in enumerate(labels)}
    else:
        others = labels if question.other in (None, REST) else (question.other,)
        index = {**dict.fromkeys(others, 1), question.group: 0}
    return group_codes(table, question, index, others=-1)


def compare_alike(
    table: CountTable, names: Sequence[str], decision: str, groups: NDArray[np.int64]
) -> Comparability:
    """Compare people alike in these columns; lines of no compared group are left out."""
    compared = groups >= 0
    many = int(groups.max(initial=0)) + 1
    table = CountTable(
        table.attributes,
        tuple(column[compared] for column in table.codes),
        table.counts[compared],
    )
    kind, first = table.groups(names)
    rows = table.totals(many * kind + groups[compared], many * len(first)).reshape(-1, many)
    measured = np.count_nonzero(rows, axis=1) > 1
    decisions = table.column(decision)
    same = measured.copy()
    same[kind[decisions != decisions[first][kind]]] = False
    return Comparability(
        columns=tuple(names),
        rows=table.row_count,
        occupied=len(first),
        measured=int(measured.sum()),
        without_comparator=int(rows[~measured].sum()),
        same_decision=int(rows[same].sum()),
        groups=max(many, 2),
    )


@dataclass(frozen=True, kw_only=True)
class FinerCounts:
    """Counts with a second column for each that is counted in classes or merged.

    ``finer`` names it, by the column. ``numbers`` has, for each code of a second column of
    numbers, their mean; NaN of a missing value.
    """

    counts: CountTable
    finer: Mapping[str, str]
    numbers: Mapping[str, NDArray[np.float64]]
