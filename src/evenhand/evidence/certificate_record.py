"""The two records of a certificate: for the owner of the data, and for others.

Anyone can check a record without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text.
docs/certificate.md describes every field.
"""

from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.counts.examined import group_columns
from evenhand.effects.indirect_claim import effects_record
from evenhand.errors import CannotReleaseError, QuestionError, words_only
from evenhand.evidence.certificate import Certificate
from evenhand.evidence.partition import Partition
from evenhand.graph import DiscoveryRecord, PartialGraph
from evenhand.record import FORMAT, floats_as_text, sealed
from evenhand.verdict import INT64_END, Verdict

_ESTIMATES = (
    "These are estimates, computed in floating point and rounded to twelve digits. The engine "
    "computes them again; the stand-alone checker does not."
)
_CHANCE = ("expected", "lower", "upper", "p", "rows")


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
    content |= _guesses(certificate)
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
        if chance and partition.two_groups:
            told = {name: getattr(chance, name) for name in _CHANCE}
            entry["subpopulations"]["by_chance"] = floats_as_text(told)
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
    content |= _guesses(certificate)
    content["withheld"] = {"least_count": least_count}
    content["rules"] = {"declared": list(shown.question.rule)}
    if (verdict := shown_claim(certificate)) is not None:
        content["indirect"] = {"verdict": str(verdict)}
    (entry,), partition = content["partitions"], shown.partition
    entry["verdict"] = str(Verdict.NOT_CERTIFIED if partition.violating else shown.verdict)
    return sealed(content)


def _guesses(certificate: Certificate) -> dict[str, Any]:
    """What nobody gave, if there is any."""
    guesses = {key: [*texts] for key, texts in certificate.guesses.items()}
    return {"guesses": guesses} if guesses else {}


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


def shown_part(judgement: Certificate, *, least_count: int) -> Certificate:
    """The judgement on the people by subpopulation and group whose counts are large enough.

    A subpopulation is shown where two groups that are compared have large counts of each kind
    of decision; of further groups there those that have them, too, and of the others nobody.
    Of the sets of causes that the graph leaves open the first by name is shown; a second
    partition of the same people would give withheld counts back by subtraction. The verdict
    is *not certified* if a subpopulation shown violates, else *withheld*: that on all rows is
    told of a release only, which is certified or has no copy for others.
    """
    check_least_count(least_count)
    sets = sorted(judgement.possible_decision_causes, key=lambda names: (-len(names), names))
    whole = next(one for one in judgement.partitions if one.names == sets[0])
    large = whole.counts.min(axis=0, initial=least_count) >= least_count
    pairs = np.array(whole.pairs, np.intp).reshape(-1, 2).T
    shown = large & large[pairs].all(axis=0).any(axis=0)
    examined = _restricted(judgement.examined, whole, shown)
    partition = Partition.of(examined, sets[0])
    verdict = Verdict.WITHHELD
    if judgement.release:
        _check_certified(judgement)
        verdict = Verdict.CERTIFIED
    elif partition.violating and len(sets) == 1:
        verdict = Verdict.NOT_CERTIFIED
    return Certificate(
        verdict=verdict,
        reasons=(),
        examined=examined,
        pools_others=judgement.pools_others,
        graph=_without_statistics(judgement.graph),
        graph_origin=judgement.graph_origin.for_others,
        direct_arrow=judgement.direct_arrow,
        possible_decision_causes=tuple(sets),
        deciding_edges=(),
        partitions=(partition,),
        scope=judgement.scope,
        complete=judgement.complete,
        min_coverage=judgement.min_coverage,
        codings=judgement.codings,
        contradictions=judgement.contradictions,
        release=judgement.release.for_others if judgement.release else None,
    )


def shown_claim(judgement: Certificate) -> Verdict | None:
    """The verdict on effects through chosen attributes that may be told; None without a claim.

    Its numbers rest on all rows, small counts too, and nothing of them is told: only that a
    release meets the criterion, as no release for others does not.
    """
    claim = judgement.indirect
    if claim is None:
        return None
    is_met = judgement.release and claim.verdict is Verdict.CERTIFIED
    return Verdict.CERTIFIED if is_met else Verdict.WITHHELD


def check_least_count(least_count: object) -> None:
    """Refuse what is no count, or would withhold nothing."""
    if type(least_count) is not int or not 1 <= least_count < INT64_END:
        raise QuestionError.of(
            f"The least count {least_count!r} is not a whole number of at least 1.",
            remedy="Give one; 10 is usual.",
        )


def _check_certified(judgement: Certificate) -> None:
    claims = [judgement.verdict]
    claims += [judgement.indirect.verdict] if judgement.indirect else []
    if {*claims} != {Verdict.CERTIFIED}:
        raise CannotReleaseError.of(
            "There is a copy for others only of a certified release.",
            "Of another one the verdict would tell of groups that are withheld.",
            "Leave the copy out, or release by a method that reaches the criterion.",
        )


def _restricted(
    examined: ExaminedCounts, partition: Partition, shown: NDArray[np.bool_]
) -> ExaminedCounts:
    """The rows of some groups in some subpopulations, by cause, group and decision.

    There is no value without rows, and the values are in the order that these rows alone give.
    Decisions that are not favorable are always pooled: else their name would tell of one person
    who got a third one.
    """
    question, counts = examined.question, examined.counts
    line, _ = counts.groups(partition.names)
    part = CountTable.build(
        counts.attributes, counts.codes, counts.counts * shown[examined.group_codes, line]
    )
    part = part.marginal((*partition.names, *question.columns)).pruned()
    favorable = question.favorable_label
    decisions = (favorable, f"not {favorable}") if favorable else examined.decisions
    if not shown.any():  # the values asked about are named all the same
        groups = [attribute for attribute, _ in group_columns(question, examined.groups)]
        causes = map(part.attribute, partition.names)
        named = (*causes, *groups, Attribute(question.decision, decisions))
        part = replace(part, attributes=named)
    elif favorable:
        others = {*part.attribute(question.decision).values} - {*question.favorable_values}
        part = part.recoded(question.decision, dict.fromkeys(others, decisions[1]))
    for name in partition.names:
        part = part.recoded(name, {})
    return ExaminedCounts(
        counts=part, question=question, left_out=0, absent_groups=examined.groups
    )


def _without_statistics(graph: PartialGraph) -> PartialGraph:
    """The graph without what its search counted and computed."""
    if graph.record is None:
        return graph
    chosen = "algorithm test significance ambiguous stand_ins knowledge limits"
    bare = DiscoveryRecord(**{name: getattr(graph.record, name) for name in chosen.split()})
    return replace(graph, record=bare)
