"""Runs the tests of each extra in an environment of its own, as `make test-extras` asks.

An environment has the newest versions that pyproject.toml allows, and beside the extra only
what its tests compare with. Prints a line for each: Python, what passed, how long it took.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = ("pytest", "hypothesis")
# Of each extra: what its tests compare with, and its tests.
TESTS = {
    "excel": ("pandas", "tests/unit/rows/test_spreadsheets.py tests/unit/tables"),
    "fast": ("networkx pandas", "tests/unit/graph tests/properties/test_discovery.py"),
    "ibis": (
        "pandas",
        "tests/engines tests/unit/rows/test_ibis_tables.py tests/unit/releasing",
    ),
    "sklearn": (
        "pandas polars",
        "tests/unit/sklearn src/evenhand/sklearn docs/how-to/use-it-with-scikit-learn.md",
    ),
    "spark": ("pandas", "tests/engines/test_spark.py"),
    "web": ("", "tests/unit/web src/evenhand/web"),
    # Not an extra: libraries that users have, with which results are exchanged.
    "other libraries": (
        "causal-learn dowhy fairlearn mlflow-skinny sqlalchemy alembic networkx",
        "docs/how-to/use-other-libraries.md docs/how-to/bring-your-own-graph.md",
    ),
}


def run_tests(extra: str) -> bool:
    """Make the environment, run the tests in it and say how that ended."""
    beside, tests = TESTS[extra]
    place = ROOT / "build" / f"extra-{extra.replace(' ', '-')}"
    python = str(place / "bin" / "python")
    package = "." if " " in extra else f".[{extra}]"
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
    install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run(
        [*install, "--editable", package, *TOOLS, *beside.split()], cwd=ROOT, check=True
    )
    made = time.perf_counter()
    lenient = ["-W", "ignore"] * (" " in extra)  # their own warnings are theirs
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *lenient, *tests.split()],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout)
    version = ".".join(map(str, sys.version_info[:3]))
    result = done.stdout.strip().rpartition("\n")[2]
    print(f"{extra}, Python {version}: {result}; environment {made - began:.0f} s", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    results = [run_tests(extra) for extra in sys.argv[1:] or TESTS]
    sys.exit(not all(results))
