"""Check a certificate: verified, refuted or open, field by field."""

from collections.abc import Mapping
from dataclasses import replace
from shlex import join
from typing import Any, TypeAlias

from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError
from evenhand.recheck import CheckedRecord, check_record
from evenhand.verdict import Verdict
from evenhand.web.jobs import Job
from evenhand.web.session import Session
from evenhand.wording.verdict_words import verdict_class

# An outcome is drawn as the verdict with the same exit status.
_VERDICTS = {
    "verified": Verdict.CERTIFIED,
    "refuted": Verdict.NOT_CERTIFIED,
    "open": Verdict.CANNOT_DECIDE,
}
_CLASSES = {outcome: verdict_class(one) for outcome, one in _VERDICTS.items()}
_CLASS_OF_STATUS = {one.status: verdict_class(one) for one in _VERDICTS.values()}


# What was given and what came of checking it: certificate and data as paths, the outcome.
State: TypeAlias = dict[str, Any]


def _state(session: Session) -> State:
    state: State = session.results.get("check", {})
    return {"certificate": None, "data": None, "outcome": None} | state


def view(session: Session, _query: Mapping[str, str]) -> dict[str, Any]:
    """The files that were given, those that can be chosen, and what came of it."""
    state, folder = _state(session), session.folder
    outcome: CheckedRecord | None = state["outcome"]
    certificate, data = (
        folder.shown(state[role]) if state[role] else "" for role in ("certificate", "data")
    )
    named = [name for name in (certificate, data) if name]
    return {
        "certificate": certificate,
        "data": data,
        "records": sorted(
            path.name
            for path in folder.root.glob("*.json")
            if path.is_file() and not path.is_symlink()
        ),
        "tables": [*map(str, folder.tables())],
        "outcome": outcome,
        "mark": _CLASS_OF_STATUS[outcome.status] if outcome else "",
        "classes": _CLASSES,
        "commands": (join(["evenhand", "verify", *named]),) if certificate else (),
    }


# Changes


def check(session: Session, body: dict[str, Any]) -> Job | None:
    """Take a certificate or data, and check as soon as there is a certificate."""
    given: dict[str, Any] = {one: body[one] for one in ("certificate", "data") if one in body}
    if body.get("use") in ("certificate", "data"):
        given = {str(body["use"]): body.get("path", "")}
        if body["use"] == "certificate":
            given.setdefault("data", "")  # those given before belong to another one
    paths: dict[str, Any] = {
        role: session.folder.existing(str(name)) if name else None
        for role, name in given.items()
    }
    state = _state(session) | paths | {"outcome": None}

    def take() -> None:
        session.results["check"] = state

    if state["certificate"] is None:
        if not given:
            raise QuestionError.of("No file is named.", remedy="Choose a certificate.")
        take()
        return None
    name = session.folder.shown(state["certificate"])
    return session.jobs.start(
        f"Checking {name}", lambda progress: _check(session, state, progress), first=take
    )


def _check(session: Session, state: State, progress: ProgressCallback) -> None:
    data, named = state["data"] and str(state["data"]), session.folder.without_places
    outcome = check_record(state["certificate"], data, progress=progress)
    outcome = replace(
        outcome,
        by_checker=tuple(map(named, outcome.by_checker)),
        by_engine=tuple(map(named, outcome.by_engine)),
        against=named(outcome.against),
    )
    session.results["check"] = state | {"outcome": outcome}


CHANGES: list[Any] = [("POST", "check", check)]
