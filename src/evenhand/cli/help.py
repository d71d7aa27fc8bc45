"""``evenhand help``: the keys of the question file."""

from textwrap import wrap
from typing import Annotated

import typer

from evenhand.cli.terminal import say
from evenhand.errors import QuestionError, did_you_mean
from evenhand.question.fields import TABLES

_WIDTH = 24


def help_(topic: Annotated[str, typer.Argument(help="keys")] = "keys") -> None:
    """List the keys of the question file, each of which `--set KEY=VALUE` takes.

    Example: `evenhand help keys`
    """
    if topic != "keys":
        raise QuestionError.of(
            f"There is no help on {topic!r}.",
            did_you_mean(topic, ["keys"]),
            "See `evenhand help keys`, or `evenhand VERB --help`.",
        )
    say(*_lines())


def _lines() -> list[str]:
    """Each table with its keys: what it takes, what it is, and what holds without it."""
    lines = []
    for table, fields in TABLES.items():
        lines += [f"[{table}]"]
        for field in fields.values():
            mark = "." if field.kind.names else "="
            default = f" [default: {field.default}]" if field.default else ""
            first, *rest = wrap(field.help + default, 80 - _WIDTH - 4) or [""]
            key = f"{field.key}{mark}{field.kind.shown}"
            lines += [f"  {key:<{_WIDTH}}  {first}"] if len(key) <= _WIDTH else [f"  {key}"]
            rest = rest if len(key) <= _WIDTH else [first, *rest]
            lines += [f"{'':<{_WIDTH + 4}}{line}" for line in rest]
        lines.append("")
    return lines
