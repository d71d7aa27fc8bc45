"""``evenhand discover``: the causal graph, or only the causes of the decision."""

from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import Asked, shared
from evenhand.cli.terminal import Progress, print_json, print_result
from evenhand.errors import Problem, QuestionError

if TYPE_CHECKING:
    from evenhand.graph import LocalCauses, PartialGraph

_RESULT = "What comes out"


@shared
def discover(
    asked: Asked,
    *,
    local: Annotated[
        bool,
        typer.Option("--local", help="Only the causes of --decision.", rich_help_panel=_RESULT),
    ] = False,
    form: Annotated[
        str, typer.Option("--format", help="text, json or dot.", rich_help_panel=_RESULT)
    ] = "text",
    algorithm: Annotated[
        str, typer.Option(help="stable or original.", rich_help_panel=_RESULT)
    ] = "stable",
    max_depth: Annotated[
        int | None, typer.Option(help="Condition on at most so many.", rich_help_panel=_RESULT)
    ] = None,
    max_tests: Annotated[
        int | None, typer.Option(help="Make at most so many tests.", rich_help_panel=_RESULT)
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON document, nothing else.", rich_help_panel=_RESULT
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No progress bar.", rich_help_panel=_RESULT)
    ] = False,
) -> None:
    """Learn the causal graph of a table from its counts.

    Example: `evenhand discover adult.csv --tiers 'sex,age,race|education|*|income'`
    """
    from evenhand import graph as room
    from evenhand.rows import read
    from evenhand.study import decision_last

    if json and form == "dot":
        raise QuestionError(
            Problem(
                "--json and --format dot ask for two formats.", remedy="Leave one of them out."
            )
        )
    if form not in ("text", "json", "dot") or (local and form == "dot"):
        raise QuestionError(
            Problem(
                f"There is no format {form!r} for this.",
                remedy="Choose text or json, or dot for a whole graph.",
            )
        )
    decision, knowledge = asked.decision_named(), asked.knowledge()
    assumed: tuple[str, ...] = ()
    if decision is not None:
        knowledge, assumed = decision_last(knowledge, decision)
    found: LocalCauses | PartialGraph
    with Progress(quiet=quiet or json) as progress:
        rows = read(asked.data, codings=asked.codings(), memory=asked.memory, progress=progress)
        if local:
            found = room.find_causes(
                rows,
                _whose(decision),
                knowledge=knowledge,
                significance=asked.significance,
                test=asked.test,
                progress=progress,
            )
        else:
            found = room.discover(
                rows.count(),
                knowledge=knowledge,
                significance=asked.significance,
                test=asked.test,
                algorithm=algorithm,  # type: ignore[arg-type]  # checked there
                max_depth=max_depth,
                max_tests=max_tests,
                progress=progress,
            )
    if json or form == "json":
        print_json(found.to_dict())
    elif isinstance(found, room.PartialGraph) and form == "dot":
        typer.echo(found.to_dot())
    else:
        print_result(found.summary())
        for note in assumed:
            typer.echo(note)


def _whose(decision: str | None) -> str:
    if decision is None:
        raise QuestionError(
            Problem("Whose causes are asked for?", remedy="Name the decision with --decision.")
        )
    return decision
