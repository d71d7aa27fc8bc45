"""Options of the verbs, made from the table of keys, and ``evenhand help``, which lists them.

A verb takes one ``Asked`` as its first parameter, and a keyword for each option that is no key
of the question file.
"""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, TypeAlias

import typer

from evenhand.cli.asked import Asked, suggesting_files
from evenhand.cli.terminal import say, takes
from evenhand.errors import QuestionError, did_you_mean
from evenhand.question.fields import FIELDS, FLAG, TABLES, Field, parse_setting

_PANELS = {
    "question": "The question",
    "knowledge": "What is known beforehand",
    "learning": "How the graph is learned",
    "data": "How columns are read",
    "run": "What is judged",
    "release": "The release",
}
result_option = partial(typer.Option, rich_help_panel="The result")
AsJson: TypeAlias = Annotated[
    bool, result_option("--json", help="Print one JSON document and nothing else.")
]
Quiet: TypeAlias = Annotated[
    bool, result_option("--quiet", "-q", help="Print only the verdict that decides.")
]
ReportFile: TypeAlias = Annotated[
    Path | None,
    result_option(
        "--report", help="Write a report to this file: a page, or a summary if it ends in .md."
    ),
]
Seed: TypeAlias = Annotated[int | None, result_option("--seed", help="Random seed.")]


def with_keys(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the table, the question file, its own keys and ``--set`` as parameters."""
    name = verb.__name__
    offered = [field for field in FIELDS if name in field.verbs.split()]
    # Options of other verbs and seldom used ones are taken, too, but help does not list them.
    taken = [
        one
        for one in FIELDS
        if (one.verbs or one.option) and one not in offered and takes(name, one)
    ]
    has_file = name != "init"
    has_graph = name not in {"discover", "inspect", "init"}

    @wraps(verb)
    def command(**given: Any) -> None:  # noqa: ANN401
        data, question, graph, settings = map(
            given.pop, ("data", "question", "graph", "settings"), (None,) * 4
        )
        typed = [
            (field, field.parse(text) if isinstance(text, str) else text)
            for field in (*offered, *taken)
            for text in _each(given.pop(field.name))
        ]
        with suggesting_files(data, question, graph):
            typed += map(partial(_setting, name), settings or ())
            verb(Asked(data, question, graph, tuple(typed)), **given)

    parameters = [
        _parameter(
            "data",
            str,
            typer.Argument(help="CSV, Parquet, Arrow or Excel: a file, folder or glob."),
            inspect.Parameter.empty,
        )
    ]
    if has_file:
        mark = "--question", "A question file (`evenhand init` writes one)."
        parameters.append(_file("question", *mark, _PANELS["question"]))
    parameters += [_of_field(field) for field in offered]
    parameters += [_of_field(field, hidden=True) for field in taken]
    if has_graph:
        text = "A file with the whole graph: JSON, a certificate, an edge list, DOT or dagitty."
        parameters.append(_file("graph", "--graph", text, _PANELS["knowledge"]))
    setting = typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any key of the question file; `evenhand help keys` lists them.",
        rich_help_panel=_PANELS["question"],
    )
    parameters.append(_parameter("settings", list[str] | None, setting))
    own = [*inspect.signature(verb).parameters.values()][1:]
    parameters += [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return command


def _each(typed: Any) -> list[Any]:  # noqa: ANN401  # a text, several, a flag or nothing
    return typed if isinstance(typed, list) else [typed] if typed not in (None, False) else []


def _setting(verb: str, text: str) -> tuple[Field, Any]:
    field, value = parse_setting(text)
    if not takes(verb, field):
        raise QuestionError.of(
            f"{field.key} is nothing for {verb}.",
            remedy=f"Leave it out, or use `evenhand {field.table}`.",
        )
    return field, value


def _of_field(field: Field, *, hidden: bool = False) -> inspect.Parameter:
    default = f" [default: {field.default}]" if field.default else ""
    mark = typer.Option(
        field.flag,
        metavar="" if field.kind is FLAG else field.kind.shown,
        help=field.help + default,
        rich_help_panel=_PANELS.get(field.table, "The result"),
        hidden=hidden,
    )
    if field.kind is FLAG:
        return _parameter(field.name, bool, mark, default=False)
    several = field.kind.many or field.kind.names
    return _parameter(field.name, list[str] | None if several else str | None, mark)


def _file(name: str, flag: str, text: str, panel: str) -> inspect.Parameter:
    mark = typer.Option(flag, help=text, rich_help_panel=panel)
    return _parameter(name, Path | None, mark)


def _parameter(
    name: str,
    kind: Any,  # noqa: ANN401  # a type or a union
    mark: Any,  # noqa: ANN401  # typer's
    default: object = None,
) -> inspect.Parameter:
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind, mark],
        default=default,
    )


_WIDTH = 24


def help_(topic: Annotated[str, typer.Argument(help="What to list: keys.")] = "keys") -> None:
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
