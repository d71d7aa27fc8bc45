"""The evidence: verdicts, every group, what speaks for and against; resamples and files."""

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import Problem, QuestionError
from evenhand.evidence import Certificate
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.releasing import Release
from evenhand.report import Report
from evenhand.report.comparisons_section import comparisons, known_table
from evenhand.report.differences import Case, picture, select_cases
from evenhand.report.effects_section import claim_card, paths
from evenhand.report.pictures.group_pairs import who_against_whom
from evenhand.report.rendering import View
from evenhand.tables import audited_rates
from evenhand.web.graph_edits import audit_to_publish, missing_reasons
from evenhand.web.jobs import Job
from evenhand.web.pages import (
    Pager,
    address,
    graph_address,
    query_number,
    query_values,
)
from evenhand.web.session import Session, needed
from evenhand.wording import Words, count
from evenhand.wording.answer_words import answer_statements, hinges
from evenhand.wording.certificate_words import population_summary
from evenhand.wording.difference_words import chance_lead
from evenhand.wording.premises import hidden_cause_premise
from evenhand.wording.verdict_words import lead, question_sentence, verdict_class, verdicts

_STRONGEST, _IN_WORDS = 20, 3


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The evidence for what is chosen now, and for the group that the address names."""
    audit = needed(session.audit)
    found = audit.certificate
    resampled = resamples_of(session, audit)
    words = Words.of(found, audit.labels)
    shown = View(
        words=words,
        findings=_findings(audit, resampled),
        panel=answer_panel(audit),
        stories=_stories(found, words, _IN_WORDS),
        chosen=chosen_group(found, query, words),
        table=group_table(found, query, words),
        alike=_alike(audit, query_values(query, "names"), words),
        bootstrap=resampled,
        errors=getattr(audit, "error_bias", None),  # of predictions with labels
        report=_usual_name(session, report=True),
        certificate=_usual_name(session, report=False),
        made=[*filter(session.folder.has_plain, [*session.made_files])],
        unreasoned=missing_reasons(session),
    )
    return {"view": shown, "graph_box": partial(graph_address, {})}


def answer_panel(audit: Audit, edits: int = 0) -> View:
    """The answer in sight: its word, what was seen beside chance, one finding as people."""
    found, answer = audit.certificate, audit.answer
    words = Words.of(found, audit.labels)
    said, by_rows = answer_statements(answer, words), audit.judge == "rows"
    exact = verdicts(answer, said.sentence, words).release
    helps = () if answer.reason is None else answer.reason.remedies
    return View(
        edits=edits,
        mark=exact.mark if by_rows else verdict_class(answer.word),
        headline=exact.word if by_rows else said.headline,
        counts=exact.sentence if by_rows else said.counts,
        helps=Problem("What would help:", remedy=helps) if helps else None,
        stories=_stories(found, words, 1),
        hinges=() if by_rows else hinges(answer, words),
        claim=claim_card(found, words, about="A claim apart from these"),
        release=View(mark=exact.mark, word=exact.word),
        variations=answer.variations,
    )


def _stories(found: Certificate, words: Words, many: int) -> list[View]:
    """The strongest findings as people, each with the values in which these are alike.

    There is none where the decision is determined: then nobody differs.
    """
    cases = () if found.is_determined else select_cases(found.partition, many)
    return [
        View(
            line=case.line,
            said=words.story(case.people, {}),
            alike=[
                (words.column(name), words.labels.value(name, value))
                for name, value in case.people.where.items()
            ],
        )
        for case in cases
    ]


@lru_cache(maxsize=4)
def _findings(audit: Audit, resampled: Bootstrap | None) -> View:
    """What stays while groups are sorted, filtered and chosen; of a million groups, seconds."""
    audit = audit.with_resamples(resampled)
    found = audit.certificate
    words = Words.of(found, audit.labels)
    said = answer_statements(audit.answer, words)
    return View(
        question=question_sentence(words),
        lead=lead(found, words),
        verdicts=verdicts(audit.answer, said.sentence, words),
        claim=claim_card(found, words),
        further=(*said.further, said.release),
        tied=int(found.partition.tied.sum()),
        who=who_against_whom(found, words),
        chance=chance_lead(found),
        population=population_summary(found.population),
        picture=picture(found, words),
        paths=paths(found, None, words),
        known=known_table(found, None, words),
        rates=audited_rates(audit.counts, found),
        hidden_cause=hidden_cause_premise(found, words),
    )


def _alike(audit: Audit, names: list[str], words: Words) -> View:
    """The attributes to choose from, and the chosen partition beside the meaningful ones."""
    found = audit.certificate
    explained = audit.explain_partition(names) if names else None
    lines = explained.subpopulations.sorted_by().lines.tolist() if explained else ()
    return View(
        names=[one for one in found.graph.nodes if one not in audit.question.columns],
        checked=names or audit.decision_causes,
        table=comparisons(found, explained, words),
        groups=[Case(explained.partition, one) for one in lines[:_STRONGEST]]
        if explained
        else [],
        judged=bool(explained and explained.is_meaningful),
        more=max(len(lines) - _STRONGEST, 0),
    )


# All groups, and one of them

PAGE_ROWS = 20
# Of an attribute with more values none is offered: they can be searched for.
_MOST_VALUES = 50
_KINDS = {
    "violating": "at or beyond the threshold",
    "shown": "significantly beyond it",
    "tied": "exactly on the threshold",
    "measured": "that can be compared",
    "unmeasured": "that cannot be compared",
}
_ORDERS = {
    "strength": "least likely to be chance",
    "-strength": "most likely to be chance",
    "difference": "largest difference",
    "-difference": "smallest difference",
    "size": "most people",
    "-size": "fewest people",
    "name": "values",
    "-name": "values, backwards",
}


def group_table(certificate: Certificate, query: Mapping[str, str], words: Words) -> View:
    """The page of groups that an address asks for; no others are read."""
    sort, conditions = query.get("sort") or "strength", query_values(query, "where")
    every = certificate.subpopulations
    selected = every.meeting(conditions, words.labels).sorted_by(sort)
    pager = Pager.of(query, "page", len(selected), PAGE_ROWS)
    page = selected[pager.slice]
    attributes = certificate.partition.assignments.attributes
    values = {f"{one.name}={value}" for one in attributes for value in one.values}
    of = "All " if len(selected) == len(every) > 1 else f"{len(selected):,} of "
    return View(
        said=("" if len(selected) == len(every) == 1 else of) + count(len(every), "group"),
        cases=[Case(page.partition, line) for line in page.lines.tolist()],
        chosen=query_number(query, "group"),
        sort=sort,
        conditions=conditions,
        kinds=_KINDS,
        orders=_ORDERS,
        attributes=[one for one in attributes if len(one.values) <= _MOST_VALUES],
        # What is neither a kind nor a value of an attribute.
        words=" ".join(one for one in conditions if one not in _KINDS and one not in values),
        pager=pager,
        to=partial(address, query),
    )


def chosen_group(
    certificate: Certificate, query: Mapping[str, str], words: Words
) -> View | None:
    """The group whose line the address names."""
    partition, line = certificate.partition, query_number(query, "group")
    if line is None or line >= len(partition):
        return None
    case = Case(partition, line)
    return View(
        case=case,
        counts=[*zip(words.groups, partition.counts[:, :, line].T.tolist(), strict=True)],
    )


# What is started: resamples, and files to hand over

_RESAMPLES = 200
_MOST_RESAMPLES = 10_000
_LEAST_COUNT = 10


def resamples_of(session: Session, audit: Audit) -> Bootstrap | None:
    """The last resamples, if they are of this audit."""
    result: Bootstrap | None = _last(session, "bootstrap", audit)
    return result


def _last(session: Session, kind: str, audit: Audit) -> Any:  # noqa: ANN401  # of each kind its own
    """The last result of a kind, if it is of an audit that differs in nothing but words."""
    of, result = session.results.get(kind, (audit, None))
    same = (
        of.counts is audit.counts
        and of.question == audit.question
        and of.certificate.graph == audit.certificate.graph
    )
    return result if same else None


def report_of(
    session: Session,
    judged: Audit,
    audit: Audit,
    release: Release | None = None,
    **settings: Any,  # noqa: ANN401  # those of an audit's
) -> Report:
    """The report of an audit, with what was judged besides the one that is shown."""
    arrows = None if judged.question.rule else judged.arrows()
    resampled = resamples_of(session, judged)
    return audit.report(release, resampled=resampled, arrows=arrows, **settings)


def bootstrap(session: Session, body: dict[str, Any]) -> Job:
    """Draw the rows again and again, and judge each time."""
    audit, many = needed(session.audit), str(body.get("resamples", _RESAMPLES)).strip()
    if not many.isdecimal() or not 1 <= int(many[:9]) <= _MOST_RESAMPLES:
        raise QuestionError.of(
            f"{many!r} is no number of resamples from 1 to {_MOST_RESAMPLES:,}.",
            remedy=f"{_RESAMPLES} are usual.",
        )

    def work(progress: ProgressCallback) -> None:
        result = audit.bootstrap(int(many), progress=progress)
        session.results["bootstrap"] = (audit, result)

    return session.jobs.start("Drawing the rows again", work)


def write_document(session: Session, body: dict[str, Any], *, report: bool) -> Job:
    """Write the report or the certificate; refused while an edit of the graph has no reason."""
    audit = audit_to_publish(session)
    overwrite, share = bool(body.get("overwrite")), bool(body.get("share"))
    name = str(body.get("name") or _usual_name(session, report=report)).strip()
    path = session.folder.target(name, session.inputs, overwrite=overwrite)

    def work(progress: ProgressCallback) -> None:
        reporter = ProgressReporter(progress)
        reporter.report("judging other arrows", 0)
        _ = audit.answer
        reporter.report("writing", 0)
        if report:
            settings: dict[str, Any] = {"share": share, "least_count": _LEAST_COUNT}
            certificate = _last(session, "certificate", audit)
            page = report_of(session, audit, audit, certificate_file=certificate, **settings)
            page.write(path, overwrite=overwrite)
        else:
            record = audit.with_resamples(resamples_of(session, audit)).stated_certificate
            shared = partial(record.write_shared, least_count=_LEAST_COUNT)
            data = audit.rows.plain_file if audit.rows else None
            write = shared if share else record.write
            write(path, overwrite=overwrite, data=data, progress=progress)
            session.results["certificate"] = (audit, path)
        offer(session, path)

    return session.jobs.start(f"Writing {path.name}", work)


def _usual_name(session: Session, *, report: bool) -> str:
    """What a report or a certificate is called unless another name is given."""
    stem = session.table.name.partition(".")[0] if session.table else "table"
    return f"{stem}-report.html" if report else f"{stem}.certificate.json"


def offer(session: Session, *paths: Path | None) -> None:
    """Let files that were written into the folder be downloaded."""
    with session.lock:
        session.made_files |= dict.fromkeys(path.name for path in paths if path)


CHANGES: list[Any] = [
    ("POST", "bootstrap", bootstrap),
    ("POST", "report", partial(write_document, report=True)),
    ("POST", "certificate", partial(write_document, report=False)),
]
