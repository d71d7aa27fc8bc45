"""The form of a certificate document: certificate.schema.json, read by the few rules it uses.

JSON Schema has more. A word that is not known here would be passed over, so a test compares
this reading with a full one.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from typing import Any

_KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
_WHOLE = "certificate"
_BOUNDS: dict[str, Callable[[Any, Any], object]] = {
    "minimum": lambda value, bound: type(value) is not int or value >= bound,
    "maximum": lambda value, bound: type(value) is not int or value <= bound,
    "minLength": lambda value, bound: not isinstance(value, str) or len(value) >= bound,
    "maxLength": lambda value, bound: not isinstance(value, str) or len(value) <= bound,
    "minItems": lambda value, bound: not isinstance(value, list) or len(value) >= bound,
    "maxItems": lambda value, bound: not isinstance(value, list) or len(value) <= bound,
    "maxProperties": lambda value, bound: not isinstance(value, dict) or len(value) <= bound,
    "pattern": lambda value, bound: not isinstance(value, str) or re.search(bound, value),
    "const": lambda value, bound: value == bound,
    "enum": lambda value, bound: value in bound,
}


@cache
def schema() -> dict[str, Any]:
    """The schema of certificates."""
    text = files("evenhand.evidence").joinpath("certificate.schema.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def misfits(value: Any, rule: Any = None, where: str = "") -> Iterator[str]:  # noqa: ANN401
    """Every place of a document that does not have the form of a certificate."""
    rule = schema() if rule is None else rule
    if isinstance(rule, bool):
        rule = {} if rule else {"enum": []}
    if "$ref" in rule:
        rule = schema()["$defs"][rule["$ref"].rpartition("/")[2]]
    kinds = rule.get("type", [*_KINDS])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if type(value) not in [_KINDS[kind] for kind in kinds]:
        yield f"{where or _WHOLE}: {_short(value)} is not {' or '.join(kinds)}"
        return
    yield from _refused(value, rule, where or _WHOLE)
    if isinstance(value, dict):
        known, further = rule.get("properties", {}), rule.get("additionalProperties", True)
        for name, part in value.items():
            yield from misfits(part, known.get(name, further), f"{where}.{name}".lstrip("."))
    if isinstance(value, list):
        for at, part in enumerate(value):
            yield from misfits(part, rule.get("items", True), f"{where}[{at}]")
    if "if" in rule:
        yield from misfits(value, rule["then" if _fits(value, rule["if"]) else "else"], where)


def _refused(value: Any, rule: dict[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401
    """What is wrong with a value itself, whatever its parts are."""
    for word, is_kept in _BOUNDS.items():
        if word in rule and not is_kept(value, rule[word]):
            yield f"{where}: {_short(value)} cannot stand here ({word} {_short(rule[word])})"
    if isinstance(value, dict):
        yield from (
            f"{where}: it lacks {n!r}" for n in rule.get("required", ()) if n not in value
        )
    if "not" in rule and _fits(value, rule["not"]):
        yield f"{where}: it has what has no place in such a copy"
    if "anyOf" in rule and not any(_fits(value, one) for one in rule["anyOf"]):
        yield f"{where}: it has none of the forms that it can have"


def _fits(value: Any, rule: Any) -> bool:  # noqa: ANN401
    return next(misfits(value, rule), None) is None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
