"""``python -m tests.mutation [MODULE …]``: do a module's tests notice changes of its code?

Each module of ``TESTS`` gets all its mutants at once (tests/mutants.py). Its tests are
collected once and run once, to learn which of them reach which mutant; then for each mutant a
fork of that process turns it on and runs those tests, the quickest first, until one fails. What
survives must be listed in tests/mutants.toml with a reason, and nothing else may be listed.
"""

import builtins
import gc
import json
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
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
MOST_SECONDS = 600  # that all tests of a module may take together
MEMORY = 2**31
ELSEWHERE = {"run"}  # fixtures that work in another process
TESTS = {
    "evidence/verdict": ("tests/unit/evidence/test_verdict.py",),
    "evidence/partition": tuple(
        f"tests/unit/evidence/test_{name}.py"
        for name in (
            "partition",
            "subpopulations",
            "pair_matrix",
            "first_sentence",
            "by_chance",
        )
    ),
    "evidence/disclosure_control": ("tests/unit/evidence/test_disclosure_control.py",),
    "removal/linear_effects": ("tests/unit/removal/test_linear_effects.py",),
    "removal/path_effects": ("tests/unit/removal/test_path_effects.py",),
    "removal/modify_data": ("tests/unit/removal/test_modify_data.py",),
    "removal/removal_plan": ("tests/unit/removal/test_removal_plan.py",),
    "report/release_facts": ("tests/unit/report/test_release_facts.py",),
    "report/shared_page": ("tests/unit/report/test_shared_page.py",),
    "releasing/publish": ("tests/unit/releasing/test_publish.py",),
    "files/targets": ("tests/unit/files/test_targets.py",),
    "files/transaction": (
        "tests/unit/files/test_transaction.py",
        "tests/unit/files/test_targets.py",
    ),
    "files/file_locks": ("tests/unit/files/test_file_locks.py",),
    **{
        f"checker/{path.stem}": ("tests/unit/checker",)
        for path in sorted(SOURCE.glob("checker/*.py"))
        if path.stem != "__init__"
    },
}
Allow = Callable[[float], None]  # so many seconds, from now on
Job = tuple[int, Callable[[Allow], bool]]
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


class Fork:
    """A copy of this process, ended by SIGKILL when the time is over that it allows itself."""

    def __init__(self, number: int, run: Callable[[Allow], bool]) -> None:
        self.number, self.folder = number, tempfile.mkdtemp(prefix="mutant-")
        self.deadline = memoryview(mmap.mmap(-1, 8)).cast("d")  # shared by both
        self.allow(MOST_SECONDS)
        self.process = os.fork()
        with suppress(PermissionError):  # where the copy has done it and runs a program
            os.setpgid(self.process, self.process)
        if not self.process:
            os.environ["PYTEST_DEBUG_TEMPROOT"] = self.folder
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
            try:
                os._exit(run(self.allow))
            finally:
                os._exit(1)

    def allow(self, seconds: float) -> None:
        """Set the deadline; of a module's remaining tests each has its own."""
        self.deadline[0] = time.monotonic() + seconds

    def ended(self) -> bool:
        """Whether it has ended, also by the deadline; then ``failed`` says how."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        if not process and time.monotonic() < self.deadline[0]:
            return False
        with suppress(ProcessLookupError):  # with all processes that its tests began
            os.killpg(self.process, signal.SIGKILL)
        self.failed = (status if process else os.waitpid(self.process, 0)[1]) != 0
        shutil.rmtree(self.folder, ignore_errors=True)
        return True


def killed_by(jobs: Iterable[Job]) -> Iterator[tuple[int, bool]]:
    """Each mutant's number, and whether its tests failed, crashed or took too long."""
    running: list[Fork] = []
    for number, run in jobs:
        running.append(Fork(number, run))
        while len(running) == (os.cpu_count() or 1):
            yield from _ended(running)
    while running:
        yield from _ended(running)


def _ended(running: list[Fork]) -> Iterator[tuple[int, bool]]:
    """Take out the forks that have ended."""
    time.sleep(0.005)
    for fork in [one for one in running if one.ended()]:
        running.remove(fork)
        yield fork.number, fork.failed


class InProcess:
    """A pytest plugin that leaves out tests whose work is done where no mutant is on."""

    @staticmethod
    def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
        """Leave them out."""
        items[:] = [x for x in items if not ELSEWHERE & {*getattr(x, "fixturenames", ())}]


class Mutation(InProcess):
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

    def survey(self, session: pytest.Session, notes: Path, _: Allow) -> bool:
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

    def kills(
        self, session: pytest.Session, number: int, items: list[Timed], allow: Allow
    ) -> bool:
        """Whether a test fails with this mutant; one that does not end is ended with us."""
        turn_on(number)
        for item, limit in items:
            allow(limit)
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

    def run(number: int, _: Allow) -> bool:
        turn_on(number)
        load(module)
        return pytest.main(options, [InProcess]) != 0

    numbers = (one.number for one in mutants if one.at_import)
    yield from killed_by((number, partial(run, number)) for number in numbers)


def report(module: str, listed: dict[str, str]) -> tuple[int, int, bool]:
    """Run one module: its mutants, how many survive, and whether these are the listed ones."""
    _, mutants = weave((SOURCE / f"{module}.py").read_text("utf-8"))
    survivors = set[str]()
    for number, is_killed in outcomes(module, mutants):
        mutant = mutants[number - 1]
        if not is_killed:
            survivors.add(mutant.change)
            if mutant.change not in listed:
                write(f"  survives, line {mutant.line}: {mutant.change}")
    write(module, len(mutants), len(survivors))
    for change in listed.keys() - survivors:
        write(f"  listed, but killed or gone: {change}")
    return len(mutants), len(survivors), listed.keys() == survivors


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
