"""Converts values to labels: one rule for every type, so that all sources count alike.

A label is the text that ``evenhand.question.as_label`` gives. Only the distinct values of each
batch are converted, not every row.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.errors import ColumnError, Problem, Remedy
from evenhand.question import as_label
from evenhand.question.parse_values import RESPELLED
from evenhand.rows.arrow_numpy import as_numpy, as_texts, is_null, value_type


def check_types(schema: pa.Schema, *, where: str) -> None:
    """Refuse columns whose values are no categories: lists, structures, bytes, durations."""
    problems = [
        Problem(
            f"The column {field.name!r} has the type {field.type}, whose values are no labels.",
            remedy=(
                Remedy("Leave it out", "exclude", [field.name]),
                Remedy("turn it into text"),
            ),
            where=where,
        )
        for field in schema
        if not has_labels(value_type(field.type))
    ]
    if problems:
        raise ColumnError(*problems)


def distinct(array: pa.Array) -> tuple[pa.Array, NDArray[np.integer]]:
    """The distinct values of a column, and for each row which of them it holds.

    A missing value is a value here, a null.
    """
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array, null_encoding="encode")
    values, indices = array.dictionary, as_numpy(array.indices)
    if pa.types.is_string_view(values.type):  # Arrow cannot slice it
        values = values.cast(pa.string())
    if array.indices.null_count:
        indices = np.where(is_null(array.indices), len(values), indices)
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return values, indices


def to_labels(values: pa.Array, *, na: Iterable[str] = (), respell: bool = True) -> pa.Array:
    """The label of each value, and null for what is missing: null, NaN, "" and ``na``.

    Without ``respell`` numbers keep their spelling: enough where they are parsed next.
    """
    labels = _cast_to_text(values)
    labels = _respell(labels) if respell else labels
    missing = pc.is_in(labels, value_set=as_texts(["", *na]))
    return pc.if_else(missing, pa.nulls(len(labels), labels.type), labels)


def _respell(texts: pa.Array) -> pa.Array:
    """The texts as ``as_label`` spells them; few differ, and only these are looked at."""
    differing = pc.match_substring_regex(texts, RESPELLED)
    if not pc.any(differing).as_py():
        return texts
    labels = as_texts([as_label(text) for text in texts.filter(differing).to_pylist()])
    return pc.replace_with_mask(texts, differing, labels.cast(texts.type))


def _cast_to_text(values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.nulls(len(values), kind), values)
    return values.cast(pa.string())


def has_labels(kind: pa.DataType) -> bool:
    """Whether the values of this type can be labels."""
    types = pa.types
    if types.is_duration(kind) or types.is_interval(kind):  # temporal, too
        return False
    tests = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_temporal,
        types.is_null,
    )
    return any(is_type(kind) for is_type in tests)
