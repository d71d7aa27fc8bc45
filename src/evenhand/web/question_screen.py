"""The screen 'question': who is compared, about which decision, and how columns are counted."""

from collections.abc import Mapping
from typing import Any

from evenhand.errors import EvenhandError, Problem, QuestionError
from evenhand.question import Codings, QuestionFile
from evenhand.question.question_file import Labels
from evenhand.report.html_report import View
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web import class_changes
from evenhand.web.addresses import Pager, address
from evenhand.web.column_views import ColumnViews
from evenhand.web.plain_gap import plain_gap
from evenhand.web.question_sentence import QuestionSentence
from evenhand.web.question_store import part_of
from evenhand.web.session import Session
from evenhand.web.suggestions import counted_by
from evenhand.wording import readable_labels

_COLUMNS_PER_PAGE = 25
_MOST_DIGITS = 19
_WHICH_COUNTS = Problem(
    "Which decision counts?",
    "The table does not tell which of its values people hope for.",
    "Choose it in the sentence above; several can be chosen below it",
)


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """What the template shows."""
    if session.table is None:
        raise QuestionError.of("No table is open.", remedy="Choose one first.")
    views = column_views(session)
    problems, gap = _gap(session)
    findings = None
    try:
        findings = session.inspection
    except EvenhandError as error:  # a column of the question is left out
        problems = error.problems
    found = findings.problems if findings else ()
    opened = query.get("column", "")
    names = [name for name in views.names if _is_wanted(name, views.labels, query)]
    pager = Pager.of(query, "page", len(names), _COLUMNS_PER_PAGE)
    shown = names[pager.slice]
    return {
        "sentence": QuestionSentence(views, session.tables),
        "gap": gap,
        "tables": session.tables,
        "problems": (*problems, *found),
        "comparison": findings.comparison if findings else None,
        "same_decisions": findings.same_decisions() if findings else (),
        "used": sum(map(views.is_used, views.names)),
        "columns": tuple(views.row(name) for name in shown),
        "many": len(views.names),
        "opened": opened if opened in shown else "",
        "detail": views.detail(opened) if opened in shown else None,
        "links": {
            name: address(query, column="" if name == opened else name) for name in shown
        },
        "pager": pager,
        "find": query.get("find", ""),
        "missing": session.tables.get("data", {}).get("missing", "error"),
        "na": tuple(session.tables.get("data", {}).get("na", ())),
    }


def column_views(session: Session) -> ColumnViews:
    """The columns as they stand and as they are counted."""
    stored, rows, looked = session.stored, session.rows, session.stored_inspection
    if stored is None or rows is None or looked is None:
        raise QuestionError.of("No table is open.", remedy="Choose one first.")
    tables = session.tables
    labels = tables.get("labels", {})
    words = Labels(columns=labels.get("columns", {}), values=labels.get("values", {}))
    asked = tables.get("question", {})
    return ColumnViews(
        stored=stored,
        rows=rows,
        draft=QuestionDraft(looked, asked, Codings()),
        labels=readable_labels(words, stored.columns),
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
    rows = session.rows
    try:
        return (), plain_gap(rows, file) if rows else None
    except EvenhandError as error:
        return error.problems, None


def _is_wanted(name: str, labels: Labels, query: Mapping[str, str]) -> bool:
    text = query.get("find", "").casefold()
    return text in name.casefold() or text in labels.column(name).casefold()


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
                old = changes.get(table, {}).get(name, tables.get(table, {}).get(name, []))
                new = _listed([old] if isinstance(old, str) else old, way, values)
                changes.setdefault(table, {})[name] = new or None
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
    known, stored = session.tables.get("knowledge"), session.stored
    if not known or stored is None or "exclude" not in (changes.get("data") or {}):
        return {}
    names = {*stored.columns} - {*(changes["data"]["exclude"] or ())}
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
        of = asked.get(role) or ()
        named += [of] if isinstance(of, str) else [*of]
        if isinstance(of, list) and len(of) == 1:
            asked[role] = of[0]
    for part in ("redlining", "explained", "rule") if named else ():
        old = asked.get(part, tables.get("question", {}).get(part, []))
        if {*named} & {*(old or ())}:
            asked[part] = [name for name in old if name not in named] or None
    removed = {*known.get("exclude", ())} - {*(data.get("exclude") or ())}
    wanted = [*named, *(removed if "exclude" in data else ())]
    excluded = data.get("exclude", known.get("exclude")) or ()
    if {*named} & {*excluded}:
        data["exclude"] = [name for name in excluded if name not in named] or None
    if (columns := known.get("columns")) and (absent := {*wanted} - {*columns}):
        data["columns"] = [*columns, *(name for name in wanted if name in absent)]
    if data:
        changes["data"] = data


def _classes(session: Session, body: dict[str, Any]) -> None:
    class_changes.change_classes(session, column_views(session), body)


def _merge(session: Session, body: dict[str, Any]) -> None:
    class_changes.merge_values(session, column_views(session), body)


def _missing_text(session: Session, body: dict[str, Any]) -> None:
    """Take one more text for a missing value."""
    if not (text := str(body.get("text", "")).strip()):
        raise QuestionError.of(
            "No text is given; an empty field always means missing.",
            remedy="Write the text, as ? or unknown.",
        )
    patch(session, {"add": {"data": {"na": [text]}}, "revision": body.get("revision")})


def _smallest_groups(session: Session, body: dict[str, Any]) -> None:
    """Set the least number of rows of a group, typed as text."""
    text = str(body.get("min_rows", ""))
    is_number = text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS
    least: object = int(text) if is_number else text[:_MOST_DIGITS]
    change = {"question": {"min_rows": None if least == 1 else least}}
    session.patch(change, body.get("revision"))


CHANGES: list[Any] = [
    ("PUT", "classes", _classes),
    ("PUT", "merge", _merge),
    ("PATCH", "missing-text", _missing_text),
    ("PATCH", "rows-asked", _smallest_groups),
]
