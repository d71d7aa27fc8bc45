"""``evenhand web``: the app in a browser, from a table to a certified release."""

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.terminal import say
from evenhand.errors import InputError, ResourceError, path_exists


def web(
    data: Annotated[Path | None, typer.Argument(help="The table to open.")] = None,
    *,
    question: Annotated[
        Path | None,
        typer.Option("--question", help="The question file. [default: NAME.toml]"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder",
            help="Read and write only here. [default: that of the table, else this one]",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            show_default=False,
            help="The port of the address. [default: a free one]",
        ),
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
) -> None:
    """Open the app in a browser: from a table to a certified release, without a line of code.

    It serves this machine alone, and nothing leaves it.
    """
    for path in filter(None, (data, question, folder)):
        if not path_exists(path):
            raise InputError.of(
                "There is no such file or folder.", remedy="Check the name.", where=str(path)
            )
    if folder is not None and not folder.is_dir():
        raise InputError.of(
            "This is no folder.", remedy="Name the one that holds the table.", where=str(folder)
        )
    if question is not None and data is None:
        raise InputError.of(
            "A question file is about a table.", remedy="Name it too.", where=str(question)
        )
    try:
        from evenhand.web.server import serve
    except ImportError as error:
        raise ResourceError.of(
            "The app needs Starlette, uvicorn and tomlkit, which are not installed.",
            str(error),
            'Install them: pip install "evenhand[web]".',
        ) from error

    root = folder or (data.resolve().parent if data else Path())
    for path in filter(None, (data, question)):
        if not path.resolve().is_relative_to(root.resolve()):
            raise InputError.of(
                "This file lies outside the folder that is to be open.",
                remedy="Name a folder that holds it with --folder.",
                where=str(path),
            )
    serve(
        root,
        data.resolve() if data else None,
        question.resolve() if question else None,
        port=port,
        open_browser=not no_browser,
        say=say,
    )
