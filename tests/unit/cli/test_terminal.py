import io
import json
import os
import sys
from dataclasses import replace
from select import select

import pytest

from evenhand.cli.terminal import ProgressBar, print_json
from evenhand.display import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("so_far", "shown"),
    [
        (Progress("tests", 3, None, 0.1), "tests"),
        (Progress("counting rows", 3_000_000, 4_000_000, 1.0), "counting rows, 75%, 3.0 M/s"),
    ],
)
def test_a_bar_shows_what_is_done_and_vanishes(monkeypatch, so_far, shown):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar(quiet=False) as progress:
        progress(so_far)
    assert shown in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")


@pytest.mark.parametrize("quiet", [False, True])
def test_no_bar_is_shown_in_a_pipe(capsys, quiet):
    with ProgressBar(quiet=quiet) as progress:
        progress(Progress("tests", 3, None, 0.1))
    assert capsys.readouterr().err == ""


def test_a_small_table_stays_one_in_80_columns(run, options, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    lines = run("audit", *options)[1].splitlines()
    assert any(line.startswith("  major  test_score") for line in lines)
    assert max(map(len, lines)) <= 80


def test_a_terminal_that_is_wide_enough_shows_one_table(run, options, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr("evenhand.cli.terminal.is_terminal", lambda: True)
    out = run("compare", *options)[1]
    assert any({"τ", "policy", "verdict"} <= {*line.split()} for line in out.splitlines())


def test_a_document_has_no_sign_that_acts_on_a_terminal_in_a_pipe_either(capsys):
    """It is shown by another program, sooner or later."""
    content = {"name": "a\x7fb\x85c\u202ed\x1be", "plain": "é 👩"}
    print_json(content)
    out = capsys.readouterr().out
    assert json.loads(out) == content
    assert not {*"\x7f\x85\u202e\x1b"} & {*out}
    assert "é 👩" in out


LONG = Progress("tests given 3", 1_000, 4_001_000, 9.0, depth=3)


@pytest.fixture
def waited(monkeypatch):
    """Sets how many seconds the work takes until each report of progress."""

    def setting(*seconds):
        clock = iter([0.0, *seconds])
        monkeypatch.setattr("evenhand.cli.terminal.perf_counter", lambda: next(clock))

    return setting


def test_in_a_pipe_long_work_is_told_once_with_options_that_shorten_it(capsys, waited):
    waited(3.9, 4.1)
    with ProgressBar(quiet=False) as progress:
        progress(LONG)  # too early to tell
        progress(LONG)
        progress(replace(LONG, done=2_000))
        progress(Progress("judging", 1, 9, 60.0))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "Learning the graph, tests given 3: 1,000 of 4,001,000 done, about 10 hours left. "
    )
    for option in ("--columns", "--tiers", "--set max_depth=2"):
        assert option in line


def test_what_is_done_is_not_told_and_neither_is_who_asked_for_quiet(capsys, waited):
    waited(9.0, 9.0)
    with ProgressBar(quiet=False) as progress:
        progress(Progress("counting rows", 300, 300, 0.1))
    with ProgressBar(quiet=True) as progress:
        progress(LONG)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("so_far", "line"),
    [
        (
            Progress("tests", 7_000, None, 21.0, depth=1),
            (
                "Learning the graph, tests given 1: 7,000 done. Further steps may follow. To "
                "be sooner done, name fewer columns (--columns …), or say in which order they "
                "came about (--tiers …)."
            ),
        ),
        (
            Progress("tests given 1", 70, 100, 9.0, depth=1, whole=0.125, whole_left=41),
            (
                "Learning the graph, tests given 1: 70 of 100 done; 12% of everything, up to "
                "about 41 seconds left. To be sooner done, name fewer columns (--columns …), "
                "or say in which order they came about (--tiers …)."
            ),
        ),
        (
            Progress("counting rows", 10, 110, 30.0),
            "counting rows: 10 of 110 done, about 5 minutes left. Further steps may follow.",
        ),
        (
            Progress("counting rows", 10, 110, 1.0),
            "counting rows: 10 of 110 done. Further steps may follow.",
        ),
    ],
)
def test_what_is_known_of_a_step_is_told(capsys, waited, so_far, line):
    waited(9.0)
    with ProgressBar(quiet=False) as progress:
        progress(so_far)
    assert capsys.readouterr().err == line + "\n"


@pytest.mark.skipif(os.name != "posix", reason="a terminal is opened as on POSIX")
def test_what_is_told_beside_the_bar_begins_on_a_line_of_its_own(monkeypatch):
    monkeypatch.setattr("evenhand.cli.terminal._PATIENCE", -1)
    ours, terminal = os.openpty()
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(terminal, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with ProgressBar(quiet=False) as progress:
            progress(LONG)
        stream.flush()
        written = b""
        while b"left" not in written:  # it comes in pieces
            assert select([ours], [], [], 10)[0]
            written += os.read(ours, 10_000)
    os.close(ours)
    before, told, _ = written.decode().partition("Learning the graph")
    assert told
    assert before.endswith("\x1b[2K")  # the bar was removed
