"""``evenhand verify``: checks a certificate by two programs that share no code.

A manifest is checked by making its release again, without writing it.
"""

import json as json_format
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evenhand.cli.file_suggestions import suggesting_files
from evenhand.cli.option_syntax import option
from evenhand.cli.options import AsJson, result_option
from evenhand.cli.terminal import print_json, say
from evenhand.display import visible
from evenhand.errors import (
    ColumnError,
    EvenhandError,
    InputError,
    MissingValueError,
    QuestionError,
    ValuesError,
)

if TYPE_CHECKING:
    from evenhand.question import Codings
    from evenhand.releasing.manifest import Manifest
    from evenhand.rows import Rows

_LARGEST = 1_000_000_000
_SHOWN = 8
_OTHER_DATA = (ColumnError, ValuesError, MissingValueError)  # readable, but not what is named
_RECORD = {
    0: "The record is true",
    1: "The record is false",
    3: "Whether the record is true cannot be decided from this; it says",
}
_REPLAY = {
    0: "Made again, the release has the same bytes",
    1: "Made again, the release does not have the same bytes",
    3: "The release cannot be made again from its manifest",
}


def verify(
    certificate: Annotated[
        Path, typer.Argument(help="A certificate or manifest: a JSON file.")
    ],
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
    cannot be decided from what was given. For a release's manifest, give the data from which
    the release was made: the status is 0 if making it again gives the same bytes, 1 if not,
    3 if it cannot be made again.

    Example: `evenhand verify adult.json adult.csv --expect certified`
    """
    with suggesting_files(certificate, data):
        text = _read_json(certificate)
        if not _is_manifest(text):
            raise typer.Exit(_verify_record(text, data, expect, sheet=sheet, json=json))
        if expect is not None:
            raise QuestionError.of(
                "A manifest has no verdict to expect.",
                remedy="Leave --expect out, or name the certificate.",
                where=str(certificate),
            )
        raise typer.Exit(_verify_manifest(certificate, data, sheet=sheet, json=json))


def _verify_record(
    text: str, data: str | None, expect: str | None, *, sheet: str | None, json: bool
) -> int:
    """Print what both programs say of a certificate; returns the exit status."""
    from evenhand import checker

    read_by_checker = _is_text_table(data)
    by_itself, by_checker, stated = checker.verify(text, data if read_by_checker else None)
    status = by_itself
    verdicts, by_engine, is_settled, inputs = _certify_again(
        text, data, sheet, is_false=status == 1
    )
    if by_engine:
        status = 3 if status == 3 and not verdicts else 1
    elif status == 3 and is_settled:
        status = 0
    is_expected = expect is None or {*verdicts.values()} == {expect}
    against = data or "its own numbers"
    if json:
        print_json(
            {
                "record": {0: "true", 1: "false", 3: "cannot be decided"}[status],
                "verdict": verdicts.get(()),
                "indirect": next(
                    (
                        {"through": names, "verdict": verdict}
                        for names, verdict in verdicts.items()
                        if names
                    ),
                    None,
                ),
                "against": against,
                "checker": by_checker,
                "engine": list(by_engine),
                "stated": {"checker": stated, "engine": inputs},
                "expected": is_expected,
            }
        )
    else:
        claims = {names: f"through {', '.join(names)}" for names in verdicts if names}
        told = "; ".join(
            f"{claims[names]}: {verdict}" if names else verdict
            for names, verdict in verdicts.items()
        )
        say(f"{_RECORD[status]}: {told or 'no verdict'}", bold=True)
        say(f"  against {against}")
        # What the checker left open and the engine settled is no objection.
        _list("checker", by_checker if status == by_itself else ())
        _list("engine", by_engine)
        if data and not read_by_checker:
            say("  The stand-alone checker reads CSV only: it saw the record's numbers.")
        for names, verdict in verdicts.items():
            if expect not in (None, verdict):
                say(f"  Expected was{f', {claims[names]}' if names else ''}: {expect}")
        if status != 1:
            _list_stated(stated, inputs)
    return status or (0 if is_expected else 1)


def _list(program: str, differences: Sequence[str]) -> None:
    """Print the first differences that a program found."""
    for difference in differences[:_SHOWN]:
        _echo_wrapped(f"  {program}: {difference}", indent=4)
    if len(differences) > _SHOWN:
        say(f"  {program}: and {len(differences) - _SHOWN:,} more; --json has all")


def _list_stated(by_checker: Mapping[str, str], by_engine: Mapping[str, str]) -> None:
    """Print what neither program checked, and the fields that only the engine did."""
    if not by_checker:
        return
    neither = [name for name in by_checker if {name, name.split(".")[0]} & {*by_engine}]
    say("Stated in the record, not checked:")
    for name in neither:
        what = by_engine.get(name, by_checker[name])
        _echo_wrapped(f"  {name:<20} {what}", indent=23)
    if alone := [name for name in by_checker if name not in neither]:
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


def _certify_again(
    text: str, data: str | None, sheet: str | None, *, is_false: bool
) -> tuple[dict[tuple[str, ...], str], tuple[str, ...], bool, dict[str, str]]:
    """The verdict of each claim, where the engine disagrees, whether it could tell, its inputs.

    Data that cannot be read are bad input, unless the record is false anyway or names columns
    and values that they do not have.
    """
    from evenhand.evidence.recorded_certificate import RecordedCertificate

    try:
        recorded = RecordedCertificate.parse(text)
        codings = recorded.codings
    except EvenhandError as error:
        return {}, _texts(error), False, {}
    verdicts = {names: str(verdict) for names, verdict in recorded.verdicts.items()}
    inputs = dict(recorded.stated(with_data=data is not None))
    if data is None:
        return verdicts, recorded.own_differences(), recorded.is_settled_alone, inputs
    try:
        rows = _read(data, codings, sheet)
        wrong = recorded.differences(rows.count(), dropped=rows.dropped)
    except EvenhandError as error:
        if is_false or isinstance(error, _OTHER_DATA):
            return verdicts, _texts(error), True, inputs
        raise
    return verdicts, wrong, True, inputs


def _verify_manifest(path: Path, data: str | None, *, sheet: str | None, json: bool) -> int:
    """Print whether a release made again has the recorded bytes; returns the exit status."""
    from evenhand.releasing.manifest import Manifest

    manifest = Manifest.read(path)
    if data is None:
        raise QuestionError.of(
            "A manifest is checked against the data from which the release was made.",
            remedy=f"Name them: evenhand verify {path} DATA.",
            where=str(path),
        )
    status, notes = _replay_status(manifest, data, sheet)
    name, digest = manifest.output["name"], manifest.output["sha256"]
    if json:
        is_same = {0: True, 1: False}.get(status)
        output = {"same": is_same, "output": name, "sha256": digest}
        print_json(output | {"against": data, "notes": list(notes)})
        return status
    say(f"{_REPLAY[status]}: {name}", bold=True)
    say(*(f"  {line}" for line in (f"from {data}", *notes)))
    return status


def _replay_status(
    manifest: "Manifest", data: str, sheet: str | None
) -> tuple[int, tuple[str, ...]]:
    """Data that cannot be read are bad input, unless they only lack what the manifest names."""
    from evenhand.releasing import replay

    if manifest.document["plan"]["generated"]:
        return 3, ("Its rows were generated from a model, which the manifest does not hold.",)
    if not manifest.document["input"].get("files"):
        return 3, ("It was made from counts, a frame or an engine, and not from files.",)
    try:
        rows = _read(data, manifest.codings, sheet)
        rows.count()
    except _OTHER_DATA as error:
        return 1, _texts(error)
    try:
        return (0 if replay(manifest, rows).is_same else 1), ()
    except EvenhandError as error:
        return 1, _texts(error)


def _read(data: str, codings: "Codings", sheet: str | None) -> "Rows":
    """The data as they were read for the record; only a spreadsheet has its sheet."""
    from evenhand.rows import read
    from evenhand.rows.open_files import is_spreadsheet

    if sheet is None and is_spreadsheet(data):
        sheet = codings.sheet
    return read(data, codings=replace(codings, sheet=sheet))


def _texts(error: EvenhandError) -> tuple[str, ...]:
    return tuple(problem.text(option) for problem in error.problems)


def _read_json(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError.of("This is too large for a certificate.", where=str(path))
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of(
            f"The certificate cannot be read: {error}.",
            remedy="Name a file that `evenhand audit --certificate` wrote.",
            where=str(path),
        ) from error
    if not text.lstrip().startswith("{"):
        raise InputError.of(
            "This is no certificate: it is not JSON.",
            remedy="Write `evenhand verify CERTIFICATE [DATA]`, the certificate first.",
            where=str(path),
        )
    return text


def _is_manifest(text: str) -> bool:
    """Whether the document's ``format`` is that of a manifest."""
    try:
        content = json_format.loads(text)
    except (ValueError, RecursionError):
        return False
    named = content.get("format") if isinstance(content, dict) else None
    return isinstance(named, str) and named.startswith("evenhand manifest ")


def _is_text_table(data: str | None) -> bool:
    """Whether the stand-alone checker can read the data: one plain CSV file."""
    return data is not None and Path(data).is_file() and data.lower().endswith((".csv", ".tsv"))
