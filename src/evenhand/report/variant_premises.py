"""What the report says of other arrows, if they were tried."""

from evenhand.evidence import ArrowDependence, Certificate
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, count
from evenhand.report.template_types import text


def variant_premises(
    certificate: Certificate, words: Words, arrows: ArrowDependence | None
) -> tuple[page.Premise, ...]:
    """How many variants were judged, and what other arrows gave."""
    judged = certificate.stating(arrows=len(arrows.ways) if arrows else 0).variants
    kinds = [
        f"{count(judged['cause_sets'], 'set')} of causes of {words.decision}",
        *(["with the rule and without"] if judged["rules"] > 1 else []),
        "no other classes",
        f"{judged['arrows'] or 'no'} other arrows",
        *([count(judged["graphs"], "graph")] if "graphs" in judged else []),
    ]
    return (
        *_arrows(arrows, words),
        page.Premise(
            status="Stated",
            what=f"Variants judged: {', '.join(kinds)}.",
            why=text("That no more was tried before is not known here."),
        ),
    )


def _arrows(arrows: ArrowDependence | None, words: Words) -> tuple[page.Premise, ...]:
    """What the table gives without each cause and with each candidate, where that was tried."""
    if arrows is None:
        return ()
    added = sum(way.is_cause for way in arrows.ways)
    return (
        page.Premise(
            status="Tried",
            what=f"Each of {count(len(arrows.ways) - added, 'cause')} of {words.decision} left "
            f"out, each of {count(added, 'candidate')} added.",
            why=text(f"{arrows.sentence_with(words.column)} {' '.join(arrows.notes)}"),
        ),
    )
