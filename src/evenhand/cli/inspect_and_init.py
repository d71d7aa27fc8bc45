"""``evenhand inspect`` and ``init``: a look at a table, and a question file made from it."""

import sys
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import Annotated

import typer

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, with_keys
from evenhand.cli.terminal import (
    ProgressBar,
    is_terminal,
    option,
    print_json,
    print_results,
    say,
)
from evenhand.errors import InputError
from evenhand.files import write_file


@with_keys
def inspect(asked: Asked, *, json: AsJson = False) -> None:
    """Look at the columns of a table before it is judged.

    Example: `evenhand inspect adult.csv --decision income --protected sex`
    """
    parts = asked.parts
    with ProgressBar(quiet=json) as progress:
        inspection = asked.read(progress).inspect(
            asked.question_if_complete,
            decision=parts.get("decision"),
            protected=parts.get("protected"),
        )
    if json:
        print_json(inspection.to_dict(option))
        return
    print_results(inspection.summary(), inspection.columns_summary())
    if asked.question_file is None:
        typed = [
            word
            for field, value in asked.typed
            for word in field.words(value, "init")  # which takes the same keys
        ]
        command = join(["evenhand", "init", asked.data, *typed])
        say(f"Written into a question file by: {command}")


_ASKED = {
    "decision": "Which column holds the decision",
    "protected": "Which column is the protected attribute",
}


@with_keys
def init(
    asked: Asked,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write. [default: NAME.toml here]"),
    ] = None,
) -> None:
    """Write a commented question file from a look at DATA.

    With both columns named the file can be run as it is:
    `evenhand init people.csv --decision hired --protected sex`
    """
    from evenhand.rows.inspect.question_draft import draft, template

    target = output or Path(f"{Path(asked.data).name.split('.')[0]}.toml")
    if target.exists():
        raise InputError.of(
            "The file exists already and is left as it is.",
            remedy="Name another with --output, or move it away.",
            where=str(target),
        )
    codings, given, rows = asked.so_far.codings, asked.parts, asked.read()
    given |= _ask([role for role in _ASKED if role not in given], rows.columns)
    with ProgressBar(quiet=False) as progress:
        rows = replace(rows, progress=progress)
        made = draft(rows.inspect, given, codings)
    write_file(target, template(made, data=asked.data), mode=0o644, overwrite=False)
    open_roles = [role for role in _ASKED if role not in given]
    todo = f"Name {' and '.join(open_roles)} in it" if open_roles else "Read it"
    say(f"Wrote {target}. {todo}, then:")
    say(f"  {join(['evenhand', 'audit', asked.data, '--question', str(target)])}")


def _ask(roles: list[str], columns: tuple[str, ...]) -> dict[str, str]:
    """Ask for columns on a terminal; an empty answer leaves one open."""
    if not roles or not is_terminal() or not sys.stdin.isatty():
        return {}
    say(f"Columns: {', '.join(columns)}")
    answers = {
        role: typer.prompt(
            f"{_ASKED[role]} (Enter: say it later)", default="", show_default=False
        )
        for role in roles
    }
    return {role: answer.strip() for role, answer in answers.items() if answer.strip()}
