"""Values that are given beside a table become columns of it."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import pyarrow as pa

from evenhand.errors import ColumnError, InputError, listed

# A column of the table, by name, or as many values as it has rows.
Column: TypeAlias = str | Sequence[Any]


def with_columns(
    source: Any,  # noqa: ANN401  # whatever a person has
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


def _check_flat(name: str, values: Any) -> None:  # noqa: ANN401
    """Refuse what is no list of single values: a number, a generator, a table."""
    shape = getattr(values, "shape", None)
    listable = isinstance(values, Iterable) and not isinstance(
        values, bytes | Mapping | AbstractSet
    )
    if shape is None and isinstance(values, Sized) and listable:
        shape = (len(values),)
    if shape is not None and (
        len(shape) > 1 or (shape and isinstance(next(iter(values), None), list))
    ):
        size = " × ".join(map(str, shape)) if len(shape) > 1 else "a list of lists"
        raise InputError.of(
            f"The values of {name} are a table ({size}), no single column.",
            remedy="Choose one of its columns, as in values[:, 1].",
        )
    if not shape:
        raise InputError.of(
            f"The values of {name} are of the type {type(values).__name__}, no list.",
            remedy="Give a list, an array or a series with a value for each row, or the name "
            "of a column.",
        )


def check_header(source: Any) -> None:  # noqa: ANN401
    """Refuse names that several columns have: only pandas and Arrow allow them."""
    is_pandas = type(source).__module__.partition(".")[0] == "pandas"
    arrow = source.column_names if isinstance(source, pa.Table) else ()
    names = [*(getattr(source, "columns", ()) if is_pandas else arrow)]
    if twice := sorted({str(name) for name in names if names.count(name) > 1}):
        raise ColumnError.of(
            f"The column names {listed(twice)} occur more than once.",
            "Which of them is meant is not clear.",
            "Give every column a name of its own.",
        )


def _check_index(name: str, frame: Any, values: Any) -> None:  # noqa: ANN401
    """Refuse a pandas series whose index is not that of the frame, in its order."""
    index: Any = getattr(values, "index", None)
    if hasattr(index, "equals") and not index.equals(frame.index):
        raise InputError.of(
            f"The values of {name} have another index than the table, or another order of it.",
            "Which value belongs to which row is not clear.",
            "Give values.reindex(table.index) if the index tells it, and values.to_numpy() if "
            "they are in the order of the rows.",
        )
