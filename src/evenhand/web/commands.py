"""What does the same as a screen on the command line, word by word."""

from collections.abc import Iterator

from evenhand.errors import EvenhandError
from evenhand.question.fields import option_words
from evenhand.web.open_table import named_columns
from evenhand.web.release_writing import ReleaseChoice, free_name, report_name
from evenhand.web.session import Session


def command_lines(
    session: Session, screen: str, choice: ReleaseChoice | None = None
) -> list[list[str]]:
    """The commands for a screen; the choice is that of the release."""
    if screen == "check":
        return [["evenhand", "verify", "CERTIFICATE", "DATA"]]
    if session.table is None:
        return [["evenhand", "inspect", "DATA"]]

    def command(verb: str, *options: str) -> list[str]:
        data = session.folder.shown(session.table) if session.table else ""
        return ["evenhand", verb, data, *_asked(session, verb), *options]

    match screen:
        case "graph":
            return [command("audit", "--set", "arrows", "--set", "doubt")]
        case "evidence":
            return [command("audit")]
        case "release":
            return [command("compare"), command("release", *_released(session, choice))]
    return [command("inspect")]


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
