"""The Typer application and ``main``, which turns errors into messages and exit statuses.

Exit status: 0 certified or done, 1 not certified, 3 cannot decide, 2 bad usage or input,
4 resources or I/O, 130 interrupted. An error is printed on standard error, and with ``--json``
also as a JSON document on standard output.
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
from evenhand.cli.inspect import inspect
from evenhand.cli.option_syntax import offer, option
from evenhand.cli.paper import paper
from evenhand.cli.release import release
from evenhand.cli.terminal import print_json
from evenhand.cli.verify import verify
from evenhand.errors import EvenhandError, Problem

# Typer prints usage errors itself, but does not export their class.
(_UsageError,) = typer.BadParameter.__bases__


class _Verbs(TyperGroup):
    """The verbs; a usage error is also printed as JSON, before Typer prints it as text."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            offer(text for parameter in command.params for text in parameter.opts)
        return name, command, rest

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # typer has no public type for it
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(error, _UsageError):
                message = error.format_message()  # type: ignore[attr-defined]
                _print_json_error("UsageError", 2, Problem(message))
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
for verb in (demo, inspect, init, discover, audit, release, compare, verify, paper):
    app.command(verb.__name__)(verb)


def _print_version(is_given: bool) -> None:  # noqa: FBT001  # typer passes a flag by position
    if is_given:
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


class _OutputWithoutReader:
    """Standard output that drops what is written after its reader closed the pipe (`| head`).

    So the exit status is that of the work.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # everything else is the stream's
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop_the_rest()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop_the_rest()

    def _drop_the_rest(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


def main() -> None:
    """Run the command line; errors that a user can mend end in a message and a status."""
    output = _OutputWithoutReader(sys.stdout)
    try:
        with redirect_stdout(output):
            _run()
    finally:
        offer(None)
        output.flush()


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
        if stop.code == 130:  # Typer has caught the interrupt itself
            _print_json_error("Interrupted", 130, Problem("interrupted"))
        raise


def _fail(kind: str, status: int, *problems: Problem) -> NoReturn:
    for problem in problems:
        typer.echo(f"evenhand: {_printable(problem.text(option))}", err=True)
    _print_json_error(kind, status, *problems)
    sys.exit(status)


def _printable(text: str) -> str:
    """Escape undecodable bytes, which a file name may hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _print_json_error(kind: str, status: int, *problems: Problem) -> None:
    """Print an error as a JSON document, if the command asks for JSON.

    Reads ``sys.argv`` itself: after a usage error the options have not been parsed.
    """
    typed = sys.argv[1:]
    formats = {"--json", "--format=json"} & {*typed}
    if not formats and ("--format", "json") not in pairwise(typed):
        return
    documents = [
        {
            part: _printable(value) if isinstance(value, str) else value
            for part, value in problem.to_dict(option).items()
        }
        for problem in problems
    ]
    with suppress(OSError):  # where nothing can be written, the status must suffice
        print_json({"error": kind, "exit_status": status, "problems": documents})
