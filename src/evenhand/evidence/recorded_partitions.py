"""The tables of a certificate document's partitions, back as the counts that were compared."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from graphlib import TopologicalSorter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.counts.compared_groups import group_columns
from evenhand.counts.count_table import check_row_count
from evenhand.errors import InputError, Problem, listed
from evenhand.evidence.recorded_table import RecordedTable
from evenhand.question import Question
from evenhand.question.question import JOIN


def recorded_counts(
    content: Mapping[str, Any], question: Question, entry: Mapping[str, Any]
) -> ExaminedCounts:
    """The counts that a partition's table holds, as they were compared."""
    written, pooled = content["question"], content["pooled"]
    groups, kinds = tuple(written["groups"]), tuple(written["decisions"])
    if pooled["other"]:
        question = replace(question, other=groups[1])
    _check_labels(question, groups, kinds)
    favorable = question.favorable_values
    stored = (*favorable, kinds[1]) if favorable else kinds
    of_kinds = np.array([0, len(favorable)]) if favorable else np.arange(len(kinds))
    many = len(groups) * len(kinds)
    values, codes, cells = _encode_table(entry, many)
    people = cells.sum(axis=1).reshape(len(groups), len(kinds))
    _check_occurring(people, question, groups, kinds)
    line, cell = np.nonzero(cells.T)
    columns = group_columns(question, groups)
    counts = CountTable.build(
        [
            *map(Attribute, entry["names"], values),
            *(attribute for attribute, _ in columns),
            Attribute(question.decision, stored),
        ],
        [
            *(column[line] for column in codes),
            *(of_group[cell // len(kinds)] for _, of_group in columns),
            of_kinds[cell % len(kinds)],
        ],
        cells[cell, line],
    )
    return ExaminedCounts(
        counts=counts,
        question=question,
        left_out=0
        if pooled["other"] or content["copy"] == "shared" or question.group is None
        else content["rows"]["left_out"],
    )


def _check_labels(question: Question, groups: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    """Refuse groups and kinds of decision that are not those of the question."""
    attributes = len(question.protected_names)
    asked = (question.group, question.other)
    if (
        (groups != asked if question.group is not None else len(groups) < 3)
        or (question.other is not None and question.other not in groups)
        or (attributes > 1 and any(len(one.split(JOIN)) != attributes for one in groups))
    ):
        raise InputError.of(f"question.groups: {listed(groups)} are not those asked about.")
    order = question.order or kinds
    if (
        (question.favorable and kinds != (question.favorable_label, *kinds[1:2]))
        or (question.criterion == "cumulative" and kinds != order)
        or (question.criterion == "every" and {*kinds} != {*order})
    ):
        raise InputError.of(f"question.decisions: {listed(kinds)} are not those asked about.")


def _check_occurring(
    people: NDArray[np.int64],
    question: Question,
    groups: tuple[str, ...],
    kinds: tuple[str, ...],
) -> None:
    """Refuse tables in which nobody has what the question asks about."""
    absent = [
        f"question.{role}: nobody has {group!r}."
        for role, group, rows in zip(
            ("group", "other") if question.group else ("groups",) * len(groups),
            groups,
            people.sum(axis=1).tolist(),
            strict=True,
        )
        if not rows
    ]
    # Of decisions that are favorable or not, the others need not occur in a group compared.
    role, asked = ("favorable", kinds[:1]) if question.favorable else ("decisions", kinds)
    absent += [
        f"question.{role}: nobody has {kind!r}."
        for kind, rows in zip(asked, people.sum(axis=0).tolist(), strict=False)
        if not rows
    ]
    if absent:
        raise InputError(*map(Problem, absent))


def _encode_table(
    entry: Mapping[str, Any], many: int
) -> tuple[list[tuple[str, ...]], list[NDArray[np.int64]], NDArray[np.int64]]:
    """The values of each column in their order, the codes of each column, and the counts."""
    names, table = entry["names"], entry["table"]
    if not isinstance(table, RecordedTable):
        raise InputError.of(f"The table of {names} has a line without {many} counts.")
    rows = sum(sum(column.tolist()) for column in table.counts)
    check_row_count(rows, counts=f"counts of the table of {names}")
    values, codes = [], []
    for labels in table.labels:
        code: defaultdict[str, int] = defaultdict()
        code.default_factory = code.__len__  # values are numbered as they are seen
        codes.append(np.fromiter(map(code.__getitem__, labels), np.int64, len(labels)))
        values.append(tuple(code))
    try:
        orders = value_orders(codes, [*map(len, values)], len(table))
    except ValueError as error:
        raise InputError.of(f"The lines of the table of {names} are not sorted.") from error
    for at, order in orders.items():
        values[at] = tuple(values[at][code] for code in order)
        codes[at] = np.argsort(order)[codes[at]]
    return values, codes, table.counts


def value_orders(
    codes: Sequence[NDArray[np.int64]], cards: Sequence[int], lines: int
) -> dict[int, list[int]]:
    """By column the order of values in which the lines are sorted, if not that of the codes.

    Where two lines that follow each other differ first, that column's values are in order; the
    order of all is found by topological sorting. ValueError if there is none.
    """
    alike = np.ones(max(lines - 1, 0), bool)
    orders = {}
    for at, (column, card) in enumerate(zip(codes, cards, strict=True)):
        differs = alike & (column[1:] != column[:-1])
        steps = np.stack([column[:-1][differs], column[1:][differs]])
        if (steps[0] > steps[1]).any():
            sorter = TopologicalSorter[int](dict.fromkeys(range(card), ()))
            for before, after in np.unique(steps, axis=1).T.tolist():
                sorter.add(after, before)
            orders[at] = [*sorter.static_order()]
        alike &= ~differs
    if alike.any():
        raise ValueError("two lines are alike")
    return orders
