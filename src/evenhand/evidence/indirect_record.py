"""Effects through chosen attributes in a certificate document.

The document has the counts of every conditional table, so that anyone can compute the effects
again, and for bounds the potentials that prove them.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.effects import DirectionEffects, GraphEffects
from evenhand.effects.indirect_claim import Indirect
from evenhand.errors import words_only
from evenhand.evidence.certificate_encoding import floats_as_text

_PLACES = 12


def indirect_record(indirect: Indirect, *, is_sample: bool = True) -> dict[str, Any]:
    """What a certificate says of effects through chosen attributes.

    Rows that are no sample, as they were changed, have no standard errors.
    """
    said = {
        "verdict": str(indirect.verdict),
        "reasons": [reason.text(words_only) for reason in indirect.reasons],
    }
    if not indirect.graphs or not indirect.is_exact:
        return said
    tables: dict[tuple[str, ...], NDArray[np.int64]] = {}
    for one in indirect.graphs:
        tables |= {one.tables.names(node): counts for node, counts in one.tables.counts.items()}
    place = {names: at for at, names in enumerate(tables)}
    nodes = sorted({name for names in tables for name in names})
    errors = {
        at: {name: effect.standard_error for name, effect in of.items()}
        for at, of in indirect.effects.items()
        if is_sample
    }
    return said | {
        "consistent": indirect.consistent,
        "values": {name: list(indirect.values[name]) for name in nodes},
        "tables": [
            {"names": list(names), "counts": _cells(counts)} for names, counts in tables.items()
        ],
        "graphs": [
            {
                "tables": [place[one.tables.names(node)] for node in one.tables.counts],
                "sides": dict(one.sides.sides),
                "witnesses": list(one.sides.witnesses),
                "verdict": str(one.verdict(indirect.threshold)),
                "effects": {at: _effects(of) for at, of in one.directions.items()},
                **_potentials(one),
            }
            for one in indirect.graphs
        ],
        "gap": str(indirect.data_gap),
        **({"standard_errors": floats_as_text(errors)} if errors else {}),
    }


def _cells(counts: NDArray[np.int64]) -> list[list[int]]:
    """The codes of each cell that has rows, and how many."""
    places = np.argwhere(counts)
    cells: list[list[int]] = np.column_stack([places, counts[counts > 0]]).tolist()
    return cells


def _effects(direction: DirectionEffects) -> dict[str, list[str]]:
    return {
        name: [_outward(effect.lower, up=False), _outward(effect.upper, up=True)]
        for name, effect in direction.effects.items()
    }


def _potentials(graph: GraphEffects) -> dict[str, Any]:
    """What proves the bounds, where there are witnesses."""
    if not graph.sides.witnesses:
        return {}
    return {
        "potentials": {
            at: [[[*map(str, one)] for one in proof] for proof in direction.potentials]
            for at, direction in graph.directions.items()
        }
    }


def _outward(number: Fraction, *, up: bool) -> str:
    """A decimal of twelve places on the outer side of a number."""
    scaled = number * 10**_PLACES
    whole = (
        -(-scaled.numerator // scaled.denominator)
        if up
        else (scaled.numerator // scaled.denominator)
    )
    sign = "-" if whole < 0 else ""
    digits = f"{abs(whole):0{_PLACES + 1}d}"
    return f"{sign}{digits[:-_PLACES]}.{digits[-_PLACES:]}"
