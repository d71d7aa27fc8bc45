"""Changes of how a column is counted: cuts that are moved, added, removed; values merged."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np

from evenhand.errors import ColumnError, QuestionError
from evenhand.question import Bins
from evenhand.question.codings import WILDCARD
from evenhand.question.number_classes import number_text
from evenhand.question.parse_values import exact_fraction
from evenhand.web.column_views import ColumnViews
from evenhand.web.session import Session

Cut = tuple[Fraction, bool]


def change_classes(session: Session, views: ColumnViews, body: Mapping[str, Any]) -> None:
    """Change the classes of a column.

    ``cuts`` sets all of them (none: the numbers as they stand); ``at`` and ``cut`` move one,
    ``add`` adds one where most rows are, ``remove`` removes one. ``of`` are the cuts that the
    page showed: where their number changed since, one is known by where it cuts.
    """
    name = str(body.get("column", ""))
    if name not in views.names:
        raise ColumnError.unknown([name], views.names)
    bins = views.bins(name)
    before = [*bins.boundaries] if bins else []
    cuts = _new_cuts(before, views, name, body)
    new = [_spelled(cut) for cut in sorted(set(cuts))]
    data: dict[str, Any] = {"bins": {name: new or None}}
    if new and name in views.data.get("merge", {}):
        data["merge"] = {name: None}
    changes: dict[str, Any] = {"data": data}
    if bins:
        after = Bins.at(*new).of_whole_numbers(bool(bins.whole)) if new else None
        gone = _by_place(bins.labels, after.labels if after else ())
        changes |= _following(session, name, gone)
    session.patch(changes, body.get("revision"))


def _new_cuts(
    before: Sequence[Cut], views: ColumnViews, name: str, body: Mapping[str, Any]
) -> list[Cut]:
    if "cuts" in body:
        if not isinstance(cuts := body["cuts"], list):
            raise QuestionError.of(f"{cuts!r} is no list of cuts.", remedy="Reload the page.")
        return [*Bins.at(*cuts).boundaries] if cuts else []
    cuts = [*before]
    if "cut" in body:
        return _moved(cuts, views, name, body)
    if "remove" in body:
        at = _index(body["remove"], body.get("of"), cuts)
        return [cut for place, cut in enumerate(cuts) if place != at]
    return [*cuts, (_middle(views, name, cuts), True)]


def _moved(
    cuts: list[Cut], views: ColumnViews, name: str, body: Mapping[str, Any]
) -> list[Cut]:
    """The cuts with one of them moved, at most to its neighbours."""
    at = _index(body.get("at"), body.get("of"), cuts)
    if at is None:
        raise QuestionError.of("This cut was removed.", remedy="Add one.")
    slider = views.detail(name).sliders[at]
    try:
        number = exact_fraction(body["cut"])
        low, high = exact_fraction(slider.least), exact_fraction(slider.most)
    except (ValueError, TypeError) as error:
        raise QuestionError.of(
            f"{str(body['cut'])[:40]!r} is no number that can be a cut.",
            remedy="Write one, as 37 or 0.5.",
        ) from error
    cuts[at] = (min(max(number, low), max(high, low)), True)
    return cuts


def _index(at: object, of: object, cuts: Sequence[Cut]) -> int | None:
    """The place of a cut; None if it is gone."""
    shown = of if isinstance(of, list) else [*cuts]
    if not isinstance(at, int) or not 0 <= at < len(shown):
        raise QuestionError.of("There is no such cut.", remedy="Reload the page.")
    if len(shown) == len(cuts):
        return at
    places = {number_text(number): place for place, (number, _) in enumerate(cuts)}
    return places.get(str(shown[at]))


def _middle(views: ColumnViews, name: str, cuts: Sequence[Cut]) -> Fraction:
    """The number that halves the largest class that can be divided."""
    numbers, rows = views.numbers(name)
    ends = [float(cut) for cut, _ in sorted(cuts)]
    classes = np.searchsorted(ends, numbers, side="left")
    for one in np.argsort(-np.bincount(classes, rows), kind="stable") if len(numbers) else ():
        inside = np.flatnonzero(classes == one)
        if len(inside) > 1:
            reached = np.cumsum(rows[inside])
            at = min(int(np.searchsorted(reached, reached[-1] / 2)), len(inside) - 2)
            return exact_fraction(repr(float(numbers[inside[at]])))
    raise QuestionError.of(
        f"The classes of {name!r} cannot be divided further.", remedy="Leave them as they are."
    )


def _spelled(cut: Cut) -> int | str:
    number, below = cut
    if below and number.denominator == 1:
        return number.numerator
    return number_text(number) if below else f">={number_text(number)}"


def _by_place(before: Sequence[str], after: Sequence[str]) -> dict[str, str | None]:
    """The class in the same place for each label that is gone; None if their number changed."""
    same = len(before) == len(after)
    return {
        old: new if same else None
        for old, new in zip_longest(before, after)
        if old is not None and old not in after
    }


def _following(
    session: Session, name: str, renamed: Mapping[str, str | None]
) -> dict[str, Any]:
    """What else changes with labels that are gone: values that are asked about, and words."""
    tables = session.tables
    asked, changed = tables.get("question", {}), dict[str, Any]()
    roles = {"decision": ("favorable", "order"), "protected": ("group", "other")}
    for role, parts in roles.items() if renamed else ():
        for part in parts if asked.get(role) == name else ():
            value = asked.get(part)
            if isinstance(value, list):
                values = dict.fromkeys(renamed.get(one, one) for one in value)
                changed[part] = [one for one in values if one is not None] or None
            elif value in renamed:
                changed[part] = renamed[value]
        if asked.get(role) == name and None in renamed.values():
            changed = {role: name}  # its values are suggested anew
    if changed.get("group") and changed.get("group") == changed.get(
        "other", asked.get("other")
    ):
        changed["other"] = None
    words = tables.get("labels", {}).get("values", {}).get(name, {})
    lost = {value: None for value in words if value in renamed}
    return {
        **({"question": changed} if changed else {}),
        **({"labels": {"values": {name: lost}}} if lost else {}),
    }


def merge_values(session: Session, views: ColumnViews, body: Mapping[str, Any]) -> None:
    """Count several values as one, or all but the chosen ones; ``separate`` undoes it."""
    name = str(body.get("column", ""))
    if name not in views.rows.columns:
        raise ColumnError.unknown([name], views.rows.columns)
    before: Mapping[str, list[str]] = views.data.get("merge", {}).get(name, {})
    values = [one.value for one in views.detail(name).values]
    chosen = [value for value in values if body.get(f"value-{value}") is True]
    if "separate" in body:
        after = {new: olds for new, olds in before.items() if new != body["separate"]}
        renamed: dict[str, str | None] = {str(body["separate"]): None}
    elif body.get("others") is True:
        after, renamed = _all_others(before, values, chosen, body)
    else:
        after, renamed = _merged(before, values, chosen, body)
    # What only keeps a value apart has a meaning beside "all others" alone.
    if not any(WILDCARD in olds for olds in after.values()):
        after = {new: olds for new, olds in after.items() if [*olds] != [new]}
    merge = {**dict.fromkeys(before), **after}
    changes = {"data": {"merge": {name: merge}}, **_following(session, name, renamed)}
    session.patch(changes, body.get("revision"))


_Merge = tuple[dict[str, list[str]], dict[str, str | None]]


def _merged(
    before: Mapping[str, list[str]],
    values: Sequence[str],
    chosen: Sequence[str],
    body: Mapping[str, Any],
) -> _Merge:
    """The chosen values as one."""
    new = str(body.get("name") or " or ".join(chosen)).strip()
    if len(chosen) < 2:
        raise QuestionError.of(
            "There is nothing to merge.", remedy="Choose two values or more."
        )
    _check_name(new, [value for value in values if value not in chosen])
    after = {value: olds for value, olds in before.items() if value not in chosen}
    after[new] = [old for value in chosen for old in before.get(value, [value])]
    return after, {value: new for value in chosen if value != new}


def _all_others(
    before: Mapping[str, list[str]],
    values: Sequence[str],
    chosen: Sequence[str],
    body: Mapping[str, Any],
) -> _Merge:
    """All but the chosen values as one."""
    new = str(body.get("name") or "all others").strip()
    if not chosen:
        raise QuestionError.of("No value would be left.", remedy="Choose one or more to keep.")
    _check_name(new, chosen)
    after = {value: before.get(value, [value]) for value in chosen}
    renamed = {value: new for value in values if value not in {*chosen, new}}
    return {**after, new: [WILDCARD]}, {**renamed}


def _check_name(new: str, others: Sequence[str]) -> None:
    if not new or new in others:
        raise QuestionError.of(
            f"{new!r} is the name of another value.", remedy="Write a name of its own."
        )
