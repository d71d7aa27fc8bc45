"""Merges and sorts the released lines of a counted table.

Where part of a line's people changed, they are a line of their own at first, beside the one
they came from: that would give every count before. So equal lines become one, lines of nobody
are left out, and all are sorted by what they say: they depend on the released counts alone.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.releasing.row_editor import Edit, Integers
from evenhand.rows.arrow_numpy import as_numpy, as_texts, is_null
from evenhand.rows.value_labels import has_labels, to_labels


def merge_lines(edit: Edit, released: pa.Table, na: tuple[str, ...]) -> Edit:
    """The edit whose lines are merged and sorted, given what it releases.

    In the columns that the edit may change, values of one label are one value.
    """
    columns = [name for name in released.schema.names if name != edit.frequency]
    changing = {name: stored.index for name, stored in edit.values.items()}
    keys = [_ranks(released.column(name), na if name in changing else None) for name in columns]
    people = edit.frequencies[1] if edit.frequencies else np.zeros(0, np.int64)
    order = np.lexsort(keys[::-1]) if keys else np.arange(len(people))
    order = order[people[order] > 0]
    first = np.ones(len(order), bool)
    if keys and len(order):
        first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    begins = np.flatnonzero(first)
    numbers = np.add.reduceat(people[order], begins) if len(begins) else people[:0]
    lines = order[begins]
    from_rows = np.arange(edit.rows) if edit.from_rows is None else edit.from_rows
    cells = {
        name: _stored(released.column(name), index, lines, na)
        for name, index in changing.items()
    }
    return replace(
        edit,
        from_rows=from_rows[lines],
        cells=cells,
        frequencies=(np.arange(len(lines)), numbers),
    )


def _stored(
    column: pa.ChunkedArray, index: Mapping[str, int], lines: Integers, na: tuple[str, ...]
) -> tuple[Integers, Integers]:
    """Which of the lines have a label that the plan may write, and the number of its value."""
    labels = to_labels(_plain(column), na=na)
    known = pc.index_in(labels, value_set=as_texts([*index])).fill_null(-1)
    numbers = as_numpy(known)[lines].astype(np.int64)
    at = np.flatnonzero(numbers >= 0)
    order = np.array([*index.values()], np.int64)
    return at, order[numbers[at]]


def _ranks(column: pa.ChunkedArray, na: tuple[str, ...] | None) -> NDArray[np.int64]:
    """Each cell's place among the sorted values of its column, or labels if ``na`` is given."""
    plain = _plain(column)
    if na is not None:
        texts = to_labels(plain, na=na)
    elif has_labels(plain.type):
        texts = plain.cast(pa.string())
    else:
        texts = as_texts([repr(value) for value in plain.to_pylist()])
    coded = texts.dictionary_encode()
    rank = np.empty(len(coded.dictionary), np.int64)
    rank[as_numpy(pc.array_sort_indices(coded.dictionary))] = np.arange(len(rank))
    missing = is_null(coded.indices)
    ranks = np.full(len(missing), -1, np.int64)
    ranks[~missing] = rank[as_numpy(coded.indices)[~missing]]
    return ranks


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """The values of a column as one array without a dictionary."""
    whole = column.combine_chunks()
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole
