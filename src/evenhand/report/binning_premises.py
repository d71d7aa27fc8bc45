"""What the report says of other classes of numbers, if they were tried."""

from evenhand.evidence import Binnings
from evenhand.report import template_types as page
from evenhand.report.phrases import Words, listing
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
