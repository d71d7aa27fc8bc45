"""One bar for a whole audit: it moves from 0 to 1 once, and never stands still for long."""

from itertools import pairwise
from time import perf_counter

import numpy as np
import pytest

from evenhand.cli.terminal import ProgressBar
from evenhand.display import LEARNING, Progress, WholeProgress

COLUMNS = 14


@pytest.fixture
def heard(monkeypatch):
    """What the bar was told, each with the time."""
    told = []

    def hear(_bar, progress):
        told.append((perf_counter(), progress))

    monkeypatch.setattr(ProgressBar, "__call__", hear)
    return told


@pytest.fixture
def dense(tmp_path):
    """Columns that all depend on one another, so that learning takes many tests."""
    generator = np.random.default_rng(3)
    columns = [generator.integers(0, 2, 4000)]
    while len(columns) < COLUMNS:
        before = np.mean(columns[-4:], axis=0)
        columns.append((generator.random(4000) < 0.2 + 0.6 * before).astype(int))
    lines = [",".join(f"x{at}" for at in range(COLUMNS))]
    lines += [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    path = tmp_path / "dense.csv"
    path.write_text("\n".join(lines) + "\n")
    return [path, "--protected", "x0", "--decision", f"x{COLUMNS - 1}"]


@pytest.fixture(params=["small", "guessed", "dense", "graph given"])
def asked(request, example):
    """Arguments of an audit."""
    data = example / "data.csv"
    match request.param:
        case "dense":
            return request.getfixturevalue("dense")
        case "guessed":
            columns = ["--protected", "gender", "--decision", "admission"]
            return [data, *columns, "--set", "frequency=n"]
        case "graph given":
            return [data, "--question", example / "q.toml", "--graph", example / "graph.txt"]
    return [data, "--question", example / "q.toml"]


def test_the_share_of_a_whole_audit_only_grows_and_ends_at_1(run, asked, heard, tmp_path):
    written = [tmp_path / "c.json", tmp_path / "r.html"]
    run("audit", *asked, "--certificate", written[0], "--report", written[1])
    shares = [progress.whole for _, progress in heard]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < 0.5
    assert shares[-1] == 1
    assert all(share < 1 for share in shares[:-1])
    left = [progress.whole_left for _, progress in heard]
    assert min(left) == left[-1] == 0


def test_a_release_has_a_bar_until_its_plan_and_one_until_it_is_written(
    run, dense, monkeypatch, tmp_path
):
    told = {}
    monkeypatch.setattr(
        ProgressBar, "__call__", lambda bar, one: told.setdefault(id(bar), []).append(one.whole)
    )
    kept, begin = [], ProgressBar.__init__
    monkeypatch.setattr(
        ProgressBar, "__init__", lambda bar, **how: kept.append(bar) or begin(bar, **how)
    )
    options = ["--output", tmp_path / "out.csv", "--accept-graph", "it is a test"]
    status, _, errors = run("release", *dense, *options, "--set", "min_coverage=0.01")
    assert status == 0, errors
    assert [*told] == [id(bar) for bar in kept[:2]]
    for shares in told.values():
        assert shares == sorted(shares)
        assert shares[-1] == 1
        assert shares[0] < 0.5


def test_learning_moves_the_bar_and_no_step_leaves_it_standing(run, dense, heard, tmp_path):
    begun = perf_counter()
    run("audit", *dense, "--certificate", tmp_path / "c.json")
    times = [begun, *(at for at, _ in heard), perf_counter()]
    silence = max(later - at for at, later in pairwise(times))
    # Half of the time; of an audit that takes a second or two nobody misses a moment.
    assert silence < max((times[-1] - begun) / 2, 1.0)
    learning = [progress.whole for _, progress in heard if progress.depth is not None]
    assert len({*learning}) > len(learning) / 2
    assert learning[0] < learning[-1]


def test_a_step_that_takes_less_than_was_feared_makes_no_jump():
    """Learning says that it may take a minute, and ends at once."""
    shares = []
    whole = WholeProgress(lambda one: shares.append(one.whole), {LEARNING: 1.0, "judging": 0.5})
    whole(Progress("tests given 0", 0, 10, 0.0, depth=0, work=60.0))
    whole(Progress("tests given 0", 10, 10, 0.0, depth=0, work=0.0))
    whole(Progress("judging", 0, 1, 0.0))
    assert max(shares) < 0.5
    whole.finish()
    assert shares[-1] == 1
