"""Writes released rows in the format that a file's name asks for."""

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from evenhand.errors import QuestionError, listed
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
from evenhand.releasing.leak_free_types import DictionaryEncoder, released_schema
from evenhand.rows.batch_source import BATCH_ROWS, reading

_GROUP_ROWS = 1 << 20
_BUFFER = 1 << 20
_TYPES = b"ARROW:schema"  # where Parquet files keep the types of Arrow


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
            coded = _dictionaries(path)
            file = stack.enter_context(pq.ParquetFile(path, read_dictionary=coded))
            if writer is None:
                kept = [name for name in file.schema_arrow.names if name not in drop]
                schema = released_schema(file.schema_arrow, kept).remove_metadata()
                # Arrow writes page by page: thousands of small writes at ten million rows.
                out = stack.enter_context(
                    pa.BufferedOutputStream(pa.PythonFile(sink, "w"), _BUFFER)
                )
                writer = stack.enter_context(
                    pq.ParquetWriter(
                        out, schema, store_schema=False, **_settings(file.metadata)
                    )
                )
                typed = released_schema(pq.read_schema(path), kept)
                writer.add_key_value_metadata(_metadata(typed, file.metadata.metadata or {}))
            for group in range(file.num_row_groups):
                batches = file.iter_batches(BATCH_ROWS, row_groups=[group])
                released = (edit(batch).select(kept).cast(schema) for batch in batches)
                for table in _grouped(released):
                    writer.write_table(table)


def _metadata(schema: pa.Schema, before: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """What types need of the metadata that a file had before."""
    types = {_TYPES: b64encode(schema.serialize().to_pybytes())} if _TYPES in before else {}
    return {**types, **(schema.metadata or {})}


def _dictionaries(path: str) -> list[str]:
    """The columns of text that are stored as dictionaries of moderate size."""
    metadata, schema = pq.read_metadata(path), pq.read_schema(path)
    texts = {field.name for field in schema if field.type == pa.string()}
    return [
        column.path_in_schema
        for column in _columns(metadata)
        if column.path_in_schema in texts
        and column.has_dictionary_page
        and column.total_uncompressed_size < 2 * column.num_values
    ]


def _columns(metadata: pq.FileMetaData) -> list[pq.ColumnChunkMetaData]:
    """The columns of the first row group, if there is one."""
    if not metadata.num_row_groups:
        return []
    group = metadata.row_group(0)
    return [group.column(number) for number in range(group.num_columns)]


def _settings(metadata: pq.FileMetaData) -> dict[str, Any]:
    """Options that make a new file like an old one."""
    columns = _columns(metadata)
    return {
        "compression": {
            column.path_in_schema: "NONE"
            if column.compression == "UNCOMPRESSED"
            else column.compression
            for column in columns
        },
        # Statistics are worked out once for each of these; they need not be so small.
        "write_batch_size": 1 << 16,
        "use_dictionary": [c.path_in_schema for c in columns if c.has_dictionary_page],
        "write_statistics": [c.path_in_schema for c in columns if c.is_stats_set],
    }
