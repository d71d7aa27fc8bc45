"""The screen 'table': files to choose from, the first rows, and all that is wrong with them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, Problem
from evenhand.report.rendering import View
from evenhand.rows import Rows
from evenhand.rows.inspect.column_profile import ColumnKind
from evenhand.web.jobs import Job
from evenhand.web.pages import Pager
from evenhand.web.question_store import part_of
from evenhand.web.session import Session, no_table
from evenhand.web.table_cache import counted_by

_FIRST_ROWS = 20
_MOST_COLUMNS = 40  # beside each other on one page
_MOST_FILES = 30


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """What the template shows."""
    root, opening = session.folder.root, session.opening
    failed: Job | View | None = None
    table = None
    if opening and opening.state == "failed":
        failed = opening
        opening.was_shown = True  # here, with its remedies
    try:
        table = _table(session, query) if session.table else None
    except EvenhandError as error:  # what is chosen for reading it does not fit it
        failed = View(title="reading it as is chosen", problems=error.problems, again=None)
    opened = session.table
    files = [(str(path), (root / path).stat().st_size) for path in session.folder.tables()]
    return {
        "folder": str(root),
        "files": files[:_MOST_FILES],
        "further_files": files[_MOST_FILES:],
        "open": str(opened.relative_to(root)) if opened and opened.is_relative_to(root) else "",
        "refused": failed,
        "tables": session.tables,
        "table": table,
    }


def _table(session: Session, query: Mapping[str, str]) -> View:
    """The open table: how large it is, what to look at, how it was read, its first rows."""
    stored, looked = session.reading.stored, session.reading.stored_inspection
    data = session.tables.get("data", {})
    found, problems, notes = None, tuple[Problem, ...](), tuple[Problem, ...]()
    try:
        found = session.reading.inspection
        problems = (*session.reading.hidden_findings, *found.problems)
        notes = found.notes
    except EvenhandError as error:  # what was chosen does not fit the table
        problems = error.problems
    # Whole numbers, of which a column may say for how many people a row stands.
    numbers = {ColumnKind.NUMBER, ColumnKind.IDENTIFIER}
    counting = [one.name for one in looked.columns if one.kind in numbers]
    return View(
        rows=found.rows if found else stored.lines.table.row_count,
        counted=len(found.columns if found else stored.columns),
        columns=len(stored.columns),
        lines=stored.lines,
        source=stored.sources[0],
        sheet=data.get("sheet"),
        frequency=data.get("frequency"),
        may_count=[*filter(None, [data.get("frequency")]), *counting],
        problems=problems,
        notes=notes,
        first=first_rows(stored, query),
    )


def first_rows(stored: Rows, query: Mapping[str, str]) -> View:
    """The first rows as their values are read, some columns at a time."""
    table = stored.lines.table
    pager = Pager.of(query, "columns", len(table.names), _MOST_COLUMNS)
    names = table.names[pager.slice]
    columns = [
        [table.attribute(name).values[code] for code in table.column(name)[:_FIRST_ROWS]]
        for name in names
    ]
    return View(names=names, lines=[*zip(*columns, strict=True)], pager=pager)


def start_opening(
    session: Session,
    path: Path,
    question: Path | None = None,
    changes: Mapping[str, Any] | None = None,
    unsaved: object = None,
) -> Job:
    """Read a table as a job; if it fails, a remedy asks for the same once more."""

    def work(progress: ProgressCallback) -> None:
        session.open_table(path, progress, question, changes, unsaved)

    asked: dict[str, Any] = {"path": str(path)}
    if question is not None:
        asked["question"] = str(question)
    title = f"reading {session.folder.shown(path)}"
    session.opening = session.jobs.start(
        title,
        work,
        again={"method": "PUT", "path": "api/table", "body": asked, "takes_changes": True},
    )
    return session.opening


def open_table(session: Session, body: dict[str, Any]) -> Job:
    """Open a file of the folder or an upload, unless something chosen would be lost by it."""
    question, unsaved = body.get("question"), body.get("unsaved")
    session.settle(unsaved)
    return start_opening(
        session,
        session.folder.existing(str(body.get("path", ""))),
        session.folder.existing(question) if question else None,
        {**part_of(body, "change"), **part_of(body, "add")},
        unsaved,
    )


def read_again(session: Session, body: dict[str, Any]) -> Job:
    """Read the table in another way, as with a column that counts; the rest stays chosen."""
    changes, revision = counted_by(part_of(body, "change")), body.get("revision")
    session.history.check(revision)
    if session.table is None:
        raise no_table()
    return session.jobs.start(
        f"reading {session.folder.shown(session.table)}",
        lambda progress: session.read_again(progress, changes, revision),
    )


CHANGES: list[Any] = [
    ("PUT", "table", open_table),
    ("PUT", "reading", read_again),
]
