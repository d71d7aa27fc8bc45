"""``evenhand verify``: a certificate checked by two programs that share no code."""

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.terminal import print_json
from evenhand.errors import InputError, Problem

_LARGEST = 1_000_000_000


def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate: a JSON file.")],
    data: Annotated[
        str | None, typer.Argument(help="The data it is about; its own numbers if not given.")
    ] = None,
    *,
    expect: Annotated[
        str | None, typer.Option(help="The verdict it must have; exit status 1 otherwise.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON document, nothing else.")
    ] = False,
) -> None:
    """Check a certificate again, from its own numbers or against the data.

    The exit status is 0 if the record is true whatever its verdict, 1 if it is false, 3 if that
    cannot be decided from what was given.

    Example: `evenhand verify adult.json adult.csv --expect certified`
    """
    from evenhand.checker import checker
    from evenhand.evidence.recorded import RecordedCertificate

    text = _text(certificate)
    by_checker = _is_text_table(data)
    status, wrong = checker.verify(text, data if by_checker else None)
    recorded = RecordedCertificate.parse(text, where=str(certificate))
    if data is None:
        by_engine = recorded.own_differences()
    else:
        from evenhand.rows import read

        rows = read(data, codings=recorded.codings)
        by_engine = recorded.differences(rows.count(), dropped=rows.dropped)
        status = 0 if status == 3 and not by_checker else status
    if by_engine:
        status = 1
    told = {
        "record": {0: "true", 1: "false", 3: "cannot be decided"}[status],
        "verdict": str(recorded.verdict),
        "against": data or "its own numbers",
        "checker": wrong,
        "engine": list(by_engine),
        "expected": expect is None or expect == str(recorded.verdict),
    }
    if json:
        print_json(told)
    else:
        typer.secho(f"The record is {told['record']}: {told['verdict']}", bold=True)
        typer.echo(f"  against {told['against']}")
        for program, places in (("checker", wrong), ("engine", by_engine)):
            for place in places:
                typer.echo(f"  {program}: {place}")
        if data and not by_checker:
            typer.echo("  The stand-alone checker reads CSV only: it saw the record's numbers.")
        if not told["expected"]:
            typer.echo(f"  Expected was: {expect}")
    raise typer.Exit(status or (0 if told["expected"] else 1))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(Problem("This is too large for a certificate.", where=str(path)))
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Problem(
                f"The certificate cannot be read: {error}.",
                remedy="Name a file that `evenhand audit --certificate` wrote.",
                where=str(path),
            )
        ) from error


def _is_text_table(data: str | None) -> bool:
    """Whether the stand-alone checker can read the data: one plain CSV file."""
    return data is not None and Path(data).is_file() and data.lower().endswith((".csv", ".tsv"))
