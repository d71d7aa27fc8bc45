"""PC-stable written as its definition reads, test by test, to compare the fast one with."""

from itertools import combinations

import numpy as np
from scipy.stats import chi2


def naive_test(columns, rows, x, y, given):
    """Chi-square's p: every stratum a dense table, expected counts from its live margins."""
    stratum = 0 * rows
    for z in given:
        _, stratum = np.unique(stratum * 1000 + columns[z], return_inverse=True)
    shape = (stratum.max() + 1, columns[x].max() + 1, columns[y].max() + 1)
    table = np.zeros(shape)
    np.add.at(table, (stratum, columns[x], columns[y]), rows)
    r, c = table.sum(axis=2, keepdims=True), table.sum(axis=1, keepdims=True)
    n = table.sum(axis=(1, 2), keepdims=True)
    expected = r * c / n
    live = expected > 0
    statistic = ((table - expected)[live] ** 2 / expected[live]).sum()
    degrees = (((r > 0).sum(axis=1) - 1) * ((c > 0).sum(axis=2) - 1)).sum()
    return chi2.sf(statistic, degrees) if degrees else 1.0


def naive_skeleton(counts, order, significance, max_depth=None):
    """Edges, separating sets and the number of tests at each depth."""
    names = sorted(counts.names)
    columns = {name: counts.column(name).astype(int) for name in names}
    joined = {
        (a, b)
        for a, b in combinations(names, 2)
        if order.may_cause(a, b) or order.may_cause(b, a)
    }
    separating, tests, depth = {}, [], 0
    while max_depth is None or depth <= max_depth:
        offers = {
            a: [z for z in names if {(a, z), (z, a)} & joined and order.may_cause(z, a)]
            for a in names
        }
        done, removed = 0, {}
        for x, y in sorted(joined):
            pools = ([z for z in offers[a] if z not in (x, y)] for a in (x, y))
            for given in sorted({s for pool in pools for s in combinations(pool, depth)}):
                p = naive_test(columns, counts.counts, x, y, given)
                done += 1
                best = removed.get((x, y), ((), significance))[1]
                if p > best * (1 + 1e-9):
                    removed[x, y] = given, p
        if not done:
            break
        tests.append(done)
        separating |= removed
        joined -= removed.keys()
        depth += 1
    return joined, separating, tests
