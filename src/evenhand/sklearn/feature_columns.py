"""Features and targets as Arrow columns, whatever library holds them."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import ColumnError, InputError, QuestionError
from evenhand.question import Codings
from evenhand.rows import Rows, read
from evenhand.rows.frame_sources import check_header, frame_source


def is_frame(features: Any) -> bool:  # noqa: ANN401  # whatever a person has
    """Whether the columns have names: a frame of pandas or polars, or an Arrow table."""
    return isinstance(_native(features), nw.DataFrame)


def _native(values: Any) -> Any:  # noqa: ANN401
    """A frame or a series of any library as narwhals has it, and anything else as it is."""
    check_header(values)
    return nw.from_native(values, allow_series=True, pass_through=True)


def feature_table(
    features: Any,  # noqa: ANN401  # whatever a person has
    wanted: Callable[[str], bool] = bool,
    *,
    required: Iterable[str] = (),
    unnamed: str = "x",
) -> pa.Table:
    """The wanted columns of a frame, a series, an array or a list; refuses absent ones.

    Columns of an array are called x0, x1 and so on, as scikit-learn calls them; ``unnamed`` is
    the word before the number.
    """
    native = _native(features)
    if isinstance(native, nw.DataFrame):
        source = frame_source(features)
        _check_present(required, source.names)
        chosen = [name for name in source.names if wanted(name)]
        with _readable(", ".join(chosen)):
            batches = [*source.open(chosen, coded=False)]
        return pa.Table.from_batches(batches) if batches else native.select(chosen).to_arrow()
    if isinstance(native, nw.Series):
        name: object = native.name
        columns = {name if isinstance(name, str) and name else f"{unnamed}0": features}
    else:
        array = _array(features, "the features")
        if array.ndim not in (1, 2):
            raise InputError.of(
                f"The features have {array.ndim} dimensions.",
                remedy="Give a frame, or an array with a row for each person.",
            )
        lines = array.T if array.ndim > 1 else array[np.newaxis]
        columns = {f"{unnamed}{at}": line for at, line in enumerate(lines)}
    _check_present(required, columns)
    return pa.table({n: target_column(of, n) for n, of in columns.items() if wanted(n)})


def target_column(values: Any, name: str) -> pa.Array | pa.ChunkedArray:  # noqa: ANN401
    """The values of a series, an array, a list or the one column of a frame."""
    native = _native(values)
    if isinstance(native, nw.DataFrame):
        if len(native.columns) != 1:
            raise InputError.of(
                f"{name!r} is a table of {len(native.columns)} columns.",
                remedy="Give one value for each row.",
            )
        native = native[:, 0]
    with _readable(name):
        if isinstance(native, nw.Series):
            return native.to_arrow()
        return pa.array(_array(values, repr(name)), from_pandas=True)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn what Arrow cannot hold, as sparse columns of pandas, into a problem."""
    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError) as error:
        raise InputError.of(
            f"The values of {name!r} are of several types, or of one that has no labels.",
            f"{str(error).removesuffix('.')}.",
            "Give them one type, as text.",
        ) from error


def _array(values: Any, name: str) -> NDArray[Any]:  # noqa: ANN401
    """The values as an array; NumPy alone would make a text of NaN beside texts."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of several lengths
        raise InputError.of(
            f"The values of {name} make no table.",
            f"{str(error).removesuffix('.')}.",
            "Give as many for each row.",
        ) from error
    is_text = array.dtype.kind in "US" and not hasattr(values, "dtype")
    return np.asarray(values, object) if is_text else array


def read_columns(table: pa.Table, codings: Codings, *, where: str) -> Rows:
    """Rows of columns, under a name that the caller knows; every row is one person."""
    check_codings(codings)
    rows = read(table, codings=codings)
    return replace(rows, sources=tuple(replace(part, where=where) for part in rows.sources))


def check_codings(codings: Codings) -> None:
    """Refuse counted lines."""
    if codings.frequency is not None:
        raise QuestionError.of(
            f"The column {codings.frequency!r} is to say how often each row occurs.",
            "A model is trained on one row for each person.",
            "Repeat the rows, and leave out the frequency.",
        )


def _check_present(names: Iterable[str], available: Iterable[str]) -> None:
    there = tuple(available)
    if unknown := [name for name in names if name not in there]:
        raise ColumnError.unknown(unknown, there, where="features")
