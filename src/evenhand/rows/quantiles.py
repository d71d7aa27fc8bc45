"""Cut points that split a column's numbers into classes of about equal size."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import Problem, ValuesError
from evenhand.question import Bins, Codings
from evenhand.question.question import exact_number
from evenhand.rows.arrow_arrays import as_arrow, as_numpy, as_texts
from evenhand.rows.batch_source import Part, reading
from evenhand.rows.data_problems import too_large_columns
from evenhand.rows.value_codes import Frequency, nearest_floats
from evenhand.rows.value_labels import check_types, distinct, texts

Occurrences: TypeAlias = tuple[pa.Array, NDArray[np.int64]]

_MOST_LOOSE = 1 << 25  # bytes


def quantile_bins(name: str, classes: int, found: Occurrences, *, where: str) -> Bins:
    """Cuts at exact values of the data: the smallest value that reaches each share of the rows.

    A value that would fill several classes makes one of them. Texts that are no numbers are
    passed over here; counting complains about all of them.
    """
    values, counts = found
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
                where,
            )
        )
    return Bins(tuple(cuts))


def occurrences(
    parts: Sequence[Part], names: Sequence[str], codings: Codings, *, memory: int
) -> dict[str, Occurrences]:
    """Each distinct text of some columns, null for missing, and in how many rows it occurs."""
    if parts[0].grouped:
        counted = {name: parts[0].grouped([name], codings) for name in names}
        return {
            name: occurrences([part], [name], found, memory=memory)[name]
            for name, (part, found) in counted.items()
        }
    nothing = pa.table({"text": as_texts([]), "count": as_arrow(np.zeros(0, np.int64))})
    loose = {name: [nothing] for name in names}
    sizes = dict.fromkeys(names, 0)
    for part in parts:
        with reading(part.where):
            for name, table in _tables(part, names, codings):
                loose[name].append(table)
                sizes[name] += table.nbytes
                if sizes[name] > max(_MOST_LOOSE, 2 * loose[name][0].nbytes):
                    loose[name] = [_added_up(loose[name])]
                    sizes[name] = loose[name][0].nbytes
                    if 4 * sum(sizes.values()) > memory:
                        raise too_large_columns(sizes, memory, part.where)
    added = {name: _added_up(tables) for name, tables in loose.items()}
    return {
        name: (table["text"].combine_chunks(), as_numpy(table["count"].combine_chunks()))
        for name, table in added.items()
    }


def _tables(
    part: Part, names: Sequence[str], codings: Codings
) -> Iterator[tuple[str, pa.Table]]:
    frequency = [codings.frequency] if codings.frequency else []
    for batch in part.open([*names, *frequency], coded=True):
        check_types(batch.schema, where=part.where)
        weights = [_numbers(batch.column(name)) for name in frequency]
        for name in names:
            values, indices = distinct(batch.column(name))
            counts = np.zeros(len(values), np.int64)
            np.add.at(counts, indices, weights[0] if weights else 1)
            labels = texts(values, na=codings.na).cast(pa.string())
            yield name, pa.table({"text": labels, "count": as_arrow(counts)})


def _numbers(array: pa.Array) -> NDArray[np.int64]:
    """Frequencies; those that are none count for nothing here."""
    values, indices = distinct(array)
    numbers: NDArray[np.int64] = np.maximum(Frequency("").encode(texts(values)), 0)[indices]
    return numbers


def _added_up(tables: Sequence[pa.Table]) -> pa.Table:
    added = pa.concat_tables(tables).group_by("text").aggregate([("count", "sum")])
    return added.rename_columns({"count_sum": "count"})
