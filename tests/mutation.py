"""``python -m tests.mutation [ROOM …]``: do the tests of a room notice changes of its code?

A room is a folder of ``src/evenhand``, ``top`` for the modules beside them, or those that
``modules`` names in ``tests/kill_rates.toml``. Its tests run once, which gives its branch
coverage and the tests that reach each line, in this process or in one that a test starts. Then
a sample of its mutants (tests/mutants.py) is drawn by a seed. Each is written into a copy of
the repository, and the tests that reach it run there, first those that reach little, until one
fails or they take much too long. ``tests/kill_rates.toml`` takes the figures, and
docs/reliability.md explains them.
"""

import argparse
import json
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import coverage
import numpy as np
import pytest
from tests.data_folder import DATA
from tests.mutants import Mutant, mutants

ROOT = Path(__file__).parents[1]
RATES = Path("tests", "kill_rates.toml")
SAMPLE, SEED = 50, 20170613
# The tests of one mutant may take so much longer than all tests of its room took without any.
TIMES_LONGER = 3
MEMORY = 2**32
# Compiled code is not traced, and compiling it again takes longer than its tests.
UNTRACED = "numba_*.py"
NOT_COPIED = (".git", ".venv", ".hypothesis", "*_cache", "build", "dist")
HEAD = """\
# Made by `make mutate`: how much of each room its own tests run, and how many of a sample of
# its mutants they kill. `tests`, `modules` and `reasons`, which say why a change has no effect,
# are edited by hand. See docs/reliability.md.
"""
SETTINGS = """\
[run]
branch = true
parallel = true
data_file = {copy}/build/survey/coverage
include = {files}
context = ${{PYTEST_CURRENT_TEST-}}
"""
NOT_LOADED = ("-p", "no:cacheprovider", "-p", "no:randomly")
PYTEST = (sys.executable, "-m", "pytest", "-q", "--assert=plain", *NOT_LOADED)
PHASE = re.compile(r"(\|(setup|run|teardown)| \((setup|call|teardown)\))$")
Reached = dict[str, dict[int, set[str]]]  # the tests that reach each line of each file


def pytest_configure(config: pytest.Config) -> None:
    """As a plugin of the run that surveys a room, measure the processes that tests start."""
    if hasattr(config, "workerinput"):
        os.environ["COVERAGE_PROCESS_START"] = os.environ["SURVEY_SETTINGS"]


class SurveyError(Exception):
    """The tests of a room cannot be used, since they fail as they are or are not found."""


@dataclass(frozen=True)
class Room:
    """A part of the source, with the tests that are to notice changes of it."""

    name: str
    tests: tuple[str, ...]
    modules: tuple[str, ...]  # patterns below src/evenhand
    reasons: dict[str, str]  # why changes that were looked at survive

    def files(self, root: Path) -> list[Path]:
        """Its modules whose mutants are tried."""
        source = root / "src" / "evenhand"
        found = (path for pattern in self.modules for path in source.glob(pattern))
        return sorted(path for path in found if not path.match(UNTRACED))

    def paths(self, root: Path) -> list[str]:
        """The files and folders of its tests; examples in docstrings are tests, too."""
        found = [path for pattern in self.tests for path in sorted(root.glob(pattern))]
        found += [path for path in self.files(root) if ">>>" in path.read_text("utf-8")]
        return [str(path.relative_to(root)) for path in found]


def rooms(root: Path, listed: dict[str, dict]) -> dict[str, Room]:
    """All rooms, with the tests that the list names or those in the folder of their name."""
    folders = sorted(path.parent.name for path in root.glob("src/evenhand/*/__init__.py"))
    usual = {name: ([f"tests/unit/{name}"], [f"{name}/**/*.py"]) for name in folders}
    usual["top"] = (["tests/unit/test_*.py"], ["*.py"])
    known = {}
    for name in {**usual, **listed}:
        tests, modules = usual.get(name, ([], []))
        room = listed.get(name, {})
        known[name] = Room(
            name,
            tuple(room.get("tests", tests)),
            tuple(room.get("modules", modules)),
            dict(room.get("reasons", ())),
        )
    return known


def survey(room: Room, copy: Path) -> tuple[float, Reached, float]:
    """Run a room's tests: percentage of its branches, tests of each line, and seconds."""
    folder = copy / "build" / "survey"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = folder / "settings.ini"
    files = ",".join(str(path) for path in room.files(copy))
    settings.write_text(SETTINGS.format(copy=copy, files=files))
    measuring = ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    parallel = ["-p", "tests.mutation", "--numprocesses", str(os.cpu_count() or 1)]
    said = folder / "said.txt"
    begun = time.monotonic()
    status = run(
        [*PYTEST, *measuring, *parallel, *room.paths(copy)], copy, said, settings=settings
    )
    seconds = time.monotonic() - begun
    if status:
        told = said.read_text("utf-8")[-3000:]
        raise SurveyError(f"{room.name}: a test fails without any mutant\n{told}")
    target = folder / "coverage.json"
    export = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", str(target)]
    run([*export, f"--rcfile={settings}"], copy, said)
    document = json.loads(target.read_text("utf-8"))
    data = coverage.CoverageData(str(folder / "coverage"))
    data.read()
    named = cache(partial(PHASE.sub, ""))  # of millions of pairs of a line and a test
    reached = {
        name: {line: {*map(named, of)} for line, of in data.contexts_by_lineno(name).items()}
        for name in data.measured_files()
    }
    totals = document["totals"]
    covered = 100 * totals["covered_branches"] / max(totals["num_branches"], 1)
    return covered, reached, seconds


def run(
    command: list[str],
    copy: Path,
    said: Path,
    *,
    settings: Path | None = None,
    seconds: float | None = None,
) -> int | None:
    """The status with which a command in a copy ends; None where it does not end in time."""
    kept = {name: os.environ[name] for name in os.environ if not name.startswith("PYTEST_")}
    environment = {
        **kept,
        "EVENHAND_DATA": str(DATA),
        "PYTHONPATH": str(copy / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SURVEY_SETTINGS": str(settings),
    }
    with said.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603  # ours
            command,
            cwd=copy,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    if not settings and sys.platform == "linux":
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tests_of(mutant: Mutant, lines: dict[int, set[str]], every: set[str]) -> list[str]:
    """The tests that reach a mutant, first those that reach little of the file."""
    sizes = Counter(test for tests in lines.values() for test in tests if test)
    found = set().union(*(lines.get(line, set()) for line in mutant.lines))
    found = found or set().union(*(lines.get(line, set()) for line in mutant.statement))
    if found and mutant.at_import:  # perhaps in a test, and every test may depend on that
        found = set(sizes) or every
    return sorted(found - {""}, key=lambda test: (sizes[test], test))


def is_killed(mutant: Mutant, path: Path, tests: list[str], copy: Path, seconds: float) -> bool:
    """Whether one of the tests fails in a copy with the mutant, or does not end."""
    if not tests:
        return False
    before, times = path.read_text("utf-8"), path.stat()
    selection, said = copy / "build" / "selection.txt", copy / "build" / "said.txt"
    selection.parent.mkdir(exist_ok=True)
    selection.write_text("\n".join(tests) + "\n")
    path.write_text(mutant.text, "utf-8")
    try:
        status = run([*PYTEST, "-x", f"@{selection}"], copy, said, seconds=seconds)
    finally:
        path.write_text(before, "utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        told = said.read_text("utf-8")[-3000:]
        raise SurveyError(f"{path.name}: no test was collected for {mutant.change}\n{told}")
    return status != 0


def measure(room: Room, copies: list[Path], sample: int, seed: int) -> dict[str, object]:
    """The figures of a room."""
    covered, reached, seconds = survey(room, copies[0])
    every = {test for lines in reached.values() for tests in lines.values() for test in tests}
    found = [
        (path.relative_to(copies[0]), mutant)
        for path in room.files(copies[0])
        for mutant in mutants(path.read_text("utf-8"))
    ]
    most = 60 + TIMES_LONGER * seconds
    size = min(sample, len(found))
    drawn = np.random.default_rng(seed).choice(len(found), size, replace=False)
    free: queue.Queue[Path] = queue.Queue()
    for copy in copies:
        free.put(copy)

    def survivor(at: int) -> str | None:
        path, mutant = found[at]
        tests = tests_of(mutant, reached.get(str(copies[0] / path), {}), every)
        copy = free.get()
        try:
            killed = is_killed(mutant, copy / path, tests, copy, most)
        finally:
            free.put(copy)
        name = path.relative_to("src/evenhand")
        reason = room.reasons.get(f"{name}: {mutant.change} in {mutant.line}", "")
        told = f"{name}:{mutant.lines.start}: {mutant.change}"
        told += f" ({reason})" * bool(reason) + " (no test reaches it)" * (not tests)
        write(f"  {'killed' if killed else 'SURVIVES'}, {len(tests)} tests: {told}")
        return None if killed else told

    with ThreadPoolExecutor(len(copies)) as pool:
        survivors = [told for told in pool.map(survivor, sorted(drawn.tolist())) if told]
    return {
        "tests": [*room.tests],
        "modules": [*room.modules],
        "reasons": [*map(list, room.reasons.items())],
        "branch_coverage": round(covered, 1),
        "mutants": len(found),
        "sample": size,
        "seed": seed,
        "killed": size - len(survivors),
        "kill_rate": round(100 * (1 - len(survivors) / max(size, 1)), 1),
        "survivors": survivors,
    }


def as_toml(rates: dict[str, dict[str, object]]) -> str:
    """The figures as a file: JSON writes numbers, texts and lists as TOML does."""
    lines = [HEAD]
    for name, figures in sorted(rates.items()):
        lines.append(f"[{name}]")
        for key, value in figures.items():
            text = json.dumps(value, ensure_ascii=False)
            if key in ("survivors", "reasons") and value:
                each = [json.dumps(one, ensure_ascii=False) for one in value]
                text = "[\n" + "".join(f"  {one},\n" for one in each) + "]"
            lines.append(f"{key} = {text}")
        lines.append("")
    return "\n".join(lines)


@contextmanager
def copied(root: Path, times: int) -> Iterator[list[Path]]:
    """Copies of the repository in which code may be changed."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [Path(folder, str(number), "evenhand") for number in range(times)]
        for copy in copies:
            shutil.copytree(root, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        yield copies


def write(line: str) -> None:
    """Print a line, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str], root: Path = ROOT) -> None:
    """Measure the rooms named on the command line, or all, and record their figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many mutants of a room")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    rates = tomllib.loads((root / RATES).read_text("utf-8")) if (root / RATES).exists() else {}
    known = rooms(root, rates)
    if unknown := {*asked.rooms} - {*known}:
        parser.error(f"no such room: {', '.join(unknown)}; there are {', '.join(known)}")
    failed: list[str] = []
    with copied(root, os.cpu_count() or 1) as copies:
        for name in asked.rooms or known:
            before = rates.get(name, {})
            try:
                now = measure(known[name], copies, asked.sample, asked.seed)
            except SurveyError as error:
                failed.append(name)
                write(str(error))
                continue
            rates[name] = now
            (root / RATES).write_text(as_toml(rates), "utf-8")
            write(
                f"{name}: killed {now['killed']} of {now['sample']} mutants, "
                f"{now['kill_rate']} % (before: {before.get('kill_rate', '–')}); "
                f"branches {now['branch_coverage']} % ({before.get('branch_coverage', '–')})"
            )
    if failed:
        sys.exit(f"Not measured: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
