"""How many of many subpopulations truly differ by the threshold or more, at least.

Where no single difference is certain, all of them together may be. The true differences of the
subpopulations have some distribution; what is seen mixes it with chance. The distribution is
estimated by maximum likelihood on a grid of differences, once freely and once with a fixed
share of it at or beyond the threshold. Twice the log likelihood that is lost says how well the
share fits. If the share 0 does not, some differ; and the smallest share that does, times the
number of subpopulations, is a lower bound on how many. The rates themselves are integrated out.

The estimate of the share is no part of this: it is often far above 0 where nothing differs.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenhand.evidence.statistics.p_values import Counts, Floats

# None differs unless this much is lost: in the hardest case, with all true differences just
# within the threshold, 1 to 2 % of tables lose more (docs/statistics.md).
_SIGNIFICANT_LOSS = 9.2
# A share fits if it loses no more than this, which 5 to 7 % of tables do in that case.
_FITTING_LOSS = 6.0
_FEWEST, _MOST = 20, 500

_REACH, _INNER, _OUTER = 0.6, 33, 33
_NODES, _WIDTH = 32, 8.0
_STEPS, _PRECISION, _SHORTEST_STEP = 200, 1e-4, 1e-6
_NNLS_STEPS, _RIDGE = 10_000, 1e-10
_HALVINGS = 10
# For each table, beside its largest: zeros of large tables would leave no step to take. No
# loss becomes larger by it.
_LEAST_LIKELIHOOD = 1e-20


class MixingDistribution:
    """What many subpopulations of two groups show together, given their counts.

    ``loss`` is twice the log likelihood that is lost if none of them differs by the threshold
    or more; 0 of fewer than 20, and for thresholds that the grid does not reach.
    """

    def __init__(
        self,
        group_yes: Counts,
        group: Counts,
        other_yes: Counts,
        other: Counts,
        threshold: float,
    ) -> None:
        self.measured, self.loss = len(group), 0.0
        if self.measured < _FEWEST or threshold >= _REACH:
            return
        # Of very many the largest: what is at least true of some of them is true of all.
        size = group * other / (group + other)
        largest = np.argsort(-size, kind="stable")[:_MOST]
        tables = [column[largest] for column in (group_yes, group, other_yes, other)]
        grid = _grid(threshold)
        self._likelihood = _likelihood(grid, *tables)
        self._beyond = np.arange(len(grid)) >= _INNER
        self._best, self._free = _largest(self._likelihood, [np.ones(len(grid), bool)], [1.0])
        self.loss = self._loss(0.0)

    @property
    def significant(self) -> bool:
        """Whether some of them differ by the threshold or more."""
        return self.loss > _SIGNIFICANT_LOSS

    @cached_property
    def at_least(self) -> int:
        """How many differ by the threshold or more at least; 0 if none is shown to."""
        if not self.significant:
            return 0
        low, high, many = 0.0, float(self._free[self._beyond].sum()), len(self._likelihood)
        for _ in range(_HALVINGS):
            if int(high * many) <= max(int(low * many), 1):
                break
            share = (low + high) / 2
            low, high = (share, high) if self._loss(share) > _FITTING_LOSS else (low, share)
        return max(int(low * many), 1)

    def _loss(self, share: float) -> float:
        """What is lost if such a share differs."""
        parts = [~self._beyond, self._beyond]
        value, _ = _largest(self._likelihood, parts, [1 - share, share])
        return max(2 * (self._best - value), 0.0)


def _grid(threshold: float) -> Floats:
    """Possible differences: those within the threshold, closer, then those beyond it.

    The threshold itself is among both, since what is within may come as near to it as it likes.
    """
    outer = np.linspace(threshold, _REACH, _OUTER)
    inner = np.linspace(-threshold, threshold, _INNER)
    return np.concatenate([inner, -outer, outer])


def _likelihood(grid: Floats, a: Counts, n: Counts, b: Counts, m: Counts) -> Floats:
    """The likelihood of each table for each difference, largest 1 in a table.

    The other group's rate is as likely to be any that leaves the group's between 0 and 1. It is
    integrated around where both groups together would have it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    a, n, b, m = (column.astype(float)[:, np.newaxis] for column in (a, n, b, m))
    lowest, highest = np.maximum(grid, 0), np.minimum(1 + grid, 1)
    center = np.clip((a + b + n * grid) / (n + m), lowest, highest)
    spread = _WIDTH * np.sqrt((center * (1 - center) + 1 / (n + m)) / (n + m))
    low, high = np.maximum(center - spread, lowest), np.minimum(center + spread, highest)
    largest, of_rates = np.full(center.shape, -np.inf), np.zeros(center.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        for node, weight in zip(nodes, weights, strict=True):
            rate = low + (high - low) * (node + 1) / 2
            own = np.clip(rate - grid, 0, 1)
            log = sum(
                np.where(times > 0, times * np.log(of), 0)
                for times, of in ((b, rate), (m - b, 1 - rate), (a, own), (n - a, 1 - own))
            )
            before, largest = largest, np.maximum(largest, log)
            of_rates = of_rates * np.exp(before - largest) + weight * np.exp(log - largest)
        found = largest + np.log(of_rates * (high - low))
    relative: Floats = np.exp(found - found.max(axis=1, keepdims=True))
    return relative.clip(_LEAST_LIKELIHOOD)


def _largest(
    likelihood: Floats, parts: Sequence[NDArray[np.bool_]], sums: Sequence[float]
) -> tuple[float, Floats]:
    """The largest log likelihood of a distribution on the grid, each of its parts with its sum.

    By Newton's steps on the weights, each a least-squares problem with weights of at least 0
    (Wang 2007, Journal of the Royal Statistical Society B 69).
    """
    from scipy.linalg import solve_triangular  # noqa: PLC0415  # slow to import
    from scipy.optimize import nnls  # noqa: PLC0415

    member, total = np.array(parts, float), np.array(sums)
    kept = (member * total[:, None]).sum(axis=0) > 0
    likelihood, member = likelihood[:, kept], member[:, kept]
    weights = (member * (total / member.sum(axis=1).clip(1))[:, None]).sum(axis=0)
    value = float(np.log(likelihood @ weights).sum())
    heavy = 1e3 * np.sqrt(len(likelihood))
    for _ in range(_STEPS):
        slopes = likelihood / (likelihood @ weights)[:, None]
        # The rows matter by their products alone. No matrix product: it would start threads.
        products = np.einsum("ij,ik->jk", slopes, slopes)
        products.flat[:: len(products) + 1] *= 1 + _RIDGE
        lower = np.linalg.cholesky(products)
        system = np.vstack([lower.T, heavy * member])
        aim = solve_triangular(lower, 2 * slopes.sum(axis=0), lower=True)
        target, _ = nnls(system, np.append(aim, heavy * total), maxiter=_NNLS_STEPS)
        held = member @ target
        scale = np.divide(total, held, out=np.zeros(len(total)), where=held > 0)
        way, step = target * (member * scale[:, None]).sum(axis=0) - weights, 1.0
        gain = 0.0
        while step > _SHORTEST_STEP and gain <= 0:
            moved = weights + step * way
            gain, step = float(np.log(likelihood @ moved).sum()) - value, step / 2
        if gain <= 0:
            break
        weights, value = moved, value + gain
        if gain < _PRECISION:
            break
    found = np.zeros(len(kept))
    found[kept] = weights
    return value, found
