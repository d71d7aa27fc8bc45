"""``evenhand audit``: the verdict on a table, with its evidence."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from evenhand.cli.option_syntax import option, parse_names
from evenhand.cli.options import (
    AsJson,
    CommonOptions,
    LabelColumn,
    LeastCount,
    PredictionColumn,
    ReportFile,
    judging_option,
    result_option,
)
from evenhand.cli.output_checks import after_writing, check_outputs
from evenhand.cli.terminal import (
    ProgressBar,
    print_json,
    print_result,
    print_results,
    say,
    say_for_owner,
)
from evenhand.cli.verb_parameters import with_common_options
from evenhand.errors import EvenhandError, Problem, QuestionError

if TYPE_CHECKING:
    from evenhand.display import Summary
    from evenhand.study import Audit

_T = TypeVar("_T")


@with_common_options
def audit(
    options: CommonOptions,
    *,
    partition: Annotated[
        str | None, result_option(help="Explain a partition of your own: 'a,b'.")
    ] = None,
    assurance: Annotated[
        str, result_option(help="Share of the rows asked for by the relaxed criterion.")
    ] = "0.8",
    certificate: Annotated[
        Path | None,
        result_option(help="Write the certificate to this file, readable by its owner only."),
    ] = None,
    share: Annotated[
        bool,
        result_option("--share", help="Withhold small counts in certificate and report."),
    ] = False,
    least_count: LeastCount = 10,
    bootstrap: Annotated[
        int | None,
        result_option(help="Learn the graph and certify again on this many resamples."),
    ] = None,
    seed: Annotated[
        int | None,
        result_option(help="Random seed of the resamples; default: from the counts."),
    ] = None,
    doubt: Annotated[
        bool, result_option("--doubt", help="List all evidence against the graph.")
    ] = False,
    binnings: Annotated[
        bool,
        result_option(
            "--binnings", help="Judge the same causes in many other classes of their numbers."
        ),
    ] = False,
    arrows: Annotated[
        bool,
        result_option(
            "--arrows",
            help="Judge without each cause, and with each attribute that may be one.",
        ),
    ] = False,
    predictions: PredictionColumn = None,
    labels: LabelColumn = None,
    judge: Annotated[
        str | None,
        judging_option(
            help="Which verdict gives the exit status: that on these rows (rows, the "
            "default), or what they show of the population (population)."
        ),
    ] = None,
    report: ReportFile = None,
    overwrite: Annotated[
        bool, result_option("--overwrite", help="Replace an earlier certificate or report.")
    ] = False,
    json: AsJson = False,
    quiet: Annotated[
        bool, result_option("--quiet", "-q", help="Print only the verdict that decides.")
    ] = False,
) -> None:
    """Ask whether the protected attribute itself changed the decision.

    Example: `evenhand audit adult.csv --protected sex --group Female --decision income
    --favorable '>50K' --tiers 'sex,age,race|education|*|income'`
    """
    if share and certificate is None and report is None:
        raise QuestionError.of(
            "--share applies to a certificate or report, and neither is written.",
            remedy="Name a file with --certificate or --report.",
        )
    check_outputs(options, certificate, report, overwrite=overwrite)
    with ProgressBar(quiet=quiet or json) as progress:
        result = options.audit(progress, judge=judge, predictions=predictions, labels=labels)
        resampled = (
            None
            if bootstrap is None
            else result.bootstrap(bootstrap, seed=seed, progress=progress)
        )
        result = result.with_resamples(resampled)
    graph_doubt = result.doubt()
    relaxed = result.certificate.relaxed(assurance=assurance)
    explained = result.explain_partition(parse_names(partition)) if partition else None
    refusals: list[Problem] = []
    classed = _unless_refused(result.binnings, refusals) if binnings else None
    without_each = _unless_refused(result.arrows, refusals) if arrows else None
    asked = {
        "bootstrap": resampled,
        "partition": explained,
        "binnings": classed,
        "arrows": without_each,
    }
    record = result.certificate.stating(classed, without_each)
    further = {name: one for name, one in asked.items() if one is not None}
    if certificate is not None:
        shared = partial(record.write_shared, least_count=least_count)
        (shared if share else record.write)(certificate, overwrite=overwrite)
    if report is not None:
        with after_writing(certificate):
            result.report(
                partition=explained,
                doubt=graph_doubt,
                resampled=resampled,
                binnings=classed,
                arrows=without_each,
                share=share,
                least_count=least_count,
                certificate_file=certificate,
            ).write(report, overwrite=overwrite)
    say_for_owner(shared=share and not quiet)
    if json:
        content = result.to_dict(assurance=assurance)
        content["notes"] += [problem.text(option) for problem in refusals]
        content["variants"] = record.variants
        content["graph_doubt"] = graph_doubt.to_dict()
        content["inspection"] = result.inspection.to_dict(option)
        print_json(content | {name: one.to_dict() for name, one in further.items()})
    elif quiet:
        from evenhand.evidence.population import in_words

        say(*in_words(result.deciding_verdicts))
    else:
        tables = result.certificate.population.tables
        through = [result.indirect.summary(result.labels)] if result.indirect else []
        print_results(result.summary(), *_errors(result), *tables, *through, relaxed.summary())
        doubts = graph_doubt.summary()
        print_result(doubts if doubt else replace(doubts, columns=(), lines=(), notes=()))
        for one in further.values():
            print_result(one.summary())
        for problem in refusals:
            say(problem.text(option))
        _tell_of_release(options)
        for what, path in (("Certificate", certificate), ("Report", report)):
            if path is not None:
                say(f"{what}: {path}")
    raise typer.Exit(result.exit_status)


def _errors(result: "Audit") -> "tuple[Summary, ...]":
    """What errors add, if predictions were audited and labels were given; facts aside."""
    from evenhand.prediction_audit import PredictionAudit

    bias = result.error_bias if isinstance(result, PredictionAudit) else None
    return (replace(bias.summary(), facts=()),) if bias else ()


def _unless_refused(judge: Callable[[], _T], refusals: list[Problem]) -> _T | None:
    """What is asked besides the verdict; why it cannot be had is added to the refusals."""
    try:
        return judge()
    except QuestionError as error:
        refusals.extend(error.problems)
        return None


def _tell_of_release(options: CommonOptions) -> None:
    """Name the certificate of a release that lies beside the data, unless a graph was given."""
    data = Path(options.data)
    beside = data.with_name(f"{data.name.partition('.')[0]}.certificate.json")
    if options.graph_file is not None or not beside.is_file():
        return
    from evenhand.evidence import RecordedCertificate

    try:
        record = RecordedCertificate.parse(beside.read_text("utf-8"))
    except (EvenhandError, OSError, UnicodeDecodeError):
        return
    if record.release:
        say(
            f"{beside} certifies this release given its own graph, not one learned again: "
            f"--graph {quote(str(beside))} judges by that."
        )
