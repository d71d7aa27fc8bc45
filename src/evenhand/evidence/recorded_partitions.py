"""The tables of a certificate document's partitions, back as the counts that were compared."""

from collections.abc import Mapping
from dataclasses import replace
from graphlib import TopologicalSorter
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.counts.compared_groups import group_columns
from evenhand.counts.count_table import check_row_count
from evenhand.errors import InputError, Problem, listed
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
    table = np.array(cells, np.int64).reshape(len(cells), len(groups), len(kinds))
    _check_occurring(table.sum(axis=0), question, groups, kinds)
    cell = np.tile(np.arange(many), len(cells))
    columns = group_columns(question, groups)
    counts = CountTable.build(
        [
            *map(Attribute, entry["names"], values),
            *(attribute for attribute, _ in columns),
            Attribute(question.decision, stored),
        ],
        [
            *(np.repeat(column, many) for column in codes),
            *(of_group[cell // len(kinds)] for _, of_group in columns),
            of_kinds[cell % len(kinds)],
        ],
        table.ravel(),
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
) -> tuple[list[tuple[str, ...]], list[NDArray[np.int64]], list[list[int]]]:
    """The values of each column in their order, the codes of each column, and the counts.

    Lines are sorted by codes; the order of the values is recovered from them by topological
    sorting.
    """
    names, table = entry["names"], entry["table"]
    kinds = [str] * len(names) + [int] * many
    if any([*map(type, line[:-1])] != kinds for line in table):
        raise InputError.of(f"The table of {names} has a line without {many} counts.")
    lines = [line[: len(names)] for line in table]
    cells = [line[len(names) : -1] for line in table]
    check_row_count(sum(map(sum, cells)), counts=f"counts of the table of {names}")
    orders = [TopologicalSorter({line[at]: () for line in lines}) for at in range(len(names))]
    try:
        for line, following in pairwise(lines):
            at = [a == b for a, b in zip(line, following, strict=True)].index(False)
            orders[at].add(following[at], line[at])
        values = [tuple(order.static_order()) for order in orders]
    except ValueError as error:  # no difference, or a cycle
        raise InputError.of(f"The lines of the table of {names} are not sorted.") from error
    places = [{value: code for code, value in enumerate(order)} for order in values]
    codes = [
        np.array([place[line[at]] for line in lines], np.int64)
        for at, place in enumerate(places)
    ]
    return values, codes, cells
