"""``Asked``: what a command line asks, from a question file and from what was typed over it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.cli.terminal import option, say
from evenhand.display import ProgressCallback, WholeProgress
from evenhand.errors import EvenhandError, Problem, QuestionError, nearest_path, path_exists
from evenhand.question import Question, QuestionFile
from evenhand.question.fields import TABLES, Field, with_typed
from evenhand.question.question_file import ASKED, lacking, needed_parts

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.graph import PartialGraph
    from evenhand.rows import Rows

_COLUMNS = ("protected", "decision")


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
        said = self.tables.get("question", {})
        return {k: v for k, v in said.items() if k in ASKED and v != ""}

    @cached_property
    def so_far(self) -> QuestionFile:
        """The file as far as it is said, with words in brackets for what the question lacks."""
        said = self.tables.get("question", {})
        some = {part: f"({part})" for part in needed_parts(self.parts)}
        said = {**said, **some} if isinstance(said, Mapping) else said
        return self._parsed(self.tables | {"question": said})

    @property
    def names_columns(self) -> bool:
        """Whether protected attribute and decision are named, so that the rest is guessed."""
        return {*_COLUMNS} <= {*self.parts}

    @property
    def question_if_complete(self) -> Question | None:
        """The question, or None if parts of it are not given."""
        return None if needed_parts(self.parts) else self.so_far.question

    @cached_property
    def file(self) -> QuestionFile:
        """The question with all that belongs to it, what is left open as ``init`` guesses it.

        A question file says how columns are read; without one that is guessed, too. What the
        table lacks is told before what the question lacks.
        """
        return self._completed(None)

    def _completed(self, progress: ProgressCallback | None) -> QuestionFile:
        from evenhand.rows.question_guesses import check_columns, completed

        absent = lacking(name for name in _COLUMNS if name not in self.parts)
        try:
            rows = self.read(progress)
        except QuestionError as error:
            raise QuestionError(*error.problems, *absent.problems) from error
        check_columns(rows, self.parts)
        if absent.problems:
            raise absent
        reading = self.guesses_reading
        nodes = self.graph.nodes if self.graph else ()
        tables, guesses = completed(rows, self.tables, reading=reading, keep=nodes)
        return replace(self._parsed(tables), guesses=guesses)

    def _parsed(self, tables: Mapping[str, Any]) -> QuestionFile:
        try:
            return QuestionFile.from_tables(tables, where=str(self.question_file or ""))
        except QuestionError as error:
            raise QuestionError(*map(self._place, error.problems)) from error

    @property
    def memory(self) -> str | None:
        """How much memory counting may use."""
        memory: str | None = self.tables.get("run", {}).get("memory")
        return memory

    def read(
        self, progress: ProgressCallback | None = None, file: QuestionFile | None = None
    ) -> "Rows":
        """The rows, read as is asked so far, or as a file has it."""
        from evenhand.rows import read

        codings = (file or self.so_far).codings
        return read(self.data, codings=codings, memory=self.memory, progress=progress)

    def show_guesses(self) -> None:
        """Print what was guessed, with what to type if it is wrong."""
        if self.file.guesses:
            question = self.file.question
            say("Guessed, because it was not given:", bold=True)
            say(*(f"  {one.asked(question).text(option)}" for one in self.file.guesses), "")

    @cached_property
    def graph(self) -> "PartialGraph | None":
        """The graph of ``--graph``, if it was given."""
        if self.graph_file is None:
            return None
        from evenhand.graph import load_graph

        return load_graph(self.graph_file)

    @property
    def guesses_reading(self) -> bool:
        """Whether it is guessed how columns are read, as nothing says it."""
        return self.question_file is None and not self.of("run")["predictions"]

    def whole_progress(
        self, bar: ProgressCallback, besides: Mapping[str, float]
    ) -> WholeProgress:
        """A callback with one total for all that is asked, of which a bar is told."""
        from evenhand.evidence.audit_progress import whole_progress

        looks = self.guesses_reading or bool(needed_parts(self.parts))
        return whole_progress(bar, answers=True, looks=looks, besides=besides)

    def audits(self, progress: ProgressCallback) -> "tuple[Audit, ...]":
        """Audit the data; of predictions in several columns once for each."""
        if "file" not in vars(self):
            vars(self)["file"] = self._completed(progress)
        run = self.of("run")
        settings: dict[str, Any] = {"graph": self.graph, "memory": self.memory}
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
        from evenhand.rows.file_sources import matching_files

        inputs = [str(file) for file in matching_files(self.data)]
        inputs += [str(path) for path in (self.graph_file, self.question_file) if path]
        check_targets([*named, *release], inputs, overwrite=True)
        check_targets(named, (), overwrite=overwrite)

    def _place(self, problem: Problem) -> Problem:
        """The problem of a question file; whether it arises from the options is said."""
        if self.question_file is None:
            return problem
        try:
            QuestionFile.from_tables(self._file_tables, where=str(self.question_file))
        except QuestionError as alone:
            if problem in alone.problems:
                return problem
        with_options = " with the options typed" if self.typed else ""
        return replace(problem, where=problem.where + with_options)
