"""Whether we are still as fast and as small beside others as ratios.json says.

    python bench/check.py [NAME ...]
    python bench/check.py --record [NAME ...] [--replace NAME]

NAME is an item or how its name begins (``pc``, ``million``); without one all are measured. Each
ratio is ours over that of another program or of a floor in the same run, round by round, each
in a process of its own on one core: processor seconds, and the peak of memory. The least of
all rounds counts on both sides; what is over its tolerance is measured again, up to five times
in all. Fails where a ratio is more than its tolerance times the recorded one.

Without ``--record`` nothing is written. With it the items that the file lacks are measured
three times; an item that it has is never recorded anew unless ``--replace`` names it. The
tolerance is 1.1, or 1 + twice the spread of the three runs where that is more. It holds on the
machine of the recording; on another one, or with another Python, it is at least 1.5.

causal-learn takes a minute, so it is measured when an item is recorded: with a floor, which
stands for it in later runs.
"""

import argparse
import inspect
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from all import machine
from works import CENSUS, ROOT, WORKS

STORED = Path(__file__).with_name("ratios.json")
KINDS = ("cpu", "memory")
ATTEMPTS = 5  # before an item is over
RUNS = 3  # of an item that is recorded
TOLERANCE = 1.1
ELSEWHERE = 1.5  # on another machine than that of the recording
Entry: TypeAlias = dict[str, Any]
Ratios: TypeAlias = dict[str, float]


class Item(NamedTuple):
    """A piece of our work, and what is measured beside it in the same run."""

    name: str
    beside: str
    peer: str
    needs: str = ""  # what writes its files
    modules: tuple[str, ...] = ()
    recorded_beside: str = ""  # a program that is measured when the item is recorded
    rounds: int = 1


# pgmpy carries hepar2.
MODULES = {"adult": (), "dutch": (), "hepar2": ("pgmpy",), "numpy": (), "numba": ("numba",)}
ITEMS = (
    *(
        Item(
            f"pc-{name}-{kernel}",
            "floor-arrays",
            "causal-learn",
            modules=MODULES[name] + MODULES[kernel],
            recorded_beside=f"causal-learn-{name}",
            rounds=2,
        )
        for name in ("adult", "hepar2", "dutch")
        for kernel in ("numpy", "numba")
    ),
    *(
        Item(f"count-adult-{kind}", f"pandas-{kind}", "pandas", "write-adult", ("pandas",))
        for kind in ("csv", "parquet")
    ),
    Item("count-10m", "duckdb-count", "DuckDB", "write-network", ("duckdb",)),
    Item("release-parquet-10m", "duckdb-copy", "DuckDB's copy", "write-many", ("duckdb",)),
    Item("release-csv-10m", "polars-copy", "polars' copy", "write-many", ("polars",)),
    Item("million-plan", "floor-sorts", "two million numbers sorted", rounds=3),
    *(
        Item(f"million-{step}", "floor-json", "a million records as JSON", "write-million")
        for step in ("write", "audit", "verify", "checker")
    ),
    Item("app-edit", "floor-text", "text made by Python"),
    Item("app-page", "floor-text", "text made by Python"),
    Item("import-package", "floor-import", "import fractions, json"),
    Item("import-audit", "floor-libraries", "import numpy, pyarrow, scipy.stats"),
)


class Bench:
    """Runs pieces of work that share a folder of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write = cache(self.run)
        self.peer_to_floor = cache(self._peer_to_floor)

    def run(self, work: str) -> dict[str, float]:
        """What one process takes; the work is that of this folder's tree."""
        paths = os.pathsep.join(map(str, (ROOT / "src", ROOT / "bench")))
        kept = {
            name: at for name, at in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }
        run = subprocess.run(
            [sys.executable, ROOT / "bench" / "works.py", work, self.folder],
            env={**kept, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            sys.exit(f"{work} failed: {run.stderr[-1000:]}")
        figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
        return figures

    def rounds(self, item: Item) -> list[tuple[dict[str, float], dict[str, float]]]:
        """Ours and the other one's by turns."""
        if item.needs:
            self.write(item.needs)
        return [(self.run(item.name), self.run(item.beside)) for _ in range(item.rounds)]

    def _peer_to_floor(self, peer: str, floor: str) -> Ratios:
        """Another program over the floor, run before and after it; 1 if there is none."""
        if not peer:
            return dict.fromkeys(KINDS, 1.0)
        before, theirs, after = map(self.run, (floor, peer, floor))
        return ratios([(theirs, before), (theirs, after)])


def ratios(rounds: Sequence[tuple[dict[str, float], dict[str, float]]]) -> Ratios:
    """The least of ours over the least of theirs.

    >>> ratios([({"cpu": 3, "memory": 8}, {"cpu": 2, "memory": 4}),
    ...         ({"cpu": 2, "memory": 8}, {"cpu": 4, "memory": 2})])
    {'cpu': 1.0, 'memory': 4.0}
    """
    return {
        kind: min(ours[kind] for ours, _ in rounds) / min(theirs[kind] for _, theirs in rounds)
        for kind in KINDS
    }


def tolerance(runs: Sequence[float]) -> float:
    """What the spread of runs supports.

    >>> tolerance([1.0, 1.02, 1.01]), tolerance([2.0, 2.2])
    (1.1, 1.2)
    """
    spread = max(runs) / min(runs) - 1
    return max(TOLERANCE, math.ceil(round(100 * (1 + 2 * spread), 6)) / 100)


def missing(item: Item) -> str:
    """Why an item cannot be measured here; empty if it can."""
    absent = [name for name in item.modules if find_spec(name) is None]
    if absent:
        return f"{', '.join(absent)} is not installed"
    if "dutch" in item.name and not CENSUS.is_file():
        return f"there is no {CENSUS}; EVENHAND_DATA names the folder of dutch/"
    return ""


def digest(work: str) -> str:
    """Of the code of what is measured beside ours, which must not change."""
    found = WORKS[work]
    code, given = (found.func, found.args) if isinstance(found, partial) else (found, ())
    return sha256(f"{inspect.getsource(code)}{given}".encode()).hexdigest()[:12]


def revision() -> str:
    """The commit that is measured; with a plus if the tree differs from it.

    Without git there is none.
    """
    if not which("git"):
        return "unknown"

    def git(*arguments: str) -> str:
        told = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return told.stdout.strip()

    changes = git("status", "--porcelain", "--", ".", f":!bench/{STORED.name}")
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + "+" * bool(changes)


def significant(number: float) -> float:
    return float(f"{number:.4g}")


def record(items: Sequence[Item], bench: Bench, stored: list[Entry], file: Path) -> None:
    """Measure items, and write each into the file as soon as it is measured."""
    common = {"revision": revision(), "machine": machine()}
    known = [item.name for item in ITEMS]
    for item in items:
        repeated = [bench.rounds(item) for _ in range(RUNS)]
        whole = ratios([one for rounds in repeated for one in rounds])
        quotient = bench.peer_to_floor(item.recorded_beside, item.beside)
        for kind in KINDS:
            runs = [significant(ratios(one)[kind] / quotient[kind]) for one in repeated]
            entry = {
                "name": item.name,
                "kind": kind,
                "peer": item.peer,
                "beside": digest(item.beside),
                "ratio": significant(whole[kind] / quotient[kind]),
                "runs": runs,
                "tolerance": tolerance(runs),
                "command": f"python bench/check.py {item.name}",
                **common,
            }
            if item.recorded_beside:
                entry["peer_to_floor"] = significant(quotient[kind])
            stored.append(entry)
            stored.sort(key=lambda one: (known.index(one["name"]), one["kind"]))
            print(f"{item.name:22}{kind:8}{entry['ratio']:10.4g}  runs {runs}", flush=True)
        lines = ",\n".join(json.dumps(one) for one in stored)
        file.write_text(f"[\n{lines}\n]\n", "utf-8")


def check(items: Sequence[Item], bench: Bench, stored: list[Entry]) -> bool:
    """Print a line for each ratio; whether all are within their tolerance."""
    here, all_within = machine(), True
    print(f"{'item':22}{'kind':8}{'recorded':>10}{'now':>10}{'quotient':>10}{'limit':>7}")
    for item in items:
        recorded = {one["kind"]: one for one in stored if one["name"] == item.name}
        if {one["beside"] for one in recorded.values()} != {digest(item.beside)}:
            why = f"{item.beside} has changed since" if recorded else "not recorded"
            print(f"{item.name:22}{why}")
            all_within = False
            continue
        limits = {
            kind: one["tolerance"]
            if one["machine"] == here
            else max(ELSEWHERE, one["tolerance"])
            for kind, one in recorded.items()
        }
        rounds = []
        for _ in range(ATTEMPTS):
            rounds += bench.rounds(item)
            now = ratios(rounds)
            now = {kind: now[kind] / recorded[kind].get("peer_to_floor", 1) for kind in KINDS}
            times = {kind: now[kind] / recorded[kind]["ratio"] for kind in KINDS}
            if all(times[kind] <= limits[kind] for kind in KINDS):
                break
        for kind, one in recorded.items():
            within = times[kind] <= limits[kind]
            all_within &= within
            print(
                f"{item.name:22}{kind:8}{one['ratio']:10.4g}{now[kind]:10.4g}{times[kind]:10.3f}"
                f"{limits[kind]:7.2f}  {'within' if within else 'over'}",
                flush=True,
            )
    return all_within


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="an item, or how it begins")
    parser.add_argument("--record", action="store_true", help="measure what the file lacks")
    parser.add_argument(
        "--replace", action="append", default=[], metavar="NAME", help="record it anew"
    )
    parser.add_argument("--file", type=Path, default=STORED, help="default: bench/ratios.json")
    options = parser.parse_args()
    known = [item.name for item in ITEMS]
    if options.replace and not options.record:
        parser.error("--replace goes with --record")
    for name in (*options.names, *options.replace):
        exact = name in options.replace
        if not any(one == name if exact else one.startswith(name) for one in known):
            parser.error(f"There is no {name}. There are: {', '.join(known)}.")
    wanted = (*options.names, *options.replace) or ("",)
    items = [item for item in ITEMS if item.name.startswith(wanted)]
    for item in list(items):
        if reason := missing(item):
            print(f"{item.name:22}skipped: {reason}")
            items.remove(item)
    file: Path = options.file
    stored: list[Entry] = json.loads(file.read_text("utf-8")) if file.exists() else []
    with TemporaryDirectory() as name:
        if not options.record:
            sys.exit(not check(items, Bench(Path(name)), stored))
        stored = [one for one in stored if one["name"] not in options.replace]
        there = {one["name"]: one["revision"] for one in stored}
        for item in (one for one in items if one.name in there):
            print(f"{item.name:22}stays as recorded at {there[item.name]}; see --replace")
        record([one for one in items if one.name not in there], Bench(Path(name)), stored, file)
        sys.exit(bool(options.names) and any(one.name in there for one in items))


if __name__ == "__main__":
    main()
