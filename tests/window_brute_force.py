"""Exhaustive search over counts, in fractions, for the tests of window and value changes."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np

THRESHOLDS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 6), Fraction(2, 7), Fraction(1, 3))


def meets(counts, rows, threshold, reference=None):
    """Whether the rates of groups with rows lie in one window, or near the reference's."""
    rates = {
        g: Fraction(int(k), int(n))
        for g, (k, n) in enumerate(zip(counts, rows, strict=True))
        if n
    }
    if reference is None:
        return not rates or max(rates.values()) - min(rates.values()) < threshold
    if reference not in rates:
        return True
    return all(abs(rate - rates[reference]) < threshold for rate in rates.values())


def best_counts(
    favorable, rows, threshold, *, only_raise=False, may_change=None, reference=None
):
    """The counts with fewest changes, least sum, lowest rate; None if there are none."""
    best = None
    for new in product(*(range(n + 1) for n in rows)):
        changes = [a - b for a, b in zip(new, favorable, strict=True)]
        if only_raise and min(changes) < 0:
            continue
        if may_change is not None and any(
            c and not m for c, m in zip(changes, may_change, strict=True)
        ):
            continue
        if not meets(new, rows, threshold, reference):
            continue
        rates = [Fraction(a, n) for a, n in zip(new, rows, strict=True) if n]
        lowest = (
            min(rates, default=0)
            if reference is None
            else Fraction(new[reference], rows[reference])
        )
        key = sum(map(abs, changes)), abs(sum(changes)), lowest
        if best is None or key < best[0]:
            best = key, new
    return None if best is None else list(best[1])


def random_table(rng, groups):
    """Rows and favorable counts of some groups, few enough for exhaustive search."""
    rows = rng.integers(0, {2: 14, 3: 9, 4: 6}[groups], groups)
    return rng.integers(0, rows + 1), rows


def compositions(total, parts):
    """All ways to share rows among values."""
    for bars in combinations(range(total + parts - 1), parts - 1):
        ends = (-1, *bars, total + parts - 1)
        yield tuple(b - a - 1 for a, b in pairwise(ends))


def least_cost_of_values(counts, threshold, *, cumulative, steps=False, reference=None):
    """The fewest changed rows, or steps, of one subpopulation's counts, values × groups."""
    rows = counts.sum(axis=0)
    best = None
    for columns in product(*(tuple(compositions(int(n), len(counts))) for n in rows)):
        new = np.array(columns).T
        sums = np.cumsum(new, axis=0)[:-1] if cumulative else new
        if all(meets(line, rows, threshold, reference) for line in sums):
            cost = cost_of_values(counts, new, steps=steps)
            best = cost if best is None else min(best, cost)
    return best


def cost_of_values(old, new, *, steps):
    """Changed rows, or steps along the order."""
    change = new - old
    return int(abs(np.cumsum(change, axis=0)).sum()) if steps else int(abs(change).sum()) // 2


def random_values(rng):
    """Counts, values × groups, few enough for exhaustive search."""
    values = int(rng.integers(2, 5))
    groups = int(rng.integers(2, 4 if values < 4 else 3))
    most = 5 if groups > 2 else 7
    columns = [
        rng.multinomial(int(rng.integers(0, most)), rng.dirichlet(np.ones(values)))
        for _ in range(groups)
    ]
    return np.stack(columns, axis=1)


def best_of_all_windows(
    favorable, rows, threshold, *, asked=None, only_raise=False, may_change=None
):
    """The best counts over every window that begins at a rate; None if there are none.

    The fewest changes, of these the least sum of changes, or the fewest changes of the group
    that is ``asked`` about, and then the lowest window.
    """
    found = []
    num, den = threshold.numerator, threshold.denominator
    for size in {n for n in rows.tolist() if n}:
        place = np.arange(size + 1)
        least = -(-rows[:, None] * place // size)
        past = -(-rows[:, None] * (place * den + size * num) // (size * den))
        most = np.minimum(past - 1, rows[:, None])
        change = np.clip(favorable[:, None], least, most) - favorable[:, None]
        allowed = (least <= most) | (rows == 0)[:, None]
        if only_raise:
            allowed &= change >= 0
        if may_change is not None:
            allowed &= (change == 0) | may_change[:, None]
        possible = np.flatnonzero(allowed.all(axis=0))
        if len(possible):
            change = np.where((rows > 0)[:, None], change, 0)[:, possible]
            cost = abs(change).sum(axis=0)
            rank = abs(change.sum(axis=0) if asked is None else change[asked])
            best = np.lexsort((rank, cost))[0]  # the first, so the lowest, of equals
            key = cost[best], rank[best], Fraction(int(possible[best]), size)
            found.append((key, (favorable + change[:, best]).tolist()))
    return min(found)[1] if found else None


def nearest_pair(targets, rows, threshold):
    """The nearest counts of two groups; a half goes to the even number, or down."""
    counts = np.indices(rows + 1).reshape(2, -1)
    apart = abs(counts[0] * rows[1] - counts[1] * rows[0]) * threshold.denominator
    counts = counts[:, apart < threshold.numerator * rows[0] * rows[1]]
    distance = ((counts - targets[:, None]) ** 2).sum(axis=0).round(9)
    small = int(rows[0] > rows[1])
    odd = counts[1 - small] != np.rint(targets[1 - small])
    return counts[:, np.lexsort((odd, counts[small], distance))[0]].tolist()
