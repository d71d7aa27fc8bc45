"""What a release would change, by every method; then the release itself, with all its files."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import floor, log10
from pathlib import Path
from shlex import join
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

from evenhand.auditing import Audit
from evenhand.display import Progress, ProgressCallback
from evenhand.errors import EvenhandError, QuestionError
from evenhand.evidence import Verdict
from evenhand.evidence.release_provenance import rows_not_released
from evenhand.files import after_writing, check_folder, check_targets
from evenhand.files.file_formats import ending_of, format_of
from evenhand.question import exact_fraction
from evenhand.question.fields import TABLES, WHOLE, option_words
from evenhand.question.parse_values import check_seed
from evenhand.releasing import Release
from evenhand.releasing.compare import Comparison, Outcome, compare
from evenhand.releasing.release_targets import ReleaseFiles
from evenhand.releasing.writer import output_format
from evenhand.removal import POLICIES, Baseline, Method, ModifyData, named_method, policy_of
from evenhand.report.comparisons_section import known_table
from evenhand.report.release_section import released
from evenhand.report.rendering import View
from evenhand.web.evidence_screen import offer, report_of
from evenhand.web.folder import Folder
from evenhand.web.graph_edits import audit_to_publish, missing_reasons
from evenhand.web.jobs import Job, request_again
from evenhand.web.pages import command
from evenhand.web.question_store import as_list
from evenhand.web.session import Session, needed
from evenhand.wording import Words, count
from evenhand.wording.release_words import both_ways, rows_changed, who_gains

_MOST_TRIED = 8
_MOST_GROUPS = 12
# What a release writes, by the attributes of what is published.
MADE = {
    "data": "Data",
    "certificate": "Certificate, yours only",
    "shared": "Certificate for others",
    "manifest": "Manifest with the seed, keep it",
    "croissant": "Description for a catalogue, in Croissant",
    "statement": "Statement to sign, of in-toto",
}
_LEAST_COUNT = TABLES["run"]["least_count"]
_FEWEST = ModifyData()
# Those that promise to meet the criterion; all others are compared, and never written.
_RELEASING = {f"{one.method}:{one.name}": one for one in POLICIES if one.guaranteed}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseChoice:
    """A method and its settings; ``margin`` is in percentage points, as it was typed."""

    way: str = f"{_FEWEST.name}:{_FEWEST.policy}"
    margin: str = "0"
    rank: str = ""
    only: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ReleaseChoice":
        """The choice that an address, or the body of a request, names."""

        def values(name: str) -> list[Any]:
            several = getattr(given, "getlist", None)  # of an address
            return as_list(several(name) if several else given.get(name))

        return cls(
            way=str(given.get("way") or cls().way),
            margin=str(given.get("margin") or "0").strip() or "0",
            rank=str(given.get("rank") or ""),
            **{name: tuple(map(str, values(name))) for name in ("only", "drop")},
        )

    @property
    def takes_groups(self) -> bool:
        """Whether it can be said whose decisions may change."""
        policy = _RELEASING.get(self.way)
        return policy is not None and policy.takes_groups

    @property
    def takes_scores(self) -> bool:
        """Whether a column can say which rows change first."""
        return self.way.startswith(f"{_FEWEST.name}:")

    @property
    def method(self) -> Method | Baseline:
        """The method with its settings; one that gives no guarantee is refused."""
        found = _RELEASING.get(self.way)
        if found is None:
            raise QuestionError.of(
                f"{self.way.replace(':', ' ')} gives no guarantee.",
                "It is compared with others, and never written.",
                "Choose one that ends certified.",
            )
        return named_method(
            found.method,
            found.name,
            margin=self.margin_share,
            only=self.only,
            rank=self.rank or None,
        )

    @property
    def margin_share(self) -> Fraction:
        """The margin as a share."""
        try:
            return exact_fraction(self.margin) / 100
        except ValueError as error:
            raise QuestionError.of(
                f"The margin {self.margin!r} cannot be read.", f"{error}.", "Write a number."
            ) from error

    def address(self, **changed: Any) -> str:  # noqa: ANN401  # fields of the choice
        """The screen with this choice, or with parts of it changed."""
        lists = {name: tuple(of) for name, of in changed.items() if isinstance(of, list)}
        choice = replace(self, **changed | lists)
        if not choice.takes_groups:
            choice = replace(choice, only=())
        if not choice.takes_scores:
            choice = replace(choice, rank="")
        return f"release?{urlencode(choice.query, doseq=True)}" if choice.query else "release"

    @property
    def query(self) -> dict[str, Any]:
        """What differs from the first choice, as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        usual = ReleaseChoice()
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in values.items()
            if value != getattr(usual, name)
        }

    @property
    def options(self) -> list[str]:
        """The same as options of the command line."""
        method, _, policy = self.way.partition(":")
        table = {
            "method": method if method != _FEWEST.name else None,
            "policy": policy if self.way != ReleaseChoice().way else None,
            "margin": str(self.margin_share) if self.margin != "0" else None,
            "rank": self.rank or None,
            "only": [*self.only],
            "drop": [*self.drop],
        }
        return option_words({"release": table}, "release")


# What was worked out for an audit: nothing is repeated when one comes back to it.
_COMPARED: WeakKeyDictionary[Audit, Comparison] = WeakKeyDictionary()
_TRIED: WeakKeyDictionary[Audit, dict[ReleaseChoice, Release]] = WeakKeyDictionary()


def work_out(audit: Audit, choice: ReleaseChoice, progress: ProgressCallback) -> None:
    """Compare all methods, and carry out the chosen one on the rows without writing them.

    The seed is that of the counts, so that the same is seen each time, as with a dry run.
    """
    _ = audit.answer  # which the form asks for
    if audit not in _COMPARED:
        _COMPARED[audit] = compare(audit.certificate, progress=progress)
    tried = _TRIED.setdefault(audit, {})
    if choice in tried:
        return
    released = audit.release(
        method=choice.method,
        seed=audit.certificate.examined.counts.seed,
        uncertified=True,
        drop=choice.drop,
        progress=progress,
    )
    for old in [*tried][: 1 - _MOST_TRIED]:
        del tried[old]
    tried[choice] = released


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
    rows = int(comparison.before[0].row_counts.sum())
    least = min(one.changed_rows for one in sure)
    ways = count(len(sure), "way ends", "ways end")
    return f"{ways} certified; the smallest changes {least:,} of {rows:,} rows"


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
        gains=gains_and_losses(release, words),
        released=section.but(result=replace(told, notes=notes)),
        known=known_table(release.before, release.certificate, words),
        warnings=release.warnings,
    )


def gains_and_losses(release: Release, words: Words) -> View | None:
    """How many of each group gain and lose; None where no decision is better than another."""
    changed = release.plan.changed_decisions
    if changed is None or words.question.criterion == "every":
        return None
    better, worse = both_ways(release.before, words)
    groups = [*zip(words.groups, changed.groups, strict=True)]
    if len(groups) > _MOST_GROUPS:
        groups.sort(key=lambda one: -sum(one[1]))
    return View(
        better=better,
        worse=worse,
        groups=groups[:_MOST_GROUPS],
        hidden=len(groups[_MOST_GROUPS:]),
        most=max(1, *(many for _, ways in groups for many in ways)),
    )


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """Every method compared, the chosen one in detail, the form, and what was made."""
    file = session.file  # raises what is still open in the question
    audit, choice = needed(session.audit), ReleaseChoice.of(query)
    words = Words.of(audit.certificate, file.labels)
    made, name = session.results.get("made"), free_name(session.folder, session.table)
    compared, tried = _COMPARED.get(audit), _TRIED.get(audit, {}).get(choice)
    found, groups = audit.certificate, audit.certificate.partition.groups
    is_open = found.ambiguous or found.is_determined
    try:
        options = choice.options
    except EvenhandError:
        options = []  # a margin that cannot be read is told where it was typed
    options += ["--output", name, "--report", report_name(name)]
    commands = command(session, "compare"), command(session, "release", *options)
    return {
        "state": "open" if is_open else "ready" if compared and tried else "compare",
        "words": words,
        "choice": choice,
        "ambiguous": sorted(found.graph.neighbors(found.question.decision))
        if found.ambiguous
        else [],
        "undecided": found.reasons if found.is_determined else (),
        "possible_causes": found.possible_decision_causes,
        "unreasoned": missing_reasons(session),
        # As long as what is chosen is what it was made of.
        "made": made if made is not None and made.audit is audit else None,
        "roles": MADE,
        "ways": None if is_open else compared_ways(compared),
        "commands": tuple(map(join, commands)),
        "chosen": consequences(tried, words) if tried else None,
        "graph_problem": audit.answer.graph_problem if tried else None,
        "file": name,
        "report": report_name(name),
        "groups": [*zip(groups, words.groups, strict=True)] if audit.question.favorable else [],
        "rows": audit.certificate.row_count,
        "scores": session.reading.stored.columns,
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
    if audit in _COMPARED and choice in _TRIED.get(audit, {}):
        return None
    return session.jobs.start(
        "Working out what would change",
        lambda progress: work_out(audit, choice, progress),
        joins=True,
    )


def report_name(name: str) -> str:
    """The name of the report that goes with a release."""
    certificate = ReleaseFiles.of(Path(name), uncertified=False).names["certificate"]
    return certificate.removesuffix(".certificate.json") + ".report.html"


def free_name(folder: Folder, table: Path | None) -> str:
    """A name for the released rows that no file has, in the format of the table."""
    if table is None:
        return ""
    stem, known = table.name.partition(".")[0], format_of(table)
    is_plain = known is not None and known.is_written and not known.compression
    ending = ending_of(table).lower() if is_plain else ".csv"
    numbers = ("", *(f"-{number}" for number in range(2, 100)))
    names = (f"{stem}-released{number}{ending}" for number in numbers)
    return next((name for name in names if _is_free(folder, name)), f"{stem}-released{ending}")


def _is_free(folder: Folder, name: str) -> bool:
    paths = ReleaseFiles.of(folder.root / name, uncertified=False).paths
    return not any(path.exists() for path in (*paths, folder.root / report_name(name)))


def release_rows(session: Session, body: dict[str, Any]) -> Job:
    """Release the rows as a job; what can be refused is refused before it starts."""
    session.history.check(body.get("revision"))
    audit, judged = audit_to_publish(session), needed(session.audit)
    folder, name = session.folder, str(body.get("file", "")).strip()
    overwrite, choice = bool(body.get("overwrite")), ReleaseChoice.of(body)
    method = choice.method  # refuses one without a guarantee
    path = folder.target(name, overwrite=True)
    output_format(path)  # refuses a name that it cannot write
    page = folder.target(report_name(name), overwrite=True) if body.get("report") else None
    pages = [page] if page else []
    files = ReleaseFiles.of(path, uncertified=False)
    check_folder(folder.root)
    check_targets([*files.paths, *pages], [*map(str, session.inputs)], overwrite=True)
    check_targets(pages, (), overwrite=overwrite)
    text = str(body.get("seed", "")).strip()
    seed = check_seed(WHOLE.parse(text)) if text else None
    accept_graph = str(body.get("accept_graph", "")).strip() or None
    settings: dict[str, Any] = {
        "share": bool(body.get("share")),
        "least_count": _LEAST_COUNT.parse(str(body.get("least_count", _LEAST_COUNT.default))),
    }

    def work(progress: ProgressCallback) -> None:
        is_written = False
        files.prepare((), overwrite=overwrite)

        def until_written(of: Progress) -> None:
            """Pass reports on until the files have names: then nothing can be cancelled."""
            if not is_written:
                progress(of)

        released = audit.release(
            method=method,
            seed=seed,
            accept_graph=accept_graph,
            drop=choice.drop,
            progress=until_written,
        )
        metadata = bool(body.get("metadata"))
        written = released.write(path, overwrite=overwrite, metadata=metadata, **settings)
        is_written = True
        made = [getattr(written, role) for role in MADE]
        if page is not None:
            with after_writing(*made):
                report = report_of(session, judged, audit, released, **settings)
                report.write(page, overwrite=overwrite)
        offer(session, *made, page)
        session.results["made"] = View(
            audit=judged,
            release=released,
            files=written,
            report=page,
            gains=gains_and_losses(released, Words.of(judged.certificate, judged.labels)),
        )

    again = request_again("POST", "api/release", body)
    return session.jobs.start(f"Releasing {path.name}", work, again=again)


CHANGES: list[Any] = [
    ("POST", "compare", compare_methods),
    ("POST", "release", release_rows),
]
