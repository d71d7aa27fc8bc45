"""What a person sees: results with a little colour, and a bar where work takes long."""

import json
import sys
from shutil import get_terminal_size
from types import TracebackType
from typing import Any, Self

import typer

from evenhand.display import Summary


def print_result(summary: Summary) -> None:
    """Print a summary with its title emphasised, on terminals that can."""
    # In a pipe lines stay whole, so that a program can look for them.
    shown = summary.fitted(get_terminal_size().columns) if sys.stdout.isatty() else str(summary)
    title, _, rest = shown.partition("\n")
    typer.secho(title, bold=True)
    if rest:
        typer.echo(rest)
    typer.echo()


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON document."""
    typer.echo(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False))


class Progress:
    """A bar on standard error that appears only on a terminal, and leaves nothing behind.

    The object itself is what a search calls to say how far it is.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._shown:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("counting", total=None)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, so_far: Any) -> None:  # noqa: ANN401  # whatever a worker tells
        """Show how far the rows, tests or resamples are."""
        if self._bar is None:
            return
        from evenhand.rows.progress import Passed

        if isinstance(so_far, int):
            self._bar.update(self._task, completed=so_far, description="tests")
            return
        if isinstance(so_far, Passed):
            rate = f"{so_far.what} rows, {so_far.rate / 1e6:.1f} M/s"
            self._bar.update(
                self._task, completed=so_far.rows, total=so_far.total, description=rate
            )
            return
        depth = getattr(so_far, "depth", None)
        self._bar.update(
            self._task,
            completed=so_far.done,
            total=so_far.total,
            description="resamples" if depth is None else f"tests given {depth}",
        )
