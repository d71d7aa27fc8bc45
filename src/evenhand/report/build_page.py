"""Results in, ``Page`` out: the sections one after the other."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.evidence import Certificate, PartitionExplanation
from evenhand.evidence.bootstrap import Bootstrap
from evenhand.evidence.graph_doubt import GraphDoubt
from evenhand.question import Knowledge
from evenhand.question.question_file import Labels
from evenhand.releasing import Release
from evenhand.report import page
from evenhand.report.assumptions_section import (
    graph_premises,
    missing_value_premises,
    other_premises,
)
from evenhand.report.chance_section import chance
from evenhand.report.closing_sections import checking, small_print, unmeasured
from evenhand.report.differences_sections import differences, evidence
from evenhand.report.graph_section import causes, graph_figure
from evenhand.report.opening_section import example, lead, verdicts
from evenhand.report.partitions_section import comparisons
from evenhand.report.phrases import Words, readable_labels
from evenhand.report.release_section import matching_partition, released
from evenhand.report.shown_groups import Sharing, select_cases
from evenhand.rows import Rows


class Audited(Protocol):
    """What a report needs of an audit."""

    @property
    def rows(self) -> Rows | None:
        """The rows, if they were read from somewhere."""

    @property
    def counts(self) -> CountTable:
        """Their counts."""

    @property
    def knowledge(self) -> Knowledge:
        """What was known before."""

    @property
    def certificate(self) -> Certificate:
        """The verdict with everything it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What the caller of ``report`` chose; see there."""

    labels: Labels
    partition: PartitionExplanation | None
    doubt: GraphDoubt | None
    resampled: Bootstrap | None
    share: bool
    least_count: int
    title: str | None
    generated: str


def assemble_page(audit: Audited, release: Release | None, options: ReportOptions) -> page.Page:
    """Fill all sections of the page."""
    certificate, knowledge = audit.certificate, audit.knowledge
    labels = readable_labels(options.labels, audit.counts.names)
    words = Words(question=certificate.question, labels=labels)
    sharing = Sharing(
        options.share, options.least_count, certificate.partition, matching_partition(release)
    )
    cases = select_cases(certificate, sharing)
    source = _file_name(audit.rows)
    name = options.title or source or "a table"
    question = f"Does {words.protected} itself change {words.decision}?"
    copy = f"copy for others: counts under {options.least_count} withheld"
    return page.Page(
        title=f"{certificate.verdict}: {question} | {name}",
        masthead=(
            name,
            options.generated,
            copy if options.share else "full report: small counts shown",
        ),
        question=question,
        lead=lead(certificate, words, sharing),
        verdicts=verdicts(certificate, cases, words, sharing),
        example=example(cases, words),
        causes=causes(certificate, words),
        graph=graph_figure(certificate, knowledge, words),
        differences=differences(certificate, cases, words, sharing),
        evidence=evidence(cases, words, sharing),
        chance=chance(certificate, cases, words, sharing),
        comparisons=comparisons(certificate, options.partition, words, sharing),
        released=released(release, cases, words, sharing),
        premises=(
            *graph_premises(certificate, knowledge, words, options.doubt, options.resampled),
            *missing_value_premises(audit.counts, words, sharing),
            *other_premises(certificate, cases, words, sharing),
        ),
        unmeasured=unmeasured(certificate, words, sharing),
        checking=checking(certificate, cases, source, words, sharing),
        small_print=small_print(certificate, words, sharing, options.generated),
    )


def _file_name(rows: Rows | None) -> str | None:
    """The name of the file that was read, if it was one; its folder may be private."""
    if rows is None or len(rows.sources) != 1 or rows.sources[0].kind == "frame":
        return None
    return PurePath(rows.sources[0].where).name
