"""The Typer application and ``main``, which turns errors into messages and exit statuses.

Exit status: 0 done, *No*, *Not shown* or certified, 1 *Yes* or not certified, 3 *Cannot tell*
or cannot decide, 2 bad usage or input, 4 resources or I/O, 5 unexpected, 129, 130 and 143 ended
by SIGHUP, SIGINT and SIGTERM. An error is printed on standard error, and with ``--json`` also
as a JSON document on standard output.
"""

import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from evenhand.cli.audit import audit
from evenhand.cli.compliance_tables import comparators, tables
from evenhand.cli.demonstrations import demo, paper
from evenhand.cli.discover import discover
from evenhand.cli.inspect_and_init import init, inspect
from evenhand.cli.options import help_
from evenhand.cli.process import (
    Interrupted,
    StandardStream,
    ending_signals,
    open_closed_streams,
    raise_held,
)
from evenhand.cli.release import compare, release
from evenhand.cli.terminal import offer, option, print_json, say
from evenhand.cli.verify import verify
from evenhand.cli.web import web
from evenhand.display import visible
from evenhand.errors import EvenhandError, Problem
from evenhand.question.fields import FIELDS

_DEBUG = "EVENHAND_DEBUG"
_DONE = (0, 1, 3)  # statuses of work that was done
# What an option takes, by its type in Python.
_SHOWN = {Path: "FILE", int: "N", str: "TEXT"}
# Typer prints usage errors itself, but does not export their class.
(_UsageError,) = typer.BadParameter.__bases__


def _nothing(**_: object) -> None:
    pass


class _Verb(TyperCommand):
    """A verb, whose help shows what options and arguments take and not their Python types."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401  # typer has no public type
        parameters: list[Any] = super().get_params(ctx)
        for one in parameters:
            if one.param_type_name == "argument":
                one.display_type_rich = _nothing  # its name and its help say enough
            elif one.metavar is None:
                kind = one.type_descriptor.annotation
                one.metavar = "" if one.is_flag else _SHOWN.get(kind)
        return parameters


class _Verbs(TyperGroup):
    """The verbs; a usage error is also printed as JSON, before Typer prints it as text."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            offer(name, (text for parameter in command.params for text in parameter.opts))
        return name, command, rest

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        with _reported_usage_errors(self):
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        with _reported_usage_errors(self):
            return super().invoke(ctx)


@contextmanager
def _reported_usage_errors(verbs: _Verbs) -> Iterator[None]:
    """Print a usage error as JSON, if that is asked for, and let nothing typed act in it."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, _UsageError):
            raise
        plain = error.format_message()  # type: ignore[attr-defined]
        meant = _meant(plain, verbs)
        message = f"{plain.removesuffix('.')}. {meant}" if meant else plain
        _print_json_error("UsageError", 2, Problem(message))
        if visible(message) == plain:
            raise
        raise _UsageError(visible(message), error.ctx) from error  # type: ignore[attr-defined]


def _meant(message: str, verbs: _Verbs) -> str:
    """What was meant by a verb that is an option, or by an option that is a key."""
    if found := re.fullmatch(r"No such command '(\w+)'\.", message):
        options = [
            f"'{name} --{found[1]}'"
            for name, verb in verbs.commands.items()
            if any(f"--{found[1]}" in one.opts for one in verb.params)
        ]
        return f"Did you mean {' or '.join(options)}?" if options else ""
    found = re.match(r"No such option: (--[\w-]+)", message)
    field = next((one for one in FIELDS if found and one.flag == found[1]), None)
    if field is None or not (words := option(field.argument or field.name, ...)):
        return ""
    return f"Did you mean {words}?"


app = typer.Typer(
    name="evenhand",
    cls=_Verbs,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Did the protected attribute itself change the decision, in any comparable group?",
    epilog="Exit status: 0 No, Not shown, certified or done · 1 Yes or not certified · "
    "3 cannot tell or decide · 2 bad usage or input · 4 resources · 5 unexpected · "
    "129, 130, 143 ended by a signal.",
)
for verb in (
    demo,
    inspect,
    init,
    discover,
    audit,
    release,
    compare,
    tables,
    comparators,
    verify,
    web,
    paper,
    help_,
):
    app.command(verb.__name__.removesuffix("_"), cls=_Verb)(verb)


def _print_version(is_given: bool) -> None:  # noqa: FBT001  # typer passes a flag by position
    if is_given:
        from importlib.metadata import version

        say(f"evenhand {version('evenhand')}")
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


def main() -> None:
    """Run the command line; whatever happens ends in a status, not in a traceback."""
    open_closed_streams()
    output, errors = StandardStream(sys.stdout), StandardStream(sys.stderr)
    with redirect_stdout(output), redirect_stderr(errors):
        try:
            with ending_signals() as arrived:
                status = _run(arrived)
        except Interrupted as stop:  # while an error was being reported
            status = stop.exit_status
        output.flush()
        if output.has_lost_text and status in _DONE:
            status = _report("ResourceError", 4, _lost_output(output.error))
        errors.flush()
    offer(None)
    sys.exit(status)


def _run(arrived: Iterable[Interrupted]) -> int:
    """Run the verb; returns the exit status, that of a signal if one has arrived."""
    try:
        raise_held()
        app()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except BaseException as error:  # noqa: BLE001  # a traceback would have a verdict's status
        return _report(*_described(next(iter(arrived), error)))
    return 0


def _described(error: BaseException) -> tuple[str, int, *tuple[Problem, ...]]:
    """The kind of an error, its exit status and its problems."""
    if isinstance(error, EvenhandError):
        return type(error).__name__, error.exit_status, *error.problems
    if isinstance(error, MemoryError):
        return "ResourceError", 4, Problem("there is not enough memory for this")
    if isinstance(error, OSError):
        problem = Problem(error.strerror or str(error), where=str(error.filename or ""))
        return "ResourceError", 4, problem
    if isinstance(error, Interrupted):
        return "Interrupted", error.exit_status, Problem(f"interrupted by {error}")
    if os.environ.get(_DEBUG):
        traceback.print_exception(error)
    return "Unexpected", 5, _unexpected(error)


def _unexpected(error: BaseException) -> Problem:
    return Problem(
        "This should not have happened, and says nothing about the data.",
        f"{type(error).__name__}: {error}".rstrip(": ") + ".",
        f"Run it again with {_DEBUG}=1 in the environment, and report what is printed as an "
        "issue of evenhand.",
    )


def _lost_output(error: OSError | None) -> Problem:
    return Problem(
        f"Standard output cannot be written: {error.strerror if error else ''}.",
        "What was to be printed is incomplete; files that were named are written.",
        "Make room or print to another place, and run again.",
    )


def _report(kind: str, status: int, *problems: Problem) -> int:
    """Print an error; returns its exit status."""
    for problem in problems:
        say(f"evenhand: {problem.text(option)}", err=True)
    _print_json_error(kind, status, *problems)
    return status


def _printable(text: str) -> str:
    """Escape undecodable bytes, which a file name may hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _print_json_error(kind: str, status: int, *problems: Problem) -> None:
    """Print an error as a JSON document, if the command asks for JSON.

    Reads ``sys.argv`` itself: after a usage error the options have not been parsed. Nothing is
    printed after the document of a result.
    """
    typed = sys.argv[1:]
    formats = {"--json", "--format=json"} & {*typed}
    is_asked_for = formats or ("--format", "json") in pairwise(typed)
    if not is_asked_for or getattr(sys.stdout, "has_text", False):
        return
    documents = [
        {
            part: _printable(value) if isinstance(value, str) else value
            for part, value in problem.to_dict(option).items()
        }
        for problem in problems
    ]
    print_json({"error": kind, "exit_status": status, "problems": documents})
