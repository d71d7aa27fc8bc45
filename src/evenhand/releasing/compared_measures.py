"""Measures that people know, before and after each method, in one table."""

from collections.abc import Sequence

from evenhand.display import Summary
from evenhand.evidence.known_measures import KINDS, KnownMeasures

_HEADS = {
    "ratio": "80 % ratio",
    "gap": "gap",
    "slift": "slift ≥ 1.25",
    "explained": "explained",
    "unexplained": "unexplained",
    "ber": "BER",
}


def measures_summary(measured: Sequence[tuple[str, KnownMeasures]]) -> Summary:
    """One line for each of the named measurements; the first is of the rows before.

    The notes say what each measure does not see.
    """
    before, first = measured[0]
    impact = first["ber"].sentence
    return Summary(
        title="measures that people know: they answer other questions, and rank no method",
        facts=(("compared", first.pair.sentence), (f"BER {before}", impact)),
        columns=("rows", *_HEADS.values()),
        lines=tuple((name, *(known[key].text for key in _HEADS)) for name, known in measured),
        notes=tuple(
            f"{_HEADS[key]}: {kind.formula}. {kind.unseen}" for key, kind in KINDS.items()
        ),
    )
