"""Which kernel evaluates a batch, and in how many threads."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.single_tests import SingleTests

from evenhand import CountTable, discover
from evenhand.errors import QuestionError
from evenhand.graph import kernel_choice
from evenhand.graph.independence_tests import TESTS, p_values
from evenhand.graph.kernel_choice import Evaluator
from evenhand.graph.kernels.batch import Batch

CODES = np.random.default_rng(9).integers(0, 3, (3, 400))
COUNTS = CountTable.of({name: [str(code) for code in CODES[i]] for i, name in enumerate("xyz")})
BATCH = Batch(np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([[2], [1], [0]]))


def test_threads_change_nothing(monkeypatch):
    counts = COUNTS

    alone = Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])
    monkeypatch.setattr(kernel_choice, "_THREAD_WORK", 0)
    monkeypatch.setattr(kernel_choice, "_cores", lambda: 3)
    shared = Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])
    assert (alone.statistic == shared.statistic).all()


def test_an_error_in_a_thread_is_not_lost(monkeypatch):
    from evenhand.graph.kernels import numba_kernel  # noqa: PLC0415  (numba is slow to import)

    def fail(*_):
        raise ArithmeticError

    monkeypatch.setattr(kernel_choice, "_THREAD_WORK", 0)
    monkeypatch.setattr(kernel_choice, "_cores", lambda: 2)
    monkeypatch.setattr(numba_kernel, "run", fail)
    counts = COUNTS
    with pytest.raises(ArithmeticError):
        Evaluator(counts, counts.names, kernel="numba").statistics(BATCH, TESTS[0])


def test_little_work_is_done_without_numba_and_much_with_it(monkeypatch):
    monkeypatch.setattr(kernel_choice, "sys", SimpleNamespace(modules={}))  # nothing is loaded
    evaluator = Evaluator(COUNTS, COUNTS.names)
    assert evaluator._choose() == "numpy"
    evaluator.work = 1e12
    assert evaluator._choose() == "numba"


@pytest.fixture(params=[ImportError("No module named 'numba'"), RuntimeError("no locator")])
def unusable(request, monkeypatch):
    """Numba is absent, or there but of no use."""
    monkeypatch.setattr(kernel_choice, "sys", SimpleNamespace(modules={}))  # nothing is loaded

    def fail(_):
        raise request.param

    monkeypatch.setattr(kernel_choice, "import_module", fail)


@pytest.mark.usefixtures("unusable")
def test_without_numba_much_work_is_done_by_numpy():
    evaluator = Evaluator(COUNTS, COUNTS.names)
    evaluator.work = 1e12
    assert evaluator.p_values(BATCH, TESTS[0]).shape == (3,)


@pytest.mark.usefixtures("unusable")
def test_numba_asked_for_and_unusable_is_an_error_with_a_remedy():
    with pytest.raises(QuestionError, match=r"evenhand\[fast\]"):
        Evaluator(COUNTS, COUNTS.names, kernel="numba")


def test_tests_by_name_have_the_p_of_one_at_a_time():
    generator = np.random.default_rng(8)
    columns = {name: generator.integers(0, 3, 400).astype(str).tolist() for name in "dbcae"}
    counts = CountTable.of(columns)
    tester, evaluator = SingleTests(counts), Evaluator(counts, sorted(counts.names))
    tests = [
        (x, y, given)
        for x, y in (("a", "e"), ("e", "b"))
        for size in range(3)
        for given in combinations(sorted({*"abcde"} - {x, y}, reverse=True), size)
    ]
    results = evaluator.statistics_by_name(tests, "chi-square")
    p, testable = p_values(*results), results.degrees > 0
    assert p.tolist() == pytest.approx([tester.test(*test).p for test in tests], rel=1e-9)
    assert testable.all()
    assert evaluator.statistics_by_name([], "chi-square").statistic.tolist() == []


def test_many_tests_expected_load_numba_at_once(monkeypatch):
    monkeypatch.setattr(kernel_choice, "sys", SimpleNamespace(modules={}))  # nothing is loaded
    assert Evaluator(COUNTS, COUNTS.names, tests=100)._choose() == "numpy"
    assert Evaluator(COUNTS, COUNTS.names, tests=10**9)._choose() == "numba"


@pytest.mark.parametrize("by_cells", [False, True])
@pytest.mark.parametrize("on_disk", [False, True])
def test_compiling_is_told_if_nothing_is_on_disk(on_disk, by_cells, monkeypatch):
    from evenhand.graph.kernels import numba_kernel  # noqa: PLC0415  (numba is slow to import)

    monkeypatch.setattr(kernel_choice, "_loaded", [])
    lines = range(0) if by_cells else range(10**6)
    monkeypatch.setitem(kernel_choice._PARTITION_LINES, "numba", lines)
    asked = []
    monkeypatch.setattr(numba_kernel, "is_on_disk", lambda **of: asked.append(of) or on_disk)
    told = []
    for _ in range(2):  # the second finds it loaded
        discover(COUNTS, kernel="numba", progress=lambda one: told.append((one.step, one.done)))
    compiling = [done for step, done in told if step == "compiling, once"]
    assert compiling == ([] if on_disk else [0, 1, 2, 3])
    assert asked == [{"by_cells": by_cells}]


def test_compiled_code_is_kept_where_the_environment_says(tmp_path):
    """As in an installation that may not be written to."""
    program = (
        "import numpy as np\n"
        "from evenhand.graph.kernels import numba_kernel\n"
        "print(numba_kernel.is_on_disk(by_cells=False))\n"
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
