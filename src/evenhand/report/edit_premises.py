"""Edits of the graph, as points of section 7: what was changed, and why."""

from evenhand.evidence import Certificate
from evenhand.report import template_types as page
from evenhand.report.template_types import text

_WHAT = {
    "add": "The arrow {} -> {} was added to the graph.",
    "remove": "The edge between {} and {} was removed from the graph.",
    "reverse": "The arrow {} -> {} of the graph was reversed.",
}


def edit_premises(certificate: Certificate) -> tuple[page.Premise, ...]:
    """One point for each edit, with the reason that was given."""
    return tuple(
        page.Premise(
            status="Given",
            what=_WHAT[edit.kind].format(*edit.arrow),
            why=text(f"The reason given: {edit.reason}"),
        )
        for edit in certificate.graph_origin.edits
    )
