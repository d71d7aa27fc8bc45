"""What is compared of two results, how exactly, and which differences are allowed."""

import json
import math
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from typing import Any

Field = tuple[str, ...]
Choice = dict[str, Any]  # of a key: what is compared below it, nothing for everything


def _keys(text: str) -> Choice:
    """Keys as a tree; lists are passed through, and ``a.b`` is b within a."""
    tree: Choice = {}
    for path in text.split():
        branch = tree
        for key in path.split("."):
            branch = branch.setdefault(key, {})
    return tree


# Keys that are promised: the documents may have others, which are not compared.
_EVIDENCE = """where group other decision risk_difference interval p_zero p_threshold
    p_adjusted shown"""
_EFFECTS = "verdict population_verdict threshold basis identified witnesses sides effects"
_AUDIT = _keys(
    f"""verdict judge deciding_verdict threshold protected group other decision favorable
    criterion order direct_arrow rows left_out dropped coverage decision_causes
    possible_decision_causes graph.nodes graph.arrows graph.undirected
    scope.complete scope.examined
    subpopulations.occupied subpopulations.measured subpopulations.violating
    subpopulations.above subpopulations.below subpopulations.comparisons
    subpopulations.by_chance.expected subpopulations.by_chance.lower
    subpopulations.by_chance.upper subpopulations.by_chance.p
    risk_difference relaxed.bound relaxed.assurance relaxed.claimed
    population.verdict population.measured population.shown population.common_difference
    population.heterogeneity.statistic population.heterogeneity.p
    population.heterogeneity.p_gail_simon
    population.pairs.group population.pairs.other population.pairs.common_difference
    {" ".join(f"evidence.{key}" for key in _EVIDENCE.split())}
    {" ".join(f"indirect.{key}" for key in _EFFECTS.split())}
    unedited.verdict rules.determining error_bias.accuracy error_bias.gap
    error_bias.common_difference arrows.as_audited arrows.variants
    bootstrap.causes bootstrap.verdicts"""
)
_RELEASE = _keys(
    """method policy changed_rows changed_decisions changed_columns dropped_columns cell_changes
    distance chi_square output certificate manifest
    before.verdict before.rows before.subpopulations after released
    relearned.decision_causes relearned.verdict"""
)
_COMPARE = _keys(
    """seed before.threshold before.violating before.measured
    outcomes.method outcomes.policy outcomes.threshold outcomes.guaranteed
    outcomes.changed_rows outcomes.distance outcomes.cell_changes outcomes.chi_square
    outcomes.violating outcomes.measured outcomes.verdict"""
)
_INSPECT = _keys(
    """rows findings.kind findings.columns columns.name columns.kind columns.distinct
    columns.frequent columns.missing"""
)
_ONE_OF_EQUALS = frozenset({"subpopulations", "partition"})
_GRAPH = _keys("nodes arrows undirected")
_COMMANDS = {
    "audit": _AUDIT,
    "release": _RELEASE,
    "compare": _COMPARE,
    "inspect": _INSPECT,
    "discover": _GRAPH | _keys("origin.counts"),
    "verify": _keys("record verdict indirect"),
    "check": _keys("verdicts"),
}
_CALLS: Choice = {
    "audit": _AUDIT,
    "certificate": _AUDIT,
    "release": _RELEASE,
    "compare": _COMPARE,
    "graph": _GRAPH,
    "causes": _keys("parents children possible_parents ambiguous tests"),
    "partition": _keys("names is_meaningful open_path subpopulations"),
    "relaxed": _keys("threshold assurance claimed bound mean sd"),
    "paths": _keys(_EFFECTS),
    **dict.fromkeys(("admissions 1", "admissions 2", "adult"), _AUDIT),
}


def compared(step: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """The part of a step's result that must not change."""
    document = result.get("document")
    if document is not None and ("run" in step or "check" in step):
        verb = step["run"][0] if "run" in step else "check"
        document = {} if "error" in document else chosen(document, _COMMANDS[verb])
    elif "call" in step and document is not None:
        # Of several cuts the one that speaks for a line may be any with the smallest p.
        several = {"every", "cumulative"} & _criteria(document)
        tied = _ONE_OF_EQUALS if several else frozenset()
        document = {
            key: chosen(value, _CALLS[key]) if key in _CALLS else value
            for key, value in document.items()
            if key not in tied
        }
    return {"status": result.get("status"), "document": document}


def _criteria(document: dict[str, Any]) -> set[str]:
    """Which criteria the results of a call go by."""
    return {str(one.get("criterion")) for one in document.values() if isinstance(one, dict)}


def chosen(value: Any, keys: Choice) -> Any:  # noqa: ANN401
    """The value without what the tree of keys does not name."""
    if isinstance(value, list) and keys:
        return [chosen(one, keys) for one in value]
    if not isinstance(value, dict) or not keys:
        return value
    value = {key: chosen(value[key], below) for key, below in keys.items() if key in value}
    if "risk_difference" in value and "decision" in value:
        turn = str(value["risk_difference"]).startswith("-")
        value = mirrored(value) if turn else value | {"decision": ""}
    if "evidence" in value:  # equal p-values differ by rounding, and with it their order
        value["evidence"] = sorted(
            value["evidence"],
            key=lambda one: json.dumps([one.get("where"), one], sort_keys=True),
        )
    if "outcomes" in value:  # by what was done: one that is left out moves no other
        done = ("threshold", "method", "policy")
        named = {" ".join(str(one.get(key)) for key in done): one for one in value["outcomes"]}
        value["outcomes"] = named if len(named) == len(value["outcomes"]) else value["outcomes"]
    return value


def mirrored(found: dict[str, Any]) -> dict[str, Any]:
    """A negative difference of one kind of decision as the positive one of all others.

    Of two kinds both say the same with the same p; which is told was left to its last digit.
    """
    low, high = found.get("interval") or (0.0, 0.0)
    turned = {
        side: cell | {"favorable": cell["total"] - cell["favorable"]}
        for side in ("group", "other")
        if isinstance(cell := found.get(side), dict)
    }
    size = str(found["risk_difference"])[1:]
    return found | turned | {"risk_difference": size, "interval": [-high, -low], "decision": ""}


def differences(base: Any, present: Any, at: Field = ()) -> Iterator[tuple[Field, Any, Any]]:  # noqa: ANN401
    """Where two plain values differ: the path to it, and both values there."""
    if isinstance(base, dict) and isinstance(present, dict):
        if _is_tie(base, present):
            return
        for key in {**base, **present}:
            absent = "(absent)"
            one, other = base.get(key, absent), present.get(key, absent)
            yield from differences(one, other, (*at, key))
    elif isinstance(base, list) and isinstance(present, list):
        if len(base) != len(present):
            yield (*at, "length"), len(base), len(present)
        for number, (one, other) in enumerate(zip(base, present, strict=False)):
            yield from differences(one, other, (*at, str(number)))
    elif not _same(base, present, at):
        yield at, base, present


def _is_tie(base: dict[str, Any], present: dict[str, Any]) -> bool:
    """Whether two lines of evidence are of different comparisons with the same p.

    Of several pairs of groups or kinds of decision the one with the smallest p speaks for the
    line; among equal ones rounding decides.
    """
    keys = ("where", "p_threshold", "p_adjusted", "shown")
    measured = all(isinstance(one.get("risk_difference"), str) for one in (base, present))
    if not measured or not {*keys} <= base.keys() & present.keys():
        return False
    several = "decision" in base or "value" in base["group"]
    own, other = ({key: line[key] for key in keys} for line in (base, present))
    told = (_has_its_difference(line) for line in (base, present))
    return several and all(told) and next(differences(own, other), None) is None


def _has_its_difference(line: dict[str, Any]) -> bool:
    """Whether the difference of a line is that of the rates in it."""
    group, other = (
        Fraction(line[side]["favorable"], line[side]["total"]) for side in ("group", "other")
    )
    return abs(Fraction(line["risk_difference"])) == abs(other - group)


def _same(base: Any, present: Any, at: Field) -> bool:  # noqa: ANN401
    """Whether two leaves are equal: figures to nine significant digits, all else exactly.

    A p-value is never so small that it counts as none; of other figures what is left of a sum
    that is zero does.
    """
    if isinstance(base, bool) or isinstance(present, bool):
        return base is present
    figures = isinstance(base, int | float) and isinstance(present, int | float)
    if figures and (isinstance(base, float) or isinstance(present, float)):
        if math.isnan(base) or math.isnan(present):
            return math.isnan(base) and math.isnan(present)
        named = next((key for key in reversed(at) if not key.isdigit()), "")
        least = 0.0 if named == "p" or named.startswith("p_") else 1e-12
        return math.isclose(base, present, rel_tol=1e-9, abs_tol=least)
    return type(base) is type(present) and bool(base == present)


@dataclass
class Allowed:
    """Differences that are meant, each with its reason."""

    entries: list[dict[str, str]]
    uses: Counter[int] = field(default_factory=Counter)

    @classmethod
    def load(cls, path: Path) -> "Allowed":
        """Read the list; an entry without a kind, a field or a reason is refused."""
        entries = tomllib.loads(path.read_text("utf-8")).get("allowed", [])
        for entry in entries:
            known = {"kind", "field", "reason", "base", "present"}
            if {*entry} - known or not all(entry.get(k) for k in ("kind", "field", "reason")):
                raise ValueError(f"{path.name}: an entry needs kind, field and reason: {entry}")
        return cls(entries)

    def allows(self, kind: str, name: str, base: Any, present: Any) -> bool:  # noqa: ANN401
        """Whether an entry matches; the first that does is counted."""
        for number, entry in enumerate(self.entries):
            told = {"base": json.dumps(base), "present": json.dumps(present)}
            values = all(fnmatchcase(told[k], entry[k]) for k in told if k in entry)
            if (
                fnmatchcase(kind, entry["kind"])
                and fnmatchcase(name, entry["field"])
                and values
            ):
                self.uses[number] += 1
                return True
        return False
