"""``Asked``: what a command line asks, from a question file and from what was typed over it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.terminal import say
from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, Problem, QuestionError, nearest_path, path_exists
from evenhand.question import Codings, Question, QuestionFile
from evenhand.question.fields import TABLES, Field, with_typed
from evenhand.question.question_file import ASKED, needed_parts

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.graph import PartialGraph
    from evenhand.rows import Rows

_VALUES = ("group", "other", "favorable")


@contextmanager
def suggesting_files(*inputs: Path | str | None) -> Iterator[None]:
    """Add "Did you mean …?" to errors raised inside about an input that does not exist."""
    paths = [Path(path) for path in inputs if path is not None]

    def with_suggestion(problem: Problem) -> Problem:
        path = Path(problem.where)
        if path not in paths or path_exists(path):
            return problem
        near = nearest_path(path, excluded=paths)
        return replace(problem, found="" if near is None else f"Did you mean {str(near)!r}?")

    try:
        yield
    except EvenhandError as error:
        error.problems = tuple(map(with_suggestion, error.problems))
        raise


@dataclass(frozen=True)
class Asked:
    """The table, the question file and the graph that were named, and keys that were typed."""

    data: str
    question_file: Path | None = None
    graph_file: Path | None = None
    typed: Sequence[tuple[Field, Any]] = ()

    @cached_property
    def _file_tables(self) -> dict[str, Any]:
        if self.question_file is None:
            return {}
        if not path_exists(self.question_file):
            raise QuestionError.of(
                "There is no such question file.",
                remedy=f"`evenhand init {self.data}` writes one.",
                where=str(self.question_file),
            )
        return QuestionFile.load_tables(self.question_file)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The tables of the question file, overridden by what was typed."""
        return with_typed(self._file_tables, self.typed)

    def of(self, table: str) -> dict[str, Any]:
        """All keys of a table that a verb reads, with their defaults."""
        said = self.tables.get(table, {})
        return {name: said.get(name, field.usual) for name, field in TABLES[table].items()}

    @property
    def parts(self) -> dict[str, Any]:
        """The parts of the question that are said."""
        if self.question_file is not None:
            return self.file.question.to_dict()
        return {k: v for k, v in self.tables.get("question", {}).items() if k in ASKED}

    @cached_property
    def file(self) -> QuestionFile:
        """The question with all that belongs to it; what it lacks or is wrong is raised."""
        if self.question_file is None:
            if absent := needed_parts(self.parts):
                raise QuestionError.of(
                    f"The question lacks {', '.join('--' + name for name in absent)}.",
                    remedy="Give these options, or a file with --question "
                    f"(`evenhand init {self.data}` writes one).",
                )
            return QuestionFile.from_tables(self.tables, where="")
        try:
            return QuestionFile.from_tables(
                self.tables, where=str(self.question_file), complete=self._complete
            )
        except QuestionError as error:
            raise QuestionError(*map(self._place, error.problems)) from error

    @property
    def question_if_complete(self) -> Question | None:
        """The question, or None if parts of it are not given."""
        is_whole = self.question_file or not needed_parts(self.parts)
        return self.file.question if is_whole else None

    @cached_property
    def so_far(self) -> QuestionFile:
        """The file; with any question, if none is needed and none was asked."""
        if self.question_if_complete:
            return self.file
        some = {"protected": "a", "decision": "b", "favorable": "c"}
        return QuestionFile.from_tables(self.tables | {"question": some}, where="")

    @property
    def memory(self) -> str | None:
        """How much memory counting may use."""
        memory: str | None = self.tables.get("run", {}).get("memory")
        return memory

    def read(self, progress: ProgressCallback | None = None) -> "Rows":
        """The rows, read as is asked."""
        from evenhand.rows import read

        codings = self.so_far.codings
        return read(self.data, codings=codings, memory=self.memory, progress=progress)

    def graph(self) -> "PartialGraph | None":
        """The graph of ``--graph``, if it was given."""
        if self.graph_file is None:
            return None
        from evenhand.graph import load_graph

        return load_graph(self.graph_file)

    def audits(self, progress: ProgressCallback) -> "tuple[Audit, ...]":
        """Audit the data; of predictions in several columns once for each."""
        run = self.of("run")
        settings: dict[str, Any] = {"graph": self.graph(), "memory": self.memory}
        settings["progress"] = progress
        if run["predictions"]:
            from evenhand.models.predictions import audit_models

            models = run["predictions"]
            return audit_models(self.data, models, self.file, labels=run["labels"], **settings)
        if run["labels"] is not None:
            raise QuestionError.of(
                "Labels are compared with predictions, and none are named.",
                remedy="Name their column with --predictions.",
            )
        from evenhand.auditing import audit

        return (audit(self.data, self.file, **settings),)

    def check_outputs(
        self, *pages: Path | None, release: Sequence[Path] = (), overwrite: bool
    ) -> None:
        """Refuse to overwrite an input, another output or, without ``overwrite``, a page.

        This is known before any work is done. Whether the files of a release may be replaced
        is checked when the leftovers of a killed run are removed (``ReleaseFiles.prepare``).
        """
        named = [page for page in pages if page is not None]
        if not named and not release:
            return
        from evenhand.files import check_targets
        from evenhand.rows.open_files import matching_files

        inputs = [str(file) for file in matching_files(self.data)]
        inputs += [str(path) for path in (self.graph_file, self.question_file) if path]
        check_targets([*named, *release], inputs, overwrite=True)
        check_targets(named, (), overwrite=overwrite)

    def _place(self, problem: Problem) -> Problem:
        """The problem of a question file; whether it arises from the options is said."""
        try:
            QuestionFile.from_tables(self._file_tables, where=str(self.question_file))
        except QuestionError as alone:
            if problem in alone.problems:
                return problem
        with_options = " with the options typed" if self.typed else ""
        return replace(problem, where=problem.where + with_options)

    def _complete(self, table: Mapping[str, Any], codings: Codings) -> Mapping[str, Any]:
        """The question with both values, if only its columns are named: as ``init`` does."""
        given = {role: value for role, value in table.items() if value != ""}
        # With another group alone all are compared with it, and the group stays open.
        open_parts = {*needed_parts(given)}
        if {"group", "other"}.isdisjoint(given):
            open_parts.add("group")
        if not open_parts or not {"protected", "decision"} <= {*given}:
            return given
        from evenhand.rows import read
        from evenhand.rows.inspect.question_draft import QuestionDraft

        rows = read(self.data, codings=codings, memory=self.memory)
        looked_at = rows.inspect(decision=given["decision"], protected=given["protected"])
        parts = QuestionDraft(looked_at, given, codings).asked
        chosen = {
            role: parts[role]
            for role in _VALUES
            if role in parts and role not in given and role in {*open_parts, "other"}
        }
        for role, (value, why) in chosen.items():
            say(f"The question file leaves {role!r} open: {value!r}, {why}.", err=True)
        return given | {role: value for role, (value, _) in chosen.items()}
