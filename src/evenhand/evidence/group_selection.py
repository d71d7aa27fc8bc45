"""Subpopulations in another order, or only some of them; none is read to find out."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import QuestionError, listed
from evenhand.evidence.partition import Partition
from evenhand.evidence.subpopulations import Subpopulations
from evenhand.question.question_file import Labels

ORDERS = ("strength", "difference", "size", "name")
KINDS = ("violating", "shown", "tied", "measured", "unmeasured")
_NEAR = 1e-9


def sort_groups(groups: Subpopulations, order: str = "strength") -> Subpopulations:
    """The groups by strength, size of the difference, people or values; unmeasured ones last.

    A minus in front of the order turns it round.
    """
    name, backwards = order.removeprefix("-"), order.startswith("-")
    if name not in ORDERS:
        raise QuestionError.of(
            f"There is no order {order!r}.", remedy=f"Choose one of {listed(ORDERS)}."
        )
    partition = groups.partition
    place = np.empty(len(partition), np.intp)
    place[_order(partition, name)] = np.arange(len(partition))
    place = (-place if backwards else place)[groups.lines]
    absent = ~partition.measured[groups.lines]
    if name in ("size", "name"):  # which say something of every group
        absent[:] = False
    return Subpopulations(partition, groups.lines[np.lexsort((place, absent))])


def _order(partition: Partition, name: str) -> NDArray[np.intp]:
    if name == "strength":
        return partition.strength_order
    if name == "name":
        codes = partition.assignments.codes
        return np.lexsort(codes[::-1]) if codes else np.arange(len(partition))
    difference = np.append(partition.statistics.difference, 0.0)[partition.lead]
    size = abs(difference) if name == "difference" else partition.row_counts
    return np.lexsort((partition.strength_rank, -size))


def filter_groups(
    groups: Subpopulations, conditions: Iterable[str], labels: Labels | None = None
) -> Subpopulations:
    """The groups that meet all conditions, in the same order.

    A condition is one of ``KINDS``, a value as ``attribute=value``, or words, each of which
    must occur in a value of the group or in its label.
    """
    for condition in conditions:
        groups = groups.where(_lines(groups.partition, condition, labels or Labels()))
    return groups


def _lines(partition: Partition, condition: str, labels: Labels) -> NDArray[np.bool_]:
    if condition in KINDS:
        return _lines_of_kind(partition, condition)
    every = np.ones(len(partition), bool)
    columns = [*zip(partition.assignments.attributes, partition.assignments.codes, strict=True)]
    for attribute, codes in columns:
        value = condition.removeprefix(f"{attribute.name}=")
        if value != condition and value in attribute.values:
            same: NDArray[np.bool_] = codes == attribute.values.index(value)
            return same
    for word in condition.casefold().split():
        occurs = np.zeros(len(partition), bool)
        for attribute, codes in columns:
            texts = (
                f"{labels.column(attribute.name)} {value} {labels.value(attribute.name, value)}"
                for value in attribute.values
            )
            occurs |= np.array([word in text.casefold() for text in texts], bool)[codes]
        every &= occurs
    return every


def _lines_of_kind(partition: Partition, kind: str) -> NDArray[np.bool_]:
    if kind == "shown":
        return shown_lines(partition)
    if kind == "tied":
        return tied_lines(partition)
    if kind == "violating":
        return partition.violates
    return partition.measured if kind == "measured" else ~partition.measured


def shown_lines(partition: Partition) -> NDArray[np.bool_]:
    """Where a difference of two groups is shown to lie beyond the threshold."""
    shown = np.zeros(len(partition), bool)
    shown[partition.comparisons.line[partition.statistics.shown]] = True
    return shown


def tied_lines(partition: Partition) -> NDArray[np.bool_]:
    """Where a difference of two groups is exactly the threshold, which it then reaches."""
    compared, threshold = partition.comparisons, partition.question.threshold
    apart = abs(abs(partition.statistics.difference) - float(threshold))
    tied = np.zeros(len(partition), bool)
    for at in np.flatnonzero(apart < _NEAR).tolist():  # floats find them, fractions decide
        tied[compared.line[at]] |= abs(compared.difference(at)) == threshold
    return tied
