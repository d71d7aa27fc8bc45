"""``QuestionStore``: the question file on disk, comments kept, never over another change."""

import tomllib
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit

from evenhand.errors import Problem, QuestionError
from evenhand.files import write_file
from evenhand.question import QuestionFile

Tables: TypeAlias = Mapping[str, Any]


class QuestionStore:
    """Reads and writes the tables of one question file.

    What the file said when it was last read or written is kept: if it says something else
    later, somebody changed it, and nothing is written over that.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = self._read()

    def _read(self) -> str | None:
        try:
            if not self.path.exists():
                return None
            if self.path.is_file():
                return self.path.read_text("utf-8")
            why = "it is no plain file"  # a pipe would never end
        except (OSError, UnicodeDecodeError) as error:
            why = str(error)
        raise QuestionError.of(
            f"The question file cannot be read: {why}.",
            remedy="Move it away, or mend it.",
            where=str(self.path),
        )

    @property
    def exists(self) -> bool:
        """Whether there was a file."""
        return self._text is not None

    @property
    def changed_elsewhere(self) -> bool:
        """Whether the file says something else than it did when it was last read or written."""
        return self._read() != self._text

    def load(self) -> dict[str, Any]:
        """The tables of the file, read anew; a file that is not in order is refused."""
        text = self._read()
        tables = QuestionFile.parse_tables(text or "", where=self.path.name)
        check_tables(tables, where=self.path.name)
        self._text = text
        return tables

    def save(self, tables: Tables, *, overwrite: bool = False) -> bool:
        """Write the tables, comments kept; False if the file was changed elsewhere."""
        if self.changed_elsewhere and not overwrite:
            return False
        current = self._read()
        text = _text(current or "", tables)
        if text != current:
            write_file(self.path, text, mode=0o600, overwrite=True)
        self._text = text
        return True


def check_tables(tables: Tables, *, where: str = "the question") -> None:
    """Raise what is wrong with the tables, apart from what is still open in the question."""
    try:
        QuestionFile.from_tables(tables, where=where)
    except QuestionError as error:
        problems = [one for one in error.problems if not _is_open(one)]
        if problems:
            raise QuestionError(*problems) from None


def part_of(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of what a page sends that names tables; raises if it is something else."""
    part = body.get(name)
    tables = {} if part is None else part
    if not isinstance(tables, Mapping) or not all(
        table is None or isinstance(table, Mapping) for table in tables.values()
    ):
        raise QuestionError.of("This is no change of tables.", remedy="Reload the page.")
    return dict(tables)


def _is_open(problem: Problem) -> bool:
    return problem.what.startswith(
        ("The table [question] lacks", "The criterion 'cumulative' needs the order")
    )


def _text(before: str, tables: Tables) -> str:
    """The tables as TOML, with the comments of what was there before where that is TOML."""
    for start in (before, ""):
        with suppress(Exception):  # tomlkit fails on tables that are out of order
            document = tomlkit.parse(start)
            _update(document, tables)
            text = tomlkit.dumps(document)
            if tomllib.loads(text) == tables:
                return text
    raise QuestionError.of(
        "What is chosen cannot be written as a question file.", remedy="Undo the last change."
    )


def _update(document: MutableMapping[str, Any], tables: Tables) -> None:
    """Make a TOML table say the same, and touch nothing that says so already."""
    for name in [name for name in document if name not in tables]:
        del document[name]
    for name, value in tables.items():
        if isinstance(value, Mapping):
            if not isinstance(document.get(name), MutableMapping):
                document[name] = tomlkit.table()
            _update(document[name], value)
        elif document.get(name) != value:
            document[name] = value


def merged(tables: Any, changes: Any) -> Any:  # noqa: ANN401  # plain values
    """Apply a merge patch (RFC 7396): None removes, tables are merged, the rest replaced."""
    if not isinstance(changes, Mapping):
        return changes
    result = dict(tables) if isinstance(tables, Mapping) else {}
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
            if result[name] == {}:
                del result[name]
    return result


def cut_to(tables: Any, changes: Any) -> Any:  # noqa: ANN401  # plain values
    """The parts of the tables that a merge patch names; None stands for what is not there."""
    if not isinstance(changes, Mapping):
        return tables
    of = tables if isinstance(tables, Mapping) else {}
    return {name: cut_to(of.get(name), change) for name, change in changes.items()}
