"""``evenhand verify``: checks a certificate by the stand-alone checker, and against data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evenhand.cli.asked import suggesting_files
from evenhand.cli.options import AsJson, result_option
from evenhand.cli.terminal import option, print_json, print_results
from evenhand.display import Summary

if TYPE_CHECKING:
    from evenhand.recheck import CheckedRecord

_SHOWN = 8


def verify(
    certificate: Annotated[Path, typer.Argument(help="A certificate: a JSON file.")],
    data: Annotated[
        str | None,
        typer.Argument(
            help="The data to check against. [default: the record's own numbers]",
        ),
    ] = None,
    *,
    expect: Annotated[
        Literal["certified", "not certified", "cannot decide", "withheld"] | None,
        result_option(
            metavar="VERDICT",
            help="Exit with 1 unless every claim has this verdict on the rows: certified, not "
            "certified, cannot decide or withheld.",
        ),
    ] = None,
    sheet: Annotated[
        str | None,
        result_option(
            "--sheet",
            help="The sheet of a spreadsheet. [default: the record's]",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Check a certificate again, from its own numbers or against the data.

    The exit status is 0 if the certificate is verified, whatever its verdict, 1 if it is
    refuted, and 3 if what was given decides neither.

    Example: `evenhand verify adult.json adult.csv --expect certified`
    """
    with suggesting_files(certificate, data):
        raise typer.Exit(_verify_record(certificate, data, expect, sheet=sheet, json=json))


def _verify_record(
    certificate: Path, data: str | None, expect: str | None, *, sheet: str | None, json: bool
) -> int:
    """Print what is said of a certificate; returns the exit status."""
    from evenhand.recheck import check_record

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
        print_results(*_summaries(found, expect, with_data=data is not None))
    return found.status or (0 if is_expected else 1)


def _summaries(found: "CheckedRecord", expect: str | None, *, with_data: bool) -> list[Summary]:
    """What each program found, and what neither checked."""
    from evenhand.recheck import through

    facts = [("against", found.against)]
    for program, differences in found.objections:
        facts += [(program, difference) for difference in differences[:_SHOWN]]
        if rest := len(differences) - _SHOWN:
            facts += [(program, f"and {rest:,} more; --json has all")] * (rest > 0)
    notes = [
        f"Expected was{f', {through(names)}' if names else ''}: {expect}"
        for names, verdict in found.verdicts.items()
        if expect not in (None, verdict)
    ]
    if with_data and not found.checker_read_data:
        notes.append("The stand-alone checker reads CSV only: it saw the record's numbers.")
    told = [Summary(title=found.sentence, facts=tuple(facts), notes=tuple(notes))]
    if found.stated:
        alone = ", ".join(found.by_engine_alone)
        stated = Summary(
            title="Stated in the record, not checked",
            facts=tuple(found.stated.items()),
            notes=(f"Checked by the engine alone: {alone}.",) if alone else (),
        )
        told.append(stated)
    return told
