"""Applies edits to tables in memory: the same kind of object, types, index and order.

A changed cell gets the value of another cell of its column, so no value is ever converted.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.releasing.row_editor import Edit, Editor, Integers
from evenhand.rows.arrow_numpy import as_arrow, value_type
from evenhand.rows.batch_source import Batches, BatchSource


def is_frame(table: object) -> bool:
    """Whether an edit can be applied to a table of this kind."""
    library = type(table).__module__.partition(".")[0]
    return library in ("pandas", "polars") or isinstance(table, pa.Table | pa.RecordBatch)


def apply_to_frame(frame: Any, edit: Edit) -> Any:  # noqa: ANN401  # any kind of table
    """A copy of a table with the edit applied."""
    if isinstance(frame, pa.Table):
        return _edit_table(frame, edit)
    if isinstance(frame, pa.RecordBatch):
        return apply_to_batch(frame, edit)
    if type(frame).__module__.startswith("pandas"):
        return _edit_pandas(frame, edit)
    if hasattr(frame, "collect"):
        return _edit_polars(frame.collect(), edit).lazy()
    return _edit_polars(frame, edit)


def apply_to_batch(batch: pa.RecordBatch, edit: Edit) -> pa.RecordBatch:
    """The released rows of a batch, which may lack columns that change."""
    arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
    if edit.from_rows is not None:
        arrays = {name: _take(array, edit.from_rows) for name, array in arrays.items()}
    for name, at, values in edit.new_values():
        if name in arrays:
            arrays[name] = replace_values(arrays[name], at, values)
    return pa.RecordBatch.from_arrays(list(arrays.values()), schema=batch.schema)


def drop_columns(frame: Any, names: Collection[str]) -> Any:  # noqa: ANN401
    """A table of any kind without these columns."""
    if not names:
        return frame
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame.drop_columns([*names])
    if type(frame).__module__.startswith("pandas"):
        return frame.drop(columns=[*names])
    return frame.drop(*names)


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


def _edit_pandas(frame: Any, edit: Edit) -> Any:  # noqa: ANN401
    released = frame.copy() if edit.from_rows is None else frame.iloc[edit.from_rows].copy()
    for name in edit.cells:
        released[name] = frame[name].array.take(edit.origins(name))
    if edit.people is not None:
        kind = released[edit.frequency].dtype
        released[edit.frequency] = edit.people
        column = released[edit.frequency]
        if hasattr(kind, "categories"):  # which need not hold the new numbers
            column, kind = column.astype(kind.categories.dtype), "category"
        released[edit.frequency] = column.astype(kind).array
        # The index would tell which line before each one was.
        released = released.reset_index(drop=True)
    return released


def _edit_polars(frame: Any, edit: Edit) -> Any:  # noqa: ANN401
    released = frame.clone() if edit.from_rows is None else frame[edit.from_rows]
    for name in edit.cells:
        released = released.with_columns(frame.get_column(name).gather(edit.origins(name)))
    if edit.people is not None:
        column = released.get_column(edit.frequency)
        column = column.scatter(np.arange(len(edit.people)), edit.people)
        released = released.with_columns(column)
    return released


def _edit_table(table: pa.Table, edit: Edit) -> pa.Table:
    """Chunks stay as they are, and so do their dictionaries."""
    if edit.from_rows is not None:
        table = _take_rows(table, edit.from_rows)
    for name, at, values in edit.new_values():
        chunks, begin = [], 0
        for chunk in table.column(name).chunks:
            first, last = np.searchsorted(at, [begin, begin + len(chunk)])
            here = values.slice(first, last - first)
            chunks.append(replace_values(chunk, at[first:last] - begin, here))
            begin += len(chunk)
        position = table.schema.get_field_index(name)
        field = table.schema.field(position)
        table = table.set_column(position, field, pa.chunked_array(chunks, field.type))
    return table


def _take_rows(table: pa.Table, rows: Integers) -> pa.Table:
    """Rows of a table; Arrow cannot take from string views, so these are copied."""
    plain = pa.schema(
        [
            field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field
            for field in table.schema
        ],
        metadata=table.schema.metadata,
    )
    return table.cast(plain).take(as_arrow(rows)).cast(table.schema)


def _take(array: pa.Array, rows: Integers) -> pa.Array:
    kind = array.type
    if pa.types.is_string_view(kind):
        return array.cast(pa.string()).take(as_arrow(rows)).cast(kind)
    return array.take(as_arrow(rows))
