"""Write docs/command-line.md from the command line itself.

    python scripts/document_commands.py

The options come from the application, the sentences from its help; a test compares the page.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import typer

from evenhand.cli.entry import app

PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"

OPENING = """\
# The command line

Made by `python scripts/document_commands.py`, not edited by hand.

    evenhand VERB [DATA] [OPTIONS]

DATA is a CSV, Parquet or Arrow file, a folder of them or a glob. `evenhand VERB --help` tells
the same as this page. `--json` writes one JSON document to standard output and nothing else.
A progress bar shows on a terminal only. `evenhand --install-completion` teaches your shell the
verbs and options.

## Exit status

| status | meaning |
|---|---|
| 0 | certified, or done |
| 1 | not certified; of `verify`: the record is false, or not what was expected |
| 2 | bad usage or input |
| 3 | cannot decide |
| 4 | not enough memory or space, or a file cannot be read or written |
| 130 | interrupted |
"""

SHARED = """\
## Options that verbs share

Of {verbs}. What the file of `--question` says holds unless an
option says otherwise. Options with a star can be given several times.
"""


def page() -> str:
    """The whole page."""
    root: Any = typer.main.get_command(app)
    verbs = root.commands
    common = _common(verbs.values())
    takers = [name for name, verb in verbs.items() if common <= _names(verb)]
    some = verbs[takers[0]]
    parts = [OPENING, SHARED.format(verbs=_listed(takers))]
    parts += _panels(p for p in _options(some) if p.name in common)
    for name, verb in verbs.items():
        parts += [f"## evenhand {name}\n", _help(verb.help)]
        left_out = common if name in takers else ()
        parts += _table(p for p in verb.params if p.name not in left_out)
        if name in takers:
            parts.append("And [the options that verbs share](#options-that-verbs-share).\n")
    parts += ["## evenhand\n", *_table(_options(root))]
    return "\n".join(parts)


def _options(verb: Any) -> list[Any]:  # noqa: ANN401  # typer has no public type for it
    return [p for p in verb.params if p.param_type_name == "option" and not p.hidden]


def _names(verb: Any) -> set[str]:  # noqa: ANN401
    return {p.name for p in _options(verb)}


def _common(verbs: Iterable[Any]) -> set[str]:
    """The options of every verb that asks a question."""
    return set.intersection(*(_names(v) for v in verbs if "protected" in _names(v)))


def _panels(options: Iterable[Any]) -> Iterator[str]:
    for title, panel in groupby(options, key=lambda p: p.rich_help_panel):
        yield f"### {title}\n"
        yield from _table(panel)


def _table(parameters: Iterable[Any]) -> Iterator[str]:
    lines = [f"| {_name(p)} | {_cell(p.help)} | {_default(p)} |" for p in parameters]
    if lines:
        yield "\n".join(["|  | what it is | unless said |", "|---|---|---|", *lines]) + "\n"


def _name(parameter: Any) -> str:  # noqa: ANN401
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return ", ".join(f"`{name}`" for name in parameter.opts) + r"\*" * parameter.multiple


def _default(parameter: Any) -> str:  # noqa: ANN401
    if parameter.required:
        return "needed"
    default = parameter.default
    return "" if default is None or default is False or default == "" else f"`{default}`"


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("*", r"\*")


def _help(text: str) -> str:
    """A docstring as paragraphs; a trailing example becomes a block of its own."""
    told, example, command = text.partition("Example: `")
    block = f"\n\n```console\n$ {' '.join(command.rstrip('`').split())}\n```" if example else ""
    return told.strip() + block + "\n"


def _listed(names: list[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
