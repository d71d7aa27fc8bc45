"""Writes released rows in the format that a file's name asks for.

Files tell nothing of rows or values that are not released. A dictionary that came with a column
lists values that no released row has, in the order in which the rows before had them. So
dictionaries are encoded anew: the values of the released rows, as these first have them. An
ordered dictionary is part of its type, and stays whole.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from evenhand.errors import QuestionError, ResourceError, listed
from evenhand.files.file_formats import (
    ARROW_STREAM,
    COMPRESSIONS,
    FORMATS,
    PARQUET,
    TEXT,
    FileFormat,
    format_of,
    plain_endings,
)
from evenhand.rows.batch_source import BATCH_ROWS, reading
from evenhand.rows.value_labels import as_numpy, value_type

_GROUP_ROWS = 1 << 20
_BUFFER = 1 << 20
_TYPES = b"ARROW:schema"  # where Parquet files keep the types of Arrow
# What the types of fields need of their metadata.
_TYPE_KEYS = (b"PARQUET:field_id", b"ARROW:extension:")
_PANDAS_KEYS = ("column_indexes", "creator", "pandas_version")


class Sink(Protocol):
    """What files are written into."""

    def write(self, data: bytes, /) -> object:
        """Take some bytes."""
        ...


def output_format(path: str | Path) -> FileFormat:
    """The format that a file's name asks for."""
    path = Path(path)
    known = format_of(path)
    if known is None:
        written = [one.kind for one in FORMATS.values() if one.is_written]
        raise QuestionError.of(
            f"The name {path.name!r} does not say in which form to write.",
            remedy=f"Let it end in {', '.join(plain_endings(*written))}; "
            f"text also in {' or '.join(COMPRESSIONS)}.",
        )
    if not known.is_written:
        raise QuestionError.of(
            f"{known.kind.capitalize()}s are read, but not written.",
            remedy=f"Write {path.stem}.csv or {path.stem}.parquet instead.",
        )
    return known


@contextmanager
def text_stream(output: FileFormat, sink: Sink) -> Iterator[Any]:
    """What to write text into; the sink gets compressed bytes where these are asked for."""
    if output.compression is None:
        yield sink
        return
    with pa.CompressedOutputStream(pa.PythonFile(sink, "w"), output.compression) as stream:
        yield stream


def write_batches(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema | None,
    output: FileFormat,
    sink: Sink,
    *,
    rows: int | None = None,
) -> None:
    """Write batches in any format.

    Without a schema they have that of the first. ``rows`` is their number, if it is known.
    """
    if schema is None:
        stream = iter(batches)
        first = next(stream)
        schema, batches = first.schema, chain([first], stream)
    typed = released_schema(schema, rows=rows)
    schema = _for_text(schema) if output.kind == TEXT else typed
    batches = (batch.cast(schema) for batch in batches)
    if output.kind == PARQUET:
        batches = _grouped(batches)
    elif output.kind != TEXT:
        batches = map(DictionaryEncoder().encode, batches)
    with ExitStack() as stack:
        if output.kind == TEXT:
            sink = stack.enter_context(text_stream(output, sink))
        writer = stack.enter_context(_writer(schema, output, sink))
        for batch in batches:
            writer.write(batch)


def _writer(schema: pa.Schema, output: FileFormat, sink: Any) -> Any:  # noqa: ANN401  # four kinds
    if output.kind == PARQUET:
        return pq.ParquetWriter(sink, schema)
    if output.kind == TEXT:
        options = arrow_csv.WriteOptions(delimiter=output.delimiter or ",")
        return arrow_csv.CSVWriter(sink, schema, write_options=options)
    if output.kind == ARROW_STREAM:
        return pa.ipc.new_stream(sink, schema)
    options = pa.ipc.IpcWriteOptions(
        compression=output.compression, emit_dictionary_deltas=True
    )
    return pa.ipc.new_file(sink, schema, options=options)


def _for_text(schema: pa.Schema) -> pa.Schema:
    """The types as text is written from; lists and structures have none."""
    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    if nested:
        raise QuestionError.of(
            f"The columns {listed(nested)} hold lists or structures, which text cannot.",
            remedy="Write Parquet or Arrow instead.",
        )
    return pa.schema(
        field.with_type(pa.string()) if pa.types.is_string_view(field.type) else field
        for field in schema
    )


def _grouped(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches joined to tables of about a million rows, each with dictionaries of its own."""
    held: list[pa.RecordBatch] = []
    encoder = DictionaryEncoder()
    for batch in batches:
        held.append(encoder.encode(batch))
        if sum(piece.num_rows for piece in held) >= _GROUP_ROWS:
            yield pa.Table.from_batches(held).unify_dictionaries()
            held, encoder = [], DictionaryEncoder()
    if held:
        yield pa.Table.from_batches(held).unify_dictionaries()


def copy_parquet(
    paths: Sequence[str],
    edit: Callable[[pa.RecordBatch], pa.RecordBatch],
    sink: Sink,
    *,
    drop: Collection[str] = (),
) -> None:
    """Write edited Parquet files as one, in the manner of the first.

    Columns but those to drop, types, row groups and compression stay; of the metadata only what
    types need. Texts are neither decoded nor hashed where dictionaries hold them.
    """
    with ExitStack() as stack:
        writer = None
        for path in paths:
            # Only some columns were read when the rows were counted: others may be damaged.
            stack.enter_context(reading(path))
            metadata, types = pq.read_metadata(path), pq.read_schema(path)
            first = metadata.row_group(0) if metadata.num_row_groups else None
            columns = [first.column(at) for at in range(first.num_columns)] if first else []
            texts = {field.name for field in types if field.type == pa.string()}
            coded = [
                column.path_in_schema
                for column in columns
                if column.path_in_schema in texts and _has_few_texts(column)
            ]
            file = stack.enter_context(pq.ParquetFile(path, read_dictionary=coded))
            if writer is None:
                kept = [name for name in file.schema_arrow.names if name not in drop]
                schema = released_schema(file.schema_arrow, kept).remove_metadata()
                # Arrow writes page by page: thousands of small writes at ten million rows.
                out = stack.enter_context(
                    pa.BufferedOutputStream(pa.PythonFile(sink, "w"), _BUFFER)
                )
                settings = _settings(columns)
                writer = stack.enter_context(
                    pq.ParquetWriter(out, schema, store_schema=False, **settings)
                )
                typed = released_schema(types, kept)
                if _TYPES in (metadata.metadata or {}):
                    stored = b64encode(typed.serialize().to_pybytes())
                    writer.add_key_value_metadata({_TYPES: stored})
                writer.add_key_value_metadata(typed.metadata or {})
            for group in range(file.num_row_groups):
                batches = file.iter_batches(BATCH_ROWS, row_groups=[group])
                released = (edit(batch).select(kept).cast(schema) for batch in batches)
                for table in _grouped(released):
                    writer.write_table(table)


def _has_few_texts(column: pq.ColumnChunkMetaData) -> bool:
    """Whether texts stand in a dictionary: few short ones, or long ones that are repeated."""
    if not column.has_dictionary_page:
        return False
    dictionary = column.data_page_offset - column.dictionary_page_offset
    return bool(
        column.total_uncompressed_size < 2 * column.num_values
        or column.total_compressed_size - dictionary < column.num_values
    )


def _settings(columns: Sequence[pq.ColumnChunkMetaData]) -> dict[str, Any]:
    """Options that make a new file like an old one, of which these are columns."""
    packed = {column.path_in_schema: column.compression for column in columns}
    return {
        "compression": {
            name: "NONE" if kind == "UNCOMPRESSED" else kind for name, kind in packed.items()
        },
        # Statistics are worked out once for each of these; they need not be so small.
        "write_batch_size": 1 << 16,
        "use_dictionary": [c.path_in_schema for c in columns if c.has_dictionary_page],
        "write_statistics": [c.path_in_schema for c in columns if c.is_stats_set],
    }


class DictionaryEncoder:
    """Encodes the columns of consecutive batches; a dictionary grows from batch to batch."""

    def __init__(self) -> None:
        self._known: dict[int, pa.Array] = {}

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
        values, indices = column.dictionary.cast(_plain(kind.value_type)), column.indices
        known = self._known.get(at, values.slice(0, 0))
        codes = pc.index_in(values, value_set=known)
        if codes.null_count:  # else all of them were met in earlier rows
            occurring = values.take(pc.unique(indices).drop_null()).drop_null()
            known = pc.unique(pa.concat_arrays([known, occurring]))
            codes = pc.index_in(values, value_set=known)
        self._known[at] = known
        if codes.null_count or (as_numpy(codes) != np.arange(len(codes))).any():
            try:
                indices = codes.take(indices).cast(kind.index_type)
            except pa.ArrowInvalid:
                raise ResourceError.of(
                    f"A dictionary with indices of the type {kind.index_type} is too small.",
                    f"The released rows have {len(known):,} values.",
                    "Write Parquet or text instead.",
                ) from None
        return pa.DictionaryArray.from_arrays(indices, known.cast(kind.value_type))


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
            if (
                len(range(one["start"], one["stop"], one["step"])) == rows
                if isinstance(one, dict)
                else one in names
            )
        ]
        kept: dict[str, Any] = {key: content[key] for key in _PANDAS_KEYS if key in content}
        for column in columns:
            # How many categories there were before.
            (column.get("metadata") or {}).pop("num_categories", None)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None  # it was not written by pandas
    return json.dumps({**kept, "columns": columns, "index_columns": index}).encode()


def _unnested(kind: pa.DataType) -> pa.DataType:
    """The type without dictionaries and views inside of it, which cannot be encoded anew."""
    return _plain(kind) if pa.types.is_nested(value_type(kind)) else kind


def _plain(kind: pa.DataType) -> pa.DataType:  # noqa: PLR0911  # one for each kind of type
    """The type with plain values instead of dictionaries and views."""
    types = pa.types
    if types.is_dictionary(kind):
        return _plain(kind.value_type)
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    inner = [kind.field(at).type for at in range(kind.num_fields)]
    if all(_plain(one) == one for one in inner):
        return kind
    if types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if types.is_map(kind):
        return pa.map_(_plain(kind.key_type), _plain(kind.item_type))
    if types.is_fixed_size_list(kind):
        return pa.list_(_plain(kind.value_type), kind.list_size)
    return (pa.large_list if types.is_large_list(kind) else pa.list_)(_plain(kind.value_type))
