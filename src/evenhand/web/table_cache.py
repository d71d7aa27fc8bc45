"""``OpenTable``: the table that is open, in memory once, under whatever codings are chosen."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from evenhand.counts.label_order import in_order
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, InputError, Problem
from evenhand.question import Codings, QuestionFile
from evenhand.rows import Inspection, Rows, read
from evenhand.rows.inspect.findings import FindingKind
from evenhand.rows.inspect.question_draft import QuestionDraft
from evenhand.web.question_store import Tables, key_of

_T = TypeVar("_T")

# What must be known before the rows are read.
_HOW_TO_READ = ("delimiter", "sheet", "frequency")
_MANY_FIELDS = 1_000_000  # with fewer a look is done before a page is missed
# Parts of [question] that do not change what a look at the table finds.
_JUDGED = frozenset({"threshold", "judge", "min_rows", "basis", "redlining_threshold"})


class Recent(OrderedDict[str, _T]):
    """A cache that forgets what was not asked for longest; threads may share it."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._lock = most, threading.Lock()

    def find(self, key: str) -> _T | None:
        """The result of this key, if it is there."""
        with self._lock:
            if key not in self:
                return None
            self.move_to_end(key)
            return self[key]

    @property
    def newest(self) -> _T | None:
        """The result that was kept or asked for last."""
        with self._lock:
            return next(reversed(self.values()), None)

    def put(self, key: str, result: _T) -> None:
        """Keep a result, and forget one if there are too many."""
        with self._lock:
            self[key] = result
            self.move_to_end(key)
            while len(self) > self._most:
                self.popitem(last=False)

    def get(self, key: str, make: Callable[[], _T]) -> _T:  # type: ignore[override]
        """The result of this key, made if it is not there."""
        found = self.find(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found


class OpenTable:
    """The rows of a file, read once, and what was worked out from them.

    ``stamp`` changes with the file on the disk.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.stamp = path, stamp_of(path)
        self._stored = Recent[Rows](2)
        self.recoded = Recent[Rows](4)
        self.inspections = Recent[Inspection](8)
        self.looked_at = set[str]()  # the keys of all looks that were tried

    @property
    def has_changed(self) -> bool:
        """Whether the file is another one on the disk than the one that was read."""
        return stamp_of(self.path) != self.stamp

    def check(self, where: str) -> None:
        """Refuse to go on with a file that was changed on the disk."""
        if self.has_changed:
            raise InputError.of(
                "The table was changed on the disk since it was read.",
                remedy="Read it again.",
                where=where,
            )

    def stored(self, tables: Tables, progress: ProgressCallback | None = None) -> Rows:
        """The rows with all columns as they stand; they are read once."""
        data = tables.get("data", {})
        how = {name: data.get(name) for name in _HOW_TO_READ}

        def reading() -> Rows:
            rows = read(self.path, codings=Codings.of(**how), progress=progress)
            self.check(self.path.name)  # these rows, and not those of a later file
            return rows

        return self._stored.get(key_of(how), reading)


@dataclass(frozen=True, slots=True)
class Reading:
    """The rows of a table, and looks at them, as the tables of a question file say.

    Each is worked out once for what it depends on, and reports its progress then.
    """

    opened: OpenTable
    tables: Tables
    progress: ProgressCallback | None = None

    @property
    def is_due(self) -> bool:
        """Whether looking at it would keep somebody waiting without a word."""
        stored = self.stored
        if len(stored.lines.table) * len(stored.columns) <= _MANY_FIELDS:
            return False
        return not self.opened.looked_at.issuperset(self._keys)

    def look(self) -> None:
        """Look at the rows as they are read, and as they stand."""
        for part in ("inspection", "stored_inspection"):
            with suppress(EvenhandError):  # the page says what does not fit the table
                getattr(self, part)
        self.opened.looked_at.update(self._keys)

    @property
    def _keys(self) -> tuple[str, str]:
        """What the looks depend on: at the rows as they are read, and as they stand."""
        data = self.tables.get("data", {})
        asked = {k: v for k, v in self.tables.get("question", {}).items() if k not in _JUDGED}
        how, named = self.stored.requested.to_dict(), named_columns(self.tables)
        return key_of([data, asked]), key_of(["stored", how, data.get("na", ()), named])

    @property
    def stored(self) -> Rows:
        """The rows with all columns as they stand."""
        return self.opened.stored(self.tables)

    @property
    def rows(self) -> Rows:
        """The rows, read as the tables say."""
        data, stored = self.tables.get("data", {}), self.stored
        return self.opened.recoded.get(key_of(data), lambda: stored.recoded(Codings.of(**data)))

    @property
    def inspection(self) -> Inspection:
        """What a look at the rows finds, as they are read."""
        return self.opened.inspections.get(self._keys[0], self._look)

    def _look(self) -> Inspection:
        rows = self.rows.with_progress(self.progress)
        with suppress(EvenhandError):
            return rows.inspect(QuestionFile.from_tables(self.tables).question)
        return rows.inspect(**named_columns(self.tables))

    @property
    def hidden_findings(self) -> list[Problem]:
        """What is found in columns as they stand, and is not seen as they are read.

        Classes hide 999 that may mean a missing value; numbers with a comma are left out.
        """
        data = self.tables.get("data", {})
        out = {*data.get("exclude", ())}
        hidden = {
            FindingKind.MARKER: {*data.get("bins", ())} - out,
            FindingKind.COMMA_NUMBERS: out,
        }
        return [
            one.problem
            for one in self.stored_inspection.findings
            if not hidden.get(one.kind, set()).isdisjoint(one.columns)
        ]

    @property
    def stored_inspection(self) -> Inspection:
        """What a look at all columns finds, as they stand but for texts that mean missing."""
        na = self.tables.get("data", {}).get("na", ())

        def looked() -> Inspection:
            rows = self.stored.recoded(Codings.of(na=na)).with_progress(self.progress)
            return rows.inspect(**named_columns(self.tables))

        return self.opened.inspections.get(self._keys[1], looked)


def named_columns(tables: Tables) -> dict[str, Any]:
    """The columns that the question names so far."""
    asked = tables.get("question", {})
    return {role: asked.get(role) or None for role in ("decision", "protected")}


def stamp_of(path: Path) -> str:
    """Changes with whatever is written into a file or put in its place."""
    try:
        of = path.stat()
    except OSError:
        return f"{path}: gone"
    return f"{path}: {of.st_ino}, {of.st_size} bytes, {of.st_mtime_ns} ns"


COLUMNS = frozenset({"protected", "decision"})  # of the question
# Parts that have no effect once no effects through other attributes are judged.
OF_EFFECTS = ("explained", "redlining_threshold", "basis")
_VALUES = {"protected": ("group", "other"), "decision": ("favorable", "criterion", "order")}


def first_tables(inspection: Inspection) -> dict[str, Any]:
    """How columns should be read: left out, in classes, with which missing values."""
    draft = QuestionDraft(inspection, {}, Codings())
    data: dict[str, Any] = {
        "exclude": [*draft.excluded] if draft.kept else [],  # some column must be left
        "bins": {name: list(map(_plain, cuts)) for name, cuts in draft.bins.items()},
        "merge": draft.merges,
        "na": [*draft.na],
    }
    # Whether a missing value may be one of its own depends on what is asked.
    if draft.missing == "drop":
        data["missing"] = "drop"
    data = {name: value for name, value in data.items() if value}
    return {"data": data} if data else {}


def counted_by(changes: Tables) -> dict[str, Any]:
    """The changes; a column that counts people from now on has no classes and no other part."""
    data = changes.get("data")
    name = data.get("frequency") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(name, str) or not name:
        return dict(changes)
    unread = {
        part: {**old, name: None}
        for part in ("bins", "merge")
        if isinstance(old := data.get(part, {}), Mapping)
    }
    return {**changes, "data": {**data, **unread}}


def with_columns(changes: Tables, tables: Tables) -> Tables:
    """The changes with the columns whose values they choose, as the tables have them."""
    chosen, asked = changes.get("question"), tables.get("question", {})
    if not isinstance(chosen, Mapping):
        return changes
    roles = [role for role, values in _VALUES.items() if not chosen.keys().isdisjoint(values)]
    return {**changes, "question": {**{role: asked.get(role) for role in roles}, **chosen}}


def with_values(inspection: Inspection, tables: Tables, changed: Collection[str]) -> Tables:
    """The tables with both values of the question where its columns were chosen just now."""
    asked = dict(tables.get("question", {}))
    named = [role for role in _VALUES if role in changed]
    if not named:
        return tables
    for role in named:
        for value in _VALUES[role]:
            if value not in changed:
                asked.pop(value, None)
    codings = Codings.of(**tables.get("data", {}))
    decision = asked.get("decision")
    if "decision" in named and decision in codings.bins and "favorable" not in changed:
        labels = [value for value, _ in inspection.column(str(decision)).frequent]
        asked["favorable"] = in_order(labels)[-1]  # larger numbers, as ``init`` suggests
    draft = QuestionDraft(inspection, asked, codings)
    for role, (value, _) in draft.asked.items():
        asked.setdefault(role, value)
    data = dict(tables.get("data", {}))
    if draft.asked_lack_values and data.get("missing") == "level":
        data["missing"] = "drop"
    elif draft.missing != "error":
        data["missing"] = draft.missing
    if bins := {name: draft.bins[name] for name in draft.named if name in draft.bins}:
        data["bins"] = {**data.get("bins", {}), **bins}  # of too many numbers to be groups
    return {**tables, "question": asked, **({"data": data} if data else {})}


def _plain(cut: object) -> object:
    return cut if isinstance(cut, int | str) else str(cut)
