"""Merges and sorts the released lines of a counted table.

Where part of a line's people changed, they are a line of their own at first, beside the one
they came from: that would give every count before. So equal lines become one, lines of nobody
are left out, and all are sorted by what they say: they depend on the released counts alone.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.releasing.row_editor import Edit, Integers
from evenhand.rows.arrow_numpy import as_numpy, as_texts, is_null
from evenhand.rows.value_labels import has_labels, to_labels


def merge_lines(
    edit: Edit, table: pa.Table, na: tuple[str, ...], drop: Collection[str] = ()
) -> Edit:
    """The edit of a counted table whose released lines are merged and sorted.

    In the columns that the edit may change, values of one label are one value. What is to be
    dropped tells no lines apart.
    """
    people = np.zeros(0, np.int64) if edit.people is None else edit.people
    keys, stored = [], {}
    for name in table.schema.names:
        if name == edit.frequency or name in drop:
            continue
        values = edit.values.get(name)
        ranks = _ranks(table.column(name), None if values is None else na)
        keys.append(ranks[edit.origins(name)])
        if values is not None:
            numbers = np.full(ranks.max(initial=0) + 1, -1)
            numbers[ranks[values.rows]] = np.arange(len(values.rows))
            stored[name] = numbers[keys[-1]]
    order = np.lexsort(keys[::-1]) if keys else np.arange(len(people))
    order = order[people[order] > 0]
    first = np.ones(len(order), bool)
    if keys and len(order):
        first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    begins = np.flatnonzero(first)
    lines = order[begins]
    cells = {
        name: (at := np.flatnonzero(n[lines] >= 0), n[lines][at]) for name, n in stored.items()
    }
    return replace(
        edit,
        from_rows=edit.origins()[lines],
        cells=cells,
        people=np.add.reduceat(people[order], begins) if len(begins) else people[:0],
    )


def _ranks(column: pa.ChunkedArray, na: tuple[str, ...] | None) -> Integers:
    """Each cell's place among the sorted values of its column, or labels if ``na`` is given.

    What is missing comes first, with the rank 0.
    """
    plain = _plain(column)
    if na is not None:
        texts = to_labels(plain, na=na)
    elif has_labels(plain.type):
        texts = plain.cast(pa.string())
    else:
        texts = as_texts([repr(value) for value in plain.to_pylist()])
    coded = texts.dictionary_encode()
    rank = np.empty(len(coded.dictionary), np.int64)
    rank[as_numpy(pc.array_sort_indices(coded.dictionary))] = np.arange(1, len(rank) + 1)
    known = ~is_null(coded.indices)
    ranks = np.zeros(len(known), np.int64)
    ranks[known] = rank[as_numpy(coded.indices)[known]]
    return ranks


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """The values of a column as one array without a dictionary."""
    whole = column.combine_chunks()
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole
