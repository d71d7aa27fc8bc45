import io
import sys

import pytest

from evenhand.cli.terminal import ProgressBar
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


@pytest.mark.parametrize(("seconds", "said"), [(1.0, True), (0.01, False)])
def test_of_a_long_step_is_said_once_how_long_it_will_take(monkeypatch, seconds, said):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressBar(quiet=False) as progress:
        for done in (1, 2):
            progress(Progress("tests given 0", done, 100, seconds * done))
    sentence = "tests given 0: 100, about 99 seconds to go\n"
    assert terminal.getvalue().count(sentence) == said
