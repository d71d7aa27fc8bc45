"""Validation of a certificate document against certificate.schema.json.

Supports only the keywords that our schema uses; unknown ones would be ignored, so tests compare
this validator with the jsonschema library. docs/decisions/0002-exact-verdicts.md says why the
library itself is not used.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
_ROOT = "certificate"
_KEYWORDS: dict[str, Callable[[Any, Any], object]] = {
    "minimum": lambda value, bound: type(value) is not int or value >= bound,
    "maximum": lambda value, bound: type(value) is not int or value <= bound,
    "minLength": lambda value, bound: not isinstance(value, str) or len(value) >= bound,
    "maxLength": lambda value, bound: not isinstance(value, str) or len(value) <= bound,
    "minItems": lambda value, bound: not isinstance(value, list) or len(value) >= bound,
    "uniqueItems": lambda value, _: not isinstance(value, list) or _are_unique(value),
    "maxItems": lambda value, bound: not isinstance(value, list) or len(value) <= bound,
    "maxProperties": lambda value, bound: not isinstance(value, dict) or len(value) <= bound,
    "pattern": lambda value, bound: not isinstance(value, str) or re.search(bound, value),
    "const": lambda value, bound: value == bound,
    "enum": lambda value, bound: value in bound,
}


def _are_unique(values: list[Any]) -> bool:
    return not any(value in values[:at] for at, value in enumerate(values))


@cache
def schema() -> dict[str, Any]:
    """The schema of certificates."""
    text = files("evenhand.evidence").joinpath("certificate.schema.json").read_text("utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def schema_errors(value: Any, rule: Any = None, where: str = "") -> Iterator[str]:  # noqa: ANN401
    """Every violation of the schema, with its place in the document."""
    rule = schema() if rule is None else rule
    if isinstance(rule, bool):
        rule = {} if rule else {"enum": []}
    if "$ref" in rule:
        name = rule["$ref"].rpartition("/")[2]
        rule = schema() if name == "#" else schema()["$defs"][name]
    kinds = rule.get("type", [*_TYPES])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if type(value) not in [_TYPES[kind] for kind in kinds]:
        yield f"{where or _ROOT}: {_short(value)} is not {' or '.join(kinds)}"
        return
    yield from _keyword_errors(value, rule, where or _ROOT)
    if isinstance(value, dict):
        known, further = rule.get("properties", {}), rule.get("additionalProperties", True)
        for name, part in value.items():
            yield from schema_errors(
                part, known.get(name, further), f"{where}.{name}".lstrip(".")
            )
    if isinstance(value, list) and not _all_plain(value, rule.get("items", True)):
        for at, part in enumerate(value):
            yield from schema_errors(part, rule.get("items", True), f"{where}[{at}]")
    if "if" in rule:
        yield from schema_errors(
            value, rule["then" if _is_valid(value, rule["if"]) else "else"], where
        )


def _all_plain(values: list[Any], rule: Any) -> bool:  # noqa: ANN401
    """Whether all values, or lists of values, have the types and bounds of a simple rule.

    Long tables are validated at once; what this does not understand is validated one by one.
    """
    if not isinstance(rule, dict):
        return rule is True
    if "$ref" in rule:
        rule = schema()["$defs"].get(rule["$ref"].rpartition("/")[2], {"not": {}})
    kinds = rule.get("type", ())
    known = {_TYPES[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)}
    found = {*map(type, values)}
    if not found <= known:
        return False
    if rule.keys() <= {"type", "items", "minItems", "description"} and known == {list}:
        lengths, items = {*map(len, values)}, rule.get("items", True)
        if min(lengths, default=rule.get("minItems", 0)) < rule.get("minItems", 0):
            return False
        if len(lengths) > 1:
            return _all_plain([*chain.from_iterable(values)], items)
        # By column, which has one type mostly: three times as fast for a million lines.
        columns = ([line[at] for line in values] for at in range(max(lengths, default=0)))
        return all(_all_plain(column, items) for column in columns)
    if int not in found:
        numbers = [0]
    else:
        numbers = values if found == {int} else [one for one in values if type(one) is int]
    least, most = rule.get("minimum", min(numbers)), rule.get("maximum", max(numbers))
    simple = rule.keys() <= {"type", "minimum", "maximum", "description"}
    return bool(simple and least <= min(numbers) and max(numbers) <= most)


def _keyword_errors(value: Any, rule: dict[str, Any], where: str) -> Iterator[str]:  # noqa: ANN401
    """What is wrong with a value itself, its parts aside."""
    for word, holds in _KEYWORDS.items():
        if word in rule and not holds(value, rule[word]):
            yield f"{where}: {_short(value)} cannot stand here ({word} {_short(rule[word])})"
    if isinstance(value, dict):
        yield from (
            f"{where}: it lacks {n!r}" for n in rule.get("required", ()) if n not in value
        )
    if "not" in rule and _is_valid(value, rule["not"]):
        yield f"{where}: it has what has no place in such a copy"
    if "anyOf" in rule and not any(_is_valid(value, one) for one in rule["anyOf"]):
        yield f"{where}: it has none of the forms that it can have"


def _is_valid(value: Any, rule: Any) -> bool:  # noqa: ANN401
    return next(schema_errors(value, rule), None) is None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
