"""Compile the numba kernel into its cache on disk, once instead of in every test process.

python scripts/compile_kernels.py
"""

import numpy as np

from evenhand import CountTable, datasets, discover

_ROWS, _VALUES = 200, 150


def main() -> None:
    """Learn from columns of few values, which are counted in cubes, and of many."""
    generator = np.random.default_rng(1)
    wide = {name: generator.integers(0, _VALUES, _ROWS).astype(str) for name in "abcd"}
    for counts in (datasets.adult(), CountTable.of(wide, [1] * _ROWS)):
        discover(counts, kernel="numba")


if __name__ == "__main__":
    main()
