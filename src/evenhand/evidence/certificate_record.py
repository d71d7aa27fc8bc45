"""The two records of a certificate: for the owner of the data, and for others.

Anyone can check a record without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text.
docs/certificate.md describes every field.
"""

from dataclasses import replace
from importlib.metadata import version
from typing import Any

from evenhand.effects.effects_record import effects_record
from evenhand.errors import words_only
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.disclosure_control import shown_claim, shown_part
from evenhand.record import FORMAT, floats_as_text, sealed
from evenhand.verdict import Verdict

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
    if certificate.answer is not None:
        content["answer"] = dict(certificate.answer)
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
        content["indirect"] = effects_record(certificate.indirect, is_sample=is_sample)
    for entry, partition in zip(content["partitions"], certificate.partitions, strict=True):
        # Of released rows, which chance did not make, nothing is said of it.
        chance = None if certificate.release else partition.by_chance
        if chance:
            entry["subpopulations"]["by_chance"] = floats_as_text(chance.to_dict())
        entry |= {
            "verdict": str(partition.verdict(certificate.min_coverage)),
            "coverage": partition.coverage.to_dict(),
            "evidence": partition.by_strength.tolist(),
            "digest": partition.digest,
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
                "table": partition.table(),
            }
            for partition in certificate.partitions
        ],
        "assumptions": list(certificate.assumptions),
        **({"release": certificate.release.to_dict()} if certificate.release else {}),
    }
