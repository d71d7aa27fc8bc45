"""Benchmarks run where only the package is installed, and all of them by one command."""

import ast
import re
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
SCRIPTS = sorted(BENCH.glob("*.py"))


@pytest.mark.parametrize(
    "path",
    [one for one in SCRIPTS if not one.stem.startswith("campaign_")],
    ids=lambda p: p.stem,
)
def test_a_benchmark_needs_no_test_tools(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).split(".")[0])
    assert imported.isdisjoint({"pytest", "hypothesis", "tests"})


def test_every_name_of_the_one_command_is_a_script() -> None:
    tree = ast.parse((BENCH / "all.py").read_text("utf-8"))
    names = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SCRIPTS"
    )
    assert {*names} <= {path.stem for path in SCRIPTS}


def test_every_heading_of_the_page_of_figures_is_a_command_that_exists() -> None:
    page = (BENCH.parent / "docs" / "benchmarks.md").read_text("utf-8")
    named = re.findall(r"^## `python bench/(\w+)\.py", page, re.MULTILINE)
    assert named
    assert {*named} <= {path.stem for path in SCRIPTS}
