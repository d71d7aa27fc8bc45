"""``report``: results in, a page out; each section fills its part."""

from datetime import UTC, datetime
from os import PathLike
from pathlib import PurePath
from typing import Protocol

from evenhand.counts import CountTable
from evenhand.evidence import Certificate, PartitionExplanation, shown_part
from evenhand.evidence.disclosure_control import shown_claim
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.evidence.variations.variations import Variations
from evenhand.question import Judge, Knowledge
from evenhand.question.question_file import Labels
from evenhand.releasing import Release
from evenhand.report.assumptions_section import (
    graph_premises,
    judge_premises,
    other_premises,
)
from evenhand.report.chance_section import chance
from evenhand.report.differences_sections import differences, evidence
from evenhand.report.edit_premises import edit_premises
from evenhand.report.graph_section import causes, graph_figure
from evenhand.report.html_report import Report, View
from evenhand.report.known_table import known_table
from evenhand.report.limits_and_checking_sections import checking, small_print, unmeasured
from evenhand.report.opening_section import example, first_sentence, lead, verdicts
from evenhand.report.partitions_section import comparisons
from evenhand.report.paths_section import claim_card, paths
from evenhand.report.release_facts import ReleaseFacts
from evenhand.report.release_section import released
from evenhand.report.rule_premises import near_premises
from evenhand.report.shared_page import shared_page
from evenhand.report.shown_groups import select_cases
from evenhand.report.table_premises import inspection_premises, missing_value_premises
from evenhand.report.variant_premises import variant_premises
from evenhand.report.who_against_whom import who_against_whom
from evenhand.rows import Inspection, Rows
from evenhand.wording import Words


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

    @property
    def judge(self) -> Judge:
        """Which verdict decides."""

    @property
    def inspection(self) -> Inspection:
        """What a look at the table found."""


def report(
    audit: Audited,
    release: Release | None = None,
    *,
    labels: Labels | None = None,
    partition: PartitionExplanation | None = None,
    doubt: GraphDoubt | None = None,
    resampled: Bootstrap | None = None,
    arrows: Variations | None = None,
    share: bool = False,
    least_count: int = 10,
    title: str | None = None,
    certificate_file: str | PathLike[str] | None = None,
    generated: str | None = None,
) -> Report:
    """Build the page on an audit, and on a release if there is one.

    ``labels`` give plain words; ``partition`` is one that the reader asked about; ``doubt``,
    ``resampled`` and ``arrows`` tell how sensitive the verdict is to the graph, the rows and
    single arrows, if that was tried; ``title`` says what the data are. With ``share`` the page
    is made from the groups without a count under ``least_count`` alone, and leaves out these
    four, which rest on all rows. The commands to check it name ``certificate_file`` and the
    data, or the files of the release. ``generated`` is the date to print, by default today's.

    >>> import evenhand as eh
    >>> graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission; "
    ...                              "gender -> admission")
    >>> asked = eh.datasets.question("admissions")
    >>> report(eh.audit(eh.datasets.admissions(2), asked, graph=graph))
    <Report: not certified: Does gender itself change admission? | a table>
    """
    today = datetime.now(UTC)
    generated = generated or f"{today.day} {today:%B %Y}"
    source = _file_name(audit.rows)
    effects = resampled.indirect if resampled else None
    certificate, knowledge = audit.certificate.resampled(effects), audit.knowledge
    words = Words.of(certificate, labels, audit.counts.names)
    if certificate.question.predicts:
        doubt = None  # predictions say nothing of the graph of the recorded decision
    name = title or source or "a table"
    question = question_sentence(words)
    if release and release.files:
        name = f"{release.files.data.name}, released from {name}"
    if share:
        of = release.certificate if release else certificate
        return Report(
            shared_page(
                shown_part(of, least_count=least_count),
                knowledge,
                words,
                claim=shown_claim(of),
                least_count=least_count,
                question=question,
                name=name,
                generated=generated,
                files=_files_to_check(release, certificate_file, source, share=True),
            ),
            is_shared=True,
        )
    cases = select_cases(certificate)
    facts = ReleaseFacts.of(release) if release else None
    verdict = facts.after.verdict if facts else certificate.verdict
    content = View(
        title=f"{verdict}: {question} | {name}",
        masthead=(name, generated, "full report: small counts shown"),
        question=question,
        first_sentence=first_sentence(certificate, words),
        lead=lead(certificate, words),
        verdicts=verdicts(certificate, words, doubt),
        claim=claim_card(certificate, words),
        who=who_against_whom(certificate, words),
        example=example(certificate, cases, words),
        causes=causes(certificate, words),
        graph=graph_figure(certificate, knowledge, words),
        differences=differences(certificate, cases, words),
        evidence=evidence(certificate, cases, words),
        chance=chance(certificate, cases, words),
        comparisons=comparisons(certificate, partition, words),
        known=known_table(certificate, facts.after if facts else None, words),
        paths=paths(certificate, facts.after if facts else None, words, resampled),
        released=released(facts, cases, words),
        models=None,
        premises=(
            *graph_premises(certificate, knowledge, words, doubt, resampled),
            *edit_premises(certificate),
            *missing_value_premises(audit.counts, words),
            *inspection_premises(audit.inspection),
            *judge_premises(audit.judge),
            *near_premises(certificate, words),
            *variant_premises(certificate, words, arrows),
            *other_premises(audit.counts, certificate, cases, words),
        ),
        unmeasured=unmeasured(certificate, words),
        checking=checking(
            release.certificate if release and release.files else certificate,
            cases,
            _files_to_check(release, certificate_file, source, share=False),
            words,
        ),
        small_print=small_print(certificate, words, generated),
    )
    return Report(content)


def question_sentence(words: Words) -> str:
    """What the page answers; of predictions it is not whether the attribute itself did it."""
    if words.question.predicts:
        return f"Do people alike in the causes of {words.recorded} get different predictions?"
    several = len(words.question.protected_names) > 1
    does, itself = ("Do", "themselves") if several else ("Does", "itself")
    return f"{does} {words.protected} {itself} change {words.decision.rstrip('?')}?"


def _files_to_check(
    release: Release | None,
    certificate_file: str | PathLike[str] | None,
    source: str | None,
    *,
    share: bool,
) -> tuple[str | None, str | None]:
    """The names of the certificate and the data that go with the report, where they exist."""
    if release is not None and release.files is not None:
        record = release.files.shared if share else release.files.certificate
        return record.name if record else None, release.files.data.name
    return PurePath(certificate_file).name if certificate_file else None, source


def _file_name(rows: Rows | None) -> str | None:
    """The name of the file that was read, if it was one; its folder may be private."""
    if rows is None or len(rows.sources) != 1 or rows.sources[0].kind == "frame":
        return None
    return PurePath(rows.sources[0].where).name
