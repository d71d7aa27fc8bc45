"""The least cost of moving one distribution onto another, with a proof of it.

A transport problem asks for joint probabilities with given row and column sums that cost
least. Any potentials u of its rows prove a lower bound without solving it (weak duality): with
v of each column the least of cost minus u, the bound is the sum of u times the row sums plus v
times the column sums. The solver only chooses good potentials; the bound is then exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InputError

# Potentials of the rows for each problem; none where a problem has no proper sums.
Potentials: TypeAlias = tuple[tuple[Fraction, ...], ...]

_DIGITS = 15
_SMALL_DENOMINATOR = 10**6


@dataclass(frozen=True, eq=False, kw_only=True)
class TransportProblems:
    """Problems side by side: costs[problem, row, column] and the sums of rows and columns.

    A problem whose row or column sums do not add up to one is left out: nothing is known of
    the joint distribution there, and its least cost counts as 0.
    """

    costs: NDArray[Any]
    rows: NDArray[Any]
    columns: NDArray[Any]
    _bounds: dict[tuple[int, tuple[Fraction, ...]], Fraction] = field(default_factory=dict)

    def solve(self) -> Potentials:
        """Potentials whose bound is the least cost, up to rounding."""
        potentials, _ = self._solution
        proper = self._proper.tolist()
        return tuple(
            self._shorter(at, u) if proper[at] else ()
            for at, u in enumerate(potentials.tolist())
        )

    def least_cost(self) -> float:
        """The least cost as a float, which proves nothing."""
        return self._solution[1]

    @cached_property
    def _solution(self) -> tuple[NDArray[np.float64], float]:
        """Potentials of the rows, and the least cost."""
        rows, columns = self.rows.astype(float), self.columns.astype(float)
        at, row, column = np.nonzero(
            self._proper[:, None, None] & (rows > 0)[:, :, None] & (columns > 0)[:, None, :]
        )
        if not len(at):
            return np.zeros(rows.shape), 0.0
        # One equation for each row and each column of each problem that occurs.
        of_row = np.ravel_multi_index((at, row), rows.shape)
        of_column = rows.size + np.ravel_multi_index((at, column), columns.shape)
        used, equation = np.unique(np.concatenate([of_row, of_column]), return_inverse=True)
        cells = np.arange(len(at))
        # Slow to import: 0.4 s, and few questions need it.
        from scipy.optimize import linprog  # noqa: PLC0415
        from scipy.sparse import csr_array  # noqa: PLC0415

        matrix = csr_array(
            (np.ones(2 * len(at)), (equation, np.concatenate([cells, cells]))),
            shape=(len(used), len(at)),
        )
        sums = np.concatenate([rows.ravel(), columns.ravel()])[used]
        costs = self.costs.astype(float)[at, row, column]
        solution = linprog(costs, A_eq=matrix, b_eq=sums, method="highs")
        potentials = np.zeros(rows.size + columns.size)
        if solution.status:  # any potentials will do, with a weaker bound
            return potentials[: rows.size].reshape(rows.shape), 0.0
        potentials[used] = solution.eqlin.marginals
        return potentials[: rows.size].reshape(rows.shape), float(solution.fun)

    def bound(self, potentials: Potentials) -> Fraction:
        """The lower bound that potentials prove, exactly.

        Of a problem that is left out there are none: they would prove anything.
        """
        many = self.rows.shape[1]
        if [len(u) for u in potentials] != [many * proper for proper in self._proper.tolist()]:
            raise InputError.of("The potentials are not those of the transport problems.")
        return sum(
            (self._bound(at, u) for at, u in enumerate(potentials) if u), start=Fraction(0)
        )

    @cached_property
    def _proper(self) -> NDArray[np.bool_]:
        """Whether both sums of each problem are one."""
        sums = np.stack([self.rows.sum(axis=1), self.columns.sum(axis=1)])
        if sums.dtype != object:  # floats
            return np.asarray(np.isclose(sums, 1).all(axis=0))
        return np.asarray((sums == 1).all(axis=0), bool)

    def _shorter(self, at: int, potentials: Sequence[float]) -> tuple[Fraction, ...]:
        """Potentials as short fractions: of decimals and small ones what proves more."""
        decimal = tuple(Fraction(f"{u:.{_DIGITS}f}") for u in potentials)
        small = tuple(Fraction(u).limit_denominator(_SMALL_DENOMINATOR) for u in potentials)
        return max(small, decimal, key=lambda candidate: self._bound(at, candidate))

    def _bound(self, at: int, potentials: tuple[Fraction, ...]) -> Fraction:
        key = at, potentials
        if key not in self._bounds:
            self._bounds[key] = self._computed_bound(at, potentials)
        return self._bounds[key]

    def _computed_bound(self, at: int, potentials: Sequence[Fraction]) -> Fraction:
        occurring = [i for i, share in enumerate(self.rows[at].tolist()) if share]
        costs = self.costs[at].tolist()
        bound = sum((potentials[i] * self.rows[at][i] for i in occurring), start=Fraction(0))
        for column, share in enumerate(self.columns[at].tolist()):
            if share:
                bound += share * min(costs[i][column] - potentials[i] for i in occurring)
        return bound
