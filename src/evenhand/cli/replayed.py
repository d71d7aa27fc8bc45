"""A release made once more from its manifest, for ``evenhand verify``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from evenhand.cli.option_syntax import option
from evenhand.cli.terminal import print_json
from evenhand.errors import (
    ColumnError,
    EvenhandError,
    MissingValueError,
    Problem,
    QuestionError,
    ValuesError,
)

if TYPE_CHECKING:
    from evenhand.releasing.manifest import Manifest

_SAID = {
    0: "The same bytes come out",
    1: "The same bytes do not come out",
    3: "This release cannot be made once more from its manifest",
}


def is_manifest(text: str) -> bool:
    """Whether a document says of itself that it is a manifest."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    named = content.get("format") if isinstance(content, dict) else None
    return isinstance(named, str) and named.startswith("evenhand manifest ")


def replayed(path: Path, data: str | None, *, as_json: bool) -> int:
    """Make a release once more without writing it; 0 if its bytes are those recorded."""
    from evenhand.releasing.manifest import Manifest

    manifest = Manifest.read(path)
    if data is None:
        raise QuestionError(
            Problem(
                "Which data was the release made from?",
                remedy=f"Name them: evenhand verify {path} DATA.",
                where=str(path),
            )
        )
    status, notes = _status(manifest, data)
    name, digest = manifest.output["name"], manifest.output["sha256"]
    if as_json:
        told = {"same": {0: True, 1: False}.get(status), "output": name, "sha256": digest}
        print_json({**told, "against": data, "notes": list(notes)})
        return status
    typer.secho(f"{_SAID[status]}: {name}", bold=True)
    for line in (f"from {data}", *notes):
        typer.echo(f"  {line}")
    return status


def _status(manifest: "Manifest", data: str) -> tuple[int, tuple[str, ...]]:
    """Data that cannot be read are bad input, unless they only lack what the manifest names."""
    from evenhand.releasing import replay
    from evenhand.rows import read

    if manifest.document["plan"]["generated"]:
        return 3, ("Its rows were generated from a model, which the manifest does not hold.",)
    if not manifest.document["input"].get("files"):
        return 3, ("It was made from counts, a frame or an engine, and not from files.",)
    try:
        rows = read(data, codings=manifest.codings)
        rows.count()
    except (ColumnError, ValuesError, MissingValueError) as error:
        return 1, tuple(problem.text(option) for problem in error.problems)
    try:
        return (0 if replay(manifest, rows).is_same else 1), ()
    except EvenhandError as error:
        return 1, tuple(problem.text(option) for problem in error.problems)
