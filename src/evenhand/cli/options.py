"""Options that several verbs share, and how they become a question, knowledge and codings.

A verb takes one ``Asked`` as its first parameter; ``shared`` spells its fields out as options
of the command line, so each option is declared once. What the file of ``--question`` says holds
unless an option says otherwise.
"""

import inspect
from collections.abc import Callable
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from evenhand.cli.error_hints import guessing_files
from evenhand.cli.option_syntax import bin_in, mark_in, merges_in, names_in
from evenhand.errors import Problem, QuestionError
from evenhand.question import Codings, Knowledge, Question, QuestionFile, Tiers
from evenhand.question.question_file import Labels

if TYPE_CHECKING:
    from evenhand.graph import CausalGraph, PartialGraph
    from evenhand.study import Audit

_QUESTION = "The question"
_KNOWN = "What is known"
_READ = "How columns are read"
_LEARN = "How the graph is learned"
_JUDGE = "How it is judged"


def _option(*names: str, help: str, panel: str, metavar: str | None = None) -> Any:  # noqa: A002, ANN401
    return typer.Option(*names, help=help, rich_help_panel=panel, metavar=metavar)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The shared options as they were typed."""

    data: Annotated[str, typer.Argument(help="CSV, Parquet or Arrow: a file, folder or glob.")]
    question_file: Annotated[
        Path | None,
        _option(
            "--question", help="A question file (`evenhand init` writes one).", panel=_QUESTION
        ),
    ] = None
    protected: Annotated[
        str | None, _option("--protected", help="The protected attribute.", panel=_QUESTION)
    ] = None
    group: Annotated[
        str | None, _option("--group", help="The group asked about.", panel=_QUESTION)
    ] = None
    other: Annotated[
        str | None,
        _option("--other", help="Whom it is compared with; 'rest' pools all.", panel=_QUESTION),
    ] = None
    decision: Annotated[
        str | None, _option("--decision", help="The decision.", panel=_QUESTION)
    ] = None
    favorable: Annotated[
        str | None, _option("--favorable", help="Its favorable value.", panel=_QUESTION)
    ] = None
    threshold: Annotated[
        str | None,
        _option(
            "--threshold", help="The difference that counts; 0.05 if not said.", panel=_QUESTION
        ),
    ] = None
    tiers: Annotated[
        str | None,
        _option("--tiers", help="Causes first: 'a,b|c|*|e'.", panel=_KNOWN, metavar="TIERS"),
    ] = None
    require: Annotated[
        list[str] | None,
        _option("--require", help="An arrow that is there: 'a->b'.", panel=_KNOWN),
    ] = None
    forbid: Annotated[
        list[str] | None,
        _option("--forbid", help="An arrow that is not there: 'a->b'.", panel=_KNOWN),
    ] = None
    graph_file: Annotated[
        Path | None,
        _option("--graph", help="A graph: JSON, DOT or an edge list.", panel=_KNOWN),
    ] = None
    bin: Annotated[
        list[str] | None,
        _option("--bin", help="Classes of numbers: 'age=37,50'.", panel=_READ),
    ] = None
    merge: Annotated[
        list[str] | None,
        _option("--merge", help="Values in one: 'work:new=old1,old2'.", panel=_READ),
    ] = None
    columns: Annotated[
        str | None, _option("--columns", help="Only these: 'a,b,c'.", panel=_READ)
    ] = None
    missing: Annotated[
        str | None, _option("--missing", help="error, level or drop.", panel=_READ)
    ] = None
    na: Annotated[
        list[str] | None, _option("--na", help="A text that means missing.", panel=_READ)
    ] = None
    frequency: Annotated[
        str | None,
        _option("--frequency", help="The column that says how often.", panel=_READ),
    ] = None
    delimiter: Annotated[
        str | None, _option("--delimiter", help="Between fields of text files.", panel=_READ)
    ] = None
    scope: Annotated[
        str, _option("--scope", help="Partitions: causes, minimal or all.", panel=_JUDGE)
    ] = "causes"
    min_coverage: Annotated[
        str, _option("--min-coverage", help="Least share of each group.", panel=_JUDGE)
    ] = "0.9"
    memory: Annotated[
        str | None,
        _option("--memory", help="At most so much, as 2GB; else half of it.", panel=_READ),
    ] = None
    significance: Annotated[
        float, _option("--significance", help="Level of the tests.", panel=_LEARN)
    ] = 0.01
    test: Annotated[
        str,
        _option("--test", help="chi-square, chi-square-adjusted or g-square.", panel=_LEARN),
    ] = "chi-square"

    def question(self) -> Question:
        """The question: the file's, with what the options say instead."""
        given = self._file.question.to_dict() if self._file else {}
        typed = {
            name: getattr(self, name)
            for name in ("protected", "group", "other", "decision", "favorable", "threshold")
            if getattr(self, name) is not None
        }
        absent = [
            n for n in ("protected", "group", "decision", "favorable") if n not in given | typed
        ]
        if absent:
            raise QuestionError(
                Problem(
                    f"The question lacks {', '.join('--' + name for name in absent)}.",
                    remedy="Give these options, or a file with --question "
                    f"(`evenhand init {self.data}` writes one).",
                )
            )
        return Question(**(given | typed))

    def knowledge(self) -> Knowledge:
        """Tiers and arrows: the file's, with what the options say instead or besides."""
        given = self._file.knowledge if self._file else Knowledge()
        return Knowledge(
            tiers=Tiers.parse(self.tiers) if self.tiers is not None else given.tiers,
            required=(*given.required, *(self.require or ())),
            forbidden=(*given.forbidden, *(self.forbid or ())),
        )

    def audit(self, progress: Callable[..., None]) -> "Audit":
        """Ask the question of the data."""
        from evenhand.study import audit

        return audit(
            self.data,
            self.question(),
            knowledge=self.knowledge(),
            graph=self.graph(),
            codings=self.codings(),
            significance=self.significance,
            test=self.test,
            memory=self.memory,
            progress=progress,
            scope=self.scope,  # type: ignore[arg-type]  # checked by certify
            min_coverage=self.min_coverage,
        )

    def labels(self) -> Labels:
        """Plain words of the question file, if there are any."""
        return self._file.labels if self._file else Labels()

    def decision_named(self) -> str | None:
        """The decision, if anybody named it."""
        return self.decision or (self._file.question.decision if self._file else None)

    def codings(self) -> Codings:
        """Bins, merges and missing values: the file's, with what the options say instead."""
        given = self._file.codings if self._file else Codings()
        typed = Codings.of(
            columns=None if self.columns is None else names_in(self.columns),
            bins=dict(map(bin_in, self.bin or ())),
            merge=merges_in(self.merge or ()),
            missing=self.missing or given.missing,
            na=self.na or given.na,
            frequency=self.frequency or given.frequency,
            delimiter=given.delimiter if self.delimiter is None else mark_in(self.delimiter),
        )
        return replace(
            typed,
            columns=given.columns if typed.columns is None else typed.columns,
            bins={**given.bins, **typed.bins},
            merge={**given.merge, **typed.merge},
        )

    def graph(self) -> "CausalGraph | PartialGraph | None":
        """The graph that was given, if any."""
        if self.graph_file is None:
            return None
        from evenhand.graph import load_graph

        return load_graph(self.graph_file)

    @cached_property
    def _file(self) -> QuestionFile | None:
        return None if self.question_file is None else QuestionFile.load(self.question_file)


def shared(verb: Callable[..., None]) -> Callable[..., None]:
    """Spell out the fields of ``Asked`` as options of a verb that takes one."""
    hints = get_type_hints(Asked, include_extras=True)
    own = [p for p in inspect.signature(verb).parameters.values() if p.name != "asked"]

    @wraps(verb)
    def spelled(**options: Any) -> None:  # noqa: ANN401
        asked = Asked(**{field.name: options.pop(field.name) for field in fields(Asked)})
        inputs = asked.data, asked.question_file, asked.graph_file
        with guessing_files(*inputs):
            verb(asked, **options)

    def parameter(field: Field[Any]) -> inspect.Parameter:
        kind, mark = get_args(hints[field.name])
        is_argument = field.name == "data"
        return inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[kind, mark],
            default=inspect.Parameter.empty if is_argument else field.default,
        )

    parameters = [parameter(field) for field in fields(Asked)]
    parameters += [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    spelled.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spelled.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return spelled
