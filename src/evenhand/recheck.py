"""Checks a certificate again by two programs that share no code.

The stand-alone checker derives a record again from its numbers, or from one plain CSV file; the
engine reads whatever data evenhand reads, and counts and certifies them anew.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from evenhand import checker
from evenhand.checker_process import can_read, checking
from evenhand.display import ProgressCallback
from evenhand.errors import (
    ColumnError,
    EvenhandError,
    InputError,
    MissingValueError,
    Spelling,
    UnplacedError,
    ValuesError,
    words_only,
)
from evenhand.evidence.recorded_certificate import RecordedCertificate
from evenhand.question import Codings
from evenhand.rows import Rows, read
from evenhand.rows.open_files import is_spreadsheet

Outcome: TypeAlias = Literal["true", "false", "open", "stated"]

_OWN = "its own numbers"
_LARGEST = 1_000_000_000
_OTHER_DATA = (ColumnError, ValuesError, MissingValueError)  # readable, but not what is named
_RECORD = {
    0: "The record is true",
    1: "The record is false",
    3: "Whether the record is true cannot be decided from this; it says",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRecord:
    """What both programs say of a certificate.

    ``verdicts`` are by the attributes of each claim, the direct effect under ``()``.
    ``by_checker`` and ``by_engine`` are what each holds to be false or cannot decide;
    ``stated_by_checker`` and ``stated_by_engine`` name fields that each took as they stand.
    """

    status: int
    verdicts: Mapping[tuple[str, ...], str]
    against: str
    checker_read_data: bool
    checker_status: int
    by_checker: tuple[str, ...]
    by_engine: tuple[str, ...]
    stated_by_checker: Mapping[str, str]
    stated_by_engine: Mapping[str, str]
    fields: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Whether the record is true, and what it says."""
        told = "; ".join(
            f"{through(names)}: {verdict}" if names else verdict
            for names, verdict in self.verdicts.items()
        )
        if self.status != 1:
            return f"{_RECORD[self.status]}: {told or 'no verdict'}"
        other = "its own numbers" if self.against == _OWN else "the data"
        said = f"it says {told}" if told else "it holds no verdict"
        return f"{_RECORD[self.status]}: {said}, and does not agree with {other}"

    @property
    def objections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """By program, what it objects to; what the engine settled is no objection any more."""
        open_still = self.by_checker if self.status == self.checker_status else ()
        return ("checker", open_still), ("engine", self.by_engine)

    @property
    def _unchecked(self) -> dict[str, str]:
        return {
            name: self.stated_by_engine.get(name, why)
            for name, why in self.stated_by_checker.items()
            if {name, name.split(".")[0]} & {*self.stated_by_engine}
        }

    @property
    def stated(self) -> dict[str, str]:
        """The fields that neither program checked, and why."""
        return {} if self.status == 1 else self._unchecked

    @property
    def checked_by_engine_alone(self) -> tuple[str, ...]:
        """The fields that only the engine checked."""
        return tuple(name for name in self.stated_by_checker if name not in self._unchecked)

    @property
    def checks(self) -> tuple["FieldCheck", ...]:
        """Field by field what came of it; none where an objection is to no single field."""
        places = [_field(one) for _, many in self.objections for one in many]
        if self.status == 1 and not {*places} <= {*self.fields}:
            return ()
        stated, alone = self._unchecked, self.checked_by_engine_alone
        doubted: Outcome = "false" if self.status == 1 else "open"
        return tuple(
            FieldCheck(
                name=name,
                outcome=doubted if name in places else "stated" if name in stated else "true",
                objections=places.count(name),
                why=stated.get(name, ""),
                by_engine_alone=name in alone,
            )
            for name in self.fields
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldCheck:
    """One field of a record: true or false as derived again, open, or only stated."""

    name: str
    outcome: Outcome
    objections: int
    why: str
    by_engine_alone: bool


def through(names: tuple[str, ...]) -> str:
    """The claim about effects through these attributes, in words."""
    return f"through {', '.join(names)}"


def read_record(path: Path) -> str:
    """The text of a certificate; what is no JSON, or a manifest, is refused."""
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError.of("This is too large for a certificate.", where=str(path))
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of(
            f"The certificate cannot be read: {error}.",
            remedy="Name a file that evenhand wrote as a certificate.",
            where=str(path),
        ) from error
    if not text.lstrip().startswith("{"):
        raise InputError.of(
            "This is no certificate: it is not JSON.",
            remedy="Give the certificate first, and the data after it.",
            where=str(path),
        )
    if _is_manifest(text):
        raise InputError.of(
            "This is the manifest of a release, not its certificate.",
            remedy="Check the certificate; to reproduce the release, release again with the "
            "seed in this manifest.",
            where=str(path),
        )
    return text


def _is_manifest(text: str) -> bool:
    """Whether the document's ``format`` is that of a manifest."""
    # Nothing is parsed of a text without that name: a large certificate takes seconds.
    is_named = "evenhand manifest " in text or "\\u" in text
    return is_named and _format(text).startswith("evenhand manifest ")


def has_record_format(text: str) -> bool:
    """Whether the document's ``format`` is that of a certificate."""
    return _format(text).startswith("evenhand certificate ")


def _format(text: str) -> str:
    """The format that a document names; empty where it is no JSON object that names one."""
    named = _content(text).get("format")
    return named if isinstance(named, str) else ""


def _content(text: str) -> dict[str, object]:
    """The fields of a document; none of what is no JSON object."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def check_record(
    text: str,
    data: str | None = None,
    *,
    sheet: str | None = None,
    spelling: Spelling = words_only,
    progress: ProgressCallback | None = None,
) -> CheckedRecord:
    """Check a certificate by both programs, from its own numbers or against data."""
    read_by_checker = can_read(data)
    with checking(text, data if read_by_checker else None, progress) as answer:
        verdicts, by_engine, by_itself, inputs, fields = _certify_again(
            text, data, sheet, spelling, progress, answer=answer
        )
        found = answer()
    return CheckedRecord(
        status=_common_status(found, by_itself, is_record=bool(verdicts)),
        verdicts=verdicts,
        against=data or _OWN,
        checker_read_data=read_by_checker,
        checker_status=found.status,
        by_checker=tuple(found.notes),
        by_engine=by_engine,
        stated_by_checker=found.stated,
        stated_by_engine=inputs,
        fields=fields,
    )


def _common_status(found: checker.Answer, by_engine: int, *, is_record: bool) -> int:
    """What both programs say together.

    The engine settles what the checker leaves open, but not what the checker could not begin.
    """
    if found.status == 1 or (by_engine == 1 and (is_record or found.status == 0)):
        return 1
    return 0 if by_engine == 0 and found.stated else 3


def _field(objection: str) -> str:
    """The field that an objection is about."""
    return re.split(r"[.:\[]", objection, maxsplit=1)[0]


def _certify_again(  # what reading needs
    text: str,
    data: str | None,
    sheet: str | None,
    spelling: Spelling,
    progress: ProgressCallback | None,
    *,
    answer: Callable[[], checker.Answer],
) -> tuple[dict[tuple[str, ...], str], tuple[str, ...], int, dict[str, str], tuple[str, ...]]:
    """The verdict of each claim, where the engine disagrees, its own status, its inputs.

    Last come the fields of the record.
    Data that cannot be read are bad input, unless the record is false anyway or names columns
    and values that they do not have.
    """
    try:
        recorded = RecordedCertificate.parse(text)
        codings = recorded.codings
    except EvenhandError as error:
        return {}, _texts(error, spelling), 1, {}, tuple(_content(text))
    fields = tuple(recorded.content)
    verdicts = {names: str(verdict) for names, verdict in recorded.verdicts.items()}
    inputs = dict(recorded.stated(with_data=data is not None))
    if data is None:
        wrong = recorded.own_differences()
        # Where the engine cannot tell either, the checker's word stands.
        status = 1 if wrong else 0 if recorded.is_settled_alone else answer().status
        return verdicts, wrong, status, inputs, fields
    try:
        rows = _read(data, codings, sheet, progress)
        wrong = recorded.differences(rows.count(), dropped=rows.dropped)
    except EvenhandError as error:
        if isinstance(error, _OTHER_DATA) or answer().status == 1:
            status = 3 if isinstance(error, UnplacedError) else 1
            return verdicts, _texts(error, spelling), status, inputs, fields
        raise
    return verdicts, wrong, 1 if wrong else 0, inputs, fields


def _read(
    data: str, codings: Codings, sheet: str | None, progress: ProgressCallback | None
) -> Rows:
    """The data as they were read for the record; only a spreadsheet has its sheet."""
    if sheet is None and is_spreadsheet(data):
        sheet = codings.sheet
    return read(data, codings=replace(codings, sheet=sheet), progress=progress)


def _texts(error: EvenhandError, spelling: Spelling) -> tuple[str, ...]:
    return tuple(problem.text(spelling) for problem in error.problems)
