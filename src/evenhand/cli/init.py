"""``evenhand init``: a question file to fill in, made from a table's columns and values."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.mending import guessing_files
from evenhand.cli.spelling import toml_key
from evenhand.errors import InputError, Problem, ResourceError
from evenhand.question.file import toml_string

_FEW = 12


def init(
    data: Annotated[
        Path, typer.Argument(help="A CSV, Parquet or Arrow file, or a folder of them.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write; else NAME.toml here."),
    ] = None,
) -> None:
    """Write a commented question file from DATA's columns and values."""
    from evenhand.question.template import template
    from evenhand.rows import read

    target = output or Path(f"{data.name.split('.')[0]}.toml")
    if target.exists():
        raise InputError(
            Problem(
                "The file exists already and is left as it is.",
                remedy="Name another with --output, or move it away.",
                where=str(target),
            )
        )
    with guessing_files(data):
        profile = read(data).profile()
    try:
        target.write_text(_with_examples(template(profile, data=str(data)), profile), "utf-8")
    except OSError as error:
        raise ResourceError(
            Problem(
                f"The file cannot be written: {error.strerror}.",
                remedy="Name another place with --output.",
                where=str(target),
            )
        ) from error
    typer.echo(f"Wrote {target}. Fill in its [question], then:")
    typer.echo(f"  evenhand audit {data} --question {target}")


def _with_examples(written: str, profile: Mapping[str, Mapping[str, int] | None]) -> str:
    """Add examples of tiers and labels in the table's own names, all of them comments."""
    named = {
        name: [*values] for name, values in profile.items() if values and len(values) <= _FEW
    }
    tiers = "".join(f"# {line}\n" for line in _tiers([*named]))
    labels = "".join(f"# {line}\n" for line in _labels(named))
    # What comes before the next heading belongs to [knowledge], the end to [labels.columns].
    return written.replace("\n[data]\n", f"{tiers}\n[data]\n", 1) + labels


def _tiers(names: list[str]) -> Iterator[str]:
    if len(names) < 3:
        return
    first, second, *_, last = map(toml_string, names)
    yield f"For example, if {first} comes before all others and {last} after them:"
    yield f'tiers = [[{first}], ["*"], [{last}]]'
    if len(names) > 3:
        yield f"Or, if {second} comes before all others, too:"
        yield f'tiers = [[{first}, {second}], ["*"], [{last}]]'


def _labels(named: Mapping[str, list[str]]) -> Iterator[str]:
    for name in [*named][:2]:
        yield f"{toml_string(name)} = {toml_string(f'words for {name}')}"
    for name, values in [*named.items()][:1]:
        yield f"[labels.values.{toml_key(name)}]"
        for value in values[:3]:
            yield f"{toml_string(value)} = {toml_string(f'words for {value}')}"
