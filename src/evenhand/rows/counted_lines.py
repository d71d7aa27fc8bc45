"""Tables of counts: each line stands for as many people as one of its columns says."""

from collections.abc import Collection, Iterator
from math import log

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import Remedy
from evenhand.rows.column_profile import parse_numbers
from evenhand.rows.table_finding import FindingKind, TableFinding, tell

_CHANCE = 0.01
_MOST_COLUMNS = 40  # of people's rows in more columns hardly any two are alike
_MOST_LINES = 100_000


def counted_lines(table: CountTable, asked: Collection[str]) -> Iterator[TableFinding]:
    """The column that may say how many people each line stands for, if there is one.

    Its numbers are whole, and no two lines are alike in the other columns, although rows of
    people would be: lines drawn at random from all combinations of these values would be all
    different with a chance of a hundredth at most.
    """
    name = counting_column(table, asked)
    names = [] if name is None else [name]
    total = "" if name is None else f"{int(_whole_numbers(table, name).sum()):,}"
    yield from tell(
        FindingKind.COUNTED,
        names,
        f"Each line may stand for several people: {name!r} counts up to {total}.",
        Remedy(f"Let {name!r} say how many each line stands for", "frequency", name),
        found="No two lines are alike in the other columns, as in a table of counts.",
        rows=table.row_count,
    )


def counting_column(table: CountTable, asked: Collection[str]) -> str | None:
    """The name of that column; of several, the one with the most values."""
    rows = table.row_count
    if not 2 < len(table.names) <= _MOST_COLUMNS or not len(table) == rows <= _MOST_LINES:
        return None
    names = sorted(
        (name for name in table.names if name not in asked),
        key=lambda name: -len(table.attribute(name)),
    )
    for name in names:
        others = [one for one in table.names if one != name]
        if (
            _all_differ_for_a_reason(table, others)
            and _whole_numbers(table, name).max(initial=0) > 1
            and len(table.groups(others)[1]) == len(table)
        ):
            return name
    return None


def _all_differ_for_a_reason(table: CountTable, names: Collection[str]) -> bool:
    """Whether so many lines, drawn from all combinations of values, are hardly all different.

    False also where they cannot be, because there are fewer combinations than lines.
    """
    places = 1
    for name in names:
        places *= len(table.attribute(name))
    lines = len(table)
    if any(2 * len(table.attribute(name)) > lines for name in names):
        return False  # it alone tells nearly all lines apart, as a number of each person
    if lines > places or lines**2 < -log(_CHANCE) * places:  # about exp(-lines² / 2 places)
        return False
    return float(np.log1p(-np.arange(lines) / places).sum()) <= log(_CHANCE)


def _whole_numbers(table: CountTable, name: str) -> NDArray[np.float64]:
    """The numbers of all lines; none where one is missing, negative or not whole."""
    numbers, unknown = parse_numbers(table.attribute(name).values)
    whole = len(numbers) > 2 and not unknown and bool((numbers >= 0).all())
    if not whole or (numbers != np.floor(numbers)).any() or numbers.max() > 2**53:
        return np.zeros(0)
    lines: NDArray[np.float64] = numbers[table.column(name)]
    return lines
