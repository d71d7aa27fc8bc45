"""The door itself: one Typer application, stated exit statuses, and no traceback for bad input.

Exit status: 0 certified or done, 1 not certified, 3 cannot decide, 2 bad usage or input,
4 resources or I/O, 130 interrupted. A failure is told to people on standard error, and with
``--json`` to programs on standard output, too.
"""

import os
import sys
from contextlib import redirect_stdout, suppress
from itertools import pairwise
from typing import Annotated, Any, NoReturn, TextIO

import typer
from typer.core import TyperGroup

from evenhand.cli.audit import audit
from evenhand.cli.compare import compare
from evenhand.cli.demo import demo
from evenhand.cli.discover import discover
from evenhand.cli.init import init
from evenhand.cli.option_syntax import option
from evenhand.cli.paper import paper
from evenhand.cli.release import release
from evenhand.cli.terminal import print_json
from evenhand.cli.verify import verify
from evenhand.errors import EvenhandError, Problem

# Typer tells of bad usage itself, but does not export the class of its own errors.
(_UsageError,) = typer.BadParameter.__bases__


class _Verbs(TyperGroup):
    """The verbs; a program hears of bad usage, too, before Typer tells it to a person."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # typer has no public type for it
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(error, _UsageError):
                said = error.format_message()  # type: ignore[attr-defined]
                _tell_program("UsageError", 2, Problem(said))
            raise


app = typer.Typer(
    name="evenhand",
    cls=_Verbs,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Did the protected attribute itself change the decision, in any comparable group?",
    epilog="Exit status: 0 certified or done · 1 not certified · 3 cannot decide · "
    "2 bad usage or input · 4 resources · 130 interrupted.",
)
for verb in (demo, init, discover, audit, release, compare, verify, paper):
    app.command(verb.__name__)(verb)


def _print_version(asked: bool) -> None:  # noqa: FBT001  # typer passes a flag by position
    if asked:
        from importlib.metadata import version

        typer.echo(f"evenhand {version('evenhand')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    pass


class _Unread:
    """Standard output that goes on in silence once nobody reads it any more (`| head`).

    So the exit status tells of the work, whoever looks at it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # all else is the stream's
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            return self._let_go(len(text))

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._let_go(0)

    def _let_go(self, written: int) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        return written


def main() -> None:
    """Run the command line; turn every error a user can mend into a sentence and a status."""
    unread = _Unread(sys.stdout)
    try:
        with redirect_stdout(unread):
            _run()
    finally:
        unread.flush()


def _run() -> None:
    try:
        app()
    except EvenhandError as error:
        _fail(type(error).__name__, error.exit_status, *error.problems)
    except MemoryError:
        _fail("ResourceError", 4, Problem("there is not enough memory for this"))
    except OSError as error:
        problem = Problem(error.strerror or str(error), where=str(error.filename or ""))
        _fail("ResourceError", 4, problem)
    except KeyboardInterrupt:
        _fail("Interrupted", 130, Problem("interrupted"))
    except SystemExit as stop:
        if stop.code == 130:  # Typer was there first
            _tell_program("Interrupted", 130, Problem("interrupted"))
        raise


def _fail(kind: str, status: int, *problems: Problem) -> NoReturn:
    for problem in problems:
        typer.echo(f"evenhand: {_as_text(problem.text(option))}", err=True)
    _tell_program(kind, status, *problems)
    sys.exit(status)


def _as_text(told: str) -> str:
    """The name of a file may hold bytes that are no text; they are shown as escapes."""
    return told.encode("utf-8", "backslashreplace").decode()


def _tell_program(kind: str, status: int, *problems: Problem) -> None:
    """Print a failure as a document, if one was asked for.

    The words are looked at as they were typed: with bad usage nobody has read the options.
    """
    typed = sys.argv[1:]
    formats = {"--json", "--format=json"} & {*typed}
    if not formats and ("--format", "json") not in pairwise(typed):
        return
    told = [
        {
            part: _as_text(value) if isinstance(value, str) else value
            for part, value in problem.to_dict(option).items()
        }
        for problem in problems
    ]
    with suppress(OSError):  # where nothing can be written, the status tells alone
        print_json({"error": kind, "exit_status": status, "problems": told})
