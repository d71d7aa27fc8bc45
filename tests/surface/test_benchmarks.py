"""Benchmarks run where only the package is installed, and all of them by one command."""

import ast
import json
import re
import runpy
import subprocess
import sys
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


def check(file: Path, *arguments: str) -> tuple[int, str]:
    """What `python bench/check.py` answers with another file of ratios."""
    command = [sys.executable, BENCH / "check.py", "--file", file, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    return run.returncode, run.stdout + run.stderr


def scaled(file: Path, factor: float) -> bytes:
    """The recorded ratios so many times as large; what the file then holds."""
    entries = json.loads(file.read_text("utf-8"))
    text = json.dumps([{**one, "ratio": factor * one["ratio"]} for one in entries])
    file.write_text(text, "utf-8")
    return file.read_bytes()


def test_the_examples_of_the_check_are_right() -> None:
    command = [sys.executable, "-m", "doctest", BENCH / "check.py"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_ratio_is_recorded_once_and_then_only_compared(tmp_path: Path) -> None:
    file, name = tmp_path / "ratios.json", "import-package"
    status, told = check(file, name)
    assert (status, "not recorded" in told, file.exists()) == (1, True, False)
    assert check(file, "--record", name)[0] == 0
    entries = json.loads(file.read_text("utf-8"))
    assert [(one["name"], one["kind"]) for one in entries] == [(name, "cpu"), (name, "memory")]

    high = scaled(file, 10)
    status, told = check(file, name)
    assert (status, told.count("within"), file.read_bytes() == high) == (0, 2, True)
    low = scaled(file, 0.01)
    status, told = check(file, name)
    assert (status, told.count(" over"), file.read_bytes() == low) == (1, 2, True)

    file.write_bytes(low.replace(b'"beside": "', b'"beside": "0'))
    status, told = check(file, name)
    assert (status, "floor-import has changed" in told) == (1, True)
    file.write_bytes(low)

    status, told = check(file, "--record", name)
    assert (status, "stays as recorded" in told, file.read_bytes() == low) == (1, True, True)
    assert check(file, "--record", "--replace", name)[0] == 0
    replaced = json.loads(file.read_text("utf-8"))
    assert [one["ratio"] > 0.1 for one in replaced] == [True, True]


@pytest.mark.parametrize("arguments", [("nothing",), ("--replace", "import-package")])
def test_a_check_that_was_misspelled_measures_nothing(tmp_path, arguments) -> None:
    status, told = check(tmp_path / "ratios.json", *arguments)
    assert status == 2
    assert "There is no nothing" in told or "goes with --record" in told


def test_every_ratio_is_recorded_at_a_commit_and_states_its_tolerance(monkeypatch) -> None:
    monkeypatch.syspath_prepend(BENCH)
    items = runpy.run_path(str(BENCH / "check.py"))["ITEMS"]
    entries = json.loads((BENCH / "ratios.json").read_text("utf-8"))
    recorded = sorted((one["name"], one["kind"]) for one in entries)
    assert recorded == sorted((one.name, kind) for one in items for kind in ("cpu", "memory"))
    for one in entries:
        assert one["peer"]
        assert re.fullmatch(r"[0-9a-f]{12}", one["revision"])
        assert one["ratio"] > 0
        spread = max(one["runs"]) / min(one["runs"]) - 1
        assert one["tolerance"] == pytest.approx(max(1.1, 1 + 2 * spread), abs=0.011)
