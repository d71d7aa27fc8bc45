"""Edits of the graph, as points of section 7: what was changed, why, and what was before."""

from evenhand.evidence import Certificate
from evenhand.wording import Premise, text

_WHAT = {
    "add": "The arrow {} -> {} was added to the graph.",
    "remove": "The edge between {} and {} was removed from the graph.",
    "reverse": "The arrow {} -> {} of the graph was reversed.",
    "open": "Whether {} causes {}, or the other way round, was left open.",
}


def edit_premises(certificate: Certificate) -> tuple[Premise, ...]:
    """One point for each edit, with the reason that was given, and one for the graph before."""
    return (
        *(
            Premise(
                status="Given",
                what=_WHAT[edit.kind].format(*edit.arrow),
                why=text(f"The reason given: {edit.reason}"),
            )
            for edit in certificate.graph_origin.edits
        ),
        *_unedited(certificate),
    )


def _unedited(certificate: Certificate) -> tuple[Premise, ...]:
    """The graph before the edits, and what it gives where that may be told."""
    origin = certificate.graph_origin
    before = origin.unedited
    if before is None:
        return ()
    outcome = before.outcome
    gives = f": {outcome}" if outcome else ", before the edits"
    return (
        Premise(
            status="Tried" if outcome else "Given",
            what=f"As {origin.kind}{gives}.",
            why=text(f"The graph was then: {before.graph(certificate.graph.nodes)}"),
        ),
    )
