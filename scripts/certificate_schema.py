"""Writes docs/certificate.schema.json from the types of the record.

python scripts/certificate_schema.py
"""

import json
import types
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from evenhand.record import Table, record

PLACE = Path(__file__).parents[1] / "docs" / "certificate.schema.json"
_PLAIN = {str: "string", int: "integer", bool: "boolean", type(None): "null"}


def schema() -> dict[str, Any]:
    """The schema of certificates: of a full or a shared copy."""
    types_: dict[str, Any] = {}
    copies = [rule_of(copy, types_) for copy in (record.FullRecord, record.SharedRecord)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evenhand certificate 3",
        "description": " ".join(str(record.__doc__).split("\n\n")[1].split()),
        "oneOf": copies,
        "$defs": dict(sorted(types_.items())),
    }


def rule_of(kind: Any, types_: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401  # any type
    """The rule of a type; those with names are added to ``types_``."""
    if is_typeddict(kind):
        if kind.__name__ not in types_:
            types_[kind.__name__] = {}  # a record may hold one
            types_[kind.__name__] = _object(kind, types_)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return rule_of(arguments[0], types_) | dict(arguments[1])
    if origin in (Union, types.UnionType):
        rules = [rule_of(one, types_) for one in arguments if one is not Table]
        return {"anyOf": rules} if len(rules) > 1 else rules[0]
    if origin is Literal:
        return {"enum": [*arguments]}
    if origin is NotRequired:
        return rule_of(arguments[0], types_)
    parts = {list: "items", dict: "additionalProperties"}
    name = {list: "array", dict: "object"}.get(origin) or _PLAIN[kind]
    has_parts = bool(arguments) and arguments[-1] is not object
    return {
        "type": name,
        **({parts[origin]: rule_of(arguments[-1], types_)} if has_parts else {}),
    }


def _object(kind: Any, types_: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    fields = get_type_hints(kind, include_extras=True)
    return {
        "type": "object",
        **({"description": " ".join(kind.__doc__.split())} if kind.__doc__ else {}),
        "required": sorted(kind.__required_keys__),
        "properties": {name: rule_of(one, types_) for name, one in sorted(fields.items())},
        "additionalProperties": False,
    }


def text() -> str:
    """The file's content."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PLACE.write_text(text(), "utf-8")
