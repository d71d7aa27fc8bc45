"""Options that ask the question: the columns, the values, and what difference counts."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.cli.option_syntax import parse_names
from evenhand.question.question import PATHS

_question = partial(typer.Option, rich_help_panel="The question")
_paths = partial(typer.Option, rich_help_panel="Effects through other attributes")

_TYPED = (
    *("protected", "group", "other", "decision", "favorable", "criterion", "order"),
    *("min_rows", "threshold", *PATHS),
)


@dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """The table, and the question as it was typed."""

    data: Annotated[
        str, typer.Argument(help="CSV, Parquet, Arrow or Excel: a file, folder or glob.")
    ]
    question_file: Annotated[
        Path | None,
        _question("--question", help="A question file (`evenhand init` writes one)."),
    ] = None
    protected: Annotated[
        list[str] | None,
        _question("--protected", help="The protected attribute; several: their combinations."),
    ] = None
    group: Annotated[
        str | None,
        _question("--group", help="The value whose group is asked about; default: all groups."),
    ] = None
    other: Annotated[
        str | None,
        _question("--other", help="The value to compare with; 'rest' pools all others."),
    ] = None
    decision: Annotated[
        str | None, _question("--decision", help="The column that holds the decision.")
    ] = None
    favorable: Annotated[
        list[str] | None,
        _question("--favorable", help="The favorable value of the decision, or several."),
    ] = None
    criterion: Annotated[
        str | None,
        _question(
            "--criterion",
            help="Of decisions with many values: favorable, every, or cumulative by --order.",
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        _question("--order", help="The values of the decision, best first; once for each."),
    ] = None
    min_rows: Annotated[
        int | None,
        _question("--min-rows", help="Compare groups of at least so many rows; default 1."),
    ] = None
    threshold: Annotated[
        str | None,
        _question("--threshold", help="The difference of rates that counts; default 0.05."),
    ] = None
    rule: Annotated[
        str | None,
        _question("--rule", help="The columns by which was decided without exception: 'a,b'."),
    ] = None
    redlining: Annotated[
        list[str] | None,
        _paths(
            "--redlining",
            metavar="COLUMN",
            help="Judge also the effect that goes through this column; once for each.",
        ),
    ] = None
    explained: Annotated[
        list[str] | None,
        _paths(
            "--explained",
            metavar="COLUMN",
            help="An effect through this column is accepted; default: all other columns.",
        ),
    ] = None
    redlining_threshold: Annotated[
        str | None,
        _paths(
            "--redlining-threshold",
            metavar="DIFFERENCE",
            help="The effect through these columns that counts; default: that of --threshold.",
        ),
    ] = None
    basis: Annotated[
        str | None,
        _paths(
            "--basis",
            metavar="group|all",
            help="Measure on the rows of the group that would change (group, the default) or "
            "on all rows (all).",
        ),
    ] = None

    def typed_question(self) -> dict[str, Any]:
        """The parts of the question that the options give."""
        values = {name: getattr(self, name) for name in _TYPED}
        typed = {name: value for name, value in values.items() if value not in (None, [])}
        for name in {"protected", "favorable"} & {*typed}:
            first, *others = typed[name]
            typed[name] = typed[name] if others else first
        if self.rule is not None:
            typed["rule"] = parse_names(self.rule)
        return typed
