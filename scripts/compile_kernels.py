"""Compile the numba kernel into its cache on disk, once instead of in every test process.

python scripts/compile_kernels.py
"""

from evenhand.graph.kernels import numba_kernel


def main() -> None:
    """Load it as a search does."""
    numba_kernel.load(lambda _done, _total: None)


if __name__ == "__main__":
    main()
