"""What a certificate records of effects through other attributes, so that anybody can check it.

It has the counts of every table that they rest on, and for bounds the potentials that prove
them.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.claim import Indirect
from evenhand.effects.effects import GraphEffects
from evenhand.errors import words_only
from evenhand.record import floats_as_text

_PLACES = 12


def effects_record(indirect: Indirect, *, is_sample: bool) -> dict[str, Any]:
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
            # The codes of each cell that has rows, and how many.
            {
                "names": list(names),
                "counts": np.column_stack([np.argwhere(counts), counts[counts > 0]]).tolist(),
            }
            for names, counts in tables.items()
        ],
        "graphs": [
            {
                "tables": [place[one.tables.names(node)] for node in one.tables.counts],
                "sides": dict(one.sides.sides),
                "witnesses": list(one.sides.witnesses),
                "verdict": str(one.verdict(indirect.threshold)),
                "effects": {
                    at: {
                        name: [_outward(effect.lower, floor), _outward(effect.upper, ceil)]
                        for name, effect in of.effects.items()
                    }
                    for at, of in one.directions.items()
                },
            }
            | (_potentials(one) if one.sides.witnesses else {})
            for one in indirect.graphs
        ],
        "gap": str(indirect.data_gap),
        **({"standard_errors": floats_as_text(errors)} if errors else {}),
    }


def _potentials(graph: GraphEffects) -> dict[str, Any]:
    """What proves the bounds."""
    proofs = {
        at: [[[*map(str, one)] for one in proof] for proof in direction.potentials]
        for at, direction in graph.directions.items()
    }
    return {"potentials": proofs}


def _outward(number: Fraction, to_whole: Callable[[Fraction], int]) -> str:
    """A decimal of twelve places on the outer side of a number."""
    return f"{Decimal(to_whole(number * 10**_PLACES)).scaleb(-_PLACES):f}"
