"""How far moves reach among the shuffled rows of an engine, found in one pass over them.

A shuffle spreads the rows of a pattern evenly over all places, so the k-th of n rows lies near
the k/n-th part of them. One GROUP BY counts the rows before a stretch around that, and lists
the places within. If a stretch misses the row it was made for, which hardly ever happens, the
engine is asked again with wider ones.

PostgreSQL is not asked: there computing the places of all rows once more costs more than
numbering and joining the few rows that can be taken.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor, sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.releasing.engine_conditions import LabelConditions, Pattern, Table, ibis
from evenhand.releasing.engine_shuffle import HALF, HALF_BITS, KEYS, Shuffle, shuffled
from evenhand.releasing.row_selection import rows_differ
from evenhand.rows.arrow_numpy import as_numpy
from evenhand.rows.ibis_tables import computed_once, fetch

_PLACE, _LEFT, _FOUND = "evenhand_place", "evenhand_left", "evenhand_found"
_WIDTH = 5  # standard deviations; one stretch of a million misses
_SAFE_WIDTH = 9  # so wide that nothing is asked again; a release that misses a row is refused
_CODE, _ORDER = "evenhand_code", "evenhand_order"
_BEFORE, _AFTER = -1, KEYS


def find_reach(
    conditions: LabelConditions,
    shuffle: Shuffle,
    key: str,
    sizes: Mapping[Pattern, int],
    levels: Sequence[Mapping[Pattern, int]],
    *,
    width: int = _WIDTH,
) -> list[dict[Pattern, int]]:
    """For each level and pattern the place before which so many of its rows are.

    ``sizes`` are the rows that were counted under each pattern of the first level, which has
    all of them. Raises if the engine finds another number.
    """
    patterns = [*sizes]
    where = conditions.rows.where
    while True:
        stretches = [
            {pattern: _stretch(rows, sizes[pattern], width) for pattern, rows in level.items()}
            for level in levels
        ]
        numbers, found, rows = _ask(conditions, shuffle, key, patterns, stretches)
        if np.bincount(numbers, rows, len(patterns)).tolist() != [*sizes.values()]:
            raise rows_differ(where, "A move finds other rows than were counted.")
        reach = [
            _last_places(numbers, places, rows, patterns, level)
            for places, level in zip(found, levels, strict=True)
        ]
        if all(_BEFORE < place < _AFTER for level in reach for place in level.values()):
            return [{pattern: at + 1 for pattern, at in level.items()} for level in reach]
        width = 8 * width + 1


def taken_rows(
    conditions: LabelConditions,
    shuffle: Shuffle,
    key: str,
    sizes: Mapping[Pattern, int],
    levels: Sequence[Mapping[Pattern, int]],
    *,
    taken: str,
) -> Table:
    """The keys of the rows that moves take, each with the number of its level.

    Only rows that come early enough to be among the wanted ones are numbered, so that few are
    sorted. They are found by their pattern and the upper half of their place.
    """
    ends = {
        pattern: _stretch(max(level.get(pattern, 0) for level in levels), size, _SAFE_WIDTH)[1]
        for pattern, size in sizes.items()
    }
    codes = {
        pattern: number * 2 * HALF + end // HALF
        for number, (pattern, end) in enumerate(ends.items())
    }
    table = conditions.kept.select(*dict.fromkeys((*conditions.plan.names, key)))
    table = computed_once(
        table.mutate(**{_CODE: conditions.by_pattern(table, codes, otherwise=-1)})
    )
    table = table.filter(table[_CODE] >= 0)
    table = shuffled(table, shuffle, key, _PLACE, left=_LEFT, at_once=True)
    table = table.filter(table[_LEFT] < table[_CODE] % (2 * HALF))
    window = ibis().window(group_by=table[_CODE], order_by=table[_PLACE])
    table = table.mutate(**{_ORDER: ibis().row_number().over(window)})
    wanted = [
        (table[_ORDER] < conditions.by_pattern(table, level, otherwise=0), at)
        for at, level in enumerate(levels)
    ]
    table = table.select(key, **{taken: ibis().cases(*wanted, else_=-1)})
    return table.filter(table[taken] >= 0)


def _stretch(wanted: int, size: int, width: int) -> tuple[int, int]:
    """Where the last wanted row should be: from the first of these places to before the other.

    The number of rows before a place is binomial, nearly normal, or Poisson for few rows. The
    end is rounded up, so that the upper half of a place tells whether it lies before.
    """
    spread = width * sqrt(wanted * (1 - wanted / size)) + width**2
    begin = max(0, floor((wanted - spread) / size * KEYS))
    end = min(KEYS, ceil((wanted + spread) / size * KEYS))
    return begin, end + -end % HALF


def _ask(
    conditions: LabelConditions,
    shuffle: Shuffle,
    key: str,
    patterns: Sequence[Pattern],
    stretches: Sequence[Mapping[Pattern, tuple[int, int]]],
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]], NDArray[np.int64]]:
    """Pattern numbers, for each level a place or before or after the stretch, and rows.

    One number has all that is known of a pattern: its own number, and where its stretch begins
    and ends, by the upper halves of places. So each row is compared with labels only once, and
    its whole place is needed only within the stretch.
    """
    table, codes = conditions.kept, [f"{_CODE}_{at}" for at in range(len(stretches))]
    trees = {}
    for name, level in zip(codes, stretches, strict=True):
        numbers = {
            pattern: (number * HALF + begin // HALF) * 2 * HALF + end // HALF
            for number, pattern in enumerate(patterns)
            if pattern in level
            for begin, end in [level[pattern]]
        }
        trees[name] = conditions.by_pattern(table, numbers, otherwise=-1)
    table = table.mutate(**trees)
    # Spark would compare all labels a second time: 1.06 s for a million rows, else 0.95.
    if table.get_backend().name != "pyspark":
        table = table.filter(table[codes[0]] >= 0)
    table = shuffled(table, shuffle, key, _PLACE, left=_LEFT)
    found = {}
    for at, name in enumerate(codes):
        code, left = table[name], table[_LEFT]
        found[f"{_FOUND}_{at}"] = ibis().cases(
            (left >= code % (2 * HALF), _AFTER),
            (left < (code >> (HALF_BITS + 1)) % HALF, _BEFORE),
            else_=table[_PLACE],
        )
    table = table.mutate(**found)
    lines = table.group_by(codes[0], *found).aggregate(evenhand_rows=table.count())
    fetched = fetch(lines, conditions.rows.where)
    fetched = fetched.filter(pc.greater_equal(fetched.column(codes[0]), 0))
    first, *places, rows = (
        _numbers(fetched.column(name)) for name in (codes[0], *found, "evenhand_rows")
    )
    return first >> (2 * HALF_BITS + 1), places, rows


def _last_places(
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    rows: NDArray[np.int64],
    patterns: Sequence[Pattern],
    wanted: Mapping[Pattern, int],
) -> dict[Pattern, int]:
    """For each pattern the place of its last wanted row, or that it is before or after."""
    order = np.lexsort((places, numbers))
    reached = np.concatenate([[0], np.cumsum(rows[order])])
    first = np.searchsorted(numbers[order], np.arange(len(patterns)))
    number_of = {pattern: number for number, pattern in enumerate(patterns)}
    return {
        pattern: int(places[order[at]])
        for pattern, amount in wanted.items()
        for before in [reached[first[number_of[pattern]]]]
        for at in [int(np.searchsorted(reached, before + amount)) - 1]
    }


def _numbers(column: Any) -> NDArray[np.int64]:  # noqa: ANN401  # a chunked array
    return as_numpy(pa.concat_arrays(column.cast(pa.int64()).chunks))
