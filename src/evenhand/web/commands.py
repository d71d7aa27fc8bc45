"""What does the same as a screen on the command line, word by word."""

from collections.abc import Iterator

from evenhand.errors import EvenhandError
from evenhand.question.fields import option_words
from evenhand.web.open_table import named_columns
from evenhand.web.release_choice import ReleaseChoice
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
    verb = {"graph": "audit", "evidence": "audit", "release": "release"}.get(screen, "inspect")
    asked = [*_asked(session, verb)]
    return {
        "table": [["evenhand", "inspect", data, *asked]],
        "question": [["evenhand", "inspect", data, *asked]],
        "graph": [["evenhand", "audit", data, *asked, "--set", "arrows", "--set", "doubt"]],
        "evidence": [["evenhand", "audit", data, *asked]],
        "release": [
            ["evenhand", "compare", data, *_asked(session, "compare")],
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


def _asked(session: Session, verb: str) -> Iterator[str]:
    """The question file; until it says what is asked, how columns are read."""
    path = session.question_path
    if path is not None and path.exists() and is_complete(session):
        yield from ("--question", session.folder.shown(path))
        return
    asked = {"question": named_columns(session.tables), "data": session.tables.get("data", {})}
    yield from option_words(asked, verb)
