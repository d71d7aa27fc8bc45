"""``report``: results in, a page out; templates get records, statements and pictures."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import PurePath
from shlex import quote

from evenhand.display import Summary
from evenhand.evidence import Certificate, PartitionExplanation, shown_part
from evenhand.evidence.certificate_record import shown_claim
from evenhand.evidence.variations.arrows import Variations
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.question.display_labels import Labels, state_before
from evenhand.releasing import Release
from evenhand.report.comparisons_section import comparisons, known_table
from evenhand.report.differences import Case, picture, varying
from evenhand.report.effects_section import claim_card, paths
from evenhand.report.graph_section import causes, graph_figure
from evenhand.report.pictures.group_pairs import who_against_whom
from evenhand.report.release_section import released
from evenhand.report.rendering import Report, View
from evenhand.report.shared_page import shared_page
from evenhand.rows import Rows
from evenhand.wording import Text, Words
from evenhand.wording.answer_words import answer_statements
from evenhand.wording.certificate_words import population_summary
from evenhand.wording.difference_words import (
    chance_lead,
    evidence_lead,
    finding,
    findings_heading,
    no_overlap_statements,
)
from evenhand.wording.premises import Audited, not_examined, premises
from evenhand.wording.verdict_words import lead, question_sentence, verdicts
from evenhand.wording.vocabulary import codes_statement

_TOLD = 3
_LISTED = 8
_MOST_CAUSES = 12  # of more the names are long
_MOST_LISTED = 500


def report(
    audit: Audited,
    release: Release | None = None,
    *,
    labels: Labels | None = None,
    partition: PartitionExplanation | None = None,
    resampled: Bootstrap | None = None,
    arrows: Variations | None = None,
    rates: Sequence[Summary] = (),
    share: bool = False,
    least_count: int = 10,
    title: str | None = None,
    certificate_file: str | PathLike[str] | None = None,
    generated: str | None = None,
) -> Report:
    """Build the page on an audit, and on a release if there is one.

    Its first part stands alone; an appendix for experts follows. ``labels`` give plain words;
    ``partition`` is one that the reader asked about; ``resampled`` and ``arrows`` tell how
    sensitive the verdict is to the rows and to single arrows, if that was tried; ``rates``
    are tables of selection rates; ``title`` says what the data are. With ``share`` the page is
    made from the groups without a count under ``least_count`` alone, and leaves out what rests
    on all rows. The commands to check it name ``certificate_file`` and the data, or the files
    of the release. ``generated`` is the date to print, by default today's.

    >>> import evenhand as eh
    >>> graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission; "
    ...                              "gender -> admission")
    >>> asked = eh.datasets.question("admissions")
    >>> report(eh.audit(eh.datasets.admissions(2), asked, graph=graph))
    <Report: Cannot tell: Does gender itself change admission? | a table>
    """
    today = datetime.now(UTC)
    generated = generated or f"{today.day} {today:%B %Y}"
    source = _file_name(audit.rows)
    effects = resampled.indirect if resampled else None
    certificate, knowledge = audit.certificate.resampled(effects), audit.knowledge
    words = Words.of(certificate, labels)
    name = title or source or "a table"
    if release and release.files:
        name = f"{name}, released as {release.files.data.name}"
    of = release.certificate if release else certificate
    claim = shown_claim(of)
    if share:
        of = shown_part(of, least_count=least_count)
    said = of.verdict if share else audit.answer.word
    page = View(
        title=f"{said}: {question_sentence(words)} | {name}",
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
    after, divided = release.certificate if release else None, certificate.partition
    reaching = [Case(divided, line) for line in divided.by_strength[:_MOST_LISTED].tolist()]
    answer = answer_statements(audit.answer, words)
    return Report(
        page.but(
            certificate=certificate,
            masthead=(name, generated, "full report: small counts shown"),
            answer=answer,
            verdicts=verdicts(audit.answer, answer.sentence, words),
            state=state_before(words.question),
            lead=lead(certificate, words),
            claim=claim_card(certificate, words),
            who=who_against_whom(certificate, words),
            picture=picture(certificate, words),
            told=_findings(certificate, reaching[:_TOLD], words),
            depends=[*filter(None, (answer.depends, *answer.further))],
            not_examined=[*not_examined(certificate, words)],
            causes=causes(certificate, words),
            graph=graph_figure(certificate, knowledge, words),
            evidence_lead=evidence_lead(certificate, words),
            common=words.alike(varying(reaching)[0]),
            findings=_rows(reaching, words),
            listed=_LISTED if len(divided.names) <= _MOST_CAUSES else _TOLD,
            beyond=divided.violating - len(reaching),
            chance=chance_lead(certificate),
            population=population_summary(certificate.population),
            comparisons=comparisons(certificate, partition, words),
            known=known_table(certificate, after, words),
            rates=rates,
            paths=paths(certificate, after, words),
            released=released(release, words),
            models=None,
            premises=[*premises(audit, certificate, words)],
            tried=[one.summary() for one in (resampled, arrows) if one],
            unmeasured=[*no_overlap_statements(certificate, words)],
            checked=release.certificate if release and release.files else certificate,
        )
    )


def _findings(certificate: Certificate, cases: list[Case], words: Words) -> View | None:
    """The strongest groups in words; what all of them share is said once."""
    if not cases:
        return None
    common, others = varying(cases)
    sentences: list[Text] = [
        (f"{case.id}. ", *finding(case.people, words, where))
        for case, where in zip(cases, others, strict=True)
    ]
    return View(
        heading=findings_heading(certificate, len(cases)),
        common=words.alike(common),
        sentences=sentences,
    )


def _rows(cases: list[Case], words: Words) -> list[tuple[Case, str]]:
    """Groups with the values that not all of them share."""
    _, others = varying(cases)
    named = (words.alike(where) or "everybody" for where in others)
    return [*zip(cases, named, strict=True)]


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
