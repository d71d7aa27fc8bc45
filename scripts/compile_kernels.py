"""Compile the numba kernel into its cache on disk, once instead of in every test process.

python scripts/compile_kernels.py
"""

from evenhand import CountTable, datasets, discover
from evenhand.graph.kernels import numba_kernel

ROWS = 4_000


def main() -> None:
    """Search two graphs: few possible cells are counted in cubes, many by those that occur.

    Partitions, which larger tables take, are compiled besides.
    """
    wide = {f"a{base}": [str(row % base) for row in range(ROWS)] for base in (2, 601, 997)}
    for counts in (datasets.adult(), CountTable.of(wide)):
        discover(counts, kernel="numba")
    numba_kernel.load(lambda _done, _total: None, by_cells=False)


if __name__ == "__main__":
    main()
