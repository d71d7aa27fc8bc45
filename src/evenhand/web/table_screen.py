"""The screen 'table': files to choose from, the first rows, and all that is wrong with them."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, Problem, QuestionError, listed
from evenhand.report.html_report import View
from evenhand.rows import Rows
from evenhand.rows.inspect.column_profile import ColumnKind
from evenhand.rows.inspect.findings import FindingKind
from evenhand.web.addresses import Pager
from evenhand.web.jobs import Job
from evenhand.web.question_store import part_of
from evenhand.web.session import Session
from evenhand.web.suggestions import counted_by

_FIRST_ROWS = 20
_MOST_COLUMNS = 40  # beside each other on one page
_LONGEST = 60  # characters of a value that are shown
_MOST_FILES = 30


def view(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """What the template shows."""
    files = session.folder.tables()
    opening = session.opening
    failed: Job | View | None = None
    table = None
    if opening and opening.state == "failed":
        failed = opening
        opening.was_shown = True  # here, with its remedies
    try:
        table = _table(session, query) if session.table else None
    except EvenhandError as error:  # what is chosen for reading it does not fit it
        failed = View(title="reading it as is chosen", problems=error.problems, again=None)
    return {
        "folder": str(session.folder.root),
        "files": tuple(_file(session, path) for path in files[:_MOST_FILES]),
        "further_files": tuple(_file(session, path) for path in files[_MOST_FILES:]),
        "refused": failed,
        "tables": session.tables,
        "table": table,
    }


def _table(session: Session, query: Mapping[str, str]) -> dict[str, Any]:
    """The open table: how large it is, what to look at, how it was read, its first rows."""
    stored = session.stored
    if stored is None:
        raise QuestionError.of("No table is open.", remedy="Choose one.")
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    rows, counted = stored.lines.table.row_count, len(stored.columns)
    try:
        if looked := session.inspection:
            problems, notes = looked.problems, looked.notes
            rows, counted = looked.rows, len(looked.columns)
    except EvenhandError as error:  # what was chosen does not fit the table
        problems = error.problems
    data, source = session.tables.get("data", {}), stored.sources[0]
    dialect = source.dialect
    return {
        "rows": rows,
        "lines": len(stored.lines.table),
        "complete": stored.lines.complete,
        "columns": len(stored.columns),
        "counted": counted,
        "kind": source.kind,
        "delimiter": dialect.delimiter if dialect else "",
        "sheet": data.get("sheet"),
        "path": str(session.table),
        "frequency": data.get("frequency"),
        "may_count": _may_count(session),
        "problems": problems,
        "notes": (*_left_out_commas(session), *notes),
        "first": first_rows(stored, query),
    }


def _left_out_commas(session: Session) -> Iterator[Problem]:
    """Columns of numbers that are left out because they are written with a comma."""
    looked, out = session.stored_inspection, session.tables.get("data", {}).get("exclude", ())
    for one in looked.findings if looked else ():
        if one.kind is FindingKind.COMMA_NUMBERS and (
            names := [n for n in one.columns if n in out]
        ):
            yield Problem(
                f"Left out, because numbers with a comma are texts: {listed(names)}.",
                "As texts nearly every row has a value of its own.",
                one.problem.remedies[0],
            )


def _may_count(session: Session) -> tuple[str, ...]:
    """Columns of whole numbers, of which one may say for how many people a row stands."""
    looked, chosen = session.stored_inspection, session.tables.get("data", {}).get("frequency")
    numbers = {ColumnKind.NUMBER, ColumnKind.IDENTIFIER}
    names = [one.name for one in looked.columns if one.kind in numbers] if looked else []
    return (*([chosen] if chosen else []), *names)


def first_rows(stored: Rows, query: Mapping[str, str]) -> View:
    """The first rows as their values are read, some columns at a time."""
    table = stored.lines.table
    pager = Pager.of(query, "columns", len(table.names), _MOST_COLUMNS)
    names = table.names[pager.slice]
    columns = [
        [str(table.attribute(name).values[code]) for code in table.column(name)[:_FIRST_ROWS]]
        for name in names
    ]
    return View(
        names=names,
        lines=tuple(tuple(map(_shortened, line)) for line in zip(*columns, strict=True)),
        pager=pager,
    )


def _shortened(value: str) -> str:
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"


def _file(session: Session, path: Path) -> View:
    whole = session.folder.root / path
    try:
        size = whole.stat().st_size
    except OSError:
        size = 0
    return View(name=str(path), size=_in_bytes(size), open=whole == session.table)


def _in_bytes(size: int) -> str:
    """A size as people write it.

    >>> _in_bytes(12), _in_bytes(3_400), _in_bytes(5_200_000)
    ('12 bytes', '3 kB', '5 MB')
    """
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:,.0f} {name}"
    return f"{size} bytes"


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
    session.check(revision)
    if session.table is None:
        raise QuestionError.of("No table is open.", remedy="Choose one first.")
    return session.jobs.start(
        f"reading {session.folder.shown(session.table)}",
        lambda progress: session.read_again(progress, changes, revision),
    )


def read_sheet(session: Session, body: dict[str, Any]) -> Job:
    """Read another sheet; of what was chosen stays what fits its columns."""
    changes = {"data": {"sheet": str(body.get("sheet", ""))}}
    return read_again(session, {"change": changes, "revision": body.get("revision")})


CHANGES: list[Any] = [
    ("PUT", "table", open_table),
    ("PUT", "reading", read_again),
    ("PUT", "sheet", read_sheet),
]
