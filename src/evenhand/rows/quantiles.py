"""Cut points that split a column's numbers into classes of about equal size."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import ValuesError
from evenhand.question import Bins, Codings
from evenhand.question.parse_values import exact_number
from evenhand.rows.arrow_numpy import as_arrow, as_numpy, as_texts
from evenhand.rows.batch_source import BatchSource, reading
from evenhand.rows.counting_errors import too_large_columns
from evenhand.rows.text_encoders import FrequencyParser, nearest_floats
from evenhand.rows.value_labels import check_types, distinct, to_labels

ValueCounts: TypeAlias = tuple[pa.Array, NDArray[np.int64]]

_MOST_PENDING = 1 << 25  # bytes of tables that wait to be added up


def quantile_bins(name: str, classes: int, occurrences: ValueCounts, *, where: str) -> Bins:
    """Cuts at exact values of the data: the smallest value that reaches each share of the rows.

    A value that would fill several classes makes one of them. Texts that are no numbers are
    ignored here; counting reports them.
    """
    values, counts = occurrences
    floats = nearest_floats(values)
    order = np.flatnonzero(np.isfinite(floats))
    order = order[np.argsort(floats[order])]
    reached = np.cumsum(counts[order])
    total = int(reached[-1]) if len(reached) else 0

    def value_at(rank: int) -> Fraction:
        """The value of the row of this rank, from 1."""
        nearest = floats[order[np.searchsorted(reached, rank)]]
        # Several texts may round to one float; these are sorted exactly.
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
        raise ValuesError.of(
            f"The column {name!r} cannot be split into {classes} classes of numbers.",
            "One value fills them all." if total else "It has no numbers.",
            "Give cut points in a list, or leave the column as it is.",
            where,
        )
    return Bins(tuple(cuts))


def value_counts(
    sources: Sequence[BatchSource], names: Sequence[str], codings: Codings, *, memory: int
) -> dict[str, ValueCounts]:
    """Each distinct text of some columns, null for missing, and in how many rows it occurs."""
    if sources[0].group_by:
        grouped = {name: sources[0].group_by([name], codings) for name in names}
        return {
            name: value_counts([source], [name], its_codings, memory=memory)[name]
            for name, (source, its_codings) in grouped.items()
        }
    empty = pa.table({"text": as_texts([]), "count": as_arrow(np.zeros(0, np.int64))})
    pending = {name: [empty] for name in names}
    sizes = dict.fromkeys(names, 0)
    for source in sources:
        with reading(source.where):
            for name, table in _count_batches(source, names, codings):
                pending[name].append(table)
                sizes[name] += table.nbytes
                if sizes[name] > max(_MOST_PENDING, 2 * pending[name][0].nbytes):
                    pending[name] = [_add_up(pending[name])]
                    sizes[name] = pending[name][0].nbytes
                    if 4 * sum(sizes.values()) > memory:
                        raise too_large_columns(sizes, memory, source.where)
    totals = {name: _add_up(tables) for name, tables in pending.items()}
    return {
        name: (table["text"].combine_chunks(), as_numpy(table["count"].combine_chunks()))
        for name, table in totals.items()
    }


def _count_batches(
    source: BatchSource, names: Sequence[str], codings: Codings
) -> Iterator[tuple[str, pa.Table]]:
    """For each batch and column a table of its distinct texts with their counts."""
    frequency = [codings.frequency] if codings.frequency else []
    for batch in source.open([*names, *frequency], coded=True):
        check_types(batch.schema, where=source.where)
        weights = [frequencies(batch.column(name)) for name in frequency]
        for name in names:
            values, indices = distinct(batch.column(name))
            counts = np.zeros(len(values), np.int64)
            np.add.at(counts, indices, weights[0] if weights else 1)
            labels = to_labels(values, na=codings.na).cast(pa.string())
            yield name, pa.table({"text": labels, "count": as_arrow(counts)})


def frequencies(array: pa.Array) -> NDArray[np.int64]:
    """Frequencies; an invalid one counts as 0 here."""
    values, indices = distinct(array)
    parsed = FrequencyParser("").encode(to_labels(values))
    numbers: NDArray[np.int64] = np.maximum(parsed, 0)[indices]
    return numbers


def _add_up(tables: Sequence[pa.Table]) -> pa.Table:
    """One table with the total of each text."""
    totals = pa.concat_tables(tables).group_by("text").aggregate([("count", "sum")])
    return totals.rename_columns({"count_sum": "count"})
