"""What is not collected where an optional library is absent: only the base is always there."""

from importlib.util import find_spec

import pytest

USERS_LIBRARIES = (
    *("causallearn", "dowhy", "duckdb", "fairlearn", "mlflow"),
    *("networkx", "pandas", "polars", "sklearn"),
)

_IMPORTED = {
    "numba": "src/evenhand/graph/kernels/numba_*.py",
    "sklearn": "src/evenhand/sklearn/*.py",
    "starlette": "src/evenhand/web/*.py",
}
collect_ignore_glob = [files for name, files in _IMPORTED.items() if find_spec(name) is None]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the doctests that use a library which is not installed."""
    absent = [name for name in USERS_LIBRARIES if find_spec(name) is None]
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            code = "".join(example.source for example in item.dtest.examples)
            for name in absent:
                if name in code:
                    item.add_marker(pytest.mark.skip(f"{name} is not installed"))
