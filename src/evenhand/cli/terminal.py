"""Prints results as text or JSON, spells arguments as options, and shows a progress bar.

Text gets to a terminal by ``say`` or above the bar, and is made ``visible`` there: names,
values and messages may come from files that somebody else wrote, and nothing in them may act.
Arguments of the library are spelled as options of the verb that runs, so that a remedy can be
typed as it is printed.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from shlex import quote
from shutil import get_terminal_size
from time import perf_counter
from typing import Any, Self

import typer

from evenhand.display import Progress, Summary, duration, visible
from evenhand.errors import Problem, Remedy
from evenhand.question.fields import Field, find

# Tables of keys that one verb alone reads.
_VERB_TABLES = {"audit", "discover", "release"}
# What is no key, where no verb runs.
_OTHERS = {"--accept-graph", "--graph", "--overwrite", "--uncertified"}
_running: dict[str, Any] = {"verb": None, "options": None}


def offer(verb: str | None, options: Iterable[str] = ()) -> None:
    """Spell arguments as options of this verb from now on; None means of any."""
    _running.update(verb=verb, options={*options} if verb else None)


def option(argument: str, value: Any) -> str:  # noqa: ANN401  # whatever the argument takes
    """Spell an argument as an option; "" if the verb that runs takes it in no way.

    >>> option("bins", {"pay": 4}), option("columns", ...), option("key", "id")
    ('--bin pay=quantiles:4', '--columns …', '')
    >>> option("merge", {"work": {"a b": ["a b", "A B"]}}), option("min_rows", 1)
    ("--set 'merge.work.a b=a b,A B'", '--set min_rows=1')
    """
    verb, offered = _running["verb"], _running["options"]
    field, flag = find(argument), f"--{argument.replace('_', '-')}"
    if field and field.flag in (offered or ()):
        return _spelled(field.words(value, verb))
    if field and (offered is None or ("--set" in offered and takes(verb, field))):
        return _spelled(field.words(value, verb))
    if flag in (_OTHERS if offered is None else offered):
        return flag if value is True else _spelled([flag, "…" if value is ... else str(value)])
    return ""


def _spelled(words: Iterable[str]) -> str:
    return " ".join(word if word.endswith("…") else quote(word) for word in words)


def takes(verb: str | None, field: Field) -> bool:
    """Whether a verb has a use for a key: of the tables of verbs it reads its own."""
    return field.table not in _VERB_TABLES or field.table == verb


_FAST = 1e5  # per second, from where on the rate is shown
_SETTLED = 2  # seconds of a step, from where on its rate tells how long the rest takes
_PATIENCE = 4  # seconds after which somebody who waits is told how far the work is


def say(*lines: str, bold: bool = False, err: bool = False) -> None:
    """Print lines on standard output or error; a line break within one is escaped, too."""
    for line in map(visible, lines):
        typer.echo(typer.style(line, bold=True) if bold else line, err=err)


def say_for_owner(*, shared: bool) -> None:
    """Where a copy for others is made, say on standard error that it is in files alone."""
    if shared:
        say("What is printed is for the owner of the data; for others are the files.", err=True)


def print_results(*summaries: Summary) -> None:
    """Print summaries with their titles emphasised, on terminals that can."""
    # In a pipe lines stay whole, so that a program can look for them.
    width = get_terminal_size().columns if is_terminal() else inf
    for summary in summaries:
        besides, notes = (
            tuple(one.text(option) if isinstance(one, Problem) else one for one in texts)
            for texts in (summary.besides, summary.notes)
        )
        title, *rest = replace(summary, besides=besides, notes=notes).parts(width)
        say(*title.split("\n"), bold=True)
        for part in rest:
            say(*part.split("\n"))
        say("")


def is_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON document; what could act on a terminal is escaped, as JSON can."""
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)
    text = "\n".join(map(_json_visible, text.split("\n")))
    # Half a surrogate pair cannot be encoded, but it can be written as JSON.
    _echo_exactly(text.encode("utf-8", "backslashreplace").decode())


def _json_visible(text: str) -> str:
    if visible(text) == text:
        return text
    return "".join(mark if visible(mark) == mark else json.dumps(mark)[1:-1] for mark in text)


def print_exactly(lines: Sequence[str]) -> None:
    """Print lines for another program as they are; on a terminal like any text."""
    if is_terminal():
        say(*lines)
    else:
        _echo_exactly("\n".join(lines))


def _echo_exactly(text: str) -> None:
    # Without ``color`` the sequences in names would be cut out of what a program reads.
    typer.echo(text, color=True)


class ProgressBar:
    """One bar for all that is done, on standard error; removed when the work is done.

    It moves while there is work, and names the step, its share and the time that has passed.
    Where all steps are added up it is full when everything is done, and says about how long
    that takes; other steps promise nothing about those to come. After some seconds one line, in
    a pipe as well, says how far the work is and what would shorten it. The object is the
    ``progress`` callback of the library.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._is_told = quiet
        self._shown = not quiet and sys.stderr.isatty()
        self._start = perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._shown:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("counting", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show what is being done, and say once of the whole work that it takes long."""
        is_open = progress.total is None or progress.done < progress.total
        if is_open and not self._is_told and perf_counter() - self._start > _PATIENCE:
            self._is_told = True
            self._say(_waiting_text(progress))
        if self._bar is not None:
            share = f", {progress.done / progress.total:.0%}" if progress.total else ""
            rate = f", {progress.rate / 1e6:.1f} M/s" if progress.rate > _FAST else ""
            said, whole = progress.step + share + rate, progress.whole
            if whole is not None:
                said += f"; {_whole_text(progress)}"
                self._bar.update(self._task, description=said, total=1.0, completed=whole)
            else:
                self._bar.update(self._task, description=said)

    def _say(self, text: str) -> None:
        """Print a line above the bar, which would otherwise be in the middle of it."""
        if self._bar is None:
            say(text, err=True)
        else:
            self._bar.console.print(visible(text), markup=False, highlight=False, emoji=False)


def _whole_text(progress: Progress) -> str:
    """How much is done of everything, and about how long the rest takes."""
    left = progress.whole_left or 0
    soon = f", up to {duration(left)} left" if left >= 1 else ""
    return f"{progress.whole:.0%} of everything{soon}"


def _waiting_text(progress: Progress) -> str:
    """What is being done, how much of it there is, how long it takes, and what shortens it."""
    depth, left = progress.depth, progress.seconds_left
    what = progress.step if depth is None else f"Learning the graph, tests given {depth}"
    many = "" if progress.total is None else f" of {progress.total:,}"
    is_added_up = progress.whole is not None  # then what is left of everything is said
    is_known = left is not None and progress.seconds >= _SETTLED and not is_added_up
    what += f": {progress.done:,}{many} done" + (f", {duration(left or 0)} left" * is_known)
    what += f"; {_whole_text(progress)}." if is_added_up else ". Further steps may follow."
    if depth is None:
        return what
    fewer = (Remedy("To be sooner done, name fewer columns", "columns"),)
    order = (Remedy("say in which order they came about", "tiers"),)
    smaller = (Remedy("end with smaller sets", "max_depth", depth - 1),) if depth > 1 else ()
    return Problem(what, remedy=(*fewer, *order, *smaller)).text(option)
