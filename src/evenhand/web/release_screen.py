"""What a release would change, by every method; then the release itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import join
from typing import Any

from evenhand.auditing import Audit
from evenhand.errors import QuestionError
from evenhand.evidence.release_statement import rows_not_released
from evenhand.web.commands import command_lines
from evenhand.web.jobs import Job
from evenhand.web.open_ends import missing_reasons, open_links
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.release_consequences import consequences
from evenhand.web.release_preview import previews_of, work_out
from evenhand.web.release_ways import compared_ways
from evenhand.web.release_writing import MadeRelease, free_name, release_rows, report_name
from evenhand.web.session import Session
from evenhand.wording import Words, capital, count


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseForm:
    """The fields of both forms; ``kept`` is what the settings leave as it is."""

    file: str
    report: str
    body: dict[str, Any]
    margin: str
    kept: tuple[tuple[str, str], ...]
    only: tuple[tuple[str, str, bool], ...]
    rows: str
    left_behind: str


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """Every method compared, the chosen one in detail, the form, and what was made."""
    if session.table is None:
        raise QuestionError.of("No table is open.", remedy="Choose one on the first screen.")
    _ = session.file  # raises what is still open in the question
    audit = session.audit
    choice = ReleaseChoice.of(query)
    if audit is None:
        return {"state": "learn", "ways": None}
    words = Words.of(audit.certificate, session.file.labels, audit.counts.names)
    shown: dict[str, Any] = {
        "threshold": words.threshold_points,
        "slider": {
            "threshold": str(audit.question.threshold),
            "threshold_points": float(100 * audit.question.threshold),
            "threshold_says": words.threshold_points,
        },
        "open_ends": (*open_links(audit, words), *missing_reasons(session, words)),
        "made": _made(session, audit),
        "ways": None,
        "by_rows": audit.judge == "rows",
        "choice": {"choice": choice.query},
        "commands": tuple(map(join, command_lines(session, "release", choice))),
    }
    if audit.certificate.ambiguous:
        return shown | {"state": "open"}
    known = previews_of(session, audit)
    facts = known.facts.get(choice)
    if known.comparison is None or facts is None:
        return shown | {
            "state": "compare",
            "ways": compared_ways(known.comparison, choice, words),
        }
    return shown | {
        "state": "ready",
        "ways": compared_ways(known.comparison, choice, words),
        "chosen": consequences(facts, choice, words),
        "form": _form(session, audit, choice, words),
    }


def _made(session: Session, audit: Audit) -> MadeRelease | None:
    """The release that was written last, as long as what is chosen is what it was made of."""
    made: MadeRelease | None = session.results.get("made")
    return made if made is not None and made.audit is audit else None


def _form(session: Session, audit: Audit, choice: ReleaseChoice, words: Words) -> ReleaseForm:
    name = free_name(session.folder, session.table)
    only: tuple[tuple[str, str, bool], ...] = ()
    if choice.takes_groups and audit.question.favorable:
        labels = audit.certificate.partition.groups
        only = tuple(
            (label, capital(who), label in choice.only)
            for label, who in zip(labels, words.groups, strict=True)
        )
    return ReleaseForm(
        file=name,
        report=report_name(name),
        body=choice.query,
        margin=choice.margin,
        kept=(
            ("way", choice.way),
            *(("drop", one) for one in choice.drop),
        ),
        only=only,
        rows=count(audit.certificate.row_count, "row"),
        left_behind=rows_not_released(audit.certificate.dropped),
    )


# Changes


def compare_methods(session: Session, body: dict[str, Any]) -> Job | None:
    """Compare all methods and carry out the chosen one on the rows, unless that was done."""
    given = body.get("choice") or {}
    if not isinstance(given, Mapping):
        raise QuestionError.of("This is no choice of a method.", remedy="Reload the page.")
    choice, audit = ReleaseChoice.of(given), session.audit
    _ = choice.method
    if audit is None:
        raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
    known = previews_of(session, audit)
    if known.comparison is not None and choice in known.facts:
        return None
    return session.jobs.start(
        "Working out what would change",
        lambda progress: work_out(session, audit, choice, progress),
    )


CHANGES: list[Any] = [
    ("POST", "compare", compare_methods),
    ("POST", "release", release_rows),
]
