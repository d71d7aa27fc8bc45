"""What a release would change, by every method; then the release itself."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import floor, log10
from shlex import join
from typing import Any
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import Problem, QuestionError, Remedy, words_only
from evenhand.evidence import Verdict
from evenhand.evidence.release_statement import rows_not_released
from evenhand.releasing.compare import Comparison, Outcome, compare
from evenhand.removal import policy_of
from evenhand.report.groups import select_cases
from evenhand.report.html_report import View
from evenhand.report.known_table import known_table
from evenhand.report.release_section import released
from evenhand.web.commands import command_lines
from evenhand.web.graph_links import missing_reasons, open_links
from evenhand.web.jobs import Job
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.release_writing import free_name, release_rows, report_name
from evenhand.web.session import Session
from evenhand.wording import Words, capital, count
from evenhand.wording.release_words import ReleaseFacts, both_ways, rows_changed, who_gains

_MOST_PREVIEWS = 8


@dataclass(eq=False)
class Previews:
    """What was worked out for one audit: nothing is repeated when one comes back to it."""

    comparison: Comparison | None = None
    facts: dict[ReleaseChoice, ReleaseFacts] = field(default_factory=dict)


def previews_of(session: Session, audit: Audit) -> Previews:
    """What was worked out for an audit so far."""
    by_audit: WeakKeyDictionary[Audit, Previews] = session.results.setdefault(
        "previews", WeakKeyDictionary()
    )
    return by_audit.setdefault(audit, Previews())


def work_out(
    session: Session, audit: Audit, choice: ReleaseChoice, progress: ProgressCallback
) -> None:
    """Compare all methods, and carry out the chosen one on the rows without writing them.

    The seed is that of the counts, so that the same is seen each time, as with a dry run.
    """
    known = previews_of(session, audit)
    if known.comparison is None:
        known.comparison = compare(audit.certificate, progress=progress)
    if choice in known.facts:
        return
    released = audit.release(
        method=choice.method,
        seed=audit.certificate.examined.counts.seed,
        uncertified=True,
        drop=choice.drop,
        progress=progress,
    )
    facts = ReleaseFacts.of(released)
    for old in [*known.facts][: 1 - _MOST_PREVIEWS]:
        del known.facts[old]
    known.facts[choice] = replace(facts, file=None)


_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def compared_ways(
    comparison: Comparison | None, choice: ReleaseChoice, words: Words
) -> View | None:
    """All outcomes in the order of changed rows; None if they are not known yet."""
    if comparison is None:
        return None
    outcomes = sorted(comparison.outcomes, key=lambda one: one.changed_rows)
    most = max((one.changed_rows for one in outcomes), default=1)
    least = min((one.changed_rows for one in outcomes if one.changed_rows), default=1)
    low = floor(log10(least))
    high = max(log10(max(most, 1)), low + 1)

    def at(rows: float) -> float:
        return 100 * (log10(rows) - low) / (high - low) if rows else 0.0

    sure = [one for one in outcomes if _is_sure(one)]
    both = [
        tuple(
            _way(one, choice, words, at(one.changed_rows))
            for one in outcomes
            if (one in sure) is certified
        )
        for certified in (True, False)
    ]
    return View(
        title=_title(sure, comparison),
        sure=both[0],
        others=both[1],
        ticks=tuple((at(10**n), f"{10**n:,}") for n in range(low, floor(high) + 1)),
        notes=comparison.skipped,
    )


def _is_sure(outcome: Outcome) -> bool:
    """Whether a release by this method is certified by promise and by count."""
    return outcome.guaranteed and _is_certified(outcome)


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


def _way(outcome: Outcome, choice: ReleaseChoice, words: Words, at: float) -> View:
    name = f"{outcome.method}:{outcome.policy}"
    title, what = plain_name(outcome, words)
    changed = outcome.changed_decisions
    both = ""
    if changed is not None:
        gain, lose = (sum(way) for way in zip(*changed.groups, strict=True))
        both = f"{gain:,} gain, {lose:,} lose"
    return View(
        title=title,
        what=what,
        changed=f"{outcome.changed_rows:,}",
        at=at,
        both=both,
        left=f"{outcome.violating:,} of {outcome.measured:,}" if outcome.violating else "none",
        certified=_is_certified(outcome),
        address=choice.address(way=name),
        chosen=name == choice.way,
    )


def plain_name(outcome: Outcome, words: Words) -> tuple[str, str]:
    """A method in plain words."""
    policy = policy_of(outcome.method, outcome.policy)
    title = policy.title.format(group=words.group_people, protected=words.protected)
    return title, policy.what


def consequences(facts: ReleaseFacts, choice: ReleaseChoice, words: Words) -> View:
    """What the report will say of such a release, with choices beside the warnings."""
    cases = select_cases(facts.before)
    # Warnings have buttons here, so the paragraphs need not tell them again.
    section = released(replace(facts, warnings=()), cases, words)
    if section is None:
        raise QuestionError.of("Nothing would be released.", remedy="Choose another method.")
    known = known_table(facts.before, facts.after, words)
    return View(
        title=rows_changed(facts, verb="would change"),
        lead=who_gains(facts, words),
        flows=_flows(facts, words),
        gap=_gap(facts, words),
        released=section,
        known=known,
        warnings=tuple(_warned(one, choice) for one in facts.warnings),
        kept_out=tuple(_kept_out(choice)),
    )


def _flows(facts: ReleaseFacts, words: Words) -> tuple[tuple[str, tuple[View, ...]], ...]:
    """The changed decisions by direction and group; empty where no decisions change."""
    changed = facts.changed
    if changed is None:
        return ()
    ways: list[tuple[str, list[int]]]
    if words.question.criterion == "every":
        ways = [("to another decision", [sum(by) for by in changed.groups])]
    else:
        numbers = [list(way) for way in zip(*changed.groups, strict=True)]
        ways = [*zip(both_ways(facts.before, words), numbers, strict=True)]
    most = max((max(way) for _, way in ways), default=0) or 1
    kinds = ("group", "other") if len(words.groups) == 2 else ("ink",) * len(words.groups)
    return tuple(
        (
            capital(name),
            tuple(
                View(who=capital(who), kind=kind, many=f"{many:,}", width=100 * many / most)
                for who, kind, many in zip(words.groups, kinds, way, strict=True)
            ),
        )
        for name, way in ways
    )


def _gap(facts: ReleaseFacts, words: Words) -> str:
    """The difference between everybody and everybody, before and after."""
    partitions = facts.before.partition, facts.after.partition
    if not words.question.favorable or len(words.groups) != 2:
        return ""
    gaps = []
    for one in partitions:
        yes, rows = one.favorable[0].sum(axis=1).tolist(), one.rows.sum(axis=1).tolist()
        if 0 in rows:
            return ""
        gaps.append(Fraction(yes[1], rows[1]) - Fraction(yes[0], rows[0]))
    before, after = (words.points(abs(gap)) for gap in gaps)
    who = [*map(words.higher, gaps)]
    sides = f", {who[0]}" if who[0] == who[1] else f" ({who[0]}, then {who[1]})"
    return (
        f"The plain gap between {words.both}: {before} points as recorded, {after} as "
        f"released{sides}. If the graph is right, what remains runs through what is held "
        "equal, and a release does not touch that."
    )


def _warned(problem: Problem, choice: ReleaseChoice) -> View:
    """A warning; dropping columns is another address."""
    changes, further = [], []
    for remedy in problem.remedies:
        text = capital(remedy.text(words_only))
        if remedy.argument == "drop":
            names = tuple(dict.fromkeys((*choice.drop, *map(str, _values(remedy)))))
            changes.append(View(words=text, address=choice.address(drop=names)))
        else:
            further.append(text)
    return View(
        what=problem.what,
        found=problem.found,
        changes=tuple(changes),
        further=tuple(further),
    )


def _values(remedy: Remedy) -> tuple[Any, ...]:
    return tuple(remedy.value) if isinstance(remedy.value, list | tuple) else (remedy.value,)


def _kept_out(choice: ReleaseChoice) -> Iterator[View]:
    """What was chosen about columns, each with the address that takes it back."""
    for name in choice.drop:
        rest = tuple(one for one in choice.drop if one != name)
        yield View(words=f"{name} is not released", address=choice.address(drop=rest))


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


def _made(session: Session, audit: Audit) -> View | None:
    """The release that was written last, as long as what is chosen is what it was made of."""
    made: View | None = session.results.get("made")
    return made if made is not None and made.audit is audit else None


def _form(session: Session, audit: Audit, choice: ReleaseChoice, words: Words) -> View:
    name = free_name(session.folder, session.table)
    only: tuple[tuple[str, str, bool], ...] = ()
    if choice.takes_groups and audit.question.favorable:
        labels = audit.certificate.partition.groups
        only = tuple(
            (label, capital(who), label in choice.only)
            for label, who in zip(labels, words.groups, strict=True)
        )
    return View(
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
