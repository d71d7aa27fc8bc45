"""Statistics of many strata of a cube, compiled: what all ways with cubes end in."""

from math import log

from evenhand.graph.kernels.batch import G_SQUARE, Floats
from evenhand.graph.kernels.numba_jit import Integers, inlined, shared

# Two values at one end and at most so many at the other have a loop of their own.
_NARROW = 4


# Where strata are, in an array: the first, how many, how far apart; how many values each end
# has, that with fewer first, and how far apart these are.
START, COUNT, STEP, X, X_STEP, Y, Y_STEP = range(7)


@shared
def evaluate_strata(
    cells: Floats,
    strata: Integers,
    kind: int,
    margins: Floats,
) -> tuple[float, int]:
    """Statistic and degrees of freedom, added up over strata at one distance."""
    start, count, step = strata[START], strata[COUNT], strata[STEP]
    x, x_step, y, y_step = strata[X], strata[X_STEP], strata[Y], strata[Y_STEP]
    if x == 2 and y <= _NARROW and kind != G_SQUARE:
        return _narrow(cells, start, count, step, x_step, y, y_step, kind)
    statistic, degrees = 0.0, 0
    for i in range(count):
        at = start + i * step
        more, free = _wide(cells, at, x, x_step, y, y_step, kind, margins)
        statistic += more
        degrees += free
    return statistic, degrees


@inlined
def _narrow(
    cells: Floats,
    start: int,
    count: int,
    step: int,
    x: int,
    columns: int,
    y: int,
    kind: int,
) -> tuple[float, int]:
    """Chi-square of two rows and two, three or four columns, several strata at a time."""
    statistic, degrees = 0.0, 0
    three, four = columns > 2, columns > 3
    for i in range(count):
        at = start + i * step
        a0, a1, b0, b1 = cells[at], cells[at + y], cells[at + x], cells[at + x + y]
        a2 = cells[at + 2 * y] if three else 0.0
        b2 = cells[at + x + 2 * y] if three else 0.0
        a3 = cells[at + 3 * y] if four else 0.0
        b3 = cells[at + x + 3 * y] if four else 0.0
        a, b = a0 + a1 + a2 + a3, b0 + b1 + b2 + b3
        c0, c1, c2, c3 = a0 + b0, a1 + b1, a2 + b2, a3 + b3
        d0, d1 = a0 * b - b0 * a, a1 * b - b1 * a
        d2, d3 = a2 * b - b2 * a, a3 * b - b3 * a
        # Columns with rows have at least one; empty columns add nothing.
        total = d0 * d0 / max(c0, 1.0) + d1 * d1 / max(c1, 1.0)
        if three:
            total += d2 * d2 / max(c2, 1.0) + d3 * d3 / max(c3, 1.0)
        rows = a + b
        both = a * b > 0
        statistic += total * (rows - kind) / (a * b * rows if both else 1.0)
        attested = (c0 > 0) + (c1 > 0) + (c2 > 0) + (c3 > 0)
        degrees += attested - 1 if both else 0
    return statistic, degrees


@inlined
def _wide(
    cells: Floats,
    start: int,
    x_values: int,
    x_step: int,
    y_values: int,
    y_step: int,
    kind: int,
    margins: Floats,
) -> tuple[float, int]:
    """The statistic and the degrees of freedom of one stratum of any shape."""
    total, attested_x, attested_y = 0.0, 0, 0
    for y in range(y_values):
        margins[y] = 0.0
    for x in range(x_values):
        rows = 0.0
        for y in range(y_values):
            cell = cells[start + x * x_step + y * y_step]
            rows += cell
            margins[y] += cell
        margins[y_values + x] = rows
        attested_x += rows > 0
        total += rows
    for y in range(y_values):
        attested_y += margins[y] > 0
    free = max(attested_x - 1, 0) * max(attested_y - 1, 0)
    ratio, logs = -1.0, 0.0
    # Strata without freedom are many, and add nothing.
    for x in range(x_values if free else 0):
        for y in range(y_values):
            cell = cells[start + x * x_step + y * y_step]
            if cell > 0:
                part = cell / (margins[y_values + x] * margins[y])
                if kind == G_SQUARE:
                    logs += 2 * cell * log(total * part)
                else:
                    ratio += cell * part
    return (logs if kind == G_SQUARE or not free else (total - kind) * ratio), free
