"""Columns that determine the decision but for a few rows, as points of section 7."""

from evenhand.evidence import Certificate
from evenhand.wording import Premise, Words, text


def near_premises(certificate: Certificate, words: Words) -> tuple[Premise, ...]:
    """Columns that determine the decision but for a few rows, with these rows by group."""
    return tuple(
        Premise(
            status="Seen",
            what=f"{words.column(one.name)} determines {words.decision} but for a few rows.",
            why=text(f"The exceptions may be the finding: {one.exceptions_text}."),
        )
        for one in certificate.determinations
        if not one.exact
    )
