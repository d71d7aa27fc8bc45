"""What a release would change, by every method; then the release itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import floor, log10
from shlex import join
from typing import Any
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError
from evenhand.evidence import Verdict
from evenhand.evidence.release_statement import rows_not_released
from evenhand.releasing import Release
from evenhand.releasing.compare import Comparison, Outcome, compare
from evenhand.removal import policy_of
from evenhand.report.html_report import View
from evenhand.report.other_comparisons import known_table
from evenhand.report.release_section import released
from evenhand.web.graph_links import missing_reasons, open_links
from evenhand.web.jobs import Job
from evenhand.web.pages import command_lines
from evenhand.web.release_writing import ReleaseChoice, free_name, release_rows, report_name
from evenhand.web.session import Session, needed
from evenhand.wording import Words
from evenhand.wording.release_words import rows_changed, who_gains

_MOST_PREVIEWS = 8
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


@dataclass(eq=False)
class Previews:
    """What was worked out for one audit: nothing is repeated when one comes back to it."""

    comparison: Comparison | None = None
    releases: dict[ReleaseChoice, Release] = field(default_factory=dict)


_PREVIEWS: WeakKeyDictionary[Audit, Previews] = WeakKeyDictionary()


def previews_of(audit: Audit) -> Previews:
    """What was worked out for an audit so far."""
    return _PREVIEWS.setdefault(audit, Previews())


def work_out(audit: Audit, choice: ReleaseChoice, progress: ProgressCallback) -> None:
    """Compare all methods, and carry out the chosen one on the rows without writing them.

    The seed is that of the counts, so that the same is seen each time, as with a dry run.
    """
    known, _ = previews_of(audit), audit.answer  # which the form asks for
    if known.comparison is None:
        known.comparison = compare(audit.certificate, progress=progress)
    if choice in known.releases:
        return
    released = audit.release(
        method=choice.method,
        seed=audit.certificate.examined.counts.seed,
        uncertified=True,
        drop=choice.drop,
        progress=progress,
    )
    for old in [*known.releases][: 1 - _MOST_PREVIEWS]:
        del known.releases[old]
    known.releases[choice] = released


def compared_ways(comparison: Comparison | None) -> View | None:
    """All outcomes in the order of changed rows; None if they are not known yet."""
    if comparison is None:
        return None
    outcomes = sorted(comparison.outcomes, key=lambda one: one.changed_rows)
    changed = [one.changed_rows for one in outcomes if one.changed_rows] or [1]
    low = floor(log10(changed[0]))
    high = max(log10(changed[-1]), low + 1)

    def at(rows: float) -> float:
        return 100 * (log10(rows) - low) / (high - low) if rows else 0.0

    sure = [one for one in outcomes if one.guaranteed and _is_certified(one)]
    return View(
        title=_title(sure, comparison),
        sure=sure,
        others=[one for one in outcomes if one not in sure],
        ticks=[(at(10**n), f"{10**n:,}") for n in range(low, floor(high) + 1)],
        notes=comparison.skipped,
        at=at,
        is_certified=_is_certified,
        policy=policy_of,
    )


def _is_certified(outcome: Outcome) -> bool:
    """Whether all claims are certified: also that on effects through other attributes."""
    claim = outcome.indirect
    claims = {outcome.verdict, *([] if claim is None else [claim.verdict])}
    return claims == {Verdict.CERTIFIED}


def _title(sure: list[Outcome], comparison: Comparison) -> str:
    if not sure:
        return "No method ends certified"
    number = _NUMBERS[len(sure)] if len(sure) < len(_NUMBERS) else f"{len(sure)}"
    rows = int(comparison.before[0].row_counts.sum())
    least = min(one.changed_rows for one in sure)
    ways = "way ends" if len(sure) == 1 else "ways end"
    return f"{number} {ways} certified; the smallest changes {least:,} of {rows:,} rows"


def consequences(release: Release, words: Words) -> View:
    """What the report will say of such a release, with its warnings apart."""
    section, told = released(release, words), release.summary()
    if section is None:
        raise QuestionError.of("Nothing would be released.", remedy="Choose another method.")
    # Warnings have buttons here, so that the notes need not tell them again.
    notes = tuple(note for note in told.notes if note not in release.warnings)
    return View(
        title=rows_changed(release, verb="would change"),
        lead=who_gains(release, words),
        released=section.but(result=replace(told, notes=notes)),
        known=known_table(release.before, release.certificate, words),
        warnings=release.warnings,
    )


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """Every method compared, the chosen one in detail, the form, and what was made."""
    file = session.file  # raises what is still open in the question
    audit, choice = needed(session.audit), ReleaseChoice.of(query)
    words = Words.of(audit.certificate, file.labels)
    made, known, name = (
        session.results.get("made"),
        previews_of(audit),
        free_name(session.folder, session.table),
    )
    tried, groups = known.releases.get(choice), audit.certificate.partition.groups
    is_known = known.comparison is not None and tried is not None
    is_open = audit.certificate.ambiguous
    return {
        "state": "open" if is_open else "ready" if is_known else "compare",
        "words": words,
        "choice": choice,
        "open_ends": (*open_links(audit, words), *missing_reasons(session, words)),
        # As long as what is chosen is what it was made of.
        "made": made if made is not None and made.audit is audit else None,
        "ways": None if is_open else compared_ways(known.comparison),
        "commands": tuple(map(join, command_lines(session, "release", choice))),
        "chosen": consequences(tried, words) if tried else None,
        "graph_problem": audit.answer.graph_problem if tried else None,
        "file": name,
        "report": report_name(name),
        "groups": [*zip(groups, words.groups, strict=True)] if audit.question.favorable else [],
        "rows": audit.certificate.row_count,
        "left_behind": rows_not_released(audit.certificate.dropped),
    }


# Changes


def compare_methods(session: Session, body: dict[str, Any]) -> Job | None:
    """Compare all methods and carry out the chosen one on the rows, unless that was done."""
    given = body.get("choice") or {}
    if not isinstance(given, Mapping):
        raise QuestionError.of("This is no choice of a method.", remedy="Reload the page.")
    choice, audit = ReleaseChoice.of(given), needed(session.audit)
    _ = choice.method
    known = previews_of(audit)
    if known.comparison is not None and choice in known.releases:
        return None
    return session.jobs.start(
        "Working out what would change",
        lambda progress: work_out(audit, choice, progress),
    )


CHANGES: list[Any] = [
    ("POST", "compare", compare_methods),
    ("POST", "release", release_rows),
]
