"""Compare the present revision with a base on random tables: what must not change has not.

    python scripts/compare_revisions.py --seed 7 --tables 300
    python scripts/compare_revisions.py --seed 7 --case 41      one case, whose folder is kept

The base is the commit that ``scripts/base_revision.txt`` names, or ``--base``. Both revisions
run the same cases, each in a process of its own. ``scripts/allowed_differences.toml`` lists
what may differ. The exit status is 0 if nothing else does, 1 if something does, 77 if there is
no base to compare with, as in a copy of the files without their history.
"""

import argparse
import io
import json
import os
import select
import shutil
import subprocess
import sys
import tarfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

from revisions.cases import make_case, write_case
from revisions.differences import Allowed, compared, differences

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "revisions"
SKIPPED = 77
_UNEXPECTED = 5  # the exit status of an error that is ours
_SHOWN = 20  # differences that are printed, and folders that are kept
_AHEAD = 8  # cases that are made while others run
_MANY = 2_000  # tables from which on the paper's tables are compared, too
_ENOUGH = 5_000  # tables after which an allowed difference should have occurred
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)
_SIDES = ("base", "present")


class Worker:
    """A process that runs cases under one revision; it is started again when it breaks."""

    def __init__(self, side: str, path: str, seconds: float) -> None:
        self.side, self.path, self.seconds = side, path, seconds
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, folder: Path) -> list[dict[str, Any]]:
        """The results of a case's steps; a crash and a hang are results, too."""
        if self.process is None:
            self.process = self._start()
        process = self.process
        assert process.stdin  # noqa: S101
        try:
            process.stdin.write(f"{folder}\n".encode())
            process.stdin.flush()
            if self._answer(process) == "done":
                found: list[dict[str, Any]] = json.loads(
                    (folder / f"{self.side}.json").read_text()
                )
                return found
            status = f"the worker ended with status {process.wait()}"
        except TimeoutError:
            status = f"no answer within {self.seconds:g} s"
        except BrokenPipeError:
            status = "the worker ended"
        self.close()
        # Named by its side, so that it differs although the other worker broke, too.
        return [{"status": f"{self.side}: {status}", "document": None}]

    def _start(self) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, **_ONE_THREAD, "PYTHONPATH": self.path}
        process = subprocess.Popen(  # our own interpreter
            [sys.executable, str(ROOT / "scripts" / "revisions" / "worker.py"), self.side],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        imported = self._answer(process)
        if imported not in self.path.split(os.pathsep):
            process.kill()
            sys.exit(
                f"The {self.side} revision was to come from {self.path}, not {imported!r}."
            )
        return process

    def _answer(self, process: "subprocess.Popen[bytes]") -> str:
        assert process.stdout  # noqa: S101
        if not select.select([process.stdout], [], [], self.seconds)[0]:
            raise TimeoutError
        return process.stdout.readline().decode().rstrip("\n")

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            process, self.process = self.process, None
            with process:
                process.kill()


def unpack(commit: str) -> Path:
    """The sources of a commit, below build/; ends with status 77 where there is none."""
    git = shutil.which("git")
    if git is None:
        _skip("git is not installed")
    known = [git, "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    found = subprocess.run(known, capture_output=True, text=True, check=False)
    if found.returncode:
        _skip(f"the history has no commit {commit}")
    commit = found.stdout.strip()
    folder = WORK / commit
    if not folder.exists():
        packed = subprocess.run(
            [git, "-C", str(ROOT), "archive", commit, "src"], capture_output=True, check=True
        )
        new = WORK / f"{commit}.{os.getpid()}"
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(new, filter="data")
        try:
            new.rename(folder)
        except OSError:  # another run was faster
            shutil.rmtree(new)
    return folder / "src"


def _skip(reason: str) -> NoReturn:
    sys.stdout.write(f"skipped: {reason}\n")
    sys.exit(SKIPPED)


class Comparison:
    """What the cases of one run have shown so far."""

    def __init__(self, allowed: Allowed, how: str) -> None:
        self.allowed, self.how = allowed, how
        self.seen: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()
        self.found = 0
        self.cases: set[int] = set()

    def judge(self, case: dict[str, Any], base: list[Any], present: list[Any]) -> bool:
        """Print what differs in the results of a case; returns whether anything does."""
        found = [*self._differences(case, base, present)]
        self.seen.update(case["features"])
        self._count(case, present)
        for at, step, one, other in found:
            self.found += 1
            self.fields[".".join("*" if key.isdigit() else key for key in at)] += 1
            self.cases.add(case["number"])
            if self.found <= _SHOWN:
                told = json.dumps(step, ensure_ascii=False)
                sys.stdout.write(
                    f"case {case['number']} ({case['kind']}), {'.'.join(at)}\n"
                    f"  step     {told}\n  base     {_short(one)}\n"
                    f"  present  {_short(other)}\n"
                    f"  again    {self.how} --case {case['number']}\n"
                )
        return bool(found)

    def _differences(
        self, case: dict[str, Any], base: list[Any], present: list[Any]
    ) -> Iterator[tuple[tuple[str, ...], Any, Any, Any]]:
        steps = case["steps"]
        if len(base) != len(present):  # one of them crashed or hung
            steps = [{"steps": "all"}]
            base, present = base[:1], present[:1]
        for number, (step, one, other) in enumerate(zip(steps, base, present, strict=False), 1):
            name = (*step.get("run", ()), *step)[0]
            differing = [*differences(compared(step, one), compared(step, other))]
            if other["status"] == _UNEXPECTED and not differing:  # a defect of both revisions
                differing = [(("unexpected",), one["document"], other["document"])]
            for at, value, new in differing:
                path = (f"{number} {name}", *at)
                if not self.allowed.allows(case["kind"], ".".join(path), value, new):
                    yield path, step, value, new

    def _count(self, case: dict[str, Any], present: list[Any]) -> None:
        for step, result in zip(case["steps"], present, strict=False):
            verb = step["run"][0] if "run" in step else next(iter(step))
            verb = step["call"] if verb == "call" else verb
            self.seen[f"status of {verb}: {result['status']}"] += 1
            document = result["document"]
            if not isinstance(document, dict):
                continue
            told = [document, *(v for v in document.values() if isinstance(v, dict))]
            for one in (one for one in told if "verdict" in one and "evidence" in one):
                self.seen[f"verdict: {one['verdict']}"] += 1
                self.seen["lines of evidence"] += len(one["evidence"])
                if isinstance(one.get("indirect"), dict):
                    self.seen[f"verdict on effects: {one['indirect']['verdict']}"] += 1
            released = "method" in document and "changed_rows" in document
            if released or isinstance(document.get("release"), dict):
                way = document if released else document["release"]
                self.seen[f"released: {way['method']}, {way['policy']}"] += 1

    def report(self, tables: int) -> None:
        """Print how often everything occurred, and what was allowed."""
        groups: dict[str, list[str]] = {}
        for name, many in sorted(self.seen.items()):
            group, _, rest = name.partition(": ")
            groups.setdefault(group, []).append(f"{rest} {many:,}".strip())
        for group, members in groups.items():
            sys.stdout.write(f"{group}: {'; '.join(members)}\n")
        for number, entry in enumerate(self.allowed.entries):
            uses = self.allowed.uses[number]
            unused = " (nothing needed it: remove it)" if not uses and tables >= _ENOUGH else ""
            sys.stdout.write(
                f"allowed {uses:,} times{unused}: {entry['kind']}, {entry['field']}: "
                f"{entry['reason']}\n"
            )
        for name, many in self.fields.most_common():
            sys.stdout.write(f"differs {many:,} times: {name}\n")
        sys.stdout.write(
            f"{tables:,} tables, {self.found:,} differences in {len(self.cases):,} of them: "
            f"{self.how} --tables {tables}\n"
        )


def _short(value: Any) -> str:  # noqa: ANN401
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]} …"


class Pair:
    """Both workers; each runs its cases one after another, while the next ones are made."""

    def __init__(self, paths: Iterable[str], seconds: float) -> None:
        self.workers = [Worker(s, p, seconds) for s, p in zip(_SIDES, paths, strict=True)]
        self.queues = [ThreadPoolExecutor(1) for _ in self.workers]

    def run(self, folder: Path) -> "list[Future[list[Any]]]":
        """Let both run the case of a folder."""
        return [
            queue.submit(worker.run, folder)
            for queue, worker in zip(self.queues, self.workers, strict=True)
        ]

    def close(self) -> None:
        """End both, and leave cases that wait."""
        for queue, worker in zip(self.queues, self.workers, strict=True):
            queue.shutdown(cancel_futures=True)
            worker.close()


def compare(options: argparse.Namespace, base: Path) -> int:
    """Run all cases under both revisions; returns the exit status."""
    folder = Path(options.folder).resolve() / f"seed-{options.seed}-{os.getpid()}"
    again = f"python scripts/compare_revisions.py --seed {options.seed} --base {options.base}"
    if options.present != str(ROOT / "src"):
        again += f" --present {options.present}"
    comparison = Comparison(Allowed.load(Path(options.allowed)), again)
    pair = Pair((str(base), options.present), options.seconds)
    waiting: deque[tuple[dict[str, Any], Path, list[Future[list[Any]]]]] = deque()
    try:
        for case, place in _cases(options, folder):
            waiting.append((case, place, pair.run(place)))
            while len(waiting) > _AHEAD:
                _settle(comparison, *waiting.popleft(), keep=options.case is not None)
        while waiting:
            _settle(comparison, *waiting.popleft(), keep=options.case is not None)
    finally:
        pair.close()
        if folder.exists() and not any(folder.iterdir()):
            folder.rmdir()
    comparison.report(options.tables if options.case is None else 1)
    return 1 if comparison.found else 0


def _settle(
    comparison: Comparison,
    case: dict[str, Any],
    place: Path,
    results: "list[Future[list[Any]]]",
    *,
    keep: bool,
) -> None:
    """Compare what both gave; the folder stays only if somebody will look at it."""
    differs = comparison.judge(case, *(one.result() for one in results))
    if keep or (differs and len(comparison.cases) <= _SHOWN):
        sys.stdout.write(f"  kept     {place}\n")
    else:
        shutil.rmtree(place)


def _cases(options: argparse.Namespace, folder: Path) -> Iterator[tuple[dict[str, Any], Path]]:
    """Each case as it is made, and its folder."""
    for number in range(options.tables) if options.case is None else [options.case]:
        place = folder / str(number)
        place.mkdir(parents=True)
        yield make_case(options.seed, number, place), place
    if options.case is None and (options.paper or options.tables >= _MANY):
        place = folder / "paper"
        place.mkdir()
        yield write_case(place, {"number": -1, "kind": "paper"}, [{"call": "paper"}]), place


def main() -> int:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    named = (ROOT / "scripts" / "base_revision.txt").read_text().split()[-1]
    parser.add_argument("--seed", type=int, required=True, help="from which the tables follow")
    parser.add_argument("--tables", type=int, default=300, help="how many")
    parser.add_argument("--base", default=named, help="a commit; default: base_revision.txt's")
    parser.add_argument("--present", default=str(ROOT / "src"), help="the other PYTHONPATH")
    parser.add_argument("--case", type=int, help="run this case alone, and keep its folder")
    parser.add_argument("--folder", default=str(WORK), help="where cases are written and kept")
    parser.add_argument("--paper", action="store_true", help="compare the paper's tables, too")
    parser.add_argument("--seconds", type=float, default=600, help="the longest for one case")
    allowed = ROOT / "scripts" / "allowed_differences.toml"
    parser.add_argument("--allowed", default=str(allowed), help="differences that are meant")
    options = parser.parse_args()
    return compare(options, unpack(options.base))


if __name__ == "__main__":
    sys.exit(main())
