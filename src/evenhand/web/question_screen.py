"""The screen 'question': who is compared, about which decision, and how columns are counted."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import zip_longest
from typing import Any, get_args

import numpy as np

from evenhand.counts import CountTable, examined_counts
from evenhand.display import points
from evenhand.errors import ColumnError, EvenhandError, Problem, QuestionError
from evenhand.evidence import Partition
from evenhand.evidence.certificate import Scope
from evenhand.evidence.known_measures import ComparedPair, known_measures
from evenhand.graph.independence_tests import TESTS
from evenhand.question import Bins, Codings, QuestionFile
from evenhand.question.codings import MISSING
from evenhand.question.display_labels import Labels
from evenhand.question.fields import FLOAT, ROWS, TABLES, WHOLE, parse_names
from evenhand.question.parse_values import WILDCARD
from evenhand.report.rendering import View
from evenhand.rows import Rows
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.jobs import Job
from evenhand.web.pages import Pager, address
from evenhand.web.question_parts import ColumnViews, QuestionSentence, spelled_cut
from evenhand.web.question_store import as_list, part_of
from evenhand.web.session import Session, look
from evenhand.web.table_cache import OF_EFFECTS, counted_by
from evenhand.wording import Words

_COLUMNS_PER_PAGE = 25
# Keys of the question file, what they say, and what can be chosen where that is not typed.
_SETTINGS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("question", "min_coverage", "Least share of each group that must be compared", ()),
    ("question", "scope", "Partitions that are examined", get_args(Scope)),
    ("learning", "significance", "Significance level of the tests", ()),
    ("learning", "test", "Test of independence", TESTS),
    ("learning", "max_depth", "Tests are given at most so many attributes", ()),
    ("learning", "local", "Search near the decision alone, as in very wide tables", ()),
)
_WHICH_COUNTS = Problem(
    "Which decision counts?",
    "The table does not tell which of its values people hope for.",
    "Choose it in the sentence above; several can be chosen below it",
)


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """What the template shows."""
    views = column_views(session)
    problems, gap = _gap(session)
    findings = None
    try:
        findings = session.reading.inspection
    except EvenhandError as error:  # a column of the question is left out
        problems = error.problems
    found = (*session.reading.hidden_findings, *findings.problems) if findings else ()
    opened, find, label = query.get("column", ""), query.get("find", ""), views.labels.column
    sought = find.casefold()
    names = [n for n in views.names if sought in n.casefold() or sought in label(n).casefold()]
    pager = Pager.of(query, "page", len(names), _COLUMNS_PER_PAGE)
    columns = [views.column(name) for name in names[pager.slice]]
    return {
        "sentence": QuestionSentence(views),
        "gap": gap,
        "tables": session.tables,
        "run": session.tables.get("run", {}),
        "settings": [
            (TABLES[table][name], session.tables.get(table, {}).get(name, ""), *rest)
            for table, name, *rest in _SETTINGS
        ],
        "problems": (*problems, *found),
        "comparison": findings.comparison if findings else None,
        "same_decisions": findings.same_decisions() if findings else (),
        "views": views,
        "used": sum(map(views.is_used, views.names)),
        "columns": columns,
        "opened": opened,
        "pager": pager,
        "find": find,
        "to": partial(address, query),
    }


def column_views(session: Session) -> ColumnViews:
    """The columns as they stand and as they are counted."""
    stored, tables = session.reading.stored, session.tables
    labels = tables.get("labels", {})
    words = Labels(columns=labels.get("columns", {}), values=labels.get("values", {}))
    asked = tables.get("question", {})
    return ColumnViews(
        stored=stored,
        rows=session.rows,
        draft=QuestionDraft(session.reading.stored_inspection, asked, Codings()),
        labels=words,
        words=words.columns,
        question=asked,
        data=tables.get("data", {}),
    )


def _gap(session: Session) -> tuple[tuple[Problem, ...], View | None]:
    """The plain gap; or what is wrong with a question that is complete."""
    asked = session.tables.get("question", {})
    try:
        file = QuestionFile.from_tables(session.tables)
    except EvenhandError as error:
        if not asked.get("protected") or not asked.get("decision"):
            return (), None
        is_open = asked.get("criterion", "favorable") == "favorable"
        return (_WHICH_COUNTS,) if is_open else error.problems, None
    try:
        return (), plain_gap(session.rows, file)
    except EvenhandError as error:
        return error.problems, None


def patch(session: Session, body: dict[str, Any]) -> None:
    """Change parts of the question file.

    ``change`` is merged into it; ``add`` adds to lists, ``remove`` removes from them,
    ``earlier`` and ``later`` move by one place, whatever they are by now. Columns that the
    question names are counted from then on.
    """
    try:
        changes = _changes(session, body)
    except (TypeError, AttributeError) as error:  # a number where a list should be
        raise QuestionError.of(
            "A value of this change has the wrong type.", remedy="Reload the page."
        ) from error
    chosen = _without_empty(part_of(body, "change"))
    session.patch(counted_by(changes), body.get("revision"), chosen)


def _changes(session: Session, body: Mapping[str, Any]) -> dict[str, Any]:
    """All that changes in the tables."""
    changes: dict[str, Any] = _without_empty(part_of(body, "change"))
    tables = session.tables
    for way in ("add", "remove", "earlier", "later"):
        for table, lists in part_of(body, way).items():
            for name, values in (lists or {}).items():
                if not isinstance(values, list):
                    raise TypeError(name)
                old = changes.get(table, {}).get(name, tables.get(table, {}).get(name))
                new = _listed(as_list(old), way, values)
                changes.setdefault(table, {})[name] = new or None
    for table, parts in changes.items():
        for name, value in (parts or {}).items():
            field = TABLES[table].get(name) if table in TABLES else None
            if (
                field is not None
                and field.kind in (ROWS, WHOLE, FLOAT)
                and isinstance(value, str)
            ):
                parts[name] = field.parse(value)
    _use_named(changes, tables)
    return changes | _known_of_the_rest(session, changes)


def _listed(old: list[Any], way: str, values: list[Any]) -> list[Any]:
    """A list with values added, removed, or moved by a place."""
    rest = [one for one in old if one not in values]
    if way in ("add", "remove"):
        return [*rest, *_without_empty(values)] if way == "add" else rest
    moved = [one for one in old if one in values]
    at = max(old.index(moved[0]) + (1 if way == "later" else -1), 0) if moved else 0
    return [*rest[:at], *moved, *rest[at:]]


def _known_of_the_rest(session: Session, changes: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, without columns that are left out from now on."""
    known = session.tables.get("knowledge")
    if not known or "exclude" not in (changes.get("data") or {}):
        return {}
    names = {*session.reading.stored.columns} - {*(changes["data"]["exclude"] or ())}
    rest = QuestionFile.from_tables(session.tables).knowledge.restricted(names).to_dict()
    return {"knowledge": {part: rest[part] or None for part in known}}


def _without_empty(change: Any) -> Any:  # noqa: ANN401  # plain values
    """A field that was emptied, or a choice that was taken back, is left out."""
    if isinstance(change, Mapping):
        return {name: _without_empty(value) for name, value in change.items()}
    if isinstance(change, list):
        return [value for value in change if value not in ("", None)]
    return None if change == "" else change


def _use_named(changes: dict[str, Any], tables: Mapping[str, Any]) -> None:
    """Columns that the question names anew are counted, and have no other part in it."""
    asked = changes.get("question") or {}
    data, known = changes.get("data") or {}, tables.get("data", {})
    named: list[str] = []
    for role in ("protected", "decision"):
        names = as_list(asked.get(role))
        named += names
        if len(names) == 1:
            asked[role] = names[0]
    for part in ("redlining", "explained", "rule") if named else ():
        old = as_list(asked.get(part, tables.get("question", {}).get(part)))
        if {*named} & {*old}:
            asked[part] = [name for name in old if name not in named] or None
    if asked.get("redlining", ...) is None:
        asked |= dict.fromkeys(OF_EFFECTS)
    removed = {*known.get("exclude", ())} - {*(data.get("exclude") or ())}
    wanted = [*named, *(removed if "exclude" in data else ())]
    excluded = data.get("exclude", known.get("exclude")) or ()
    if {*named} & {*excluded}:
        data["exclude"] = [name for name in excluded if name not in named] or None
    if (columns := known.get("columns")) and (absent := {*wanted} - {*columns}):
        data["columns"] = [*columns, *(name for name in wanted if name in absent)]
    changes |= {name: of for name, of in (("question", asked), ("data", data)) if of}


# How a column is counted


def change_classes(session: Session, body: dict[str, Any]) -> None:
    """Set the cuts of a column, listed or typed; none: every number by itself."""
    views = column_views(session)
    name, cuts = str(body.get("column", "")), body.get("cuts")
    if name not in views.names:
        raise ColumnError.unknown([name], views.names)
    if isinstance(cuts, str):
        cuts = parse_names(cuts) if cuts.strip() else []
    if not isinstance(cuts, list):
        raise QuestionError.of(f"{cuts!r} is no list of cuts.", remedy="Reload the page.")
    before, after = views.bins(name), Bins.at(*cuts) if cuts else None
    new = [*map(spelled_cut, after.boundaries)] if after else None
    data: dict[str, Any] = {"bins": {name: new}}
    if new and name in views.data.get("merge", {}):
        data["merge"] = {name: None}
    changes: dict[str, Any] = {"data": data}
    if before:
        labels = after.of_whole_numbers(bool(before.whole)).labels if after else ()
        changes |= _following(session, name, _by_place(before.labels, labels))
    session.patch(changes, body.get("revision"))


def _by_place(before: tuple[str, ...], after: tuple[str, ...]) -> dict[str, str | None]:
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


def merge_values(session: Session, body: dict[str, Any]) -> None:
    """Count several values as one, or all but the chosen ones; ``separate`` undoes it."""
    views = column_views(session)
    name = str(body.get("column", ""))
    if name not in views.rows.columns:
        raise ColumnError.unknown([name], views.rows.columns)
    before: Mapping[str, list[str]] = views.data.get("merge", {}).get(name, {})
    values = [*views.column(name).counted]
    chosen = [value for value in values if body.get(f"value-{value}") is True]
    gone = [value for value in values if value not in chosen]
    renamed: dict[str, str | None]
    if "separate" in body:
        after = {new: olds for new, olds in before.items() if new != body["separate"]}
        renamed = {str(body["separate"]): None}
    elif body.get("others") is True:
        if not chosen:
            raise QuestionError.of(
                "No value would be left.", remedy="Choose one or more to keep."
            )
        new = _new_name(body, "all others", chosen)
        after = {value: before.get(value, [value]) for value in chosen} | {new: [WILDCARD]}
        renamed = {value: new for value in gone if value != new}
    else:
        if len(chosen) < 2:
            raise QuestionError.of(
                "There is nothing to merge.", remedy="Choose two values or more."
            )
        new = _new_name(body, " or ".join(chosen), gone)
        after = {value: olds for value, olds in before.items() if value not in chosen}
        after[new] = [old for value in chosen for old in before.get(value, [value])]
        renamed = {value: new for value in chosen if value != new}
    # What only keeps a value apart has a meaning beside "all others" alone.
    if not any(WILDCARD in olds for olds in after.values()):
        after = {new: olds for new, olds in after.items() if [*olds] != [new]}
    merge = {**dict.fromkeys(before), **after}
    changes = {"data": {"merge": {name: merge}}, **_following(session, name, renamed)}
    session.patch(changes, body.get("revision"))


def _new_name(body: Mapping[str, Any], usual: str, others: list[str]) -> str:
    """What merged values are called; refused if another value is."""
    new = str(body.get("name") or usual).strip()
    if not new or new in others:
        raise QuestionError.of(
            f"{new!r} is the name of another value.", remedy="Write a name of its own."
        )
    return new


def _looked_at(change: Callable[[Session, dict[str, Any]], None]) -> Callable[..., Job | None]:
    """A change after which the table is looked at anew."""

    def changed(session: Session, body: dict[str, Any]) -> Job | None:
        change(session, body)
        return look(session)

    return changed


CHANGES: list[Any] = [
    ("PATCH", "question", _looked_at(patch)),
    ("PUT", "classes", _looked_at(change_classes)),
    ("PUT", "merge", _looked_at(merge_values)),
    ("POST", "look", look),
]


_MOST_BARS = 12


def plain_gap(rows: Rows, file: QuestionFile) -> View:
    """Measure the gap on the rows in memory; raises what does not fit in the question."""
    table, question = _asked_counts(rows, file), file.question
    examined = examined_counts(table, question)
    whole = Partition.of(examined, ())
    measured = known_measures(examined, (), causes=(), pair=ComparedPair.of(whole))
    words = Words.of(whole, file.labels)
    pair, gap = measured.pair, measured["gap"].value
    ahead, behind = words.group_name(pair.other), words.group_name(pair.group)
    if gap is not None and gap < 0:
        gap, ahead, behind = -gap, behind, ahead
    yes, many = whole.favorable[pair.cut].sum(axis=1).tolist(), whole.rows.sum(axis=1).tolist()
    counted = [*zip(whole.groups, yes, many, strict=True)]
    if len(counted) > 2:
        counted.sort(key=lambda line: line[1] / max(line[2], 1))
    kinds = {pair.group: "group", pair.other: "other"}
    return View(
        title=f"Share who {words.did_by(pair.decision)}",
        bars=[
            (words.group_name(group), kinds.get(group, "none"), *of)
            for group, *of in counted[:_MOST_BARS]
        ],
        hidden=max(len(counted) - _MOST_BARS, 0),
        gap="not measured" if gap is None else points(gap, threshold=question.threshold),
        pair=f"{ahead} minus {behind}",
        pairs=pair.pairs,
        left_out=rows.lines.table.row_count - examined.counts.row_count,
        rates=len(whole.favorable) - 1,
    )


def _asked_counts(rows: Rows, file: QuestionFile) -> CountTable:
    """The counts of the columns that are asked about, of rows that will be counted.

    Rows that lack a value are left out as a count of all columns would leave them out.
    """
    table, question = rows.lines.table, file.question
    rows.check_counted(*question.named_columns)
    must_have = {
        "level": (),
        "drop": table.names,
        "error": question.columns,
    }[rows.requested.missing]
    lacking = np.zeros(len(table), bool)
    for name in must_have:
        if name in table.names and MISSING in (values := table.attribute(name).values):
            lacking |= table.column(name) == values.index(MISSING)
    asked = [name for name in table.names if name in question.named_columns]
    counted = CountTable(
        tuple(table.attribute(name) for name in asked),
        tuple(table.column(name)[~lacking] for name in asked),
        table.counts[~lacking],
    )
    counted = counted.marginal(asked).pruned()
    for name in asked:  # values in their own order, as a count of the rows has them
        counted = counted.recoded(name, {})
    return counted
