"""``python -m tests.mutation [MODULE …]``: do a module's tests notice changes of its code?

Each module of ``TESTS`` gets all its mutants at once (tests/mutants.py). Its tests are
collected once and run once, to learn which of them reach which mutant; then for each mutant a
fork of that process turns it on and runs those tests, the quickest first, until one fails. What
survives must be listed in tests/mutants.toml with a reason, and nothing else may be listed.
"""

import builtins
import gc
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from tests.mutants import SWITCH, Mutant, weave

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "evenhand"
LISTED = Path(__file__).with_name("mutants.toml")
LEAST_SHARE = 0.95
SECONDS = 5  # that a test may take, and ten times as long as without a mutant
MEMORY = 2**31
TESTS = {
    "evidence/verdict": ("tests/unit/evidence/test_verdict.py",),
    "evidence/partition": ("tests/unit/evidence/test_partition.py",),
    "evidence/disclosure_control": ("tests/unit/evidence/test_disclosure_control.py",),
    "removal/smallest_change": ("tests/unit/removal/test_smallest_change.py",),
    "removal/modify_data": ("tests/unit/removal/test_modify_data.py",),
    "removal/removal_plan": ("tests/unit/removal/test_removal_plan.py",),
    "report/release_facts": ("tests/unit/report/test_release_facts.py",),
    **{
        f"checker/{path.stem}": ("tests/unit/checker",)
        for path in sorted(SOURCE.glob("checker/*.py"))
        if path.stem != "__init__"
    },
}
Job = tuple[int, Callable[[], bool]]
Timed = tuple[pytest.Item, float]


class Woven(SourceFileLoader):
    """Loads one module with its mutants, in the place of the module."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        """The code with all switches."""
        tree, _ = weave(Path(self.path).read_text("utf-8"))
        return compile(tree, self.path, "exec")


def load(module: str) -> ModuleType:
    """Import a module with its mutants, silently from here on."""
    name = f"evenhand.{module.replace('/', '.')}"

    class Finder(PathFinder):
        @classmethod
        def find_spec(cls, fullname: str, *rest: object) -> ModuleSpec | None:
            spec = super().find_spec(fullname, *rest) if fullname == name else None
            if spec:
                spec.loader = Woven(name, spec.origin)
            return spec

    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    sys.meta_path.insert(0, Finder)
    return import_module(name)


def turn_on(number: int) -> None:
    """From now on this mutant is in the place of the code."""
    setattr(builtins, SWITCH, number.__eq__)


def forked(run: Callable[[], bool], folder: str) -> int:
    """The id of a copy of this process whose status is what a function returns there."""
    if process := os.fork():
        return process
    os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
    try:
        os._exit(run())
    finally:
        os._exit(1)


def killed_by(jobs: Iterable[Job]) -> Iterator[tuple[int, bool]]:
    """Each mutant's number, and whether its tests failed, crashed or took too long."""
    running: dict[int, tuple[int, str]] = {}

    def ended() -> tuple[int, bool]:
        process, status = os.wait()
        number, folder = running.pop(process)
        shutil.rmtree(folder, ignore_errors=True)
        return number, status != 0

    for number, run in jobs:
        if len(running) == (os.cpu_count() or 1):
            yield ended()
        folder = tempfile.mkdtemp(prefix="mutant-")
        running[forked(run, folder)] = number, folder
    while running:
        yield ended()


class Mutation:
    """A pytest plugin that runs the collected tests once for every mutant they reach."""

    def __init__(
        self, mutants: list[Mutant], module: ModuleType, say: Callable[[object], None]
    ) -> None:
        self.mutants, self.say = mutants, say
        self.remembering = [one for one in vars(module).values() if hasattr(one, "cache_clear")]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find out what each test reaches; then run them for each mutant."""
        gc.freeze()
        with tempfile.NamedTemporaryFile() as notes:
            survey = partial(self.survey, session, Path(notes.name))
            [(_, failed)] = killed_by([(0, survey)])
            if failed:
                self.say(None)
                return True
            seconds, reached = json.loads(notes.read())
        jobs = []
        for mutant in self.mutants:
            tests = [at for at in range(len(seconds)) if mutant.number in reached[at]]
            tests.sort(key=seconds.__getitem__)
            items = [(session.items[at], SECONDS + 10 * seconds[at]) for at in tests]
            if not mutant.at_import:
                jobs.append((mutant.number, partial(self.kills, session, mutant.number, items)))
        for outcome in killed_by(jobs):
            self.say(outcome)
        return True

    def run(self, item: pytest.Item) -> None:
        """Run one test, without what the module remembers of others."""
        for value in self.remembering:
            value.cache_clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def survey(self, session: pytest.Session, notes: Path) -> bool:
        """Note how long each test takes and which mutants it reaches; whether one fails."""
        seconds, reached = [], []
        for item in session.items:
            numbers = set[int]()
            setattr(builtins, SWITCH, numbers.add)
            begin = time.monotonic()
            self.run(item)
            seconds.append(time.monotonic() - begin)
            reached.append(sorted(numbers))
        notes.write_text(json.dumps([seconds, reached]))
        return bool(session.testsfailed)

    def kills(self, session: pytest.Session, number: int, items: list[Timed]) -> bool:
        """Whether a test fails with this mutant, or does not end and so ends the process."""
        turn_on(number)
        for item, limit in items:
            signal.setitimer(signal.ITIMER_REAL, limit)
            self.run(item)
            if session.testsfailed:
                return True
        return False


def outcomes(module: str, mutants: list[Mutant]) -> Iterator[tuple[int, bool]]:
    """Each mutant's number, and whether the tests of the module kill it."""
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", *TESTS[module]]
    if ">>>" in (path := SOURCE / f"{module}.py").read_text("utf-8") and path.stem[0] != "_":
        options.append(str(path))  # pytest would load a __main__ in its own way
    come, go = os.pipe()
    if not os.fork():
        os.close(come)
        setattr(builtins, SWITCH, lambda _: False)
        loaded = load(module)
        say = lambda what: os.write(go, json.dumps(what).encode() + b"\n")  # noqa: E731
        os._exit(pytest.main(options, [Mutation(mutants, loaded, say)]))
    os.close(go)
    with os.fdopen(come) as lines:
        for line in map(json.loads, lines):
            if line is None:
                sys.exit(f"{module}: a test fails without any mutant")
            yield line[0], line[1]
    os.wait()

    def run(number: int) -> bool:
        turn_on(number)
        signal.alarm(600)
        load(module)
        return pytest.main(options) != 0

    numbers = (one.number for one in mutants if one.at_import)
    yield from killed_by((number, partial(run, number)) for number in numbers)


def report(module: str, listed: dict[str, str]) -> tuple[int, int, bool]:
    """Run one module: its mutants, how many survive, and whether these are the listed ones."""
    _, mutants = weave((SOURCE / f"{module}.py").read_text("utf-8"))
    killed = dict(outcomes(module, mutants))
    survivors = {one.change: one for one in mutants if not killed[one.number]}
    write(module, len(mutants), len(survivors))
    for change, mutant in survivors.items():
        if change not in listed:
            write(f"  survives, line {mutant.line}: {change}")
    for change in listed.keys() - survivors:
        write(f"  listed, but killed or gone: {change}")
    return len(mutants), len(survivors), listed.keys() == survivors.keys()


def write(*columns: object) -> None:
    """Print a line, at once."""
    sys.stdout.write(" | ".join(map(str, columns)) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Run the modules named on the command line, or all."""
    os.chdir(ROOT)
    listed = tomllib.loads(LISTED.read_text("utf-8"))
    results = [report(module, listed.get(module, {})) for module in sys.argv[1:] or TESTS]
    numbers, survivors, as_listed = zip(*results, strict=True)
    share = 1 - sum(survivors) / sum(numbers)
    write("all", sum(numbers), sum(survivors), f"{share:.1%} killed")
    sys.exit(not all(as_listed) or share < LEAST_SHARE)


if __name__ == "__main__":
    main()
