"""Parquet and Arrow files."""

from collections.abc import Sequence
from os import SEEK_END

import pyarrow as pa
import pyarrow.parquet as pq

from evenhand.errors import InputError
from evenhand.rows.arrow_numpy import as_numpy, value_type
from evenhand.rows.batch_source import (
    BATCH_ROWS,
    Batches,
    BatchSource,
    read_ahead,
    reading,
    unique_names,
)

_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def parquet_source(where: str) -> BatchSource:
    """A Parquet file; only the chosen columns are decoded."""
    with reading(where):
        schema, length = pq.read_schema(where), pq.read_metadata(where).num_rows
    texts = {field.name for field in schema if _is_text(value_type(field.type))}

    @read_ahead
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        dictionaries = [name for name in columns if coded and name in texts]
        with reading(where), pq.ParquetFile(where, read_dictionary=dictionaries) as file:
            for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                yield _validate(batch, columns)

    return BatchSource(
        where=where,
        kind="Parquet",
        names=tuple(schema.names),
        open=batches,
        schema=schema,
        rows=length,
    )


def arrow_source(where: str, *, is_stream: bool) -> BatchSource:
    """An Arrow IPC file (also called Feather) or stream."""

    def begin(file: pa.NativeFile, fields: list[int] | None = None) -> pa.RecordBatchReader:
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        opener = pa.ipc.open_stream if is_stream else pa.ipc.open_file
        return opener(file, options=options)

    with reading(where), pa.OSFile(where) as file:
        schema = begin(file).schema
        file.seek(-len(_END_OF_STREAM), SEEK_END)
        if is_stream and file.read() != _END_OF_STREAM:
            raise InputError.of(
                "This Arrow stream breaks off before its end.",
                "The mark that ends a stream is missing.",
                "Write or fetch it again.",
                where,
            )

    @read_ahead
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        with reading(where), pa.OSFile(where) as file:
            chosen = [names.index(name) for name in columns]
            reader = begin(file, sorted(chosen))
            for batch in reader if is_stream else _file_batches(reader):
                named = batch.rename_columns([names[at] for at in sorted(chosen)])
                yield _validate(named, columns)

    names = unique_names(schema.names)
    return BatchSource(
        where=where,
        kind="Arrow",
        names=names,
        header=tuple(schema.names),
        open=batches,
        schema=schema,
    )


def _validate(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
    """These columns of a batch, validated.

    Arrow does not validate files, and a damaged one would crash it. Parquet also returns 'a.b'
    for 'a'.
    """
    chosen = batch.select(list(columns))
    chosen.validate()
    for column in chosen.columns:
        if not _has_valid_codes(column):
            column.validate(full=True)
    return chosen


def _has_valid_codes(column: pa.Array) -> bool:
    """Whether this is a valid dictionary, and indices into it: in a fifth of Arrow's time."""
    if not pa.types.is_dictionary(column.type) or column.indices.null_count:
        return False
    column.dictionary.validate(full=True)
    codes = as_numpy(column.indices)
    return not len(codes) or bool(codes.min() >= 0 and codes.max() < len(column.dictionary))


def _file_batches(reader: pa.ipc.RecordBatchFileReader) -> Batches:
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
