"""``report``: results in, a page out; each section fills its part."""

from datetime import UTC, datetime
from os import PathLike
from pathlib import PurePath

from evenhand.evidence import PartitionExplanation, shown_part
from evenhand.evidence.disclosure_control import shown_claim
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.evidence.variations.variations import Variations
from evenhand.question.question_file import Labels
from evenhand.releasing import Release
from evenhand.report.chance import chance
from evenhand.report.differences import differences, evidence, example
from evenhand.report.graph_section import causes, graph_figure
from evenhand.report.groups import select_cases
from evenhand.report.html_report import Report, View
from evenhand.report.known_table import known_table
from evenhand.report.limits_and_checking_sections import checking, small_print, unmeasured
from evenhand.report.partitions_section import comparisons
from evenhand.report.paths_section import claim_card, paths
from evenhand.report.pictures.pairs import who_against_whom
from evenhand.report.release_section import released
from evenhand.report.shared_page import shared_page
from evenhand.rows import Rows
from evenhand.wording import Words
from evenhand.wording.premises import Audited, premises
from evenhand.wording.release_words import ReleaseFacts
from evenhand.wording.verdict_words import lead, question_sentence, verdicts


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
        first_sentence=certificate.first_sentence(words.labels),
        lead=lead(certificate, words),
        verdicts=verdicts(certificate, words, doubt),
        claim=claim_card(certificate, words),
        who=who_against_whom(certificate, words),
        example=example(certificate, cases, words),
        causes=causes(certificate, words),
        graph=graph_figure(certificate, knowledge, words),
        differences=differences(certificate, cases, words),
        evidence=evidence(certificate, cases, words),
        chance=chance(certificate, words),
        comparisons=comparisons(certificate, partition, words),
        known=known_table(certificate, facts.after if facts else None, words),
        paths=paths(certificate, facts.after if facts else None, words, resampled),
        released=released(facts, cases, words),
        models=None,
        premises=[
            *premises(
                audit, certificate, words, doubt=doubt, resampled=resampled, arrows=arrows
            )
        ],
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
