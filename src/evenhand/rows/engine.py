"""Tables in an engine, reached through Ibis: the engine counts, and only counts come back.

One GROUP BY gives the distinct lines and how often each occurs. They are then read as the lines
of any other part, so that labels, merged and missing values mean the same everywhere. Only
numbers that are to be binned are treated before: they may have millions of values, so the engine
rounds each to one number of its class.
"""

import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from evenhand.errors import EvenhandError, Problem, ResourceError, ValuesError
from evenhand.question import Bins, Codings, as_label
from evenhand.question.question import exact_number
from evenhand.rows.part import BATCH_ROWS, Batches, Part

KIND = "engine"
_LARGEST_FLOAT = sys.float_info.max
_SECRET = re.compile(r"://[^@\s/]+@|(password|token|secret)\s*=\s*\S+", re.IGNORECASE)


def is_engine_table(source: object) -> bool:
    """Whether this is an Ibis table; where one is, ibis is loaded."""
    ibis = sys.modules.get("ibis")
    return ibis is not None and isinstance(source, ibis.Table)


def engine_part(table: Any) -> Part:  # noqa: ANN401  # an Ibis table
    """A table, or any expression that gives one, in whatever engine holds it."""
    where = table_name(table)

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        chosen = fetched(table.select(*columns), where)
        yield from chosen.to_batches(max_chunksize=BATCH_ROWS)

    def grouped(names: Sequence[str], codings: Codings) -> tuple[Part, Codings]:
        return _grouped(table, names, codings, where)

    return Part(where=where, kind=KIND, names=table.columns, open=batches, grouped=grouped)


def table_name(table: Any) -> str:  # noqa: ANN401  # an Ibis table
    """The table's name, if it has one: an expression has none."""
    return str(table.get_name()) if hasattr(table.op(), "name") else "Ibis table"


def fetched(expression: Any, where: str) -> pa.Table:  # noqa: ANN401  # an Ibis table
    """What the engine gives for an expression."""
    with engine_at_work(where):
        return expression.to_pyarrow()


@contextmanager
def engine_at_work(where: str) -> Iterator[None]:
    """Turn whatever an engine says into an error of ours, without secrets.

    Engines have no exceptions in common: a lost connection may come as any of them.
    """
    try:
        yield
    except EvenhandError:
        raise
    except Exception as error:
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ResourceError(
            Problem(
                "The engine could not do its part.",
                f"It says: {_SECRET.sub('…', said).rstrip('.')}.",
                "Nothing was left behind. Check the connection, the table and your rights.",
                where,
            )
        ) from error


def class_conditions(column: Any, bins: Bins) -> list[Any]:  # noqa: ANN401  # a column
    """For each cut of a column of numbers the condition that a number is not beyond it."""
    whole = column.type().is_integer()
    return [
        column <= cut.numerator // cut.denominator if whole else _not_beyond(column, cut)
        for cut in bins.cuts
    ]


def is_binned_there(column: Any, bins: Bins | int | None) -> bool:  # noqa: ANN401  # a column
    """Whether the engine can tell the classes of a column exactly."""
    kind = column.type()
    return isinstance(bins, Bins) and (kind.is_integer() or kind.is_float64())


def missing_numbers(column: Any, na: Collection[str]) -> Any:  # noqa: ANN401  # a column
    """The condition that a number is missing: null, NaN, or declared as such."""
    whole = column.type().is_integer()
    declared = [number for text in na if (number := _written_as(text, whole=whole)) is not None]
    absent = column.isnull() if whole else column.isnull() | column.isnan()
    return absent | column.isin(declared) if declared else absent


def _grouped(
    table: Any,  # noqa: ANN401  # an Ibis table
    names: Sequence[str],
    codings: Codings,
    where: str,
) -> tuple[Part, Codings]:
    """The distinct lines of some columns as a part with a frequency."""
    number = next(n for n in ("rows", *(f"rows {i}" for i in range(99))) if n not in names)
    rows = table.count() if codings.frequency is None else table[codings.frequency].sum()
    if codings.frequency is not None:
        _check_frequency(table, codings.frequency, where)
    keys = {name: _key(table[name], name, codings) for name in names}
    lines = table.group_by(**keys).aggregate(**{number: rows.cast("int64")})

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        yield from fetched(lines, where).select(columns).to_batches(max_chunksize=BATCH_ROWS)

    part = Part(where=where, kind=KIND, names=(*names, number), open=batches, places=_somewhere)
    return part, replace(codings, frequency=number)


def _key(column: Any, name: str, codings: Codings) -> Any:  # noqa: ANN401  # columns
    """A column as it is grouped by: numbers that are binned become one number of their class.

    That is the cut at the upper end of the class, or a number beyond the last cut. What is
    infinite belongs to no class: it is named so, and refused when the lines are read.
    """
    bins = codings.bins.get(name)
    if not is_binned_there(column, bins) or not isinstance(bins, Bins):
        return column
    ibis: Any = sys.modules["ibis"]
    inside = [_decimal_at_most(cut, below) for below, cut in _pairs(bins.cuts)]
    beyond = str(bins.cuts[-1].__floor__() + 1)
    conditions = class_conditions(column, bins)
    branches = [(missing_numbers(column, codings.na), ibis.null("string"))]
    if not column.type().is_integer():
        finite = (column <= _LARGEST_FLOAT) & (column >= -_LARGEST_FLOAT)
        branches.append((~finite, ibis.literal("infinite")))
    branches += zip(conditions, map(ibis.literal, inside), strict=True)
    return ibis.cases(*branches, else_=beyond)


def _pairs(cuts: Sequence[Fraction]) -> list[tuple[Fraction | None, Fraction]]:
    return list(zip((None, *cuts), cuts, strict=False))


def _decimal_at_most(cut: Fraction, below: Fraction | None) -> str:
    """A decimal text of a number in the class that ends at a cut."""
    for digits in range(400):
        scaled = cut * 10**digits
        number = Fraction(scaled.__floor__(), 10**digits)
        if below is None or number > below:
            sign, whole = ("-" if scaled < 0 else ""), abs(scaled.__floor__())
            text = f"{sign}{whole}" + (f"e-{digits}" if digits else "")
            if exact_number(text) == number:
                return text
    raise AssertionError(cut)


def _not_beyond(column: Any, cut: Fraction) -> Any:  # noqa: ANN401  # a column
    """Whether floats are at most a cut, by the numbers that their shortest texts write.

    Rounding keeps the order, so only the float nearest to the cut needs a closer look.
    """
    nearest = float(cut)
    is_inside = exact_number(as_label(nearest)) <= cut
    return column <= nearest if is_inside else column < nearest


def _written_as(text: str, *, whole: bool) -> int | float | None:
    """The number whose label a text is."""
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        return None
    return number if as_label(number) == text else None


def _check_frequency(table: Any, name: str, where: str) -> None:  # noqa: ANN401
    """Refuse a frequency that is no whole number everywhere."""
    column = table[name]
    whole = column.type().is_integer()
    odd = table.filter(column.isnull() | (column < 0)).count() if whole else None
    if odd is None or fetched(odd.as_table(), where).column(0)[0].as_py():
        raise ValuesError(
            Problem(
                f"The frequency {name!r} is not a whole number in every row.",
                f"Its type is {column.type()}." if odd is None else "Some are null or negative.",
                "Frequencies are whole numbers from 0 on. A survey weight is none.",
                where,
            )
        )


def _somewhere(rows: Collection[int]) -> dict[int, str]:
    """An engine's rows have no numbers; what can be named is a line that it sent."""
    return {row: f"distinct line {row + 1:,}" for row in rows}
