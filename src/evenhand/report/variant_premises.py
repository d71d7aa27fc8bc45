"""What the report says of other classes of numbers and other arrows, if they were tried."""

from evenhand.evidence import ArrowDependence, Binnings, Certificate
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, count, listing
from evenhand.report.template_types import text


def variant_premises(
    certificate: Certificate,
    words: Words,
    binnings: Binnings | None,
    arrows: ArrowDependence | None,
) -> tuple[page.Premise, ...]:
    """How many variants were judged, and what other classes and arrows gave."""
    judged = certificate.stating(binnings, arrows).variants
    kinds = [
        f"{count(judged['cause_sets'], 'set')} of causes of {words.decision}",
        *(["with the rule and without"] if judged["rules"] > 1 else []),
        f"{judged['classes']:,} ways to class numbers"
        if judged["classes"]
        else "no other classes",
        f"{judged['arrows'] or 'no'} other arrows",
        *([count(judged["graphs"], "graph")] if "graphs" in judged else []),
    ]
    return (
        *_arrows(arrows, words),
        *_binnings(binnings, words),
        page.Premise(
            status="Stated",
            what=f"Variants judged: {', '.join(kinds)}.",
            why=text("That no more was tried before is not known here."),
        ),
    )


def _binnings(binnings: Binnings | None, words: Words) -> tuple[page.Premise, ...]:
    """What the same causes give in other classes, where that was tried."""
    if binnings is None:
        return ()
    columns = listing([words.column(name) for name in binnings.columns])
    ranges = "; ".join(f"{name} {these}" for name, these in binnings.ranges)
    cut = binnings.deciding_cut
    hangs = f"Most hangs on one cut: {cut}." if cut else "No cut changes that."
    return (
        page.Premise(
            status="Tried",
            what=f"{len(binnings.ways):,} ways to class {columns}, with the same causes.",
            why=text(
                f"In these ways: {binnings.sentence}; {ranges}. {hangs} "
                f"{' '.join(binnings.notes)}"
            ),
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
