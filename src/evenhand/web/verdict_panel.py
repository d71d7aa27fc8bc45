"""The verdict beside a screen: both verdicts, figures, the threshold, all groups as dots."""

from fractions import Fraction

from evenhand.auditing import Audit
from evenhand.evidence import Verdict
from evenhand.evidence.population import in_words
from evenhand.report.differences import group_dots
from evenhand.report.groups import select_cases
from evenhand.report.html_report import View
from evenhand.report.paths_section import claim_card
from evenhand.web.session import Session
from evenhand.wording import Words, capital
from evenhand.wording.verdict_words import (
    certificate_class,
    verdict_class,
    verdict_word,
    verdicts,
)

_WORST_FIRST = ("shown", "not-certified", "cannot-decide", "certified")


def deciding_words(audit: Audit) -> tuple[str, str]:
    """The mark and the words of what decides: each claim, by the rows or the population."""
    found, direct = audit.certificate, audit.deciding_verdict
    sign = verdict_class(direct)
    if isinstance(direct, Verdict):
        sign = certificate_class(found)
    card = claim_card(found, Words.of(found, audit.labels, audit.counts.names))
    if card is None:
        return sign, verdict_word(direct)
    signs = sorted((sign, card.mark), key=_WORST_FIRST.index)
    return signs[0], capital("; ".join(in_words(audit.deciding_verdicts)))


def verdict_panel(session: Session, audit: Audit, words: Words) -> View:
    """The panel for an audit."""
    found = audit.certificate
    cases = select_cases(found)
    many = len(session.file.edits)
    about = "given the graph as learned"
    if many:
        about = f"after {many} change{'s' if many > 1 else ''} of yours"
    threshold: Fraction = audit.question.threshold
    return View(
        about=f"In these rows, {about}",
        verdicts=verdicts(found, words, audit.doubt()),
        claim=claim_card(found, words, about="A second claim, apart from these"),
        sentence=found.first_sentence(words.labels),
        threshold=str(threshold),
        threshold_points=float(100 * threshold),
        threshold_says=words.threshold_points,
        dots=group_dots(found, cases, words) if cases else None,
    )
