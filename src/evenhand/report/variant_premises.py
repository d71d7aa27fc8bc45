"""What the report says of other arrows, if they were tried."""

from evenhand.evidence import Certificate, Variations
from evenhand.wording import Premise, Words, count, text


def variant_premises(
    certificate: Certificate, words: Words, arrows: Variations | None
) -> tuple[Premise, ...]:
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
        Premise(
            status="Stated",
            what=f"Variants judged: {', '.join(kinds)}.",
            why=text("That no more was tried before is not known here."),
        ),
    )


def _arrows(arrows: Variations | None, words: Words) -> tuple[Premise, ...]:
    """What the table gives without each cause and with each candidate, where that was tried."""
    if arrows is None:
        return ()
    added = sum(way.is_cause for way in arrows.ways)
    return (
        Premise(
            status="Tried",
            what=f"Each of {count(len(arrows.ways) - added, 'cause')} of {words.decision} left "
            f"out, each of {count(added, 'candidate')} added.",
            why=text(f"{arrows.sentence(words.column)} {' '.join(arrows.notes)}"),
        ),
    )
