"""Cut points that split a column's numbers into classes of about equal size."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import Problem, ValuesError
from evenhand.question import Bins, Codings
from evenhand.rows.domain import Frequency, exact_number, nearest_floats
from evenhand.rows.labels import check_types, distinct, texts
from evenhand.rows.part import Part, reading

_MOST_LOOSE = 1 << 20


def quantile_bins(parts: Sequence[Part], name: str, classes: int, codings: Codings) -> Bins:
    """Cuts at exact values of the data: the smallest value that reaches each share of the rows.

    A value that would fill several classes makes one of them. Texts that are no numbers are
    passed over here; counting complains about all of them.
    """
    values, counts = _occurrences(parts, name, codings)
    floats = nearest_floats(values)
    order = np.flatnonzero(np.isfinite(floats))
    order = order[np.argsort(floats[order])]
    reached = np.cumsum(counts[order])
    total = int(reached[-1]) if len(reached) else 0

    def value_at(rank: int) -> Fraction:
        """The value of the row of this rank, from 1."""
        nearest = floats[order[np.searchsorted(reached, rank)]]
        # Several texts may round to one float; these are put in order exactly.
        alike = [
            (exact_number(values[at].as_py()), int(counts[at]))
            for at in np.flatnonzero(floats == nearest).tolist()
        ]
        alike.sort()
        before = int(counts[floats < nearest].sum())
        reached_here = [*accumulate(count for _, count in alike)]
        return alike[bisect_left(reached_here, rank - before)][0]

    ranks = [-(-total * number // classes) for number in range(1, classes)]
    cuts = sorted({value_at(rank) for rank in ranks} - {value_at(total)}) if total else []
    if not cuts:
        raise ValuesError(
            Problem(
                f"The column {name!r} cannot be split into {classes} classes of numbers.",
                "One value fills them all." if total else "It has no numbers.",
                "Give cut points in a list, or leave the column as it is.",
                parts[0].where,
            )
        )
    return Bins(tuple(cuts))


def _occurrences(
    parts: Sequence[Part], name: str, codings: Codings
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Each distinct text of a column, and in how many rows it occurs."""
    tables: list[pa.Table] = []
    for table in _batch_occurrences(parts, name, codings):
        tables.append(table)
        if sum(map(len, tables)) > max(_MOST_LOOSE, 2 * len(tables[0])):
            tables = [_added_up(tables)]
    table = _added_up(tables).combine_chunks()
    return table["text"].chunk(0), table["count"].to_numpy()


def _batch_occurrences(
    parts: Sequence[Part], name: str, codings: Codings
) -> Iterator[pa.Table]:
    for part in parts:
        with reading(part.where):
            wanted = [name, *filter(None, [codings.frequency])]
            for batch in part.open(wanted, coded=True):
                check_types(batch.schema, where=part.where)
                values, indices = distinct(batch.column(name))
                counts = np.zeros(len(values), np.int64)
                np.add.at(counts, indices, _weights(batch, codings.frequency))
                yield pa.table({"text": texts(values, na=codings.na), "count": counts})


def _weights(batch: pa.RecordBatch, frequency: str | None) -> NDArray[np.int64] | int:
    if frequency is None:
        return 1
    values, indices = distinct(batch.column(frequency))
    numbers = np.maximum(Frequency(frequency).encode(texts(values)), 0)
    weights: NDArray[np.int64] = numbers[indices]
    return weights


def _added_up(tables: Sequence[pa.Table]) -> pa.Table:
    empty = pa.table({"text": pa.array([], pa.string()), "count": pa.array([], pa.int64())})
    grouped = pa.concat_tables([empty, *tables]).group_by("text").aggregate([("count", "sum")])
    return grouped.rename_columns({"count_sum": "count"})
