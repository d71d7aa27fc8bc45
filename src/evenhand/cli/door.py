"""The door itself: one Typer application, stated exit statuses, and no traceback for bad input.

Exit status: 0 certified or done, 1 not certified, 3 cannot decide, 2 bad usage or input,
4 resources or I/O, 130 interrupted.
"""

import os
import sys
from contextlib import redirect_stdout
from typing import Annotated, Any, TextIO

import typer

from evenhand.cli.audit import audit
from evenhand.cli.compare import compare
from evenhand.cli.demo import demo
from evenhand.cli.discover import discover
from evenhand.cli.init import init
from evenhand.cli.paper import paper
from evenhand.cli.release import release
from evenhand.cli.verify import verify
from evenhand.errors import EvenhandError

app = typer.Typer(
    name="evenhand",
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
            app()
    except EvenhandError as error:
        for problem in error.problems:
            typer.echo(f"evenhand: {problem}", err=True)
        sys.exit(error.exit_status)
    except MemoryError:
        typer.echo("evenhand: there is not enough memory for this", err=True)
        sys.exit(4)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        typer.echo(f"evenhand: {place}{error.strerror or error}", err=True)
        sys.exit(4)
    except KeyboardInterrupt:
        typer.echo("evenhand: interrupted", err=True)
        sys.exit(130)
    finally:
        unread.flush()
