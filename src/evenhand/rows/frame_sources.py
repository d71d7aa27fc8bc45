"""Sources that are no files: Arrow objects, pandas, polars, DuckDB relations, Ibis tables."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import replace
from os import PathLike
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from evenhand.counts.count_table import check_names
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

# A column of the table, by name, or as many values as it has rows.
Column: TypeAlias = str | Sequence[Any]
Anything: TypeAlias = Any  # whatever a person has


class TableObject(Protocol):
    """A table in memory or in an engine: of pandas, polars, Arrow, DuckDB or Ibis."""

    @property
    def columns(self) -> Anything:
        """The columns, or their names."""


Source: TypeAlias = str | PathLike[str] | TableObject


def frame_source(source: Anything) -> BatchSource:
    """A table that is not a file."""
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        return _source(
            "Arrow table",
            source.column_names,
            lambda at: source.select(at).to_batches(max_chunksize=BATCH_ROWS),
        )
    if isinstance(source, pa.RecordBatchReader):
        reader = _source("Arrow reader", source.schema.names, _read_once(source))
        return replace(reader, once=True)
    if is_engine_table(source):
        return engine_source(source)
    # A relation exists only where duckdb is already imported.
    duckdb = sys.modules.get("duckdb")
    if duckdb and isinstance(source, duckdb.DuckDBPyRelation):
        return _relation_source(source, duckdb.Error)
    return _frame_source(source)


def _source(
    where: str,
    header: Iterable[str],
    read: Callable[[list[int]], Iterable[pa.RecordBatch]],
) -> BatchSource:
    """A table of which ``read`` gives the columns at some positions."""
    header = tuple(header)
    names = unique_names(header)

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        wanted = [*columns]
        with reading(where):
            for batch in read([names.index(name) for name in wanted]):
                yield rename_columns(batch, wanted)

    return BatchSource(where=where, kind="frame", names=names, header=header, open=batches)


def rename_columns(frame: Anything, names: Sequence[str]) -> Anything:
    """A table of pandas or Arrow with these column names; itself if it has them already."""
    if type(frame).__module__.partition(".")[0] == "pandas":
        return frame if [*frame.columns] == [*names] else frame.set_axis([*names], axis=1)
    if isinstance(frame, pa.Table | pa.RecordBatch):
        has_names = [*frame.schema.names] == [*names]
        return frame if has_names else frame.rename_columns([*names])
    return frame  # no other kind can have two columns of one name


def _frame_source(source: Anything) -> BatchSource:
    import narwhals as nw  # noqa: PLC0415  # files are read without it

    header = source.columns if type(source).__module__.partition(".")[0] == "pandas" else None
    if header is not None and not header.is_unique:
        source = rename_columns(source, unique_names([*header]))
    frame = nw.from_native(source, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        if hasattr(source, "__arrow_c_stream__"):
            return frame_source(pa.RecordBatchReader.from_stream(source))
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

    def read(at: list[int]) -> list[pa.RecordBatch]:
        columns = [names[one] for one in at]
        chosen = frame.select(columns)
        eager = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
        try:
            # A pandas index comes along; it is no column.
            table = eager.to_arrow().select(columns)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise InputError.of(
                "A column of this frame mixes values of several types.",
                f"{error}.",
                "Give it one type, as in frame['a'].astype(str), or leave it out.",
                where,
            ) from error
        batches: list[pa.RecordBatch] = table.to_batches(max_chunksize=BATCH_ROWS)
        return batches

    return _source(where, names if header is None else header, read)


def _read_once(
    reader: pa.RecordBatchReader,
) -> Callable[[list[int]], Iterator[pa.RecordBatch]]:
    unread = [reader]

    def read(at: list[int]) -> Iterator[pa.RecordBatch]:
        if not unread:
            raise InputError.of(
                "A reader can be read only once.",
                "It was read before; quantiles and finer classes take another pass.",
                "Give a table, as in reader.read_all().",
                "Arrow reader",
            )
        yield from (batch.select(at) for batch in unread.pop())

    return read


def _relation_source(relation: Anything, failure: type[Exception]) -> BatchSource:
    where = "DuckDB relation"

    def read(at: list[int]) -> Iterator[pa.RecordBatch]:
        # By position: names in SQL do not tell 'a' from 'A'.
        positions = ", ".join(f"#{one + 1}" for one in at)
        try:
            yield from pa.RecordBatchReader.from_stream(relation.project(positions))
        except failure as error:
            raise InputError(unreadable(error, where)) from error

    return _source(where, relation.columns, read)


def with_columns(
    source: Anything,
    columns: Mapping[str, Column | None],
) -> tuple[Any, dict[str, str | None]]:
    """The source with columns for what is given as values, and the names of all.

    Values are taken in the order of the rows. Those of pandas beside a frame of pandas must
    have its index: by another one they may belong to other rows.
    """
    names: dict[str, str | None] = {}
    values: dict[str, Any] = {}
    for name, column in columns.items():
        if column is None or isinstance(column, str):
            names[name] = column
        else:
            names[name], values[name] = name, column
            _check_flat(name, column)
    if not values:
        return source, names
    import narwhals as nw  # noqa: PLC0415  # only needed for frames

    check_header(source)
    frame = nw.from_native(source, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputError.of(
            f"Values of {', '.join(values)} cannot be put beside this table.",
            "Only a frame of pandas, polars or Arrow that is in memory can take them.",
            "Add a column to the table, and name it.",
        )
    if taken := sorted({*values} & {*frame.columns}):
        raise ColumnError.of(
            f"The table has a column {taken[0]!r} already, and values are given besides.",
            remedy="Name the column instead of giving values, or rename it.",
        )
    series = []
    for name, of in values.items():
        if len(of) != len(frame):
            raise InputError.of(
                f"There are {len(of):,} values of {name}, and the table has {len(frame):,} "
                "rows.",
                remedy="Give one for each row.",
            )
        own = nw.from_native(of, series_only=True, pass_through=True)
        if isinstance(own, nw.Series) and own.implementation is frame.implementation:
            _check_index(name, source, of)
            series.append(own.alias(name))
        else:
            column = pa.table({name: _column(name, of)})
            backend = nw.get_native_namespace(frame)
            series.append(nw.DataFrame.from_arrow(column, backend=backend)[name])
    return frame.with_columns(*series).to_native(), names


def _column(name: str, values: Iterable[Any]) -> pa.Array:
    """The values as one column, NaN as a missing one."""
    try:
        return pa.array([*values], from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise InputError.of(
            f"The values of {name} are of several types, or of one that has no labels.",
            f"{error}.",
            "Give them one type, as text.",
        ) from error


def _check_flat(name: str, values: Anything) -> None:
    """Refuse what is no list of single values: a number, a generator, a table."""
    shape = getattr(values, "shape", None)
    is_list = isinstance(values, Sized) and isinstance(values, Iterable)
    if shape is None and is_list and not isinstance(values, bytes | Mapping | AbstractSet):
        shape = (len(values),)
    kind = type(values).__name__
    if shape and len(shape) > 1:
        kind = f"{kind} ({' × '.join(map(str, shape))})"
    elif shape and isinstance(next(iter(values), None), list):
        kind = "list of lists"
    elif shape:
        return
    raise InputError.of(
        f"The values of {name} are of the type {kind}, no single column.",
        remedy="Give a list, an array or a series with a value for each row, or the name of a "
        "column; of a table choose one column, as in values[:, 1].",
    )


def check_header(source: Anything) -> None:
    """Refuse names that several columns have: only pandas and Arrow allow them."""
    is_pandas = type(source).__module__.partition(".")[0] == "pandas"
    arrow = source.column_names if isinstance(source, pa.Table) else ()
    names = [*(getattr(source, "columns", ()) if is_pandas else arrow)]
    check_names(map(str, names))


def _check_index(name: str, frame: Anything, values: Anything) -> None:
    """Refuse a pandas series whose index is not that of the frame, in its order."""
    index: Any = getattr(values, "index", None)
    if hasattr(index, "equals") and not index.equals(frame.index):
        raise InputError.of(
            f"The values of {name} have another index than the table, or another order of it.",
            "Which value belongs to which row is not clear.",
            "Give values.reindex(table.index) if the index tells it, and values.to_numpy() if "
            "they are in the order of the rows.",
        )
