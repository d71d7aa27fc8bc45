"""``evenhand discover``: the causal graph, or only the causes of the decision."""

from typing import TYPE_CHECKING, Annotated, Any

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, result_option, with_keys
from evenhand.cli.terminal import ProgressBar, print_exactly, print_json, print_results, say
from evenhand.errors import QuestionError
from evenhand.question.fields import TABLES

if TYPE_CHECKING:
    from evenhand.counts import CountTable
    from evenhand.graph import LocalCauses, PartialGraph
    from evenhand.question import Question
    from evenhand.rows import Rows


@with_keys
def discover(
    asked: Asked,
    *,
    output_format: Annotated[
        str, result_option("--format", help="text, json or dot.")
    ] = "text",
    json: AsJson = False,
    quiet: Annotated[bool, result_option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Learn the causal graph of a table from its counts.

    Example: `evenhand discover adult.csv --tiers 'sex,age,race|education|*|income'`
    """
    from evenhand import graph
    from evenhand.evidence.graph_origin import decision_last, no_tiers, saved_graph
    from evenhand.graph.edits import edited
    from evenhand.graph.searched_columns import check_width

    so_far = asked.file if asked.names_columns else asked.so_far
    settings = {**so_far.settings}
    is_local = settings.pop("local", False)
    formats = ("text", "json", *(() if is_local or json else ("dot",)))
    if output_format not in formats:
        raise QuestionError.of(
            f"There is no format {output_format!r} for this.",
            remedy="Choose text or json, or dot for a whole graph.",
        )
    decision, knowledge = asked.parts.get("decision"), so_far.knowledge
    assumptions: tuple[str, ...] = ()
    if decision is not None:
        knowledge = decision_last(knowledge, decision)
        assumptions = (no_tiers(decision),) if knowledge.tiers_assumed else ()
    json = json or output_format == "json"
    settings = {n: v for n, v in settings.items() if n in TABLES["learning"]}
    settings |= {"knowledge": knowledge}
    result: LocalCauses | PartialGraph
    with ProgressBar(quiet=quiet or json) as progress:
        rows = asked.read(progress, so_far)
        rows.check_counted(*([decision] if decision else ()))
        settings["progress"] = progress
        if is_local:
            result = _causes(asked, rows, decision, settings)
        else:
            question = so_far.question if asked.names_columns else None
            check_width(rows, decision, () if decision is None else (decision,))
            counts, notes = _learned_from(rows.count(), question)
            assumptions += notes
            learned = graph.discover(
                counts, question=question, **settings, **asked.of("discover")
            )
            result = edited(learned, so_far.edits)
            assumptions += tuple(f"As the question file asks: {edit}." for edit in result.edits)
    if not json and asked.names_columns and output_format == "text":
        asked.show_guesses()
    if json:
        print_json(
            result.to_dict() if isinstance(result, graph.LocalCauses) else saved_graph(result)
        )
    elif output_format == "dot" and not isinstance(result, graph.LocalCauses):
        print_exactly(result.dot_lines())
    else:
        print_results(result.summary())
        say(*assumptions)


def _causes(
    asked: Asked, rows: "Rows", decision: str | None, settings: dict[str, Any]
) -> "LocalCauses":
    """The causes of the decision, found near it."""
    from evenhand.graph import find_causes

    if decision is None:
        raise QuestionError.of(
            "--local finds the causes of a decision, and none is named.",
            remedy="Name it with --decision.",
        )
    if asked.so_far.edits:
        raise QuestionError.of(
            "--local finds causes, and no graph that could be edited.",
            "The question file has edits under [graph].",
            "Leave --local out, or the edits.",
        )
    most = settings.pop("max_depth", 6)
    return find_causes(rows, decision, max_given=most, **settings)


def _learned_from(
    counts: "CountTable", question: "Question | None"
) -> "tuple[CountTable, tuple[str, ...]]":
    """The counts that an audit would learn from, and a note of the rows that it leaves out."""
    from evenhand.counts import examined_counts

    if question is None:
        return counts, ()
    examined = examined_counts(counts, question)
    note = (
        f"Learned from {examined.counts.row_count:,} rows, as an audit does: "
        f"{examined.left_out:,} rows of groups that are not compared were left out."
    )
    return examined.counts, (note,) if examined.left_out else ()
