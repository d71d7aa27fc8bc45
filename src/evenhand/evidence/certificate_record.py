"""The two records of a certificate: for the owner of the data, and for others.

Anyone can check a record without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text. It has the
counts of every table that effects through other attributes rest on, and for bounds the
potentials that prove them. docs/certificate.md describes every field.
"""

from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.effects.claim import Indirect
from evenhand.effects.effects import DirectionEffects, GraphEffects
from evenhand.errors import words_only
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.disclosure_control import shown_claim, shown_part
from evenhand.evidence.partition_table import digest, encode_table
from evenhand.record import FORMAT, floats_as_text, sealed
from evenhand.verdict import Verdict

_PLACES = 12
_ESTIMATES = (
    "These are estimates, computed in floating point and rounded to twelve digits. The engine "
    "computes them again; the stand-alone checker does not."
)


def full_record(certificate: Certificate) -> dict[str, Any]:
    """The record for the owner of the data: every subpopulation, and digests."""
    content = _record(certificate)
    content["copy"] = "full"
    content["reasons"] = [reason.text(words_only) for reason in certificate.reasons]
    content["population"] = {
        "notice": _ESTIMATES,
        **floats_as_text(certificate.population.to_dict()),
    }
    content["rules"] = certificate.rules
    content["variants"] = certificate.variants
    content["rows"] = {
        "read": certificate.row_count + certificate.examined.left_out + certificate.dropped,
        "dropped": certificate.dropped,
        "left_out": certificate.examined.left_out,
        "examined": certificate.row_count,
    }
    if certificate.indirect is not None:
        is_sample = certificate.release is None
        content["indirect"] = _indirect(certificate.indirect, is_sample=is_sample)
    for entry, partition in zip(content["partitions"], certificate.partitions, strict=True):
        # Of released rows, which chance did not make, nothing is said of it.
        chance = None if certificate.release else partition.by_chance
        if chance:
            entry["subpopulations"]["by_chance"] = floats_as_text(chance.to_dict())
        entry |= {
            "verdict": str(partition.verdict(certificate.min_coverage)),
            "coverage": partition.coverage.to_dict(),
            "evidence": partition.by_strength.tolist(),
            "digest": certificate.digest
            if partition is certificate.partition
            else digest(partition),
        }
    if certificate.without_rule is not None:
        content["rules"]["without"]["record"] = full_record(certificate.without_rule)
    return sealed(content)


def shared_record(certificate: Certificate, *, least_count: int) -> dict[str, Any]:
    """The record for others, of the subpopulations without a smaller count alone."""
    shown = shown_part(certificate, least_count=least_count)
    content = _record(shown)
    content["copy"] = "shared"
    content["withheld"] = {"least_count": least_count}
    content["rules"] = {"declared": list(shown.question.rule)}
    if (verdict := shown_claim(certificate)) is not None:
        content["indirect"] = {"verdict": str(verdict)}
    (entry,), partition = content["partitions"], shown.partition
    entry["verdict"] = str(Verdict.NOT_CERTIFIED if partition.violating else shown.verdict)
    return sealed(content)


def _record(certificate: Certificate) -> dict[str, Any]:
    """What both records say."""
    graph = certificate.graph
    return {
        "format": FORMAT,
        "versions": {"evenhand": version("evenhand")},
        "verdict": str(certificate.verdict),
        "question": {
            **replace(certificate.question, rule=()).to_dict(),
            "groups": list(certificate.examined.groups),
            "decisions": list(certificate.examined.decisions),
            "min_coverage": str(certificate.min_coverage),
        },
        "pooled": {
            "other": certificate.pools_others,
            "unfavorable": certificate.pools_decisions,
        },
        "codings": certificate.codings.to_dict(),
        "graph": {
            **graph.to_dict(),
            # Where a collider was neither found nor excluded: open edges may make one.
            "doubtful": sorted(map(list, graph.doubtful)),
            "origin": certificate.graph_origin.to_dict(),
        },
        "direct_arrow": certificate.direct_arrow,
        "decision_causes": list(certificate.decision_causes),
        "possible_decision_causes": list(map(list, certificate.possible_decision_causes)),
        "scope": {"asked": certificate.scope, "complete": certificate.complete},
        "partitions": [
            {
                "names": list(partition.names),
                "role": "causes" if partition in certificate.causes else "block set",
                "subpopulations": partition.numbers,
                "table": encode_table(partition),
            }
            for partition in certificate.partitions
        ],
        "assumptions": list(certificate.assumptions),
        **({"release": certificate.release.to_dict()} if certificate.release else {}),
    }


def _indirect(indirect: Indirect, *, is_sample: bool) -> dict[str, Any]:
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
