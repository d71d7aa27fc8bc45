"""Copies for others that lie in one folder: together they must tell no more than each alone.

Two copies of the same rows are subtracted from each other where one has sums of counts that the
other withholds: by fewer attributes, other classes, pooled groups, other kinds of decision, or
before a release and after it. Where both count people by the same attributes, no number of one
is a sum of those of the other, whatever the groups, least counts or thresholds. docs/sharing.md
has the measurement.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from evenhand.errors import QuestionError, listed

_LARGEST = 100_000_000


def check_other_copies(path: Path, text: str) -> None:
    """Refuse a copy from which others could subtract one in the folder where it is to stand."""
    others = {other: _copy_in(other) for other in sorted(path.parent.glob("*.json"))}
    for other, found in others.items():
        if not found or other.name == path.name:
            continue
        if difference := _difference(json.loads(text), found):
            raise QuestionError.of(
                f"{other.name} is a copy for others, too, perhaps of the same rows: who has "
                "both could compute counts that each of them withholds.",
                f"They differ in {listed(difference)}.",
                f"Delete {other.name} if nobody has it. If it is about other rows, write this "
                "copy into another folder.",
                path.name,
            )


def _copy_in(path: Path) -> dict[str, Any]:
    """The copy for others in a file; empty if it holds none."""
    with suppress(OSError, ValueError, RecursionError, LookupError, TypeError):
        text = path.read_text("utf-8") if path.stat().st_size < _LARGEST else ""
        content: dict[str, Any] = json.loads(text) if '"copy":"shared"' in text else {}
        return content if content and _columns(content) and _division(content) else {}
    return {}


def _difference(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """In what two copies differ that may be of the same rows; nothing if they tell no more.

    Of released rows a copy tells nothing that the rows do not.
    """
    first, second = _division(one), _division(other)
    is_alone = first["release"] and second["release"]
    if is_alone or not _columns(one).keys() & _columns(other):
        return []
    return [name for name in first if first[name] != second[name]]


def _division(record: dict[str, Any]) -> dict[str, Any]:
    """By what a copy divides people."""
    question, pooled = record["question"], record["pooled"]
    return {
        "attributes": [*_columns(record)],
        "decisions": question["decisions"],
        "groups": question["groups"] if pooled["other"] else [],
        "codings": record["codings"],
        "release": "release" in record,
    }


def _columns(record: dict[str, Any]) -> dict[str, None]:
    """Protected attributes, decision and causes."""
    protected, decision = record["question"]["protected"], record["question"]["decision"]
    several = [protected] if isinstance(protected, str) else protected
    return dict.fromkeys([*several, decision, *record["partitions"][0]["names"]])
