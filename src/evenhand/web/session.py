"""``Session``: the table that is open, what was chosen, and what follows from it.

What was chosen is kept as the tables of a question file, so that the app says nothing that a
question file cannot say; each change makes new tables, and undoing goes back to earlier ones.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback
from evenhand.errors import Problem, QuestionError
from evenhand.question import GraphEdit, QuestionFile
from evenhand.rows import Inspection, Rows
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job, Jobs
from evenhand.web.open_table import OpenTable
from evenhand.web.question_store import (
    QuestionStore,
    SavedQuestion,
    TableHistory,
    Tables,
    UnsavedError,
    check_tables,
    cut_to,
    merged,
)
from evenhand.web.results import (
    JudgedGraphs,
    Recent,
    audit_key,
    learned_while,
    learning_key,
    without_number,
)
from evenhand.web.suggestions import COLUMNS, first_tables, fitting, with_columns, with_values

_SAVE_SECONDS = 0.3


class Session:
    """One person's work on one table; every change has a revision and can be undone."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.jobs = folder, Jobs()
        self.lock = threading.RLock()
        self._open: OpenTable | None = None
        self.opening: Job | None = None  # the last reading of a table
        self.notices: tuple[str, ...] = ()
        self.refits = False  # whether edits of the graph give way to a new order of events
        self.made_files: dict[str, Path] = {}
        self.results: dict[str, Any] = {}  # of the last compare, bootstrap, release, check
        self._question = SavedQuestion()
        self._history = TableHistory({})
        self._timer: threading.Timer | None = None
        self._learned = Recent[Audit](8)
        self._audits = Recent[Audit](64)
        self._graphs = JudgedGraphs()

    @property
    def tables(self) -> Tables:
        """The tables of the question file as they are now."""
        return self._history.now

    @property
    def revision(self) -> int:
        """The number of the last change."""
        return self._history.revision

    @property
    def question_path(self) -> Path | None:
        """The question file that keeps them."""
        return self._question.path

    @property
    def undoes(self) -> str:
        """What undoing would change, in words; "" if there is nothing to undo."""
        return self._history.difference(-1)

    @property
    def redoes(self) -> str:
        """What redoing would change, in words; "" if there is nothing to redo."""
        return self._history.difference(1)

    def patch(
        self, changes: Tables, revision: int | None = None, chosen: Tables | None = None
    ) -> None:
        """Change parts of the tables; None removes one. Refused if they make no sense.

        ``chosen`` is as much of the changes as a page of the revision must be new enough for.
        """
        with self.lock:
            if not isinstance(changes, Mapping):
                raise QuestionError.of("This is no change of tables.", remedy="Reload.")
            wanted = with_columns(changes if chosen is None else chosen, self.tables)
            self.check(revision, lambda tables: cut_to(tables, wanted), wanted)
            tables = merged(self.tables, changes)
            check_tables(tables)
            changed = {*(changes.get("question") or {})}
            if self._open is not None and not COLUMNS.isdisjoint(changed):
                tables = with_values(self._open.inspection(tables), tables, changed)
                check_tables(tables)
            self._enter(tables)

    def replace_tables(self, tables: Tables) -> None:
        """Set all tables at once."""
        with self.lock:
            check_tables(tables)
            self._enter(tables)

    def amend(self, before: Tables, tables: Tables) -> bool:
        """Set other tables in place of those that were just entered; False if they are gone."""
        with self.lock:
            if self.tables != before:
                return False
            check_tables(tables)
            self._history.amend(tables)
            self._changed()
            return True

    def step(self, by: int, revision: int | None = None) -> None:
        """Go back (-1) or forth (+1) in the history."""
        with self.lock:
            self.check(revision)
            self._history.step(by)
            self._changed()

    def _enter(self, tables: Tables) -> None:
        if self._history.enter(tables):
            self._changed()

    def _changed(self) -> None:
        self.notices = ()
        if self._timer:
            self._timer.cancel()
        self._timer = threading.Timer(_SAVE_SECONDS, self.save)
        self._timer.daemon = True
        self._timer.start()

    def check(self, revision: object, *part: Any) -> None:  # noqa: ANN401  # as it takes
        """Refuse to change what was changed since a page was shown: ``TableHistory.check``."""
        self._history.check(revision, *part)

    # On disk

    def save(self, *, overwrite: bool = False) -> bool:
        """Write the question file, unless somebody else changed it.

        Returns whether all that was chosen is in it.
        """
        with self.lock:
            stated = self._graphs.stated(self.tables)
            return self._question.save(self.tables, stated, overwrite=overwrite)

    @property
    def save_problem(self) -> Problem | None:
        """Why saving failed the last time."""
        return self._question.problem

    @property
    def has_conflict(self) -> bool:
        """Whether somebody else changed the question file; nothing is written until settled."""
        with self.lock:
            return self._question.has_conflict

    @property
    def unsaved(self) -> Problem | None:
        """What was chosen and is not in the question file, and why; None if all is."""
        with self.lock:
            path = self.question_path
            return self._question.lacks(self.tables, self.folder.shown(path)) if path else None

    def settle(self, unsaved: object = None) -> None:
        """Save what was chosen; refused if it would be lost.

        ``unsaved`` may say "write", over what somebody else wrote, or "drop".
        """
        with self.lock:
            self.save(overwrite=unsaved == "write")
            if unsaved != "drop" and (problem := self.unsaved):
                raise UnsavedError(problem)

    def reload(self) -> None:
        """Take over what somebody else wrote into the question file, if it fits the table."""
        with self.lock:
            if (path := self.question_path) and self._open:
                store = QuestionStore(path)
                tables = without_number(store.load())
                self._open.rows(tables)
                self._enter(tables)
                self._question = SavedQuestion(store, tables)

    def close(self) -> Problem | None:
        """Save, stop what runs, and remove uploads; returns what could not be saved."""
        if self._timer:
            self._timer.cancel()
        self.save()
        self.jobs.end()
        self.save()  # what ended just now may have changed something
        self.folder.close()
        return self.unsaved

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
        unsaved: object = None,
    ) -> None:
        """Read a table, and its question file or what a first look suggests.

        ``changes`` say how to read it, where the question file does not; ``unsaved`` what to do
        with choices for the table before, which may be the same, that cannot be saved.
        """
        self.settle(unsaved)
        opened, is_read = OpenTable(path), False
        while not is_read:
            store = QuestionStore(question or self.folder.question_path(path))
            is_new = not store.exists
            tables: Tables = merged({} if is_new else store.load(), changes or {})
            opened.stored(tables, progress)
            inspection = opened.inspection(tables)
            with self.lock:
                self.settle(unsaved)  # what was chosen meanwhile, maybe into this file
                if is_read := not store.changed_elsewhere:
                    if is_new:
                        tables = merged(first_tables(inspection), tables)
                    self._graphs = JudgedGraphs(tables)
                    self._history = TableHistory(without_number(tables), self.revision + 1)
                    self._question = SavedQuestion(store, self.tables)
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
        self.check(revision)
        opened, is_read = OpenTable(self.table), False
        others = not {"delimiter", "sheet"}.isdisjoint((changes or {}).get("data") or {})
        while not is_read:
            before = self.tables
            tables = merged(before, changes or {})
            if others:
                tables = fitting(tables, lambda how: opened.stored(how, progress), self.stored)
            opened.stored(tables, progress)
            opened.inspection(tables)
            with self.lock:
                if is_read := self.tables is before:  # else something was chosen meanwhile
                    self.replace_tables(tables)
                    self._begin(opened)

    def _begin(self, opened: OpenTable) -> None:
        """Go on with a table that was read, and forget what followed from another."""
        self._open = opened
        self._history.renew()
        self.notices, self.refits = (), False
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
    def _now(self) -> tuple[OpenTable | None, Tables]:
        """The table and what is chosen, both of one moment."""
        with self.lock:
            return self._open, self.tables

    @property
    def stored(self) -> Rows | None:
        """The rows of the table with all columns as they stand."""
        opened, tables = self._now
        return None if opened is None else opened.stored(tables)

    @property
    def stored_inspection(self) -> Inspection | None:
        """What a look at all columns finds, as they stand."""
        opened, tables = self._now
        return None if opened is None else opened.stored_inspection(tables)

    @property
    def rows(self) -> Rows | None:
        """The rows of the table, read as the tables say."""
        opened, tables = self._now
        self.check_table()
        return None if opened is None else opened.rows(tables)

    @property
    def inspection(self) -> Inspection | None:
        """What a look at the rows finds, as they are read."""
        opened, tables = self._now
        return None if opened is None else opened.inspection(tables)

    @property
    def _stamp(self) -> str:
        """Tells this table as it was read from any other."""
        return self._open.stamp if self._open else ""

    # The verdict

    @property
    def file(self) -> QuestionFile:
        """The question file that the tables are; raises what is wrong with it."""
        file = QuestionFile.from_tables(self.tables, where="the question")
        return replace(file, graphs_judged=self._graphs.number)

    @property
    def learned(self) -> Audit | None:
        """The audit with the graph as it was learned, once it was."""
        return self._learned.find(self._learning_key())

    def _learning_key(self) -> str:
        return learning_key(self._stamp, self.tables)

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
            return self._audits.find(audit_key(self._stamp, self.tables, self.file)) is not None

    def judged(self, edits: Iterable[GraphEdit], *, direct: bool = False) -> Audit:
        """The audit with other edits of the learned graph; nothing is changed by asking.

        ``direct`` leaves out the claim about effects through other attributes.
        """
        with self.lock:
            make = self._judging(tuple(edits), direct=direct)
        return make()

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
        key = audit_key(self._stamp, self.tables, file, direct=direct)
        is_known = file.graph_table == self._history.first.get("graph", {})

        def judge() -> Audit:
            found = self._audits.get(key, lambda: learned.judged_with(file))
            self._graphs.add(found.graph, is_known=is_known)
            return found

        return judge

    def learn(self, progress: ProgressCallback) -> None:
        """Learn the graph for what is asked; where that changes meanwhile, begin again."""
        while True:
            with self.lock:
                file, rows, key = self.file, self.rows, self._learning_key()
            if rows is None:
                raise _no_table()
            found = learned_while(key, self._learning_key, rows, file, progress)
            self.check_table()
            if found is not None:
                self._learned.put(key, found)
            if self.learned is not None:
                return


def _no_table() -> QuestionError:
    return QuestionError.of("No table is open.", remedy="Choose one first.")
