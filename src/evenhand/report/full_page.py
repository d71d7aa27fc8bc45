"""``report``: results in, a page out; templates get records, statements and pictures."""

from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import PurePath
from shlex import quote

import numpy as np

from evenhand.evidence import Certificate, PartitionExplanation, shown_part
from evenhand.evidence.certificate_record import shown_claim
from evenhand.evidence.variations.adjustment_sets import Variations
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.evidence.variations.graph_tests import GraphDoubt
from evenhand.question.labels import Labels
from evenhand.releasing import Release
from evenhand.report.differences import STRONGEST, chance, differences
from evenhand.report.graph_section import causes, graph_figure
from evenhand.report.groups import Case, select_cases
from evenhand.report.html_report import Report, View
from evenhand.report.known_table import known_table
from evenhand.report.partitions_section import comparisons
from evenhand.report.paths_section import claim_card, paths
from evenhand.report.pictures.pairs import who_against_whom
from evenhand.report.release_section import released
from evenhand.report.shared_page import shared_page
from evenhand.rows import Rows
from evenhand.wording import Words
from evenhand.wording.evidence_words import (
    evidence_lead,
    example_statement,
    sum_by_hand,
    unmeasured_statements,
)
from evenhand.wording.premises import Audited, premises
from evenhand.wording.verdict_words import lead, question_sentence, verdicts
from evenhand.wording.words import codes_statement

_MOST_FINDINGS = STRONGEST + 500
_LARGEST = 5


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
    if release and release.files:
        name = f"{release.files.data.name}, released from {name}"
    of = release.certificate if release else certificate
    claim = shown_claim(of)
    if share:
        of = shown_part(of, least_count=least_count)
    page = View(
        title=f"{of.verdict}: {question_sentence(words)} | {name}",
        words=words,
        codes=codes_statement(of, words),
        question=question_sentence(words),
        files=_files_to_check(release, certificate_file, source, share=share),
        made=f"evenhand {version('evenhand')}, {generated}.",
    )
    if share:
        copy = shared_page(of, knowledge, words, claim=claim, least_count=least_count)
        withheld = f"copy for others: counts under {least_count} withheld"
        return Report(page.but(masthead=(name, generated, withheld), **copy), is_shared=True)
    after = release.certificate if release else None
    divided = certificate.partition
    reaching = [Case(divided, line) for line in divided.by_strength[:_MOST_FINDINGS].tolist()]
    told = premises(audit, certificate, words, arrows=len(arrows.ways) if arrows else 0)
    return Report(
        page.but(
            certificate=certificate,
            masthead=(name, generated, "full report: small counts shown"),
            answer=audit.answer.statements,
            lead=lead(certificate, words),
            verdicts=verdicts(certificate, words, doubt),
            claim=claim_card(certificate, words),
            who=who_against_whom(certificate, words),
            example=_example(certificate, words),
            causes=causes(certificate, words),
            graph=graph_figure(certificate, knowledge, words),
            differences=differences(certificate, words),
            evidence_lead=evidence_lead(certificate, min(STRONGEST, len(reaching)), words),
            findings=reaching[:STRONGEST],
            others=reaching[STRONGEST:],
            beyond=divided.violating - len(reaching),
            chance=chance(certificate, words),
            comparisons=comparisons(certificate, partition, words),
            known=known_table(certificate, after, words),
            paths=paths(certificate, after, words),
            released=released(release, words),
            models=None,
            premises=[*told],
            tried=[one.summary() for one in (doubt, resampled, arrows) if one],
            unmeasured=[*unmeasured_statements(certificate, words)],
            largest=_largest(certificate, words),
            sum=_sum(certificate, words),
            checked=release.certificate if release and release.files else certificate,
        )
    )


def _example(certificate: Certificate, words: Words) -> View | None:
    """The strongest group whose difference is shown.

    A group that chance may explain is no example, however far its rates lie apart.
    """
    partition = certificate.partition
    leads = np.append(partition.statistics.shown, False)[partition.lead]
    if not leads.any():
        return None
    case = Case(partition, next(line for line in partition.strength_order if leads[line]))
    return View(case=case, sentence=example_statement(case.people, case.id, words))


def _sum(certificate: Certificate, words: Words) -> str:
    """The difference of the first group, as whoever checks it computes it."""
    first = select_cases(certificate.partition, 1)
    return sum_by_hand(first[0].people, first[0].id, words) if first else ""


def _largest(certificate: Certificate, words: Words) -> list[tuple[str, ...]]:
    """The largest groups in which nobody can be compared, and who is there."""
    partition = certificate.partition
    absent = certificate.unmeasured.lines.tolist()
    largest = sorted(absent, key=lambda line: -partition.row_counts[line])[:_LARGEST]
    names = (words.alike(partition.where(line)) or "everybody" for line in largest)
    present = (words.present(partition.rows[:, line].tolist()) for line in largest)
    return [(name, *who) for name, who in zip(names, present, strict=True)]


def _files_to_check(
    release: Release | None,
    certificate_file: str | PathLike[str] | None,
    source: str | None,
    *,
    share: bool,
) -> tuple[str, str]:
    """The certificate and the data as commands name them; capitals for what was not written."""
    record, data = PurePath(certificate_file).name if certificate_file else None, source
    if release is not None and release.files is not None:
        written = release.files.shared if share else release.files.certificate
        record, data = written.name if written else None, release.files.data.name
    return quote(record or "CERTIFICATE.json"), quote(data or "DATA.csv")


def _file_name(rows: Rows | None) -> str | None:
    """The name of the file that was read, if it was one; its folder may be private."""
    if rows is None or len(rows.sources) != 1 or rows.sources[0].kind == "frame":
        return None
    return PurePath(rows.sources[0].where).name
