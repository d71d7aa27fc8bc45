"""Writes docs/certificate.schema.json from the forms of a record's fields.

The checker has the forms of what it takes from a record; those of what it derives are here.

python scripts/certificate_schema.py
"""

import json
import re
from pathlib import Path
from typing import Any

from evenhand.checker.partition_claims import VERDICTS, WITHHELD
from evenhand.checker.path_claims import DIRECTIONS, PARTS
from evenhand.checker.record_fields import (
    COUNT,
    ESTIMATE,
    FORMAT,
    GIVEN,
    INPUTS,
    LEARNED,
    NAMES,
    OF_FULL,
    OF_SHARED,
    PAIR,
    SHARE,
    TRIPLE,
    Record,
    alike,
)

PLACE = Path(__file__).parents[1] / "docs" / "certificate.schema.json"
PLAIN = {str: "string", bool: "boolean", int: "integer", dict: "object", None: "null"}
FRACTION = re.compile(f"-?{SHARE.pattern}")
DECIMAL, SHA256 = re.compile(r"-?[0-9]+\.[0-9]{12}"), re.compile("[0-9a-f]{64}")
VERDICT = (*VERDICTS, WITHHELD)
# A tuple is one of several forms or texts; beside the checker's forms it may hold lists.
NUMBERS = alike("occupied measured violating above below comparisons?", COUNT)
CHANCE = alike("expected p rows", ESTIMATE) | alike("lower upper", COUNT)
SHARED_PARTITION = {
    "names": [str],
    "role": ("causes", "block set"),
    "verdict": VERDICT,
    "subpopulations": NUMBERS,
    "table": [[(str, COUNT, None)]],
}
PARTITION = {
    **SHARED_PARTITION,
    "subpopulations": {**NUMBERS, "by_chance?": CHANCE},
    "coverage": {"rows": SHARE, "groups": [SHARE]},
    "evidence": [COUNT],
    "digest": SHA256,
}
EFFECTS = {
    **{f"{part}?" if part == "not judged" else part: [DECIMAL] for part in PARTS},
    **alike("combination total spurious", [DECIMAL]),
}
MEASURED_GRAPH = {
    "tables": [COUNT],
    "sides": {"*": (*PARTS, "witness")},
    "witnesses": [str],
    "verdict": VERDICT,
    "effects": dict.fromkeys(DIRECTIONS, EFFECTS),
    "potentials?": {at: [[[FRACTION]]] for at in DIRECTIONS},
}
INDIRECT = {
    "verdict": VERDICT,
    "reasons": [str],
    "consistent?": bool,
    "values?": {"*": NAMES},
    "tables?": [{"names": NAMES, "counts": [[COUNT]]}],
    "graphs?": [MEASURED_GRAPH],
    "gap?": FRACTION,
    "standard_errors?": {at: {"*": (ESTIMATE, None)} for at in DIRECTIONS},
}
COMMON = {
    **INPUTS,
    "format": (FORMAT,),
    "pooled": alike("other unfavorable", bool),
    "graph": {
        "nodes": [str],
        **alike("arrows undirected", [PAIR]),
        "doubtful": [TRIPLE],
        "origin": ({**GIVEN, "kind": ("given",)}, {**LEARNED, "kind": ("learned",)}),
    },
    "direct_arrow": bool,
    "verdict": VERDICT,
    "decision_causes": [str],
    "possible_decision_causes": [[str]],
    "seal": SHA256,
}
SHARED = {
    **COMMON,
    "copy": ("shared",),
    **OF_SHARED,
    "withheld": {"least_count": range(1, 2**63)},
    "rules": {"declared": [str]},
    "partitions": [SHARED_PARTITION],
    "indirect?": {"verdict": VERDICT},
}
FULL = {
    **COMMON,
    **OF_FULL,
    "copy": ("full",),
    "rules": {
        **alike("declared determining", [str]),
        "without?": {"left_out": [str], "verdict": VERDICT, "record": "#/$defs/full"},
    },
    "partitions": [PARTITION],
    "indirect?": INDIRECT,
}


def schema() -> dict[str, Any]:
    """The schema of certificates: of a full or a shared copy."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "description": "docs/certificate.md says what each field is",
        "oneOf": [{"$ref": "#/$defs/full"}, {"$ref": "#/$defs/shared"}],
        "$defs": {"full": rule_of(FULL), "shared": rule_of(SHARED)},
    }


def rule_of(form: Any) -> Record:  # noqa: ANN401  # of any form
    """The rule of a form."""
    rule: Record
    match form:
        case tuple():
            texts = [one for one in form if isinstance(one, str)]
            rules = [{"enum": texts}] if texts else []
            rules += [rule_of(one) for one in form if one not in texts]
            rule = {"anyOf": rules} if len(rules) > 1 else rules[0]
        case dict():
            named = {name.removesuffix("?"): rule_of(form[name]) for name in form}
            rule = {
                "type": "object",
                "required": sorted(name for name in form if name[-1] not in "?*"),
                "additionalProperties": named.pop("*", False),
                "properties": dict(sorted(named.items())),
            }
        case range():
            rule = {"type": "integer", "minimum": form.start, "maximum": form.stop - 1}
        case [one]:
            rule = {"type": "array", "items": rule_of(one)}
        case [one, *more]:
            many = 1 + len(more)
            rule = {**rule_of([one]), "minItems": many, "maxItems": many}
        case re.Pattern():
            rule = {"type": "string", "pattern": f"^({form.pattern})$"}
        case frozenset():
            rule = {**rule_of([str]), "uniqueItems": True}
        case str():
            rule = {"$ref": form}
        case _:
            rule = {"type": PLAIN[form]}
    return rule


def text() -> str:
    """The file's content."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), "utf-8")
