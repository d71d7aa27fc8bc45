"""Cells of strata: rows and favorable decisions of both groups, and the rows themselves."""

import numpy as np


def random_cells(generator, *, strata=6, values=3, rows=40, lacking=0.15):
    """The stratum of each cell, and favorable and all rows of both groups; some lack one."""
    stratum = np.repeat(np.arange(strata), values)
    group, other = generator.poisson(rows, (2, len(stratum)))
    group[generator.random(len(stratum)) < lacking] = 0
    other[generator.random(len(stratum)) < lacking] = 0
    rates = generator.uniform(0.1, 0.9, (2, len(stratum)))
    yes = [generator.binomial(n, p) for n, p in zip((group, other), rates, strict=True)]
    return stratum, yes[0], group, yes[1], other


def rows_of(stratum, group_yes, group, other_yes, other):
    """One row for each person: stratum, cell, whether of the group, whether favored."""
    lines = []
    for cell, own in enumerate(stratum):
        for member, yes, total in (
            (1, group_yes[cell], group[cell]),
            (0, other_yes[cell], other[cell]),
        ):
            lines += [(own, cell, member, 1)] * yes + [(own, cell, member, 0)] * (total - yes)
    return np.array(lines, float).reshape(-1, 4).T
