"""Sources that are no files: Arrow objects, pandas, polars, DuckDB relations, Ibis tables."""

import sys
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from evenhand.errors import ColumnError, InputError, listed
from evenhand.rows.batch_source import (
    BATCH_ROWS,
    Batches,
    BatchSource,
    reading,
    unique_names,
    unreadable,
)
from evenhand.rows.ibis_tables import engine_source, is_engine_table


class TableObject(Protocol):
    """A table in memory or in an engine: of pandas, polars, Arrow, DuckDB or Ibis."""

    @property
    def columns(self) -> Any:  # noqa: ANN401  # each library has a type of its own for it
        """The columns, or their names."""


Source: TypeAlias = str | PathLike[str] | TableObject


def frame_source(source: Any) -> BatchSource:  # noqa: ANN401  # whatever a person has
    """A table that is not a file."""
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        table = rename_columns(source, unique_names(source.column_names))
        return _table_source("Arrow table", source.column_names, table.select)
    if isinstance(source, pa.RecordBatchReader):
        return _reader_source(source)
    if is_engine_table(source):
        return engine_source(source)
    # A relation exists only where duckdb is already imported.
    duckdb = sys.modules.get("duckdb")
    if duckdb and isinstance(source, duckdb.DuckDBPyRelation):
        return _relation_source(source, duckdb.Error)
    return _frame_source(source)


def _table_source(
    where: str, names: Iterable[str], select: Callable[[list[str]], pa.Table]
) -> BatchSource:
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        with reading(where):
            yield from select(list(columns)).to_batches(max_chunksize=BATCH_ROWS)

    header = tuple(names)
    return BatchSource(
        where=where, kind="frame", names=unique_names(header), header=header, open=batches
    )


def rename_columns(frame: Any, names: Sequence[str]) -> Any:  # noqa: ANN401  # any kind of table
    """A table of pandas or Arrow with these column names; itself if it has them already."""
    if type(frame).__module__.partition(".")[0] == "pandas":
        return frame if [*frame.columns] == [*names] else frame.set_axis([*names], axis=1)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        has_names = [*frame.schema.names] == [*names]
        return frame if has_names else frame.rename_columns([*names])
    return frame  # no other kind can have two columns of one name


def _frame_source(source: Any) -> BatchSource:  # noqa: ANN401  # whatever a person has
    import narwhals as nw  # noqa: PLC0415  # files are read without it

    header = source.columns if type(source).__module__.partition(".")[0] == "pandas" else None
    if header is not None and not header.is_unique:
        source = rename_columns(source, unique_names([*header]))
    frame = nw.from_native(source, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        if hasattr(source, "__arrow_c_stream__"):
            return _reader_source(pa.RecordBatchReader.from_stream(source))
        raise InputError.of(
            f"A {type(source).__name__} is no table that can be read.",
            remedy="Give a path, an Arrow table, a pandas or polars frame, "
            "a DuckDB relation or an Ibis table.",
        )
    where = f"{frame.implementation.value} frame"
    lazy = isinstance(frame, nw.LazyFrame)
    names = list(frame.collect_schema() if lazy else source.columns)
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise ColumnError.of(
            f"The column names {listed(odd)} are no texts.",
            remedy="Rename the columns, as in frame.columns = map(str, frame.columns).",
            where=where,
        )

    def select(columns: list[str]) -> pa.Table:
        chosen = frame.select(columns)
        eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
        try:
            # A pandas index comes along; it is no column.
            return eager.to_arrow().select(columns)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError.of(
                "A column of this frame mixes values of several types.",
                f"{error}.",
                "Give it one type, as in frame['a'].astype(str), or leave it out.",
                where,
            ) from error

    return _table_source(where, names if header is None else header, select)


def _reader_source(reader: pa.RecordBatchReader) -> BatchSource:
    where = "Arrow reader"
    unread = [reader]

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        if not unread:
            raise InputError.of(
                "A reader can be read only once.",
                "It was read before, perhaps to find quantiles.",
                "Give a table, as in reader.read_all().",
                where,
            )
        with reading(where):
            for batch in unread.pop():
                yield batch.rename_columns([*names]).select(list(columns))

    header = tuple(reader.schema.names)
    names = unique_names(header)
    return BatchSource(where=where, kind="frame", names=names, header=header, open=batches)


def _relation_source(relation: Any, failure: type[Exception]) -> BatchSource:  # noqa: ANN401
    where = "DuckDB relation"
    header = tuple(relation.columns)
    names = unique_names(header)

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        # By position: names in SQL do not tell 'a' from 'A'.
        positions = ", ".join(f"#{names.index(name) + 1}" for name in columns)
        try:
            with reading(where):
                stream = pa.RecordBatchReader.from_stream(relation.project(positions))
                for batch in stream:
                    yield pa.RecordBatch.from_arrays(batch.columns, list(columns))
        except failure as error:
            raise InputError(unreadable(error, where)) from error

    return BatchSource(where=where, kind="frame", names=names, header=header, open=batches)
