"""Columns as released files store them: nothing of rows or values that are not released.

A dictionary that came with a column lists values that no released row has, in the order in
which the rows before had them. So dictionaries are encoded anew: the values of the released
rows, as these first have them. An ordered dictionary is part of its type, and stays whole.
"""

import json
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evenhand.errors import ResourceError
from evenhand.rows.arrow_numpy import as_arrow, as_numpy, is_null

# What the types of fields need of their metadata.
_TYPE_KEYS = (b"PARQUET:field_id", b"ARROW:extension:")
_PANDAS_KEYS = ("column_indexes", "creator", "pandas_version")


class DictionaryEncoder:
    """Encodes the columns of consecutive batches; a dictionary grows from batch to batch."""

    def __init__(self) -> None:
        self._known: dict[int, pa.Array] = {}
        # A dictionary of which all values were met, with the codes that they have here, and
        # this one: most batches have the same.
        self._same: dict[int, tuple[pa.Array, pa.Array]] = {}

    def encode(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with new dictionaries, and texts without the bytes of others."""
        columns = [self._encode(at, column) for at, column in enumerate(batch.columns)]
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def _encode(self, at: int, column: pa.Array) -> pa.Array:
        kind = column.type
        if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
            # Views point into buffers, which are written whole; a copy has what is viewed.
            return column.cast(_plain(kind)).cast(kind)
        if not pa.types.is_dictionary(kind) or kind.ordered:
            return column
        before, dictionary = self._same.get(at, (None, None))
        if before and column.dictionary.equals(before) and not column.indices.null_count:
            return pa.DictionaryArray.from_arrays(column.indices, dictionary)
        values = column.dictionary.cast(_plain(kind.value_type))
        known = self._known.get(at, values.slice(0, 0))
        codes = pc.index_in(values, value_set=known)
        if codes.null_count:  # else all of them were met in earlier rows
            used = as_numpy(pc.unique(column.indices).drop_null())
            occurring = values.take(as_arrow(used.astype(np.int64)))
            new = pc.unique(occurring.filter(pc.invert(pc.is_in(occurring, value_set=known))))
            known = pa.concat_arrays([known, new])
            codes = pc.index_in(values, value_set=known)
        self._known[at], dictionary = known, known.cast(kind.value_type)
        table = np.where(is_null(codes), 0, as_numpy(codes))  # ``fill_null`` imports pandas
        self._same.pop(at, None)
        if not column.indices.null_count and (table == np.arange(len(table))).all():
            if not codes.null_count:
                self._same[at] = (column.dictionary, dictionary)
            return pa.DictionaryArray.from_arrays(column.indices, dictionary)
        missing = is_null(column.indices)
        indices = np.where(missing, 0, as_numpy(column.indices))
        numbers = table[indices] if len(table) else indices
        try:
            coded = pa.array(numbers, mask=missing, type=kind.index_type)
        except pa.ArrowInvalid:
            raise ResourceError.of(
                f"A dictionary with indices of the type {kind.index_type} is too small.",
                f"The released rows have {len(known):,} values.",
                "Write Parquet or text instead.",
            ) from None
        return pa.DictionaryArray.from_arrays(coded, dictionary)


def released_schema(
    schema: pa.Schema, names: Collection[str] | None = None, *, rows: int | None = None
) -> pa.Schema:
    """Names and types, of some columns or all, without what else a file said of its rows.

    What pandas needs to know of the types stays, and an index that numbers the released
    ``rows``. Dictionaries within lists and structures become plain values.
    """
    fields = [
        field.with_type(_unnested(field.type)).with_metadata(_type_metadata(field))
        for field in schema
        if names is None or field.name in names
    ]
    pandas = (schema.metadata or {}).get(b"pandas")
    kept = _pandas_metadata(pandas, [field.name for field in fields], rows) if pandas else None
    return pa.schema(fields, metadata={b"pandas": kept} if kept else None)


def _type_metadata(field: pa.Field) -> dict[bytes, bytes] | None:
    metadata = field.metadata or {}
    return {key: text for key, text in metadata.items() if key.startswith(_TYPE_KEYS)} or None


def _pandas_metadata(text: bytes, names: Collection[str], rows: int | None) -> bytes | None:
    """The types that pandas gives to these columns; a range of more rows would tell of them."""
    try:
        content = json.loads(text)
        columns = [one for one in content["columns"] if one["field_name"] in names]
        index = [
            one
            for one in content["index_columns"]
            if (_numbered(one) == rows if isinstance(one, dict) else one in names)
        ]
        kept: dict[str, Any] = {key: content[key] for key in _PANDAS_KEYS if key in content}
        for column in columns:
            # How many categories there were before.
            (column.get("metadata") or {}).pop("num_categories", None)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # it was not written by pandas
    return json.dumps({**kept, "columns": columns, "index_columns": index}).encode()


def _numbered(index: dict[str, Any]) -> int:
    """How many rows a range numbers."""
    return len(range(index["start"], index["stop"], index["step"]))


def _unnested(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries and views inside of it, which cannot be encoded anew."""
    if not pa.types.is_dictionary(kind):
        return _plain(kind) if pa.types.is_nested(kind) else kind
    return _plain(kind) if pa.types.is_nested(kind.value_type) else kind


def _plain(kind: pa.DataType) -> pa.DataType:  # noqa: PLR0911  # one for each kind of type
    """The type with plain values instead of dictionaries and views."""
    types = pa.types
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    if not any(_has_parts(inner) for inner in _inner_types(kind)):
        return kind
    if types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_plain(kind.key_type), _plain(kind.item_type))
    inner = _plain(kind.value_type)
    if types.is_fixed_size_list(kind):
        return pa.list_(inner, kind.list_size)
    return pa.large_list(inner) if types.is_large_list(kind) else pa.list_(inner)


def _inner_types(kind: pa.DataType) -> Iterator[pa.DataType]:
    """The types inside of a nested one, and inside of those."""
    if pa.types.is_nested(kind):
        for at in range(kind.num_fields):
            inner = kind.field(at).type
            yield inner
            yield from _inner_types(inner)


def _has_parts(kind: pa.DataType) -> bool:
    types = pa.types
    tests = (types.is_dictionary, types.is_string_view, types.is_binary_view)
    return any(is_type(kind) for is_type in tests)
