"""What the report says of other classes of numbers and other arrows, if they were tried."""

from evenhand.evidence import ArrowDependence, Binnings
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, count, listing
from evenhand.report.template_types import text


def binning_premises(binnings: Binnings | None, words: Words) -> tuple[page.Premise, ...]:
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
            what=f"{len(binnings.ways):,} other ways to class {columns}, with the same causes.",
            why=text(
                f"In these ways: {binnings.sentence}; {ranges}. {hangs} "
                f"{' '.join(binnings.notes)}"
            ),
        ),
    )


def arrow_premises(arrows: ArrowDependence | None, words: Words) -> tuple[page.Premise, ...]:
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
