"""``Session``: the table that is open, what was chosen, and what follows from it.

What was chosen is kept as the tables of a question file, so that the app says nothing that a
question file cannot say; each change makes new tables, and undoing goes back to earlier ones.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.audit_result import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, Problem, QuestionError
from evenhand.question import Codings, GraphEdit, QuestionFile
from evenhand.rows import Inspection, Rows
from evenhand.study import audit
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job, Jobs
from evenhand.web.judged_graphs import JudgedGraphs, without_number
from evenhand.web.open_table import OpenTable
from evenhand.web.recent import Recent, key_of
from evenhand.web.store import QuestionStore, Tables, check_tables, merged
from evenhand.web.suggestions import COLUMNS, first_tables, fitting, with_values

_SAVE_SECONDS = 0.3
# Parts of [question] that are judged anew without learning the graph again.
_JUDGED = frozenset(
    {"threshold", "judge", "min_rows", "redlining", "explained", "redlining_threshold", "basis"}
)


_TABLE_WORDS = {
    "question": "the question",
    "knowledge": "the order of events",
    "graph": "the graph",
    "data": "how columns are read",
    "labels": "words",
}


class StaleError(QuestionError):
    """A change was made on a page that is not the newest."""


class Session:
    """One person's work on one table; every change has a revision and can be undone."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.jobs = folder, Jobs()
        self.lock = threading.RLock()
        self.revision = 0
        self._open: OpenTable | None = None
        self.opening: Job | None = None  # the last reading of a table
        self.notices: tuple[str, ...] = ()
        self.made_files: dict[str, Path] = {}
        self.results: dict[str, Any] = {}  # of the last compare, bootstrap, release, check
        self._store: QuestionStore | None = None
        self._history: list[Tables] = [{}]
        self._at = 0
        self._timer: threading.Timer | None = None
        self._learned = Recent[Audit](8)
        self._audits = Recent[Audit](64)
        self._graphs = JudgedGraphs()
        self.save_problem: Problem | None = None

    @property
    def tables(self) -> Tables:
        """The tables of the question file as they are now."""
        return self._history[self._at]

    @property
    def question_path(self) -> Path | None:
        """The question file that keeps them."""
        return self._store.path if self._store else None

    @property
    def undoes(self) -> str:
        """What undoing would change, in words; "" if there is nothing to undo."""
        return self._difference(self._at - 1) if self._at else ""

    @property
    def redoes(self) -> str:
        """What redoing would change, in words; "" if there is nothing to redo."""
        return self._difference(self._at + 1) if self._at + 1 < len(self._history) else ""

    def _difference(self, at: int) -> str:
        other = self._history[at]
        names = [name for name in _TABLE_WORDS if other.get(name) != self.tables.get(name)]
        return " and ".join(_TABLE_WORDS[name] for name in names)

    def patch(self, changes: Tables, revision: int | None = None) -> None:
        """Change parts of the tables; None removes one. Refused if they make no sense."""
        with self.lock:
            self.check(revision)
            if not isinstance(changes, Mapping):
                raise QuestionError.of("This is no change of tables.", remedy="Reload.")
            tables = merged(self.tables, changes)
            check_tables(tables)
            changed = {*(changes.get("question") or {})}
            if self._open is not None and not COLUMNS.isdisjoint(changed):
                tables = with_values(self._open.inspection(tables), tables, changed)
                check_tables(tables)
            self._enter(tables)

    def replace_tables(self, tables: Tables, revision: int | None = None) -> None:
        """Set all tables at once."""
        with self.lock:
            self.check(revision)
            check_tables(tables)
            self._enter(tables)

    def amend(self, before: Tables, tables: Tables) -> bool:
        """Set other tables in place of those that were just entered; False if they are gone."""
        with self.lock:
            if self.tables != before:
                return False
            check_tables(tables)
            self._history[self._at] = tables
            self._changed()
            return True

    def step(self, by: int, revision: int | None = None) -> None:
        """Go back (-1) or forth (+1) in the history."""
        with self.lock:
            self.check(revision)
            if not 0 <= self._at + by < len(self._history):
                raise QuestionError.of(
                    f"There is nothing to {'undo' if by < 0 else 'redo'}.", remedy="Go on."
                )
            self._at += by
            self._changed()

    def _enter(self, tables: Tables) -> None:
        if tables == self.tables:
            return
        del self._history[self._at + 1 :]
        self._history.append(tables)
        self._at += 1
        self._changed()

    def _changed(self) -> None:
        self.revision += 1
        self.notices = ()
        if self._timer:
            self._timer.cancel()
        self._timer = threading.Timer(_SAVE_SECONDS, self.save)
        self._timer.daemon = True
        self._timer.start()

    def check(self, revision: int | None) -> None:
        """Refuse what was chosen on a page that is not the newest."""
        if revision is not None and revision != self.revision:
            raise StaleError.of(
                "This page is not the newest: something was changed in another tab.",
                remedy="Reload it, and change it again.",
            )

    # On disk

    def save(self, *, overwrite: bool = False) -> None:
        """Write the question file, unless somebody else changed it."""
        with self.lock:
            if self._store is None:
                return
            try:
                self._store.save(self._graphs.stated(self.tables), overwrite=overwrite)
            except EvenhandError as error:
                self.save_problem = error.problems[0]
            else:
                self.save_problem = None

    @property
    def has_conflict(self) -> bool:
        """Whether somebody else changed the question file; nothing is written until settled."""
        with self.lock, suppress(EvenhandError):
            return self._store is not None and self._store.changed_elsewhere
        return False

    def reload(self) -> None:
        """Take over what somebody else wrote into the question file."""
        with self.lock:
            if self._store is not None:
                self._enter(without_number(self._store.load()))
                self.save_problem = None

    def close(self) -> None:
        """Save, stop what runs, and remove uploads."""
        if self._timer:
            self._timer.cancel()
        self.save()
        self.jobs.end()
        self.folder.close()

    # The table

    @property
    def table(self) -> Path | None:
        """The file that is open."""
        return self._open.path if self._open else None

    @property
    def inputs(self) -> list[Path]:
        """The files that nothing is written over."""
        return [one for one in (self.table, self.question_path) if one is not None]

    def open_table(
        self,
        path: Path,
        progress: ProgressCallback,
        question: Path | None = None,
        changes: Tables | None = None,
    ) -> None:
        """Read a table, and its question file or what a first look suggests.

        ``changes`` say how to read it, where the question file does not.
        """
        self.save()  # what was chosen for the table before, which may be the same
        store = QuestionStore(question or self.folder.question_path(path))
        is_new = not store.exists
        tables: Tables = merged({} if is_new else store.load(), changes or {})
        opened = OpenTable(path)
        opened.stored(tables, progress)
        inspection = opened.inspection(tables)
        with self.lock:
            self._store = store
            if is_new:
                tables = merged(first_tables(inspection), tables)
            self._graphs = JudgedGraphs(tables)
            self._history, self._at = [without_number(tables)], 0
            self.save_problem = None
            self._begin(opened)

    def read_again(
        self,
        progress: ProgressCallback,
        changes: Tables | None = None,
        revision: int | None = None,
    ) -> None:
        """Read the table as it is now, or in another way; what was chosen stays.

        With another delimiter or sheet the columns may be others: what names none that is gone
        stays, and what a first look suggests for new ones is added.
        """
        if self.table is None:
            raise _no_table()
        opened, tables = OpenTable(self.table), merged(self.tables, changes or {})
        if not {"delimiter", "sheet"}.isdisjoint((changes or {}).get("data") or {}):
            tables = fitting(tables, lambda how: opened.stored(how, progress), self.stored)
        opened.stored(tables, progress)
        opened.inspection(tables)
        with self.lock:
            self.replace_tables(tables, revision)
            self._begin(opened)

    def _begin(self, opened: OpenTable) -> None:
        """Go on with a table that was read, and forget what followed from another."""
        self._open = opened
        self.revision += 1
        self.notices = ()
        for recent in (self._learned, self._audits):
            recent.clear()
        self.results.clear()

    @property
    def table_has_changed(self) -> bool:
        """Whether the table is another one on the disk than the one that was read."""
        return self._open is not None and self._open.has_changed

    def check_table(self) -> None:
        """Refuse to go on with a table that was changed on the disk."""
        if self._open is not None:
            self._open.check(self.folder.shown(self._open.path))

    @property
    def stored(self) -> Rows | None:
        """The rows of the table with all columns as they stand."""
        with self.lock:
            opened, tables = self._open, self.tables
        return None if opened is None else opened.stored(tables)

    @property
    def stored_inspection(self) -> Inspection | None:
        """What a look at all columns finds, as they stand."""
        with self.lock:
            opened, tables = self._open, self.tables
        return None if opened is None else opened.stored_inspection(tables)

    @property
    def rows(self) -> Rows | None:
        """The rows of the table, read as the tables say."""
        with self.lock:
            opened, tables = self._open, self.tables
        self.check_table()
        return None if opened is None else opened.rows(tables)

    @property
    def inspection(self) -> Inspection | None:
        """What a look at the rows finds, as they are read."""
        with self.lock:
            opened, tables = self._open, self.tables
        return None if opened is None else opened.inspection(tables)

    def _key(self, value: Any) -> str:  # noqa: ANN401  # plain values
        """What something was made from: this table as it was read, and the value."""
        return (self._open.stamp if self._open else "") + key_of(value)

    # The verdict

    @property
    def file(self) -> QuestionFile:
        """The question file that the tables are; raises what is wrong with it."""
        file = QuestionFile.from_tables(self.tables, where="the question")
        return replace(file, graphs_judged=self._graphs.number)

    @property
    def learning_key(self) -> str:
        """What the learned graph depends on."""
        asked = {k: v for k, v in self.tables.get("question", {}).items() if k not in _JUDGED}
        tables = self.tables
        return self._key([asked, tables.get("knowledge", {}), tables.get("data", {})])

    @property
    def learned(self) -> Audit | None:
        """The audit with the graph as it was learned, once it was."""
        return self._learned.find(self.learning_key)

    @property
    def audit(self) -> Audit | None:
        """The audit with all that was chosen, if the graph was learned."""
        with self.lock:
            if self.learned is None:
                return None
            make = self._judging()
        return make()

    @property
    def has_audit(self) -> bool:
        """Whether the audit of what is chosen now was worked out before."""
        with self.lock:
            return self._audits.find(self._audit_key(self.file)) is not None

    def judged(self, edits: Iterable[GraphEdit], *, direct: bool = False) -> Audit:
        """The audit with other edits of the learned graph; nothing is changed by asking.

        ``direct`` leaves out the claim about effects through other attributes.
        """
        with self.lock:
            make = self._judging(tuple(edits), direct=direct)
        return make()

    def _audit_key(self, file: QuestionFile, *, direct: bool = False) -> str:
        asked = {**self.tables.get("question", {})}
        if direct:
            asked["redlining"] = None
        key = self.learning_key + key_of([asked, self.tables.get("labels")])
        return key + key_of([edit.to_dict() for edit in file.edits])

    def _judging(
        self, edits: tuple[GraphEdit, ...] | None = None, *, direct: bool = False
    ) -> Callable[[], Audit]:
        """How to judge what is chosen now, whatever is chosen meanwhile."""
        learned, file = self.learned, self.file
        if learned is None:
            raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
        # How many graphs were judged is stated where a certificate is written.
        file = replace(file, edits=file.edits if edits is None else edits, graphs_judged=0)
        direct = direct and bool(file.question.redlining)
        if direct:
            file = replace(file, question=file.question.direct)
        key = self._audit_key(file, direct=direct)
        is_known = file.graph_table == self._history[0].get("graph", {})

        def judge() -> Audit:
            found = self._audits.get(key, lambda: learned.judged_with(file))
            self._graphs.add(found.graph, is_known=is_known)
            return found

        return judge

    def learn(self, progress: ProgressCallback) -> None:
        """Learn the graph for what is asked now; edits that do not fit it are named."""
        with self.lock:
            file, key, rows = self.file, self.learning_key, self.rows
        if rows is None:
            raise _no_table()
        rows = replace(rows, progress=progress)
        # Effects through others are measured where it is judged, on the graph as it is edited.
        asked = replace(file, question=file.question.direct, edits=(), codings=Codings())
        found = audit(rows, asked, progress=progress)
        self.check_table()
        with self.lock:
            self._learned.put(key, found)


def _no_table() -> QuestionError:
    return QuestionError.of("No table is open.", remedy="Choose one first.")
