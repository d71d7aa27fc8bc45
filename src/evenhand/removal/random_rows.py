"""Which of the rows that are alike change: chosen at random, each with the same chance."""

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ResourceError

# NumPy's generators choose among fewer rows than this.
_MOST_ROWS = 10**9


def choose_rows(
    counts: NDArray[np.int64], amount: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """How many rows of each line are among ``amount`` rows chosen from all of them.

    >>> choose_rows(np.array([2**40]), 2**30, np.random.default_rng(1))
    array([1073741824])
    """
    rows = sum(counts.tolist())
    if rows < _MOST_ROWS:
        chosen: NDArray[np.int64] = generator.multivariate_hypergeometric(
            counts, amount, method="marginals"
        )
        return chosen
    if len(counts) == 1:  # Nothing is left to chance.
        return np.array([amount])
    raise ResourceError.of(
        f"{amount:,} of {rows:,} rows that are alike would have to be chosen at random.",
        f"This is possible among fewer than {_MOST_ROWS:,}.",
        "Count only the causes: rows that are alike in every column need no choice.",
    )
