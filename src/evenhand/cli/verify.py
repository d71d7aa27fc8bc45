"""``evenhand verify``: a certificate checked by two programs that share no code."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.error_hints import guessing_files
from evenhand.cli.option_syntax import option
from evenhand.cli.replayed import is_manifest, replayed
from evenhand.cli.terminal import print_json
from evenhand.errors import (
    ColumnError,
    EvenhandError,
    InputError,
    MissingValueError,
    Problem,
    QuestionError,
    ValuesError,
)

_LARGEST = 1_000_000_000
_SHOWN = 8
_SAID = {
    0: "The record is true",
    1: "The record is false",
    3: "Whether the record is true cannot be decided from this; it says",
}


class Expected(StrEnum):
    """The verdicts that can be expected."""

    CERTIFIED = "certified"
    NOT_CERTIFIED = "not certified"
    CANNOT_DECIDE = "cannot decide"


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate or manifest: a JSON file.")
    ],
    data: Annotated[
        str | None, typer.Argument(help="The data it is about; its own numbers if not given.")
    ] = None,
    *,
    expect: Annotated[
        Expected | None, typer.Option(help="The verdict it must have; exit status 1 otherwise.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON document, nothing else.")
    ] = False,
) -> None:
    """Check a certificate again, from its own numbers or against the data.

    The exit status is 0 if the record is true whatever its verdict, 1 if it is false, 3 if that
    cannot be decided from what was given. Of a release's manifest, with the data before it, it
    is 0 if the same bytes come out once more, 1 if not, 3 if that cannot be tried.

    Example: `evenhand verify adult.json adult.csv --expect certified`
    """
    from evenhand.checker import checker

    with guessing_files(certificate, data):
        text = _text(certificate)
        if is_manifest(text):
            if expect is not None:
                raise QuestionError(
                    Problem(
                        "A manifest has no verdict to expect.",
                        remedy="Leave --expect out, or name the certificate.",
                        where=str(certificate),
                    )
                )
            raise typer.Exit(replayed(certificate, data, as_json=json))
        by_checker = _is_text_table(data)
        status, noted = checker.verify(text, data if by_checker else None)
        verdict, by_engine, is_settled = _certified_again(text, data, is_false=status == 1)
    if by_engine:
        status = 3 if status == 3 and verdict is None else 1
    elif status == 3 and is_settled:
        status = 0
    told = {
        "record": {0: "true", 1: "false", 3: "cannot be decided"}[status],
        "verdict": verdict,
        "against": data or "its own numbers",
        "checker": noted,
        "engine": list(by_engine),
        "expected": expect is None or expect == verdict,
    }
    if json:
        print_json(told)
    else:
        typer.secho(f"{_SAID[status]}: {verdict or 'no verdict'}", bold=True)
        typer.echo(f"  against {told['against']}")
        _list("checker", noted)
        _list("engine", by_engine)
        if data and not by_checker:
            typer.echo("  The stand-alone checker reads CSV only: it saw the record's numbers.")
        if not told["expected"]:
            typer.echo(f"  Expected was: {expect}")
    raise typer.Exit(status or (0 if told["expected"] else 1))


def _list(program: str, places: Sequence[str]) -> None:
    """Print what a program found, as far as a person reads it."""
    for place in places[:_SHOWN]:
        typer.echo(f"  {program}: {place}")
    if len(places) > _SHOWN:
        typer.echo(f"  {program}: and {len(places) - _SHOWN:,} more; --json has all")


def _certified_again(
    text: str, data: str | None, *, is_false: bool
) -> tuple[str | None, tuple[str, ...], bool]:
    """The verdict in the record, where the engine disagrees, and whether it could tell at all.

    Data that cannot be read are bad input, unless the record is false anyway or names columns
    and values that they do not have.
    """
    from evenhand.evidence.recorded_certificate import RecordedCertificate

    try:
        recorded = RecordedCertificate.parse(text)
        codings = recorded.codings
    except EvenhandError as error:
        return None, tuple(problem.text(option) for problem in error.problems), False
    verdict = str(recorded.verdict)
    if data is None:
        return verdict, recorded.own_differences(), recorded.content["copy"] == "full"
    from evenhand.rows import read

    try:
        rows = read(data, codings=codings)
        return verdict, recorded.differences(rows.count(), dropped=rows.dropped), True
    except EvenhandError as error:
        if is_false or isinstance(error, ColumnError | ValuesError | MissingValueError):
            return verdict, tuple(problem.text(option) for problem in error.problems), True
        raise


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(Problem("This is too large for a certificate.", where=str(path)))
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            Problem(
                f"The certificate cannot be read: {error}.",
                remedy="Name a file that `evenhand audit --certificate` wrote.",
                where=str(path),
            )
        ) from error
    if not text.lstrip().startswith("{"):
        raise InputError(
            Problem(
                "This is no certificate: it is not JSON.",
                remedy="Write `evenhand verify CERTIFICATE [DATA]`, the certificate first.",
                where=str(path),
            )
        )
    return text


def _is_text_table(data: str | None) -> bool:
    """Whether the stand-alone checker can read the data: one plain CSV file."""
    return data is not None and Path(data).is_file() and data.lower().endswith((".csv", ".tsv"))
