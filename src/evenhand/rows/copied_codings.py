"""Columns that are read as another one is, where they are written as it is.

Predictions and labels hold the values of a decision: what is merged or put into classes there
must be so here, or what is favorable there would be unfavorable here.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from evenhand.question import Bins, Codings
from evenhand.question.codings import WILDCARD
from evenhand.rows.frame_sources import Source
from evenhand.rows.quantiles import value_counts
from evenhand.rows.rows import Rows, read
from evenhand.rows.text_encoders import nearest_floats


def read_without(
    source: Source,
    codings: Codings,
    absentable: Collection[str],
    **settings: Any,  # noqa: ANN401  # those of ``read``
) -> Rows:
    """Open a table that may lack some columns; codings of these are then of no account."""
    if not {*codings.named_columns()} & {*absentable}:
        return read(source, codings=codings, **settings)
    to_open = Codings(delimiter=codings.delimiter, sheet=codings.sheet)
    there = read(source, codings=to_open).sources[0].names
    absent = [name for name in absentable if name not in there]
    return read(source, codings=codings.dropping(absent), **settings)


def coded_as(rows: Rows, model: str, codings: Codings, names: Iterable[str]) -> Rows:
    """The rows with columns coded as codings have a model, by the values that occur in each.

    Columns with codings of their own keep them. The rows may lack the model.
    """
    there = {*rows.sources[0].names}
    new = [n for n in dict.fromkeys(names) if n in there and not rows.requested.is_coded(n)]
    if not new or not codings.is_coded(model):
        return rows
    requested, bins = rows.requested, codings.bins.get(model)
    if isinstance(bins, int) and model in rows.columns:
        requested = rows.cut_codings
        bins = requested.bins[model]
    values = value_counts(rows.sources, new, requested, memory=rows.memory)
    texts = {name: values[name][0].drop_null() for name in new}
    merge = {name: _fitting(codings, model, texts[name]) for name in new}
    classes = {n: bins for n in new if isinstance(bins, Bins) and _fits(bins, texts[n])}
    coded = replace(
        requested,
        merge={**requested.merge, **{name: olds for name, olds in merge.items() if olds}},
        bins={**requested.bins, **classes},
    )
    return replace(rows, requested=coded)


def _fitting(codings: Codings, model: str, texts: pa.Array) -> dict[str, tuple[str, ...]]:
    """Merges of the model in which values occur; none if no value would change by them.

    None either if they name no value that occurs: it would be one of all others.
    """
    merge, occurring = codings.merge.get(model, {}), {*texts.to_pylist()}
    named = {new: olds for new, olds in merge.items() if occurring & {*olds}}
    rest = {new: olds for new, olds in merge.items() if WILDCARD in olds}
    if not named or all(codings.label(model, text) == text for text in occurring):
        return {}
    return {**named, **rest}


def _fits(bins: Bins, texts: pa.Array) -> bool:
    """Whether values are numbers to be classed, and not classes already."""
    is_number = np.isfinite(nearest_floats(texts))
    words = {*texts.filter(pa.array(~is_number)).to_pylist()}
    labels = {*bins.labels, *bins.whole_labels().values()}
    return bool(is_number.any()) and words.isdisjoint(labels)
