"""Applies edits to tables in memory: the same kind of object, types, index and order.

A changed cell gets the value of another cell of its column, so no value is ever converted.

The lines of counted tables, which stand for several people each, are merged and sorted by what
they say. A line of its own for those who changed, beside the one that they came from, would
give every count before. So released lines depend on the released counts alone.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.counts import Attribute, CountTable
from evenhand.question.codings import MISSING
from evenhand.releasing.row_editor import Edit, Editor
from evenhand.releasing.row_selection import FEWER, MORE, Integers, rows_differ
from evenhand.rows.batch_source import Batches, BatchSource
from evenhand.rows.value_labels import (
    FrequencyEncoder,
    as_arrow,
    as_numpy,
    as_texts,
    has_labels,
    is_null,
    to_labels,
    value_type,
)


def library(table: object) -> str:
    """The library that a table is of: pandas, polars, pyarrow or another one."""
    return type(table).__module__.partition(".")[0]


def take_rows(
    frame: Any,  # noqa: ANN401  # of pandas or polars
    rows: Integers | None,
    origins: Mapping[str, Integers],
) -> Any:  # noqa: ANN401
    """A frame of some rows or all; columns with origins have the values of those rows."""
    if library(frame) == "pandas":
        released = frame.copy() if rows is None else frame.iloc[rows].copy()
        for name, of in origins.items():
            released[name] = frame[name].array.take(of)
        return released
    if hasattr(frame, "collect"):
        return take_rows(frame.collect(), rows, origins).lazy()
    columns = [frame.get_column(name).gather(of) for name, of in origins.items()]
    return (frame if rows is None else frame[rows]).with_columns(columns)


def take_lines(
    frame: Any,  # noqa: ANN401  # of pandas, polars, or a batch of Arrow
    frequency: str,
    origins: Mapping[str, Integers],
    people: Integers,
) -> Any:  # noqa: ANN401
    """A counted table whose columns have the values of those rows, with new frequencies."""
    rows = next(iter(origins.values()))
    if isinstance(frame, pa.RecordBatch):
        arrays = {name: _take(frame.column(name), of) for name, of in origins.items()}
        before = _take(frame.column(frequency), rows)
        arrays[frequency] = replace_values(before, np.arange(len(rows)), as_arrow(people))
        columns = [arrays[name] for name in frame.schema.names]
        return pa.RecordBatch.from_arrays(columns, schema=frame.schema)
    if hasattr(frame, "collect"):
        return take_lines(frame.collect(), frequency, origins, people).lazy()
    released = take_rows(frame, rows, origins)
    if library(frame) == "polars":
        column = released.get_column(frequency).scatter(np.arange(len(people)), people)
        return released.with_columns(column)
    # The index would tell which line before each one was.
    released = released.reset_index(drop=True)
    kind = released[frequency].dtype
    released[frequency] = people
    column = released[frequency]
    if hasattr(kind, "categories"):  # which need not hold the new numbers
        column, kind = column.astype(kind.categories.dtype), "category"
    released[frequency] = column.astype(kind).array
    return released


def apply_to_batch(batch: pa.RecordBatch, edit: Edit) -> pa.RecordBatch:
    """The released rows of a batch, which may lack columns that change."""
    arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
    if edit.from_rows is not None:
        arrays = {name: _take(array, edit.from_rows) for name, array in arrays.items()}
    for name, (at, index) in edit.cells.items():
        if name in arrays:
            values = edit.values[name].values.take(as_arrow(index))
            arrays[name] = replace_values(arrays[name], at, values)
    return pa.RecordBatch.from_arrays(list(arrays.values()), schema=batch.schema)


def drop_columns(frame: Any, names: Collection[str]) -> Any:  # noqa: ANN401
    """A table of any kind without these columns."""
    if not names:
        return frame
    if library(frame) == "pyarrow":
        return frame.drop_columns([*names])
    return frame.drop(columns=[*names]) if library(frame) == "pandas" else frame.drop(*names)


def edited_source(
    sources: Sequence[BatchSource], new_editor: Callable[[], Editor], drop: Collection[str] = ()
) -> BatchSource:
    """All sources as one that yields released rows; every pass makes the same edits.

    It lacks the columns to drop.
    """
    first = sources[0]
    names = tuple(name for name in first.names if name not in drop)

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        editor = new_editor()
        needed = tuple(dict.fromkeys((*columns, *editor.names)))
        for source in sources:
            for batch in source.open(needed, coded=coded):
                edit = editor.edit(batch)
                yield apply_to_batch(batch.select(list(columns)), edit)
        editor.check_complete()

    return BatchSource(where=first.where, kind="release", names=names, open=batches)


def replace_values(array: pa.Array, at: Integers, values: pa.Array) -> pa.Array:
    """The array with other values at some rows; a dictionary grows only if it must."""
    if not len(at):
        return array
    kind = array.type
    chosen = np.zeros(len(array), bool)
    chosen[at] = True
    bits = np.packbits(chosen, bitorder="little")
    mask = pa.Array.from_buffers(pa.bool_(), len(array), [None, pa.py_buffer(bits)])
    # Arrow cannot replace or look up views of texts, as polars writes them.
    plain = pa.string() if pa.types.is_string_view(value_type(kind)) else value_type(kind)
    values = values.cast(plain)
    if not pa.types.is_dictionary(kind):
        return pc.replace_with_mask(array.cast(plain), mask, values).cast(kind)
    dictionary = array.dictionary.cast(plain)
    added = pc.unique(values.filter(pc.invert(pc.is_in(values, value_set=dictionary))))
    if added.drop_null():
        dictionary = pa.concat_arrays([dictionary, added.drop_null()])
    codes = pc.index_in(values, value_set=dictionary, skip_nulls=True).cast(kind.index_type)
    indices = pc.replace_with_mask(array.indices, mask, codes)
    dictionary = dictionary.cast(kind.value_type)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=kind.ordered)


def _take(array: pa.Array, rows: Integers) -> pa.Array:
    """Rows of an array; Arrow cannot take from string views, so these are copied."""
    kind = array.type
    plain = array.cast(pa.string()) if pa.types.is_string_view(kind) else array
    return plain.take(as_arrow(rows)).cast(kind)


def change_lines(
    editor: Editor, table: pa.RecordBatch, drop: Collection[str]
) -> tuple[dict[str, Integers], Integers]:
    """For each released line and column the line that its value comes from; and its people.

    In the columns that may change, values of one label are one value. What is to be dropped
    tells no lines apart, and has no origins.
    """
    frequency = editor.rows.codings.frequency or ""
    numbers, of_line = FrequencyEncoder(frequency).encode(
        table.column(frequency), editor.rows.sources[0], 0
    )
    people = numbers[of_line]
    editor.advance(table.num_rows, sum(people.tolist()))
    encoded, kept, patterns = editor.encode(table)
    taken = _draw_people(editor, patterns, people)
    chosen = np.flatnonzero(taken)
    units = np.repeat(chosen, editor.times[patterns[chosen]] * taken[chosen])
    after = editor.codes_after(units, patterns, encoded)
    stays, na = np.flatnonzero(kept), editor.rows.codings.na
    attributes, codes, origins = [], [], {}
    for name in table.schema.names:
        if name == frequency or name in drop:
            continue
        texts, ranks = _ranked(table.column(name), na if name in after else None)
        changed = ranks[units]
        if name in after:
            place = {text: at for at, text in enumerate(texts)}
            new = np.array([place[label] for label in editor.values[name].index], np.int64)
            changed = np.where(after[name] >= 0, new[after[name]], changed)
        attributes.append(Attribute(name, tuple(texts)))
        codes.append(np.concatenate([ranks[stays], changed]))
        first = np.zeros(len(texts), np.int64)
        first[ranks[::-1]] = np.arange(len(ranks))[::-1]
        origins[name] = first
    counts = np.concatenate([(people - taken)[stays], np.ones(len(units), np.int64)])
    released = CountTable.build(attributes, codes, counts)
    return {name: origins[name][released.column(name)] for name in origins}, released.counts


def _draw_people(editor: Editor, patterns: Integers, people: Integers) -> Integers:
    """How many people of each line are taken, at random of all under its pattern."""
    taken = np.zeros(len(patterns), np.int64)
    left, wanted = [*editor.sizes], [*editor.amounts]
    for line in np.flatnonzero(patterns >= 0).tolist():
        pattern, here = int(patterns[line]), int(people[line])
        left[pattern] -= here
        if left[pattern] < 0:
            raise rows_differ(editor.rows.where, MORE)
        if wanted[pattern]:
            # Those wanted are drawn of all that are left: how many fall on this line.
            taken[line] = editor.choosing.hypergeometric(here, left[pattern], wanted[pattern])
            wanted[pattern] -= int(taken[line])
    if any(left):
        raise rows_differ(editor.rows.where, FEWER)
    return taken


def _ranked(column: pa.Array, na: tuple[str, ...] | None) -> tuple[list[str], Integers]:
    """The sorted values of a column, and the place of each cell among them; labels with ``na``.

    What is missing comes first.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if na is not None:
        texts = to_labels(column, na=na)
    elif has_labels(column.type):
        texts = column.cast(pa.string())
    else:
        texts = as_texts([repr(value) for value in column.to_pylist()])
    coded = texts.dictionary_encode()
    order = pc.array_sort_indices(coded.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[as_numpy(order)] = np.arange(1, len(rank) + 1)
    ranks, known = np.zeros(len(column), np.int64), ~is_null(coded.indices)
    ranks[known] = rank[as_numpy(coded.indices)[known]]
    return [MISSING, *coded.dictionary.take(order).to_pylist()], ranks
