"""Options that several verbs share, and how they become a question, knowledge and codings.

A verb takes one ``CommonOptions`` as its first parameter; ``verb_parameters`` turns the fields
into options of the command line, so each option is declared once. An option overrides what the
file of ``--question`` says.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from evenhand.cli.option_syntax import parse_bin, parse_delimiter, parse_merges, parse_names
from evenhand.cli.question_options import QuestionOptions
from evenhand.cli.terminal import say
from evenhand.display import ProgressCallback
from evenhand.errors import Problem, QuestionError, path_exists
from evenhand.question import (
    SIGNIFICANCE,
    Codings,
    GraphEdit,
    Judge,
    Knowledge,
    Question,
    QuestionFile,
    Tiers,
)
from evenhand.question.question import PATHS
from evenhand.question.question_file import Labels

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.graph import PartialGraph


def options_in(panel: str) -> Callable[..., Any]:
    """``typer.Option`` for options that the help shows together."""
    return partial(typer.Option, rich_help_panel=panel)


result_option = options_in("The result")
judging_option = options_in("How it is judged")
_knowledge = options_in("What is known beforehand")
_reading = options_in("How columns are read")
_learning = options_in("How the graph is learned")
_model = options_in("A model's predictions")

_VALUES = ("group", "other", "favorable")
# What a verb that judges nothing does not take.
JUDGING = frozenset(
    {"tiers", "require", "forbid", "graph_file", "scope", "min_coverage", "significance"}
    | {"test", "max_depth", "local"}
    | PATHS
)

AsJson: TypeAlias = Annotated[
    bool, result_option("--json", help="Print one JSON document and nothing else.")
]
LeastCount: TypeAlias = Annotated[
    int, result_option("--least-count", help="With --share: the smallest count that is shown.")
]
ReportFile: TypeAlias = Annotated[
    Path | None, result_option("--report", help="Write an HTML report to this file.")
]
PredictionColumns: TypeAlias = Annotated[
    list[str] | None,
    _model(
        "--predictions",
        metavar="COLUMN",
        help="Judge a model's predictions of the decision, in this column. Needs --graph. An "
        "audit takes several models: once for each.",
    ),
]
LabelColumn: TypeAlias = Annotated[
    str | None,
    _model(
        "--labels",
        metavar="COLUMN",
        help="With --predictions: what was recorded, to tell errors.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CommonOptions(QuestionOptions):
    """The common options as they were typed."""

    tiers: Annotated[
        str | None,
        _knowledge(
            "--tiers",
            help="Order of the columns, causes first: 'a,b|c|*|e'; * is the rest.",
            metavar="TIERS",
        ),
    ] = None
    require: Annotated[
        list[str] | None,
        _knowledge("--require", help="An arrow that the graph must have: 'a->b'."),
    ] = None
    forbid: Annotated[
        list[str] | None,
        _knowledge("--forbid", help="An arrow that the graph must not have: 'a->b'."),
    ] = None
    graph_file: Annotated[
        Path | None,
        _knowledge(
            "--graph",
            help="A file with the whole graph: JSON, a certificate, an edge list, DOT, "
            "dagitty, Tetrad, BIF, NET or a model string.",
        ),
    ] = None
    bin: Annotated[
        list[str] | None,
        _reading(
            "--bin",
            help="Cut numbers into classes: 'age=37,50' for up to 37 and up to 50, 'age=>=38' "
            "for 38 or more, 'age=quantiles:4' for four of about equal size.",
        ),
    ] = None
    merge: Annotated[
        list[str] | None,
        _reading("--merge", help="Merge values into one: 'work:new=old1,old2'."),
    ] = None
    columns: Annotated[
        str | None, _reading("--columns", help="Use only these columns: 'a,b,c'.")
    ] = None
    exclude: Annotated[
        list[str] | None,
        _reading(
            "--exclude",
            help="Leave these columns out: 'a,b'; a name with a comma stands in double quotes.",
        ),
    ] = None
    missing: Annotated[
        str | None,
        _reading(
            "--missing", help="Missing values: error, level (a value of its own) or drop."
        ),
    ] = None
    na: Annotated[
        list[str] | None, _reading("--na", help="A text that means a missing value.")
    ] = None
    frequency: Annotated[
        str | None,
        _reading("--frequency", help="The column that says how often each row occurs."),
    ] = None
    delimiter: Annotated[
        str | None, _reading("--delimiter", help="The field delimiter of text files.")
    ] = None
    sheet: Annotated[
        str | None, _reading("--sheet", help="The sheet of a spreadsheet that is the table.")
    ] = None
    memory: Annotated[
        str | None,
        _reading("--memory", help="Memory limit, as 2GB; default: half of the machine's."),
    ] = None
    scope: Annotated[
        str,
        judging_option(
            "--scope", help="Which partitions are examined: causes, minimal or all."
        ),
    ] = "causes"
    min_coverage: Annotated[
        str,
        judging_option(
            "--min-coverage", help="Least share of each group that must be comparable."
        ),
    ] = "0.9"
    significance: Annotated[
        float,
        _learning("--significance", help="Significance level of the independence tests."),
    ] = SIGNIFICANCE
    test: Annotated[
        str,
        _learning("--test", help="Independence test; an unknown name lists those there are."),
    ] = "chi-square"
    max_depth: Annotated[
        int | None,
        _learning(
            "--max-depth",
            min=0,
            help="Test given at most this many attributes: sooner done, perhaps with arrows "
            "too many.",
        ),
    ] = None
    local: Annotated[
        bool,
        _learning(
            "--local", help="Search only near the decision, among any number of columns."
        ),
    ] = False

    def asked(self) -> dict[str, Any]:
        """The parts of the question that the file or the options give."""
        return (self._file.question.to_dict() if self._file else {}) | self.typed_question()

    def question(self) -> Question:
        """The question of the file, overridden by the options."""
        asked = self.asked()
        absent = [n for n in _needed(asked) if n not in asked]
        if absent:
            raise QuestionError.of(
                f"The question lacks {', '.join('--' + name for name in absent)}.",
                remedy="Give these options, or a file with --question "
                f"(`evenhand init {self.data}` writes one).",
            )
        return Question(**asked)

    def question_if_complete(self) -> Question | None:
        """The question, or None if parts of it are not given."""
        asked = self.asked()
        return self.question() if {*_needed(asked)} <= {*asked} else None

    def knowledge(self) -> Knowledge:
        """Tiers and arrows of the file; the option overrides tiers and adds arrows."""
        given = self._file.knowledge if self._file else Knowledge()
        return Knowledge(
            tiers=Tiers.parse(self.tiers) if self.tiers is not None else given.tiers,
            required=(*given.required, *(self.require or ())),
            forbidden=(*given.forbidden, *(self.forbid or ())),
        )

    def audits(
        self,
        progress: ProgressCallback,
        *,
        judge: str | None = None,
        predictions: Sequence[str] | None = None,
        labels: str | None = None,
    ) -> "tuple[Audit, ...]":
        """Audit the data with these options; the file names the judge if none is given.

        ``predictions`` and ``labels`` name columns, if those of models are audited: one audit
        for each model.
        """
        asked = QuestionFile(
            question=self.question(),
            knowledge=self.knowledge(),
            codings=self.codings(),
            labels=self._file.labels if self._file else Labels(),
            edits=self.edits,
            graphs_judged=self._file.graphs_judged if self._file else 0,
        )
        settings: dict[str, Any] = {
            "graph": self.graph(),
            "significance": self.significance,
            "test": self.test,
            "max_depth": self.max_depth,
            "local": self.local,
            "memory": self.memory,
            "progress": progress,
            "scope": self.scope,
            "min_coverage": self.min_coverage,
            "judge": self.file_judge() if judge is None else judge,
        }
        if predictions:
            from evenhand.models.predictions import audit_models

            return audit_models(self.data, predictions, asked, labels=labels, **settings)
        if labels is not None:
            raise QuestionError.of(
                "--labels are compared with predictions, and none are named.",
                remedy="Name their column with --predictions.",
            )
        from evenhand.auditing import audit

        return (audit(self.data, asked, **settings),)

    @property
    def edits(self) -> tuple[GraphEdit, ...]:
        """The edits of the graph that the question file asks for."""
        return self._file.edits if self._file else ()

    def file_judge(self) -> Judge:
        """The judge that the question file names."""
        return self._file.judge if self._file else "rows"

    def decision_name(self) -> str | None:
        """The decision, if the options or the file name it."""
        return self.decision or (self._file.question.decision if self._file else None)

    def codings(self) -> Codings:
        """Bins, merges and missing values of the file, overridden by the options."""
        return self._with_typed(self._file.codings if self._file else Codings())

    def _with_typed(self, given: Codings) -> Codings:
        """Codings of a file, overridden by the options."""
        typed = Codings.of(
            columns=None if self.columns is None else parse_names(self.columns),
            exclude=[name for names in self.exclude or () for name in parse_names(names)],
            bins=dict(map(parse_bin, self.bin or ())),
            merge=parse_merges(self.merge or ()),
            missing=self.missing or given.missing,
            na=self.na or given.na,
            frequency=self.frequency or given.frequency,
            delimiter=(
                given.delimiter if self.delimiter is None else parse_delimiter(self.delimiter)
            ),
            sheet=given.sheet if self.sheet is None else self.sheet,
        )
        return replace(
            typed,
            columns=given.columns if typed.columns is None else typed.columns,
            exclude=(*given.exclude, *typed.exclude),
            bins={**given.bins, **typed.bins},
            merge={**given.merge, **typed.merge},
        )

    def graph(self) -> "PartialGraph | None":
        """The graph of ``--graph``, if it was given."""
        if self.graph_file is None:
            return None
        from evenhand.graph import load_graph

        return load_graph(self.graph_file)

    @cached_property
    def _file(self) -> QuestionFile | None:
        if self.question_file is None:
            return None
        if not path_exists(self.question_file):
            raise QuestionError.of(
                "There is no such question file.",
                remedy=f"`evenhand init {self.data}` writes one.",
                where=str(self.question_file),
            )
        try:
            return QuestionFile.load(self.question_file, complete=self._complete)
        except QuestionError as error:
            raise QuestionError(*map(self._place, error.problems)) from error

    def _place(self, problem: Problem) -> Problem:
        """The problem of a question file; that it arises from the options is said."""
        try:
            QuestionFile.load(str(self.question_file))
        except QuestionError as alone:
            if problem in alone.problems:
                return problem
        with_options = " with the options typed" if self.typed_question() else ""
        return replace(problem, where=problem.where + with_options)

    def _complete(self, table: Mapping[str, Any], codings: Codings) -> Mapping[str, Any]:
        """The question with both values, if only its columns are named: as ``init`` does."""
        given = {
            role: value for role, value in table.items() if value != ""
        } | self.typed_question()
        # With another group alone all are compared with it, and the group stays open.
        needed = {*_needed(given), *(() if "other" in given else ("group",))}
        if needed <= {*given} or not {"protected", "decision"} <= {*given}:
            return given
        from evenhand.rows import read
        from evenhand.rows.inspect.question_draft import QuestionDraft

        codings = self._with_typed(codings)
        rows = read(self.data, codings=codings, memory=self.memory)
        looked_at = rows.inspect(decision=given["decision"], protected=given["protected"])
        parts = QuestionDraft(looked_at, given, codings).asked
        chosen = {
            role: parts[role]
            for role in _VALUES
            if role in parts and role not in given and role in {*needed, "other"}
        }
        for role, (value, why) in chosen.items():
            say(f"The question file leaves {role!r} open: {value!r}, {why}.", err=True)
        return given | {role: value for role, (value, _) in chosen.items()}


def _needed(asked: Mapping[str, Any]) -> tuple[str, ...]:
    """The parts that a question cannot lack."""
    many = asked.get("criterion", "favorable") != "favorable"
    return ("protected", "decision", *(() if many else ("favorable",)))
