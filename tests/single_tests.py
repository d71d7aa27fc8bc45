"""Independence tests one at a time, as their definition reads, to compare batches with."""

import numpy as np
from scipy.stats import chi2

from evenhand.graph import Independence


class SingleTests:
    """Every stratum a dense table, its expected counts from its own margins."""

    def __init__(self, counts, *, test="chi-square", significance=0.01):
        self.counts, self.kind, self.significance = counts, test, significance

    def test(self, x, y, given=()):
        table = self._tables(x, y, given)
        rows, columns = table.sum(axis=2), table.sum(axis=1)
        totals = rows.sum(axis=1)[:, None, None]
        expected = rows[:, :, None] * columns[:, None, :] / totals
        parts = np.zeros(table.shape)
        if self.kind == "g-square":
            seen = table > 0
            parts[seen] = 2 * table[seen] * np.log(table[seen] / expected[seen])
        else:
            seen = expected > 0
            parts[seen] = (table - expected)[seen] ** 2 / expected[seen]
        if self.kind == "chi-square-adjusted":
            parts *= (totals - 1) / totals
        degrees = int((((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1)).sum())
        statistic = float(parts.sum())
        p = float(chi2.sf(statistic, degrees)) if degrees else 1.0
        return Independence(statistic, degrees, p, independent=p > self.significance)

    def parts(self, tests):
        return ([self.test(*one)] for one in tests)

    def test_all(self, tests):
        return [self.test(*one) for one in tests]

    def _tables(self, x, y, given):
        """Rows by stratum, value of x and value of y."""
        conditions = [self.counts.column(name).tolist() for name in given]
        strata = {}
        places = [
            strata.setdefault(values, len(strata)) for values in zip(*conditions, strict=True)
        ] or [0] * len(self.counts.counts)
        cells = (places, self.counts.column(x), self.counts.column(y))
        values = (self.counts.cards[self.counts.position(name)] for name in (x, y))
        table = np.zeros((max(places) + 1, *values))
        np.add.at(table, cells, self.counts.counts)
        return table
