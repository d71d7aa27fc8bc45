"""``evenhand discover``: the causal graph, or only the causes of the decision."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

from evenhand.cli.options import AsJson, CommonOptions, result_option
from evenhand.cli.terminal import ProgressBar, print_exactly, print_json, print_result, say
from evenhand.cli.verb_parameters import with_common_options
from evenhand.errors import QuestionError
from evenhand.question.question import PATHS

if TYPE_CHECKING:
    from evenhand.counts import CountTable
    from evenhand.graph import LocalCauses, PartialGraph
    from evenhand.question import Question


# A graph is learned here, and not judged.
@partial(with_common_options, omit=PATHS | {"graph_file", "scope", "min_coverage"})
def discover(
    options: CommonOptions,
    *,
    output_format: Annotated[
        str, result_option("--format", help="text, json or dot.")
    ] = "text",
    algorithm: Annotated[
        str, result_option(help="The PC algorithm: stable or original.")
    ] = "stable",
    max_tests: Annotated[
        int | None, result_option(help="End the search after at most this many tests.")
    ] = None,
    json: AsJson = False,
    quiet: Annotated[bool, result_option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Learn the causal graph of a table from its counts.

    Example: `evenhand discover adult.csv --tiers 'sex,age,race|education|*|income'`
    """
    from evenhand import graph
    from evenhand.evidence.graph_origin import decision_last, no_tiers, saved_graph
    from evenhand.graph.column_choice import check_width
    from evenhand.graph.edits import edited
    from evenhand.rows import read

    if json and output_format == "dot":
        raise QuestionError.of(
            "--json and --format dot ask for two formats.", remedy="Leave one of them out."
        )
    if output_format not in ("text", "json", "dot") or (
        options.local and output_format == "dot"
    ):
        raise QuestionError.of(
            f"There is no format {output_format!r} for this.",
            remedy="Choose text or json, or dot for a whole graph.",
        )
    decision, knowledge = options.decision_name(), options.knowledge()
    assumptions: tuple[str, ...] = ()
    if decision is not None:
        knowledge = decision_last(knowledge, decision)
        assumptions = (no_tiers(decision),) if knowledge.tiers_assumed else ()
    result: LocalCauses | PartialGraph
    with ProgressBar(quiet=quiet or json) as progress:
        rows = read(
            options.data, codings=options.codings(), memory=options.memory, progress=progress
        )
        rows.check_counted(*([decision] if decision else ()))
        if options.local:
            if decision is None:
                raise QuestionError.of(
                    "--local finds the causes of a decision, and none is named.",
                    remedy="Name it with --decision.",
                )
            if options.edits:
                raise QuestionError.of(
                    "--local finds causes, and no graph that could be edited.",
                    "The question file has edits under [graph].",
                    "Leave --local out, or the edits.",
                )
            result = graph.find_causes(
                rows,
                decision,
                knowledge=knowledge,
                significance=options.significance,
                test=options.test,
                max_given=6 if options.max_depth is None else options.max_depth,
                progress=progress,
            )
        else:
            question = options.question_if_complete()
            asked = () if decision is None else (decision,)
            check_width(rows, decision, asked)
            counts, notes = _learned_from(rows.count(), question)
            assumptions += notes
            learned = graph.discover(
                counts,
                knowledge=knowledge,
                question=question,
                significance=options.significance,
                test=options.test,
                algorithm=algorithm,  # type: ignore[arg-type]  # checked there
                max_depth=options.max_depth,
                max_tests=max_tests,
                progress=progress,
            )
            result = edited(learned, options.edits)
            assumptions += tuple(f"As the question file asks: {edit}." for edit in result.edits)
    if json or output_format == "json":
        print_json(
            result.to_dict()
            if isinstance(result, graph.LocalCauses)
            else saved_graph(result, decision_last=knowledge.tiers_assumed)
        )
    elif output_format == "dot" and not isinstance(result, graph.LocalCauses):
        print_exactly(result.dot_lines())
    else:
        print_result(result.summary())
        say(*assumptions)


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
