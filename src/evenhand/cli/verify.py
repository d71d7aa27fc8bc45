"""``evenhand verify``: checks a certificate by the stand-alone checker, and against data."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evenhand.cli.file_suggestions import suggesting_files
from evenhand.cli.options import AsJson, result_option
from evenhand.cli.spelling import option
from evenhand.cli.terminal import print_json, say
from evenhand.display import visible

if TYPE_CHECKING:
    from evenhand.recheck import CheckedRecord

_SHOWN = 8


def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate: a JSON file.")],
    data: Annotated[
        str | None,
        typer.Argument(help="The data to check against; default: the record's own numbers."),
    ] = None,
    *,
    expect: Annotated[
        Literal["certified", "not certified", "cannot decide", "withheld"] | None,
        result_option(
            help="The verdict on the rows that every claim of it must have; exit status 1 "
            "otherwise."
        ),
    ] = None,
    sheet: Annotated[
        str | None,
        result_option("--sheet", help="The sheet of a spreadsheet; default: the record's."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Check a certificate again, from its own numbers or against the data.

    The exit status is 0 if the record is true whatever its verdict, 1 if it is false, 3 if that
    cannot be decided from what was given.

    Example: `evenhand verify adult.json adult.csv --expect certified`
    """
    with suggesting_files(certificate, data):
        raise typer.Exit(_verify_record(certificate, data, expect, sheet=sheet, json=json))


def _verify_record(
    certificate: Path, data: str | None, expect: str | None, *, sheet: str | None, json: bool
) -> int:
    """Print what is said of a certificate; returns the exit status."""
    from evenhand.recheck import check_record, through

    found = check_record(certificate, data, sheet=sheet, spelling=option)
    verdicts = found.verdicts
    is_expected = expect is None or {*verdicts.values()} == {expect}
    if json:
        print_json(
            {
                "record": {0: "true", 1: "false", 3: "cannot be decided"}[found.status],
                "verdict": verdicts.get(()),
                "indirect": next(
                    (
                        {"through": names, "verdict": verdict}
                        for names, verdict in verdicts.items()
                        if names
                    ),
                    None,
                ),
                "against": found.against,
                "checker": list(found.by_checker),
                "engine": list(found.by_engine),
                "stated": dict(found.stated),
                "by_engine_alone": list(found.by_engine_alone),
                "expected": is_expected,
            }
        )
    else:
        say(found.sentence, bold=True)
        say(f"  against {found.against}")
        for program, differences in found.objections:
            _list(program, differences)
        if data and not found.checker_read_data:
            say("  The stand-alone checker reads CSV only: it saw the record's numbers.")
        for names, verdict in verdicts.items():
            if expect not in (None, verdict):
                say(f"  Expected was{f', {through(names)}' if names else ''}: {expect}")
        _list_stated(found)
    return found.status or (0 if is_expected else 1)


def _list(program: str, differences: Sequence[str]) -> None:
    """Print the first differences that a program found."""
    for difference in differences[:_SHOWN]:
        _echo_wrapped(f"  {program}: {difference}", indent=4)
    if len(differences) > _SHOWN:
        say(f"  {program}: and {len(differences) - _SHOWN:,} more; --json has all")


def _list_stated(found: "CheckedRecord") -> None:
    """Print what was not checked, and the fields that only the engine checked."""
    if not found.stated:
        return
    say("Stated in the record, not checked:")
    for name, what in found.stated.items():
        _echo_wrapped(f"  {name:<20} {what}", indent=23)
    if alone := found.by_engine_alone:
        _echo_wrapped(f"Checked by the engine alone: {', '.join(alone)}.", indent=0)


def _echo_wrapped(text: str, *, indent: int) -> None:
    """Print text that may hold anything as lines of 80 characters."""
    lines = fill(
        visible(text),
        80,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    say(*lines.split("\n"))
