"""What is not collected where an optional library is absent: only the base is always there."""

import re
from collections.abc import Generator
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
# What only tests import: a test file that needs an absent one is skipped.
_COMPARED = (
    *("axe_playwright_python", "cvxopt", "ibis", "imblearn", "jsonschema", "mlcroissant"),
    *("numba", "playwright", "pgmpy", "pyspark", "python_calamine", "starlette", "statsmodels"),
    *("tomlkit", "uvicorn", "xlsxwriter"),
)
_ABSENT = re.compile(
    r"^tests/\S+:\d+: in .*\n(?: {4}.*\n)*E +ModuleNotFoundError: No module named '(\w+)",
    re.MULTILINE,
)
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


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file of tests that imports an optional library which is not installed."""
    report = yield
    needed = _ABSENT.search(str(report.longrepr)) if report.failed else None
    if needed and needed[1] in {*USERS_LIBRARIES, *_COMPARED}:
        report.outcome = "skipped"
        report.longrepr = (report.nodeid, 0, f"Skipped: {needed[1]} is not installed")
    return report
