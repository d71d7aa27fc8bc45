"""What does the same as a screen on the command line, word by word."""

from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.web.open_table import named_columns
from evenhand.web.release_choice import ReleaseChoice, typed_name
from evenhand.web.release_writing import free_name, report_name
from evenhand.web.session import Session


def command_lines(
    session: Session, screen: str, choice: ReleaseChoice | None = None
) -> list[list[str]]:
    """The commands for a screen; the choice is that of the release."""
    if screen == "check":
        return [["evenhand", "verify", "CERTIFICATE", "DATA"]]
    if session.table is None:
        return [["evenhand", "inspect", "DATA"]]
    data = session.folder.shown(session.table)
    asked = [*_asked(session)]
    return {
        "table": [["evenhand", "inspect", data, *asked]],
        "question": [["evenhand", "inspect", data, *asked]],
        "graph": [["evenhand", "audit", data, *asked, "--arrows", "--doubt"]],
        "evidence": [["evenhand", "audit", data, *asked]],
        "release": [
            ["evenhand", "compare", data, *asked],
            ["evenhand", "release", data, *asked, *_released(session, choice)],
        ],
    }.get(screen, [])


def is_complete(session: Session) -> bool:
    """Whether the tables say all that a question needs."""
    try:
        return bool(session.file)
    except EvenhandError:
        return False


def _released(session: Session, choice: ReleaseChoice | None) -> list[str]:
    """The options of a release as its form is filled in at first."""
    name = free_name(session.folder, session.table)
    try:
        options = (choice or ReleaseChoice()).options
    except EvenhandError:
        options = []  # a margin that cannot be read is told where it was typed
    return [*options, "--output", name, "--report", report_name(name)]


def _asked(session: Session) -> Iterator[str]:
    """The question file; until it says what is asked, how columns are read."""
    path = session.question_path
    if path is not None and path.exists() and is_complete(session):
        yield from ("--question", session.folder.shown(path))
        return
    for part, value in named_columns(session.tables).items():
        for name in [value] if isinstance(value, str) else value or ():
            yield from (f"--{part}", name)
    yield from _reading_options(session.tables.get("data", {}))


def _reading_options(data: Mapping[str, Any]) -> Iterator[str]:
    """What a first look suggests, as options.

    >>> [*_reading_options({"exclude": ["id", "a,b"], "bins": {"age": [35, 50]}})]
    ['--exclude', 'id,"a,b"', '--bin', 'age=35,50']
    >>> [*_reading_options({"merge": {"job": {"it": ["it", "IT"]}}, "na": ["?"]})]
    ['--merge', 'job:it=it,IT', '--na', '?']
    """
    for part in ("columns", "exclude"):
        if names := data.get(part):
            yield from (f"--{part}", ",".join(map(typed_name, names)))
    for name, cuts in data.get("bins", {}).items():
        many = [f"quantiles:{cuts}"] if isinstance(cuts, int) else map(str, cuts)
        yield from ("--bin", f"{name}={','.join(many)}")
    for name, merged in data.get("merge", {}).items():
        for new, old in merged.items():
            yield from ("--merge", f"{name}:{new}={','.join(old)}")
    for text in data.get("na", ()):
        yield from ("--na", text)
    for part in ("missing", "frequency", "delimiter", "sheet"):
        if part in data:
            yield from (f"--{part}", str(data[part]))
