"""Columns that are counted in classes or merged, counted once more as finely as rows allow.

A verdict on classes may depend on where they were cut. So the columns in which people are
compared are counted again: numbers in up to 64 classes, each within one class of before,
and merged values each by itself where they are not too many.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from math import inf, nan, nextafter
from typing import cast

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, FinerCounts, examined_counts
from evenhand.errors import ValuesError
from evenhand.question import Question
from evenhand.question.number_classes import Bins
from evenhand.rows.coded_rows import ValueCounts, quantile_bins, value_counts
from evenhand.rows.rows import Rows
from evenhand.rows.value_labels import nearest_floats

_MOST_CLASSES, _ROWS_PER_CLASS, _ROWS_PER_VALUE = 64, 2, 20


def finer_counts(rows: Rows, names: Collection[str], question: Question) -> FinerCounts | None:
    """Count the columns in which people are compared again; None if none is in classes.

    The classes of columns that the question names stay as they are, and rows that it does not
    compare are left out. A reader of rows can be read only once: there is None, too.
    """
    if rows.sources[0].once:
        return None
    finer = _counted(rows, names, question.named_columns)
    return finer and replace(finer, counts=examined_counts(finer.counts, question).counts)


def _counted(rows: Rows, names: Collection[str], asked: Collection[str]) -> FinerCounts | None:
    """The same of all rows."""
    codings, counted = rows.codings, rows.count().row_count
    coded = [name for name in names if codings.is_coded(name)]
    if not coded:  # nothing is read again
        return None
    occurring = value_counts(rows.sources, coded, codings, memory=rows.memory)
    bins, merge = dict(codings.bins), dict(codings.merge)
    classes: dict[str, Bins] = {}
    for name, found in occurring.items():
        before = codings.bins.get(name)
        if isinstance(before, Bins):
            # All cuts together make no more classes than counting takes for groups.
            many = min(_MOST_CLASSES, counted // _ROWS_PER_CLASS - len(before.cuts) - 1)
            if (cut := _cut_finer(before, found, many)) is not None:
                bins[name], classes[name] = cut, before
        elif len(found[0]) <= counted // _ROWS_PER_VALUE:
            del merge[name]
    coded = [
        *classes,
        *(name for name in occurring if name in codings.merge and name not in merge),
    ]
    if not coded:
        return None
    chosen = tuple(name for name in rows.columns if name in {*names, *asked})
    finer = replace(
        rows,
        requested=replace(codings, columns=chosen, bins=bins, merge=merge),
    )
    counts = finer.count()
    numbers = {}
    for name in coded:
        attribute, column = counts.attribute(name), counts.column(name)
        if name in classes:
            settled = cast("Bins", finer.codings.bins[name])  # counting has cut them
            within = dict(zip(settled.labels, _places(settled, classes[name]), strict=True))
            labels = {
                value: classes[name].labels[within[value]] if value in within else value
                for value in attribute.values
            }
            numbers[second(name)] = _means(settled, attribute, occurring[name])
        else:
            labels = {value: codings.label(name, value) for value in attribute.values}
        values = rows.count().attribute(name).values
        place = {value: at for at, value in enumerate(values)}
        codes = np.array([place[labels[value]] for value in attribute.values], np.intp)
        counts = counts.with_column(second(name), attribute.values, column)
        counts = counts.with_column(name, values, codes[column])
    return FinerCounts(
        counts=counts, finer={name: second(name) for name in coded}, numbers=numbers
    )


def second(name: str) -> str:
    """The name of a column as finely as it is counted."""
    return f"{name} (finer)"


def _cut_finer(classes: Bins, occurring: ValueCounts, many: int) -> Bins | None:
    """Cuts at quantiles besides those that are there; None where rows allow no more."""
    if many <= len(classes.labels):
        return None
    with suppress(ValuesError):  # one value fills all classes
        quantiles = quantile_bins("", many, occurring, where="").boundaries
        if {*quantiles} - {*classes.boundaries}:
            numbers, below = zip(*sorted({*quantiles, *classes.boundaries}), strict=True)
            return Bins(numbers, tuple(not one for one in below))
    return None


def _places(finer: Bins, classes: Bins) -> list[int]:
    """For each finer class the class of before in which it lies."""
    of_finer: list[object] = [*finer.ends] if finer.whole else [*finer.boundaries]
    ends = {*(classes.ends if finer.whole else classes.boundaries)}
    return [sum(end in ends for end in of_finer[:at]) for at in range(len(finer.labels))]


def _means(bins: Bins, attribute: Attribute, occurring: ValueCounts) -> NDArray[np.float64]:
    """The mean of the numbers in each class that occurs; NaN of missing ones."""
    texts, rows = occurring
    numbers = nearest_floats(texts)
    known = np.isfinite(numbers)
    ends = np.array(
        [float(cut) if below else nextafter(cut, -inf) for cut, below in bins.boundaries]
    )
    place = np.searchsorted(ends, numbers[known], side="left")
    sums, totals = (
        np.bincount(place, of * rows[known], len(bins.labels))
        for of in (numbers[known], np.ones(int(known.sum())))
    )
    means = dict(zip(bins.labels, sums / np.maximum(totals, 1), strict=True))
    return np.array([means.get(value, nan) for value in attribute.values])
