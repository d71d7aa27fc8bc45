"""``Session``: the table that is open, what was chosen, and what follows from it.

What was chosen is kept as the tables of a question file, so that the app says nothing that a
question file cannot say; each change makes new tables, and undoing goes back to earlier ones.
"""

import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.auditing import Audit, audit
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import EvenhandError, Problem, QuestionError
from evenhand.evidence.audit_progress import whole_progress
from evenhand.evidence.certification import JUDGING
from evenhand.files.transaction import disk_errors, write_file
from evenhand.graph import PartialGraph, load_graph
from evenhand.models.predictions import audit_predictions
from evenhand.question import Codings, GraphEdit, QuestionFile
from evenhand.rows import Rows
from evenhand.web.folder import Folder
from evenhand.web.jobs import Job, Jobs
from evenhand.web.question_store import (
    JudgedGraphs,
    QuestionStore,
    TableHistory,
    Tables,
    UnsavedError,
    audit_key,
    check_tables,
    cut_to,
    learning_key,
    merged,
    without_number,
)
from evenhand.web.table_cache import (
    COLUMNS,
    OpenTable,
    Reading,
    Recent,
    first_tables,
    with_columns,
    with_values,
)

_SAVE_SECONDS = 0.3


class Session:
    """One person's work on one table; every change has a revision and can be undone."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.jobs = folder, Jobs(folder.named)
        self.lock = threading.RLock()
        self._open: OpenTable | None = None
        self.opening: Job | None = None  # the last reading of a table
        self.notices: tuple[str, ...] = ()
        self.asks_order = True  # until somebody confirms which column came first
        self.given: PartialGraph | None = None  # in place of a graph that is learned
        self.refits = False  # whether edits of the graph give way to a new order of events
        self.made_files: dict[str, None] = {}  # names of files in the folder, in order
        self.results: dict[str, Any] = {}  # of the last compare, bootstrap, release, check
        self.store: QuestionStore | None = None  # the question file of the table
        self.history = TableHistory({})
        self._parsed: tuple[Tables, QuestionFile] | None = None  # what ``file`` gave last
        self._timer: threading.Timer | None = None
        self._learned = Recent[Audit](8)
        self._audits = Recent[Audit](64)
        self._graphs = JudgedGraphs()

    @property
    def tables(self) -> Tables:
        """The tables of the question file as they are now."""
        return self.history.now

    @property
    def revision(self) -> int:
        """The number of the last change."""
        return self.history.revision

    @property
    def question_path(self) -> Path | None:
        """The question file that keeps them."""
        return self.store.path if self.store else None

    @property
    def given_name(self) -> str:
        """The file beside the question file that keeps the graph that was given; else ""."""
        return self.folder.shown(self._graph_path) if self.given else ""

    @property
    def _graph_path(self) -> Path:
        if self.question_path is None:
            raise no_table()
        return self.folder.inside(str(self.question_path.with_suffix(".graph.json")))

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
            self.history.check(revision, lambda tables: cut_to(tables, wanted), wanted)
            tables = merged(self.tables, changes)
            check_tables(tables)
            changed = {*(changes.get("question") or {})}
            if self._open is not None and not COLUMNS.isdisjoint(changed):
                tables = with_values(Reading(self._open, tables).inspection, tables, changed)
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
            self.history.amend(tables)
            self._changed()
            return True

    def step(self, by: int, revision: int | None = None) -> None:
        """Go back (-1) or forth (+1) in the history."""
        with self.lock:
            self.history.check(revision)
            self.history.step(by)
            self._changed()

    def _enter(self, tables: Tables) -> None:
        if self.history.enter(tables):
            self._changed()

    def _changed(self) -> None:
        self.notices = ()
        if self._timer:
            self._timer.cancel()
        self._timer = threading.Timer(_SAVE_SECONDS, self.save)
        self._timer.daemon = True
        self._timer.start()

    # On disk

    def save(self, *, overwrite: bool = False) -> bool:
        """Write the question file, unless somebody else changed it.

        Returns whether all that was chosen is in it.
        """
        with self.lock:
            stated, store = self._graphs.stated(self.tables), self.store
            return store is None or store.save(self.tables, stated, overwrite=overwrite)

    @property
    def unsaved(self) -> Problem | None:
        """What was chosen and is not in the question file, and why; None if all is."""
        with self.lock:
            store = self.store
            return store.lacks(self.tables, self.folder.shown(store.path)) if store else None

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
                _ = Reading(self._open, tables).rows
                self._enter(tables)
                store.tables, self.store = tables, store

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
            inspection = Reading(opened, tables, progress).inspection
            chosen = merged(first_tables(inspection), tables) if is_new else tables
            Reading(opened, chosen, progress).look()
            with self.lock:
                self.settle(unsaved)  # what was chosen meanwhile, maybe into this file
                if is_read := not store.changed_elsewhere:
                    self._graphs = JudgedGraphs(chosen)
                    self.history = TableHistory(without_number(chosen), self.revision + 1)
                    store.tables, self.store = self.tables, store
                    self._begin(opened)

    def read_again(
        self,
        progress: ProgressCallback,
        changes: Tables | None = None,
        revision: int | None = None,
    ) -> None:
        """Read the table as it is now, or in another way; what was chosen stays.

        Where another delimiter or sheet gives other columns, what a first look suggests for
        them takes the place of all that was chosen; undoing goes back.
        """
        if self.table is None:
            raise no_table()
        self.history.check(revision)
        opened, is_read = OpenTable(self.table), False
        while not is_read:
            before, known = self.tables, self.reading.stored
            tables = merged(before, changes or {})
            data = tables.get("data", {})
            how = {part: data[part] for part in ("delimiter", "sheet") if part in data}
            if not {"delimiter", "sheet"}.isdisjoint((changes or {}).get("data") or {}):
                rows = opened.stored({"data": how}, progress)
                if {*rows.columns} != {*known.columns}:
                    tables = merged(first_tables(rows.inspect()), {"data": how})
            opened.stored(tables, progress)
            reading = Reading(opened, tables, progress)
            _ = reading.inspection  # refused if it does not fit the table
            reading.look()
            with self.lock:
                if is_read := self.tables is before:  # else something was chosen meanwhile
                    self.replace_tables(tables)
                    self._begin(opened)

    def _begin(self, opened: OpenTable) -> None:
        """Go on with a table that was read, and forget what followed from another."""
        self._open = opened
        self.history.renew()
        self.notices, self.refits, self.given = (), False, None
        try:
            if self._graph_path.exists():
                self.given = load_graph(self._graph_path)
        except EvenhandError as error:
            self.notices = (f"{self._graph_path.name} was not read: {error.problems[0].what}",)
        has_order = self.given or self.tables.get("knowledge", {}).get("tiers")
        self.asks_order = not has_order
        for recent in (self._learned, self._audits):
            recent.clear()
        self.results.clear()

    def give(self, graph: PartialGraph | None) -> None:
        """Take a graph in place of one that is learned, or none.

        It is kept beside the question file, for whoever opens that again; one that was there
        before is renamed.
        """
        with self.lock:
            path = self._graph_path
            with disk_errors(path):
                if path.exists():
                    path.replace(path.with_suffix(".old.json"))
            if graph is not None:
                write_file(path, graph.to_json(), mode=0o600, overwrite=False)
            self.given = graph

    @property
    def table_has_changed(self) -> bool:
        """Whether the table is another one on the disk than the one that was read."""
        return self._open is not None and self._open.has_changed

    def check_table(self) -> None:
        """Refuse to go on with a table that was changed on the disk."""
        if self._open is not None:
            self._open.check(self.folder.shown(self._open.path))

    @property
    def reading(self) -> Reading:
        """The table and what is chosen, both of one moment."""
        with self.lock:
            if self._open is None:
                raise no_table()
            return Reading(self._open, self.tables)

    @property
    def rows(self) -> Rows:
        """The rows of the table, read as the tables say."""
        self.check_table()
        return self.reading.rows

    @property
    def _stamp(self) -> str:
        """Tells this table as it was read, and a given graph, from any other."""
        given = "" if self.given is None else str(self.given)
        return self._open.stamp + given if self._open else ""

    # The verdict

    @property
    def file(self) -> QuestionFile:
        """The question file that the tables are; raises what is wrong with it."""
        tables, parsed = self.tables, self._parsed
        if parsed is None or parsed[0] is not tables:  # a page asks many times
            parsed = tables, QuestionFile.from_tables(tables, where="the question")
            self._parsed = parsed
        return replace(parsed[1], graphs_judged=self._graphs.number)

    @property
    def learned(self) -> Audit | None:
        """The audit with the graph as it was learned, once it was."""
        return self._learned.find(self._learning_key())

    def _learning_key(self) -> str:
        return learning_key(self._stamp, self.tables)

    @property
    def predictions(self) -> str:
        """The column of a model's predictions that are audited; "" for recorded decisions."""
        return next(iter(self.tables.get("run", {}).get("predictions", ())), "")

    @property
    def audit(self) -> Audit | None:
        """The audit with all that was chosen, of predictions or of recorded decisions."""
        found, column = self.data_audit, self.predictions
        if found is None or not column:
            return found
        with self.lock:
            file, rows, labels = self.file, self.rows, self.tables["run"].get("labels")

        def judge() -> Audit:
            asked = replace(file, edits=(), codings=Codings())
            return audit_predictions(rows, column, asked, graph=found.graph, labels=labels)

        return self._audits.get(audit_key(self._stamp, self.tables, file) + column, judge)

    @property
    def data_audit(self) -> Audit | None:
        """The audit of the decisions that were recorded, if the graph was learned."""
        return None if self.learned is None else self.judged()

    @property
    def known_audit(self) -> Audit | None:
        """The same if it was worked out before."""
        with self.lock:
            key = audit_key(self._stamp, self.tables, self.file)
            return self._audits.find(key + self.predictions)

    def judged(
        self, edits: Iterable[GraphEdit] | None = None, *, direct: bool = False
    ) -> Audit:
        """What is chosen now, judged; or with other edits, and nothing is changed by asking.

        ``direct`` leaves out the claim about effects through other attributes.
        """
        with self.lock:  # whatever is chosen meanwhile
            learned, file = needed(self.learned), self.file
            # How many graphs were judged is stated where a certificate is written.
            asked = file.edits if edits is None else tuple(edits)
            file = replace(file, edits=asked, graphs_judged=0)
            direct = direct and bool(file.question.redlining)
            if direct:
                file = replace(file, question=file.question.direct)
            key = audit_key(self._stamp, self.tables, file, direct=direct)
        found = self._audits.get(key, lambda: learned.judged_with(file))
        self._graphs.add(found.graph)
        return found

    def learn(self, progress: ProgressCallback) -> None:
        """Learn the graph for what is asked; where that changes meanwhile, begin again."""
        whole = whole_progress(progress, answers=True)
        while self.learned is None:
            with self.lock:
                file, rows, key = self.file, self.rows, self._learning_key()
                if column := self.predictions:  # no part of the data that a model learned
                    rows = rows.only({*rows.columns} - {column})

            def check(key: str = key) -> None:
                if self._learning_key() != key:
                    raise _OutdatedError

            # Effects through others are measured where it is judged, on the graph as edited.
            asked = replace(file, question=file.question.direct, edits=(), codings=Codings())
            with suppress(_OutdatedError), whole.checking(check):
                rows = replace(rows, progress=whole)
                before = self._learned.newest  # by another order: its tests are not made again
                found = audit(
                    rows,
                    asked,
                    graph=self.given,
                    reuse=before.base if before else None,
                    progress=whole,
                )
                self.check_table()
                self._learned.put(key, found)


class _OutdatedError(BaseException):
    """Raised from a progress callback: no handler of errors takes it for one."""


def no_table() -> QuestionError:
    """What a screen says that needs a table."""
    return QuestionError.of("No table is open.", remedy="Choose one on the first screen.")


def needed(found: Audit | None) -> Audit:
    """An audit, which is there once the graph is learned; refused until then."""
    if found is None:
        raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
    return found


# With fewer lines and open edges it is done before a page is missed. Each cause is left out
# once and the others compared, so that the work grows with the square of their number.
_MANY_LINES = 5000
_MANY_CAUSES = 10
_MANY_OPEN_EDGES = 8


def look(session: Session, _body: object = None) -> Job | None:
    """Look at the table as it is read now, as a job if that takes long."""
    if session.table is None or not session.reading.is_due:
        return None

    def work(progress: ProgressCallback) -> None:
        replace(session.reading, progress=progress).look()

    return session.jobs.start("Looking at the columns", work, joins=True)


def is_due(session: Session) -> bool:
    """Whether a page of the verdict would keep somebody waiting without a word.

    Effects through other attributes are measured on each graph that the learned one may stand
    for: up to thousands.
    """
    learned = session.learned
    if learned is None:
        return False
    try:
        found, through = session.known_audit, session.file.question.redlining
    except EvenhandError:
        return False  # the page says why
    many_graphs = bool(through) and len(learned.graph.undirected) > _MANY_OPEN_EDGES
    is_known = found is not None and "answer" in vars(found)
    causes = len(learned.certificate.partition.names)
    lines = len(learned.counts) * (1 + (causes / _MANY_CAUSES) ** 2)
    return not is_known and (many_graphs or lines > _MANY_LINES)


def work_out(session: Session, progress: ProgressCallback) -> None:
    """Judge what is chosen now, and test what speaks against its graph, where it takes long."""
    if not is_due(session):
        return
    reporter = ProgressReporter(progress)
    through = ", ".join(session.file.question.redlining)
    reporter.report(f"measuring effects through {through}" if through else JUDGING, 0)
    if audit := session.audit:
        audit.find_answer(progress=progress)


def judge(session: Session, _body: object = None) -> Job | None:
    """Work out what the pages of the verdict need, if that takes long."""
    if not is_due(session):
        return None
    return session.jobs.start(
        "Judging", lambda progress: work_out(session, progress), joins=True
    )
