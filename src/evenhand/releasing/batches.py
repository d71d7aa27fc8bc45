"""Carrying an edit out on Arrow arrays: the same types, the same dictionaries, other cells."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.releasing.changes import Changer, Edit, Integers
from evenhand.releasing.stored import Stored
from evenhand.rows.arrow_arrays import as_arrow
from evenhand.rows.batch_source import Batches, Part


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
    parts: Sequence[Part],
    begin: Callable[[], Changer],
    stored: Mapping[str, Stored],
    frequency: str | None,
) -> Part:
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

    return Part(where=first.where, kind="release", names=first.names, open=batches)


def _taken(array: pa.Array, source: Integers) -> pa.Array:
    kind = array.type
    if pa.types.is_string_view(kind):
        return array.cast(pa.string()).take(as_arrow(source)).cast(kind)
    return array.take(as_arrow(source))
