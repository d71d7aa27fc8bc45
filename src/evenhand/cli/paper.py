"""``evenhand paper``: the paper's figures and ours, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.terminal import print_results
from evenhand.files import write_file


def paper(
    *,
    data: Annotated[
        Path | None, typer.Option(help="A folder with dutch_census_2001.arff, or the file.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Also write everything to this Markdown file.")
    ] = None,
) -> None:
    """Print the paper's examples, discoveries and tables, with ours beside them.

    Adult comes with evenhand; the Dutch census is read from your own copy.
    """
    from evenhand import datasets
    from evenhand.reproduction import as_markdown, reproduce

    file = data if data is None or data.is_file() else next(data.rglob("dutch*.arff"), data)
    sections = []
    for section in reproduce(None if file is None else datasets.dutch(file)):
        print_results(section)
        sections.append(section)
    if markdown is not None:
        write_file(markdown, as_markdown(sections), mode=0o644, overwrite=True)
