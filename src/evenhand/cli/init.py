"""``evenhand init``: a question file to fill in, made from a table's columns and values."""

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.file_suggestions import suggesting_files
from evenhand.errors import InputError
from evenhand.files import write_file


def init(
    data: Annotated[
        Path, typer.Argument(help="A CSV, Parquet or Arrow file, or a folder of them.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write; default: NAME.toml here."),
    ] = None,
) -> None:
    """Write a commented question file from DATA's columns and values."""
    from evenhand.question.question_template import template
    from evenhand.rows import read

    target = output or Path(f"{data.name.split('.')[0]}.toml")
    if target.exists():
        raise InputError.of(
            "The file exists already and is left as it is.",
            remedy="Name another with --output, or move it away.",
            where=str(target),
        )
    with suggesting_files(data):
        profile = read(data).profile()
    write_file(target, template(profile, data=str(data)), mode=0o644, overwrite=False)
    typer.echo(f"Wrote {target}. Fill in its [question], then:")
    typer.echo(f"  evenhand audit {data} --question {target}")
