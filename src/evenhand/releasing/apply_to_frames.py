"""Carrying edits out on tables in memory: the same kind of object, types, index and order.

A changed cell gets the value of another cell of its column, so no value is ever converted.

Carrying an edit out on Arrow arrays: the same types, the same dictionaries, other cells.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.releasing.edits import Changer, Edit, Integers
from evenhand.releasing.moves import Stored
from evenhand.rows.arrow_arrays import as_arrow
from evenhand.rows.batch_source import Batches, BatchSource


def joined(edits: Iterable[Edit]) -> Edit:
    """Edits of consecutive batches as one."""
    pieces = list(edits)
    begins = np.cumsum([0, *(piece.rows for piece in pieces)])
    at = np.cumsum([0, *(piece.released for piece in pieces)])
    source = None
    if any(piece.source is not None for piece in pieces):
        source = np.concatenate(
            [
                begin + (np.arange(piece.rows) if piece.source is None else piece.source)
                for begin, piece in zip(begins, pieces, strict=False)
            ]
        )

    def moved(pairs: Iterable[tuple[Integers, Integers] | None]) -> tuple[Integers, Integers]:
        found = [(a + pair[0], pair[1]) for a, pair in zip(at, pairs, strict=False) if pair]
        none = np.zeros(0, np.int64)
        return (
            np.concatenate([none, *(rows for rows, _ in found)]),
            np.concatenate([none, *(values for _, values in found)]),
        )

    names = dict.fromkeys(name for piece in pieces for name in piece.cells)
    counted = any(piece.frequencies for piece in pieces)
    return Edit(
        rows=int(begins[-1]),
        source=source,
        cells={name: moved(piece.cells.get(name) for piece in pieces) for name in names},
        frequencies=moved(piece.frequencies for piece in pieces) if counted else None,
    )


def edited_frame(
    frame: Any,  # noqa: ANN401  # whatever a person has
    edit: Edit,
    stored: Mapping[str, Stored],
    frequency: str | None,
) -> Any:  # noqa: ANN401  # the same
    """A table with the edit carried out; None for kinds of tables that are not known here."""
    room = type(frame).__module__.partition(".")[0]
    if isinstance(frame, pa.Table):
        return _edited_table(frame, edit, stored, frequency)
    if isinstance(frame, pa.RecordBatch):
        return edited(frame, edit, stored, frequency)
    if room == "polars" and hasattr(frame, "collect"):
        return _edited_polars(frame.collect(), edit, stored, frequency).lazy()
    if room == "polars":
        return _edited_polars(frame, edit, stored, frequency)
    if room == "pandas":
        return _edited_pandas(frame, edit, stored, frequency)
    return None


def _origins(edit: Edit, stored: Mapping[str, Stored]) -> dict[str, Integers]:
    """For each changed column, the row from which each released cell takes its value."""
    whole = np.arange(edit.rows) if edit.source is None else edit.source
    origins = {}
    for name, (at, places) in edit.cells.items():
        origins[name] = whole.copy()
        origins[name][at] = stored[name].rows[places]
    return origins


def _edited_pandas(
    frame: Any,  # noqa: ANN401
    edit: Edit,
    stored: Mapping[str, Stored],
    frequency: str | None,
) -> Any:  # noqa: ANN401
    released = frame.copy() if edit.source is None else frame.iloc[edit.source].copy()
    for name, rows in _origins(edit, stored).items():
        released[name] = frame[name].array.take(rows)
    if frequency and edit.frequencies:
        at, numbers = edit.frequencies
        column = released[frequency].array.copy()
        column[at] = numbers
        released[frequency] = column
    return released


def _edited_polars(
    frame: Any,  # noqa: ANN401
    edit: Edit,
    stored: Mapping[str, Stored],
    frequency: str | None,
) -> Any:  # noqa: ANN401
    released = frame.clone() if edit.source is None else frame[edit.source]
    for name, rows in _origins(edit, stored).items():
        released = released.with_columns(frame.get_column(name).gather(rows))
    if frequency and edit.frequencies:
        at, numbers = edit.frequencies
        released = released.with_columns(released.get_column(frequency).scatter(at, numbers))
    return released


def _edited_table(
    table: pa.Table, edit: Edit, stored: Mapping[str, Stored], frequency: str | None
) -> pa.Table:
    """Chunks stay as they are, and so do their dictionaries."""
    if edit.source is not None:
        table = _taken_rows(table, edit.source)
    changes = {
        name: (at, stored[name].values.take(as_arrow(places)))
        for name, (at, places) in edit.cells.items()
    }
    if frequency and edit.frequencies:
        changes[frequency] = (edit.frequencies[0], as_arrow(edit.frequencies[1]))
    for name, (at, values) in changes.items():
        chunks, begin = [], 0
        for chunk in table.column(name).chunks:
            first, last = np.searchsorted(at, [begin, begin + len(chunk)])
            here = values.slice(first, last - first)
            chunks.append(replaced(chunk, at[first:last] - begin, here) if len(here) else chunk)
            begin += len(chunk)
        position = table.schema.get_field_index(name)
        field = table.schema.field(position)
        table = table.set_column(position, field, pa.chunked_array(chunks, field.type))
    return table


def _taken_rows(table: pa.Table, source: Integers) -> pa.Table:
    """Rows of a table; Arrow cannot take views of texts, so these are copied."""
    plain = pa.schema(
        [
            field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field
            for field in table.schema
        ],
        metadata=table.schema.metadata,
    )
    return table.cast(plain).take(as_arrow(source)).cast(table.schema)


def edited(
    batch: pa.RecordBatch, edit: Edit, stored: Mapping[str, Stored], frequency: str | None
) -> pa.RecordBatch:
    """The released rows of a batch; columns that it lacks are passed over."""
    arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
    if edit.source is not None:
        arrays = {name: _taken(array, edit.source) for name, array in arrays.items()}
    for name, (at, places) in edit.cells.items():
        if name in arrays and len(at):
            new = stored[name].values.take(as_arrow(places))
            arrays[name] = replaced(arrays[name], at, new)
    if frequency in arrays and edit.frequencies:
        at, numbers = edit.frequencies
        arrays[frequency] = replaced(arrays[frequency], at, as_arrow(numbers))
    return pa.RecordBatch.from_arrays(list(arrays.values()), schema=batch.schema)


def replaced(array: pa.Array, at: Integers, values: pa.Array) -> pa.Array:
    """The array with other values at some rows; a dictionary grows only if it must."""
    kind = array.type
    chosen = np.zeros(len(array), bool)
    chosen[at] = True
    bits = np.packbits(chosen, bitorder="little")
    mask = pa.Array.from_buffers(pa.bool_(), len(array), [None, pa.py_buffer(bits)])
    if not pa.types.is_dictionary(kind):
        return pc.replace_with_mask(array, mask, values.cast(kind))
    values = values.cast(kind.value_type)
    added = pc.unique(values.filter(pc.invert(pc.is_in(values, value_set=array.dictionary))))
    dictionary = array.dictionary
    if added.drop_null():
        dictionary = pa.concat_arrays([dictionary, added.drop_null()])
    codes = pc.index_in(values, value_set=dictionary, skip_nulls=True).cast(kind.index_type)
    indices = pc.replace_with_mask(array.indices, mask, codes)
    return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=kind.ordered)


def edited_part(
    parts: Sequence[BatchSource],
    begin: Callable[[], Changer],
    stored: Mapping[str, Stored],
    frequency: str | None,
) -> BatchSource:
    """All parts as one that yields released rows; every reading changes the same ones."""
    first = parts[0]

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        changer = begin()
        needed = tuple(dict.fromkeys((*columns, *changer.names)))
        for part in parts:
            for batch in part.open(needed, coded=coded):
                edit = changer.step(batch)
                yield edited(batch.select(list(columns)), edit, stored, frequency)
        changer.finish()

    return BatchSource(where=first.where, kind="release", names=first.names, open=batches)


def _taken(array: pa.Array, source: Integers) -> pa.Array:
    kind = array.type
    if pa.types.is_string_view(kind):
        return array.cast(pa.string()).take(as_arrow(source)).cast(kind)
    return array.take(as_arrow(source))
