"""Which kernel evaluates a batch, in how many threads, and which sets are counted by bits."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from evenhand import CountTable, discover
from evenhand.errors import QuestionError
from evenhand.graph import cached_tests
from evenhand.graph.cached_tests import Evaluator, sets_by_bits
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.kernels import numpy_kernel
from evenhand.graph.kernels.batch import Batch, BatchPlan, CodedTable

CODES = np.random.default_rng(9).integers(0, 3, (3, 400))
COUNTS = CountTable.of({name: [str(code) for code in CODES[i]] for i, name in enumerate("xyz")})
BATCH = Batch(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([[2], [1], [0]]))


def test_threads_change_nothing(monkeypatch):
    counts = COUNTS

    alone = Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])
    monkeypatch.setattr(cached_tests, "_THREAD_WORK", 0)
    monkeypatch.setattr(cached_tests, "_cores", lambda: 3)
    shared = Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])
    assert (alone.statistic == shared.statistic).all()


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    from evenhand.graph.kernels import numba_kernel  # noqa: PLC0415  (numba is slow to import)

    def fail(*_):
        raise ArithmeticError

    monkeypatch.setattr(cached_tests, "_THREAD_WORK", 0)
    monkeypatch.setattr(cached_tests, "_cores", lambda: 2)
    monkeypatch.setattr(numba_kernel, "run", fail)
    counts = COUNTS
    with pytest.raises(ArithmeticError):
        Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])


@pytest.mark.parametrize(
    ("work", "on_disk", "compiled"),
    [(2e8, False, False), (2e8, True, True), (1e12, False, True), (1, True, False)],
)
def test_numba_is_compiled_only_where_that_is_sooner_done(work, on_disk, compiled, monkeypatch):
    from evenhand.graph.kernels import numba_kernel  # noqa: PLC0415  (numba is slow to import)

    monkeypatch.setattr(cached_tests, "sys", SimpleNamespace(modules={}))
    monkeypatch.setattr(numba_kernel, "is_on_disk", lambda: on_disk)
    evaluator = Evaluator(COUNTS, COUNTS.names)
    evaluator.work = work
    assert (evaluator._module() is not numpy_kernel) is compiled


@pytest.fixture(params=[ImportError("No module named 'numba'"), RuntimeError("no locator")])
def unusable(request, monkeypatch):
    """Numba is absent, or there but of no use."""
    monkeypatch.setattr(cached_tests, "sys", SimpleNamespace(modules={}))  # nothing is loaded

    def fail(_):
        raise request.param

    monkeypatch.setattr(cached_tests, "import_module", fail)


@pytest.mark.usefixtures("unusable")
def test_without_numba_much_work_is_done_by_numpy():
    evaluator = Evaluator(COUNTS, COUNTS.names)
    evaluator.work = 1e12
    assert evaluator.p_values(BATCH, TESTS[0]).shape == (3,)


@pytest.mark.usefixtures("unusable")
def test_numba_asked_for_and_unusable_is_an_error_with_a_remedy():
    with pytest.raises(QuestionError, match=r"evenhand\[fast\]"):
        Evaluator(COUNTS, COUNTS.names, kernel="numba")


def test_many_tests_expected_load_numba_at_once(monkeypatch):
    monkeypatch.setattr(cached_tests, "sys", SimpleNamespace(modules={}))  # nothing is loaded
    assert Evaluator(COUNTS, COUNTS.names, tests=100)._module() is numpy_kernel
    assert Evaluator(COUNTS, COUNTS.names, tests=10**9)._module() is not numpy_kernel


@pytest.mark.parametrize("on_disk", [False, True])
def test_compiling_is_told_if_nothing_is_on_disk(on_disk, monkeypatch):
    from evenhand.graph.kernels import numba_kernel  # noqa: PLC0415  (numba is slow to import)

    monkeypatch.setattr(numba_kernel, "is_on_disk", lambda: on_disk)
    told = []
    discover(COUNTS, kernel="numba", progress=lambda one: told.append(one.step))
    assert told.count("compiling, once") == (not on_disk)


def test_compiled_code_is_kept_where_the_environment_says(tmp_path):
    """As in an installation that may not be written to."""
    program = (
        "import numpy as np\n"
        "from evenhand.graph.kernels import numba_kernel\n"
        "print(numba_kernel.is_on_disk())\n"
        "short = np.zeros(1, np.uint16)\n"
        "numba_kernel.split(short, short, 1, np.ones(1, np.int32), short.copy())\n"
        "print(numba_kernel._split.stats.cache_path)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    output = subprocess.check_output(command, env=environment, text=True)  # noqa: S603  # ours
    found, folder = output.splitlines()
    assert found == "False"
    assert Path(folder).is_relative_to(tmp_path)
    assert [*Path(folder).glob("numba_kernel._split-*.nbi")]


def sized_table(cards, lines):
    """A table as large as asked for; the choice looks at its size alone."""
    codes = np.broadcast_to(np.uint8(0), (len(cards), lines))
    return CodedTable(codes, np.ones(lines), np.array(cards), float(lines))


def plan_of(sets, columns):
    rows = np.array(sets)
    return BatchPlan.of(Batch(rows[:, 0], rows[:, 1], rows[:, 2:]), columns)


def chosen(cards, lines, sets, kernel="numpy"):
    plan = plan_of(sets, len(cards))
    return sets_by_bits(sized_table(cards, lines), lines / 64, plan, kernel)


@pytest.mark.parametrize("kernel", ["numpy", "numba"])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_binary_columns_of_many_lines_are_intersected(kernel, size):
    generator = np.random.default_rng(size)
    sets = sorted({tuple(sorted(generator.permutation(200)[:size])) for _ in range(500)})
    assert chosen([2] * 200, 100_000, sets, kernel).all()


@pytest.mark.parametrize(
    ("cards", "lines", "sets"),
    [
        pytest.param([8] * 100, 100_000, [*combinations(range(20), 3)], id="many values"),
        pytest.param([9] * 100, 100_000, [*combinations(range(20), 2)], id="not packed"),
        pytest.param([2] * 10, 1000, [(0, 1)], id="a test alone"),
        pytest.param([3] * 20, 1_000_000, [*combinations(range(8), 4)], id="shared cubes"),
        pytest.param(
            [2] * 5000, 100_000, [tuple(range(at, at + 6)) for at in range(99)], id="wide"
        ),
    ],
)
def test_what_is_not_worth_its_bits_is_counted_in_cubes(cards, lines, sets):
    assert not chosen(cards, lines, sets).any()


def test_tables_that_would_take_more_memory_than_they_have_are_not_packed():
    plan = plan_of([*combinations(range(20), 2)], 20)
    table = sized_table([2] * 20, 100_000)
    assert sets_by_bits(table, 100_000 / 64, plan, "numpy").all()
    assert not sets_by_bits(table, 1e6, plan, "numpy").any()
