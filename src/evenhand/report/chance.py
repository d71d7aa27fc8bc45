"""Section 4: how many groups reach the threshold, seen and by chance."""

from evenhand.evidence import Certificate
from evenhand.evidence.subpopulations import p_value
from evenhand.report.html_report import View
from evenhand.wording import Words, count
from evenhand.wording.evidence_words import by_chance, chance_notes, chance_statements

_MOST_LINES = 30


def chance(certificate: Certificate, words: Words) -> View:
    """The chance line and the statistical verdict at length."""
    measured = certificate.population.measured
    return View(
        by_chance=[*by_chance(certificate, words)] if measured else [],
        seen=None if certificate.release or not measured else _picture(certificate, words),
        paragraphs=[*chance_statements(certificate, words)],
        notes=[*chance_notes(certificate, words)],
    )


def _picture(certificate: Certificate, words: Words) -> View:
    """For each way to compare, the share of groups at or beyond the threshold."""
    partitions = certificate.partitions[:_MOST_LINES]
    rest = len(certificate.partitions) - len(partitions)
    more = f" {count(rest, 'further comparison')} not drawn." if rest else ""
    return View(
        title=f"Groups at or beyond {words.threshold_points}: seen, and by chance alone",
        subtitle="Share of the comparable groups, from none to all. The range holds 95% of "
        f"what chance alone makes.{more}",
        lines=[
            View(
                alike=words.same(partition.names),
                measured=int(partition.measured.sum()),
                seen=partition.violating,
                chance=chance,
                p=p_value(chance.p),
            )
            for partition in partitions
            if (chance := partition.by_chance)
        ],
    )
