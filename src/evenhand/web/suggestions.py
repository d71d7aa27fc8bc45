"""What a first look at the table suggests for a question file, as ``init`` does."""

from collections.abc import Collection, Mapping
from typing import Any

from evenhand.counts.label_order import in_order
from evenhand.question import Codings
from evenhand.rows import Inspection
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.question_store import Tables

COLUMNS = frozenset({"protected", "decision"})  # of the question
# Parts that have no effect once no effects through other attributes are judged.
OF_EFFECTS = ("explained", "redlining_threshold", "basis")
_VALUES = {"protected": ("group", "other"), "decision": ("favorable", "criterion", "order")}


def first_tables(inspection: Inspection) -> dict[str, Any]:
    """How columns should be read: left out, in classes, with which missing values."""
    draft = QuestionDraft(inspection, {}, Codings())
    data: dict[str, Any] = {
        "exclude": [*draft.excluded] if draft.kept else [],  # some column must be left
        "bins": {name: list(map(_plain, cuts)) for name, cuts in draft.bins.items()},
        "merge": draft.merges,
        "na": [*draft.na],
    }
    # Whether a missing value may be one of its own depends on what is asked.
    if draft.missing == "drop":
        data["missing"] = "drop"
    data = {name: value for name, value in data.items() if value}
    return {"data": data} if data else {}


def counted_by(changes: Tables) -> dict[str, Any]:
    """The changes; a column that counts people from now on has no classes and no other part."""
    data = changes.get("data")
    name = data.get("frequency") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(name, str) or not name:
        return dict(changes)
    unread = {
        part: {**old, name: None}
        for part in ("bins", "merge")
        if isinstance(old := data.get(part, {}), Mapping)
    }
    return {**changes, "data": {**data, **unread}}


def with_columns(changes: Tables, tables: Tables) -> Tables:
    """The changes with the columns whose values they choose, as the tables have them."""
    chosen, asked = changes.get("question"), tables.get("question", {})
    if not isinstance(chosen, Mapping):
        return changes
    roles = [role for role, values in _VALUES.items() if not chosen.keys().isdisjoint(values)]
    return {**changes, "question": {**{role: asked.get(role) for role in roles}, **chosen}}


def with_values(inspection: Inspection, tables: Tables, changed: Collection[str]) -> Tables:
    """The tables with both values of the question where its columns were chosen just now."""
    asked = dict(tables.get("question", {}))
    named = [role for role in _VALUES if role in changed]
    if not named:
        return tables
    for role in named:
        for value in _VALUES[role]:
            if value not in changed:
                asked.pop(value, None)
    codings = Codings.of(**tables.get("data", {}))
    decision = asked.get("decision")
    if "decision" in named and decision in codings.bins and "favorable" not in changed:
        labels = [value for value, _ in inspection.column(str(decision)).frequent]
        asked["favorable"] = in_order(labels)[-1]  # larger numbers, as ``init`` suggests
    draft = QuestionDraft(inspection, asked, codings)
    for role, (value, _) in draft.asked.items():
        asked.setdefault(role, value)
    data = dict(tables.get("data", {}))
    if draft.asked_lack_values and data.get("missing") == "level":
        data["missing"] = "drop"
    elif draft.missing != "error":
        data["missing"] = draft.missing
    if bins := {name: draft.bins[name] for name in draft.named if name in draft.bins}:
        data["bins"] = {**data.get("bins", {}), **bins}  # of too many numbers to be groups
    return {**tables, "question": asked, **({"data": data} if data else {})}


def _plain(cut: object) -> object:
    return cut if isinstance(cut, int | str) else str(cut)
