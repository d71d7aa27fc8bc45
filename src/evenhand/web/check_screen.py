"""Check a certificate: true, false or undecidable, check by check."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join
from typing import Any

from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.recheck import (
    CheckedRecord,
    check_record,
    has_format,
)
from evenhand.report.html_report import View
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job
from evenhand.web.session import Session
from evenhand.wording import capital

_RECORDS = ".certificate.json"
_SMALL = 2_000_000  # bytes of a file that is read to see whether it is a record
_MOST_SHOWN = 8
_MARKS = {0: "certified", 1: "not-certified", 3: "cannot-decide"}
_OUTCOMES = {
    "true": "certified",
    "false": "not-certified",
    "open": "cannot-decide",
    "stated": "",
}
_FIELDS = {
    "seal": "The seal: nothing was altered after it was made",
    "rows": "How many rows there are",
    "partitions": "The groups, their counts and differences",
    "verdict": "The verdict, from these counts and the graph",
    "decision_causes": "The causes of the decision, from the arrows",
    "possible_decision_causes": "Every set of causes that the arrows allow",
    "direct_arrow": "Whether an arrow leads straight to the decision",
    "scope": "Whether everything was examined that was to be",
    "rules": "Whether a rule determines the decision",
    "indirect": "Effects through other attributes",
    "population": "What the rows show of the population",
    "variants": "How many other judgements were made",
    "reasons": "Why it says so",
    "assumptions": "What it takes for granted",
    "release": "What is said of the release",
    "question": "What was asked",
    "graph": "The causal graph",
    "codings": "How columns were read",
    "pooled": "Groups or decisions that count as one",
    "withheld": "What is left out for others’ eyes",
    "copy": "Whether it is a full or a shared copy",
    "format": "The format",
    "versions": "By which version it was made",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """The files that were given, and what came of checking them."""

    certificate: Path | None = None
    data: Path | None = None
    outcome: CheckedRecord | None = None


def view(session: Session, _query: Mapping[str, str]) -> dict[str, Any]:
    """The files that were given, those that can be chosen, and what came of it."""
    state: CheckState = session.results.get("check") or CheckState()
    folder = session.folder
    records = sorted(folder.shown(path) for path in folder.root.iterdir() if _is_record(path))
    named = [folder.shown(path) for path in (state.certificate, state.data) if path]
    return {
        "certificate": folder.shown(state.certificate) if state.certificate else "",
        "data": folder.shown(state.data) if state.data else "",
        "records": tuple(records),
        "tables": tuple(map(str, folder.tables())),
        "outcome": _shown(state.outcome) if state.outcome else None,
        "commands": (join(["evenhand", "verify", *named]),) if state.certificate else (),
    }


def _is_record(path: Path) -> bool:
    """Whether a file is called like a certificate, or is one by its format."""
    if not path.name.endswith(".json") or not path.is_file() or path.is_symlink():
        return False
    if path.name.endswith(_RECORDS):
        return True
    try:
        return path.stat().st_size <= _SMALL and has_format(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False


def _shown(outcome: CheckedRecord) -> View:
    unread = outcome.against != "its own numbers" and not outcome.checker_read_data
    csv_only = "The stand-alone checker reads CSV only: it saw the record's numbers."
    return View(
        mark=_MARKS[outcome.status],
        sentence=outcome.sentence,
        against=f"against {outcome.against}",
        objections=tuple(
            (program, notes[:_MOST_SHOWN], _more(len(notes) - _MOST_SHOWN))
            for program, notes in outcome.objections
            if notes
        ),
        notes=(csv_only,) if unread else (),
        checks=tuple(
            View(
                what=_FIELDS.get(check.name, capital(check.name.replace("_", " "))),
                field=check.name,
                mark=_OUTCOMES[check.outcome],
                word=check.outcome,
                how=check.why
                or (f"{check.objections:,} objections" if check.objections else "")
                or ("by the engine alone" if check.by_engine_alone else "by the checker"),
            )
            for check in sorted(outcome.checks, key=lambda one: _place(one.name))
        ),
        stated=tuple((name, why) for name, why in outcome.stated.items() if "." in name),
    )


def _place(field: str) -> int:
    names = [*_FIELDS]
    return names.index(field) if field in names else len(names)


def _more(many: int) -> str:
    return f"and {many:,} more" if many > 0 else ""


# Changes


def check(session: Session, body: dict[str, Any]) -> Job | None:
    """Take a certificate or data, and check as soon as there is a certificate."""
    state: CheckState = session.results.get("check") or CheckState()
    given: dict[str, Any] = {one: body[one] for one in ("certificate", "data") if one in body}
    if body.get("use") in ("certificate", "data"):
        given = {str(body["use"]): body.get("path", "")}
        if body["use"] == "certificate":
            given.setdefault("data", "")  # those given before belong to another one
    paths: dict[str, Any] = {
        role: session.folder.existing(str(name)) if name else None
        for role, name in given.items()
    }
    state = replace(state, **paths, outcome=None)

    def take() -> None:
        session.results["check"] = state

    if state.certificate is None:
        if not given:
            raise QuestionError.of("No file is named.", remedy="Choose a certificate.")
        take()
        return None
    name = session.folder.shown(state.certificate)
    return session.jobs.start(
        f"Checking {name}", lambda progress: _check(session, state, progress), first=take
    )


def _check(session: Session, state: CheckState, progress: ProgressCallback) -> None:
    path, data = state.certificate, state.data
    if path is None:
        return
    named = _Named(session.folder, tuple(filter(None, (path, data))))
    against = str(data) if data else None
    try:
        outcome = check_record(path, against, progress=progress)
    except EvenhandError as error:
        raise named.error(error) from error
    outcome = replace(
        outcome,
        by_checker=named.texts(outcome.by_checker),
        by_engine=named.texts(outcome.by_engine),
    )
    if data is not None:
        outcome = replace(outcome, against=session.folder.shown(data))
    session.results["check"] = replace(state, outcome=outcome)


@dataclass(frozen=True, slots=True)
class _Named:
    """Files by their own names: where an upload is stored says nothing to anybody."""

    folder: Folder
    paths: tuple[Path, ...]

    def text(self, text: str) -> str:
        for path in self.paths:
            text = text.replace(str(path), self.folder.shown(path))
        return text

    def texts(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def error(self, error: EvenhandError) -> EvenhandError:
        """The same with these names."""
        return type(error)(
            *(
                replace(
                    one,
                    what=self.text(one.what),
                    found=self.text(one.found),
                    where=self.text(one.where),
                )
                for one in error.problems
            )
        )


CHANGES: list[Any] = [("POST", "check", check)]
