"""The question file on disk and in memory: saved as one goes, with a history."""

import json
import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import tomlkit

from evenhand.errors import EvenhandError, Problem, QuestionError, Remedy
from evenhand.files import write_file
from evenhand.graph import PartialGraph
from evenhand.question import QuestionFile
from evenhand.question.question_file import toml_value
from evenhand.web.jobs import unexpected

Tables: TypeAlias = Mapping[str, Any]


_REMEDIES = (
    Remedy("Write it over what is there", "unsaved", "write"),
    Remedy("Go on without it", "unsaved", "drop"),
)


class UnsavedError(QuestionError):
    """What was chosen cannot be saved, and would be lost."""


class QuestionStore:
    """The question file of a table: read, and saved as one goes.

    What the file said when it was last read or written is kept: if it says something else
    later, somebody changed it, and nothing is written over that. ``tables`` are those that it
    says, or that were suggested for it: nobody chose them. ``problem`` is why saving failed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tables: Tables = {}
        self.problem: Problem | None = None
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

    @property
    def has_conflict(self) -> bool:
        """Whether somebody else changed the file; nothing is written until settled."""
        with suppress(EvenhandError):
            return self.changed_elsewhere
        return False

    def save(
        self, tables: Tables, stated: Tables | None = None, *, overwrite: bool = False
    ) -> bool:
        """Write what was chosen, and is stated besides; whether it is in the file now."""
        try:
            if overwrite or not self.changed_elsewhere:
                self._write(tables if stated is None else stated)
                self.tables = tables
            self.problem = None
        except EvenhandError as error:
            self.problem = error.problems[0]
        except Exception as error:  # noqa: BLE001  # else a timer would end unheard
            self.problem = unexpected(error)
        return self.tables == tables

    def _write(self, tables: Tables) -> None:
        current = self._read()
        text = _text(current or "", tables)
        if text != current:
            write_file(self.path, text, mode=0o600, overwrite=True)
        self._text = text

    def lacks(self, tables: Tables, where: str) -> Problem | None:
        """What was chosen and is not in the file, and why; None if all is."""
        if not (what := difference_in_words(self.tables, tables)):
            return None
        why = self.problem.what if self.problem else "It was changed outside the app."
        said = f"What was chosen is not in the question file: {what}."
        return Problem(said, why, _REMEDIES, where)


def check_tables(tables: Tables, *, where: str = "the question") -> None:
    """Raise what is wrong with the tables, apart from what is still open in the question."""
    try:
        QuestionFile.from_tables(tables, where=where)
    except QuestionError as error:
        problems = [one for one in error.problems if not one.is_open]
        if problems:
            raise QuestionError(*problems) from None


def as_list(value: Any) -> list[Any]:  # noqa: ANN401  # plain values
    """What a key says that takes one value or several."""
    if isinstance(value, list | tuple):
        return [*value]
    return [] if value in (None, "") else [value]


def part_of(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A part of what a page sends that names tables; raises if it is something else."""
    part = body.get(name)
    tables = {} if part is None else part
    if not isinstance(tables, Mapping) or not all(
        table is None or isinstance(table, Mapping) for table in tables.values()
    ):
        raise QuestionError.of("This is no change of tables.", remedy="Reload the page.")
    return dict(tables)


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
            document[name] = _list(value) if isinstance(value, list) else value


def _list(values: list[Any]) -> Any:  # noqa: ANN401  # an item of tomlkit
    """A list for a TOML table, parsed from its text.

    Of values that tomlkit inserts itself the time grows with the square of their number.
    """
    return tomlkit.parse(f"list = {toml_value(values)}")["list"]


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


_TABLE_WORDS = {
    "question": "the question",
    "run": "the predictions",
    "learning": "how the graph is learned",
    "knowledge": "the order of events",
    "graph": "the graph",
    "data": "how columns are read",
    "labels": "words",
}


def difference_in_words(one: Tables, other: Tables) -> str:
    """What differs, as "the question and the graph"; "" if nothing does."""
    names = [name for name in _TABLE_WORDS if one.get(name) != other.get(name)]
    return " and ".join(_TABLE_WORDS[name] for name in names)


class StaleError(QuestionError):
    """A page that is not the newest changes what was changed since it was shown."""


class TableHistory:
    """States of the tables, of which one is the present one; no state is changed.

    Every change has a revision, also one that goes back: pages say which one they show.
    """

    def __init__(self, tables: Tables, revision: int = 0) -> None:
        self._states, self._at = [tables], 0
        self.revision, self._shown = revision, {revision: tables}

    @property
    def now(self) -> Tables:
        """The present state."""
        return self._states[self._at]

    def renew(self) -> None:
        """Begin a new revision."""
        self.revision += 1
        self._shown[self.revision] = self.now

    def check(
        self,
        revision: object,
        part: Callable[[Tables], object] = lambda tables: tables,
        wanted: object = None,
    ) -> None:
        """Refuse to change a part that was changed since a page of this revision was shown.

        Nothing is refused where the part is as ``wanted`` by now, or without a revision.
        """
        if revision is None:
            return
        shown = self._shown.get(revision) if isinstance(revision, int) else None
        if shown is None:
            why = "a table was opened"
        elif part(shown) == part(self.now) or part(self.now) == wanted:
            return
        else:
            why = f"{difference_in_words(shown, self.now)} changed"
        raise StaleError.of(
            f"This page is not the newest: {why} since it was shown, maybe in another tab.",
            remedy="Look at what is chosen now, and change it again.",
        )

    def enter(self, tables: Tables) -> bool:
        """Go on with other tables; False if they are the same."""
        if tables == self.now:
            return False
        del self._states[self._at + 1 :]
        self._states.append(tables)
        self._at += 1
        self.renew()
        return True

    def amend(self, tables: Tables) -> None:
        """Set other tables in place of the present ones, as part of the same change."""
        self._states[self._at] = self._shown[self.revision] = tables

    def step(self, by: int) -> None:
        """Go back (-1) or forth (+1)."""
        if not 0 <= self._at + by < len(self._states):
            raise QuestionError.of(
                f"There is nothing to {'undo' if by < 0 else 'redo'}.", remedy="Go on."
            )
        self._at += by
        self.renew()

    def difference(self, by: int) -> str:
        """What a step would change, in words; "" if there is none."""
        at = self._at + by
        is_there = 0 <= at < len(self._states)
        return difference_in_words(self._states[at], self.now) if is_there else ""


# What results depend on, and how many graphs were judged


def key_of(value: Any) -> str:  # noqa: ANN401  # plain values
    """A key that is the same for equal plain values."""
    return json.dumps(value, sort_keys=True, default=str)


# Parts of [question] that are judged anew without learning the graph again.
_JUDGED = frozenset(
    {"threshold", "judge", "min_rows", "redlining", "explained", "redlining_threshold", "basis"}
)


def learning_key(stamp: str, tables: Tables) -> str:
    """What the learned graph depends on; the stamp is that of the table as it was read."""
    asked = {k: v for k, v in tables.get("question", {}).items() if k not in _JUDGED}
    return stamp + key_of(
        [asked, *(tables.get(name, {}) for name in ("knowledge", "learning", "data", "run"))]
    )


def audit_key(stamp: str, tables: Tables, file: QuestionFile, *, direct: bool = False) -> str:
    """What the verdict depends on; ``direct`` leaves out effects through other attributes."""
    asked = {**tables.get("question", {})}
    if direct:
        asked["redlining"] = None
    key = learning_key(stamp, tables) + key_of([asked, tables.get("labels")])
    return key + key_of([edit.to_dict() for edit in file.edits])


class JudgedGraphs:
    """Counts graphs whose verdict was worked out, so that a certificate can state how many.

    The question file keeps a short digest of each, so that one that is looked at again counts
    once; a file may say a number instead, of which the first graph here is one. Undoing a
    change does not undo that it was judged.
    """

    def __init__(self, tables: Tables | None = None) -> None:
        judged = (tables or {}).get("graph", {}).get("judged", 0)
        self._before = judged if isinstance(judged, int) else 0
        self._seen = dict.fromkeys(judged if isinstance(judged, list) else ())

    def add(self, graph: PartialGraph) -> None:
        """Count a graph once."""
        links = [sorted(graph.arrows), sorted(graph.undirected)]
        self._seen.setdefault(sha256(key_of(links).encode()).hexdigest()[:12])

    @property
    def number(self) -> int:
        """How many different graphs there were; 0 if no other one was judged."""
        more = max(len(self._seen) - 1, 0)
        number = self._before + more if self._before else len(self._seen)
        return number if number > 1 else 0

    def stated(self, tables: Tables) -> Tables:
        """The tables of a question file with those graphs, if more than one was judged."""
        if not (number := self.number):
            return tables
        judged = number if self._before else [*self._seen.copy()]  # threads may add to it
        return {**tables, "graph": {**tables.get("graph", {}), "judged": judged}}


def without_number(tables: Tables) -> Tables:
    """The tables without the graphs that were judged: no choice, and not to be undone."""
    graph = {name: value for name, value in tables.get("graph", {}).items() if name != "judged"}
    rest = {name: value for name, value in tables.items() if name != "graph"}
    return {**rest, "graph": graph} if graph else rest
