"""The evidence: both verdicts, the threshold, every group, and what speaks for and against."""

from collections.abc import Mapping
from functools import lru_cache
from math import ceil
from typing import Any

from evenhand.auditing import Audit
from evenhand.evidence import PartitionExplanation, Subpopulations
from evenhand.evidence.population import in_words
from evenhand.evidence.subpopulations import threshold_points
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.report.chance import chance
from evenhand.report.differences import differences, finding
from evenhand.report.groups import Cases, select_cases
from evenhand.report.html_report import View
from evenhand.report.known_table import known_table
from evenhand.report.partitions_section import comparisons
from evenhand.report.paths_section import claim_card, paths
from evenhand.report.pictures.pairs import who_against_whom
from evenhand.web.addresses import query_values
from evenhand.web.evidence_work import (
    RESAMPLES,
    bootstrap,
    certificate_name,
    current_audit,
    report_name,
    resamples_of,
    write_certificate,
    write_report,
)
from evenhand.web.graph_links import missing_reasons
from evenhand.web.group_table import PAGE_ROWS, GroupQuery, chosen_group, group_table
from evenhand.web.session import Session
from evenhand.wording import Words, count
from evenhand.wording.premises import sensitivity_premise
from evenhand.wording.verdict_words import lead, question_sentence, verdicts

_STRONGEST = 20


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The evidence for what is chosen now, and for the group that the address names."""
    audit = session.audit if session.table else current_audit(session)
    if audit is None:
        return {"view": None}
    found = audit.certificate
    resampled = resamples_of(session, audit)
    words = Words.of(found, audit.labels, audit.counts.names)
    shown = View(
        findings=_findings(audit, resampled),
        chosen=chosen_group(found, query, words),
        table=group_table(found, query, words),
        alike=_alike(audit, query_values(query, "names"), words),
        resamples=resampled.resamples if resampled else RESAMPLES,
        bootstrap=resampled.summary() if resampled else None,
        documents=View(
            report=report_name(session),
            certificate=certificate_name(session),
            made=tuple(
                (name, path.name)
                for name, path in session.made_files.copy().items()  # a job may add to it
                if session.folder.is_plain(path)
            ),
            open_ends=tuple(missing_reasons(session, words)),
        ),
    )
    return {"view": shown}


@lru_cache(maxsize=4)
def _findings(audit: Audit, resampled: Bootstrap | None) -> View:
    """What stays while groups are sorted, filtered and chosen; of a million groups, seconds."""
    audit = audit.with_resamples(resampled)
    found, decide = audit.certificate, audit.deciding_verdicts
    words = Words.of(found, audit.labels, audit.counts.names)
    cases = select_cases(found)
    return View(
        question=question_sentence(words),
        first_sentence=found.first_sentence(audit.labels),
        lead=lead(found, words),
        verdicts=verdicts(found, words, audit.doubt()),
        claim=claim_card(found, words),
        judged=f"Judged by the {audit.judge}: {'; '.join(in_words(decide))}.",
        threshold=_threshold(audit),
        who=who_against_whom(found, words),
        chance=chance(found, words),
        differences=differences(found, cases, words),
        paths=paths(found, None, words, resampled),
        known=known_table(found, None, words),
        sensitivity=sensitivity_premise(found, words),
    )


def _threshold(audit: Audit) -> View:
    partition, threshold = audit.certificate.partition, audit.question.threshold
    tied = int(partition.tied.sum())
    verb = ("lies", "counts") if tied == 1 else ("lie", "count")
    return View(
        threshold=str(threshold),
        threshold_points=float(100 * threshold),
        threshold_says=threshold_points(audit.question),
        tied=f"{count(tied, 'group')} {verb[0]} exactly on it, and {verb[1]} as reaching it."
        if tied
        else "",
    )


def _alike(audit: Audit, names: list[str], words: Words) -> View:
    """The attributes to choose from, and the chosen partition beside the meaningful ones."""
    found, asked = audit.certificate, audit.question
    explained = audit.explain_partition(names) if names else None
    free = [name for name in found.graph.nodes if name not in asked.columns]
    checked = {*(names or audit.decision_causes)}
    return View(
        choices=tuple(
            View(value=name, label=words.column(name), chosen=name in checked) for name in free
        ),
        table=comparisons(found, explained, words),
        groups=_strongest(explained, words) if explained else (),
        more=max(len(explained.partition) - _STRONGEST, 0) if explained else 0,
    )


def _strongest(explained: PartitionExplanation, words: Words) -> tuple[View, ...]:
    """The strongest groups of a partition; where it may mislead, nothing is called shown."""
    partition = explained.partition
    groups = Cases(explained.subpopulations.sorted_by()[:_STRONGEST])
    found = (finding(partition, case, words) for case in groups)
    if explained.is_meaningful:
        return tuple(found)
    return tuple(one.but(id="", shown=None) for one in found)


# JSON


def _groups(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of groups as plain values, with the ids of the report."""
    audit = current_audit(session)
    words = Words.of(audit.certificate, audit.labels, audit.counts.names)
    return _page(audit.subpopulations, GroupQuery.of(query), words)


def _page(groups: Subpopulations, asked: GroupQuery, words: Words) -> dict[str, Any]:
    selected = asked.select(groups, words)
    cases = Cases(asked.page_of(selected))
    return {
        "groups": len(groups),
        "selected": len(selected),
        "pages": ceil(len(selected) / PAGE_ROWS),
        "rows": [
            {"line": case.line, "id": case.id, **people.to_dict()}
            for case, people in zip(cases, cases.people, strict=True)
        ],
    }


def _partition(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """Whether comparing people alike in the names means anything, and a page of its groups."""
    audit = current_audit(session)
    explained = audit.explain_partition(query_values(query, "names"))
    words = Words.of(audit.certificate, audit.labels, audit.counts.names)
    page_of_groups = _page(explained.subpopulations, GroupQuery.of(query), words)
    return {**explained.answer(), "subpopulations": page_of_groups}


READS: list[Any] = [("groups", _groups), ("partition", _partition)]
CHANGES: list[Any] = [
    ("POST", "bootstrap", bootstrap),
    ("POST", "report", write_report),
    ("POST", "certificate", write_certificate),
]
