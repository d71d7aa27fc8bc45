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
        (Progress("counting rows", 3_000_000, 4_000_000, 1.0), "counting rows, 3.0 M/s"),
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


def test_in_a_pipe_a_long_step_is_told_once_with_options_that_shorten_it(capsys):
    with ProgressBar(quiet=False) as progress:
        progress(replace(LONG, seconds=1.0))  # too early to tell
        progress(LONG)
        progress(replace(LONG, done=2_000))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "Learning the graph, tests given 3: 1,000 of 4,001,000 done, about 10 hours left. "
    )
    for option in ("--columns", "--tiers", "--set max_depth=2"):
        assert option in line


@pytest.mark.parametrize(
    "so_far",
    [
        replace(LONG, total=1_300),  # nearly done
        Progress("tests", 1_000, None, 3.9, depth=2),
    ],
)
def test_a_short_step_is_not_told(capsys, so_far):
    with ProgressBar(quiet=False) as progress:
        progress(so_far)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("waited", "said"), [(1.9, 0), (2.1, 1)])
def test_after_some_seconds_of_short_steps_the_next_says_how_far_it_is(
    capsys, monkeypatch, waited, said
):
    clock = iter([0.0, waited, waited])
    monkeypatch.setattr("evenhand.cli.terminal.perf_counter", lambda: next(clock))
    step = Progress("looking at columns", 500, 10_000, 0.1)
    with ProgressBar(quiet=False) as progress:
        progress(step)
        progress(replace(step, done=1_000))
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" done")[0] for line in lines] == [
        "looking at columns: 500 of 10,000"
    ] * said


def test_a_step_that_is_done_is_not_told(capsys, monkeypatch):
    clock = iter([0.0, 9.0])
    monkeypatch.setattr("evenhand.cli.terminal.perf_counter", lambda: next(clock))
    with ProgressBar(quiet=False) as progress:
        progress(Progress("counting rows", 300, 300, 0.1))
    assert capsys.readouterr().err == ""


def test_who_asked_for_quiet_is_not_told(capsys):
    with ProgressBar(quiet=True) as progress:
        progress(LONG)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("so_far", "line"),
    [
        (
            Progress("tests", 7_000, None, 21.0, depth=1),
            (
                "Learning the graph, tests given 1: 7,000 so far, how many more is not known. "
                "To be sooner done, name fewer columns (--columns …), or say in which order "
                "they came about (--tiers …)."
            ),
        ),
        (
            Progress("counting rows", 10, 110, 30.0),
            "counting rows: 10 of 110 done, about 5 minutes left. Further steps may follow.",
        ),
    ],
)
def test_a_long_step_says_what_is_known_of_it(capsys, so_far, line):
    with ProgressBar(quiet=False) as progress:
        progress(so_far)
    assert capsys.readouterr().err == line + "\n"


def test_a_long_step_is_told_beside_the_bar_too(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar(quiet=False) as progress:
        progress(LONG)
    assert "--set max_depth=2" in terminal.getvalue().replace("\r\n", " ").replace("\n", " ")


@pytest.mark.skipif(os.name != "posix", reason="a terminal is opened as on POSIX")
def test_what_is_told_beside_the_bar_begins_on_a_line_of_its_own(monkeypatch):
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


def test_tests_that_are_not_begun_are_told_at_the_rate_of_those_before(capsys):
    with ProgressBar(quiet=False) as progress:
        progress(Progress("tests given 2", 0, 50_000, 0.0, depth=2))  # nothing to go by
        progress(Progress("tests given 2", 50_000, 50_000, 10.0, depth=2))
        progress(Progress("tests given 3", 0, 600_000, 0.0, depth=3))
    (line,) = capsys.readouterr().err.splitlines()
    assert "tests given 3: 0 of 600,000 done, about 2 minutes left." in line
