"""``evenhand audit``: the verdict on a table, with its evidence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from json import loads
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

import typer

from evenhand.cli.option_syntax import option, parse_names
from evenhand.cli.options import (
    AsJson,
    CommonOptions,
    LabelColumn,
    LeastCount,
    PredictionColumns,
    ReportFile,
    judging_option,
    result_option,
)
from evenhand.cli.output_checks import check_outputs
from evenhand.cli.terminal import (
    ProgressBar,
    print_json,
    print_result,
    print_results,
    say,
    say_for_owner,
)
from evenhand.cli.verb_parameters import with_common_options
from evenhand.errors import Problem, QuestionError

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.display import Summary
    from evenhand.evidence import Bootstrap, Certificate, GraphDoubt
    from evenhand.report import Report

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
    arrows: Annotated[
        bool,
        result_option(
            "--arrows",
            help="Judge without each cause, and with each attribute that may be one.",
        ),
    ] = False,
    predictions: PredictionColumns = None,
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
    _check_files(certificate, report, share=share, models=len(predictions or ()))
    check_outputs(options, certificate, report, overwrite=overwrite)
    with ProgressBar(quiet=quiet or json) as progress:
        results = options.audits(progress, judge=judge, predictions=predictions, labels=labels)
        names = predictions or [""]
        answers = {
            name: _Answer.of(
                result,
                partition=partition,
                assurance=assurance,
                resampled=None
                if bootstrap is None
                else result.bootstrap(bootstrap, seed=seed, progress=progress),
                arrows=arrows,
            )
            for name, result in zip(names, results, strict=True)
        }
    first, *others = names
    leading = answers[first]
    if certificate is not None:
        shared = partial(leading.record.write_shared, least_count=least_count)
        write = shared if share else leading.record.write
        rows = leading.result.rows
        with ProgressBar(quiet=quiet or json) as progress:
            data = rows.plain_file if rows else None
            write(certificate, overwrite=overwrite, data=data, progress=progress)
    models = {name: answers[name].result for name in others}
    if report is not None:
        from evenhand.files import after_writing

        with after_writing(certificate):
            leading.report(
                **({"beside": models} if models else {}),
                share=share,
                least_count=least_count,
                certificate_file=certificate,
            ).write(report, overwrite=overwrite)
    say_for_owner(shared=share and not quiet)
    from evenhand.evidence.population import exit_status, in_words

    verdicts = {
        ": ".join(filter(None, (name if others else "", claim))): verdict
        for name, answer in answers.items()
        for claim, verdict in answer.result.deciding_verdicts.items()
    }
    if json:
        beside = {name: answers[name].document(assurance) for name in others}
        print_json(leading.document(assurance) | ({"beside": beside} if beside else {}))
    elif quiet:
        say(*in_words(verdicts))
    else:
        if models:
            from evenhand.models.predictions import compare_models

            print_result(compare_models({first: leading.result, **models}))
        for name, answer in answers.items():
            if models:
                say(f"Predictions in {name}", "", bold=True)
            answer.show(doubts=doubt)
        _tell_of_release(options)
        for what, path in (("Certificate", certificate), ("Report", report)):
            if path is not None:
                say(f"{what}: {path}")
    raise typer.Exit(exit_status(verdicts))


def _check_files(
    certificate: Path | None, report: Path | None, *, share: bool, models: int
) -> None:
    """Refuse a copy for others of nothing, and a certificate about several models."""
    if share and certificate is None and report is None:
        raise QuestionError.of(
            "--share applies to a certificate or report, and neither is written.",
            remedy="Name a file with --certificate or --report.",
        )
    if certificate is not None and models > 1:
        raise QuestionError.of(
            f"A certificate is about the predictions of one model, and {models} are named.",
            remedy="Name one column with --predictions, or write a --report.",
        )


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """An audit, and what was asked besides the verdict: by name, and why some was refused."""

    result: "Audit"
    doubt: "GraphDoubt"
    relaxed: "Summary"
    further: dict[str, Any]
    refusals: tuple[Problem, ...]

    @classmethod
    def of(
        cls,
        result: "Audit",
        *,
        partition: str | None,
        assurance: str,
        resampled: "Bootstrap | None",
        arrows: bool,
    ) -> Self:
        """Ask an audit what the options ask."""
        result = result.with_resamples(resampled)
        refusals: list[Problem] = []
        asked = {
            "bootstrap": resampled,
            "partition": result.explain_partition(parse_names(partition))
            if partition
            else None,
            "arrows": _unless_refused(result.arrows, refusals) if arrows else None,
        }
        return cls(
            result=result,
            doubt=result.doubt(),
            relaxed=result.certificate.relaxed(assurance=assurance).summary(),
            further={name: one for name, one in asked.items() if one is not None},
            refusals=tuple(refusals),
        )

    @property
    def record(self) -> "Certificate":
        """The certificate, with how many variants were judged."""
        arrows = self.further.get("arrows")
        return self.result.certificate.stating(arrows=len(arrows.ways) if arrows else 0)

    def report(self, **settings: Any) -> "Report":  # noqa: ANN401  # those of an audit's
        """The page."""
        further = self.further
        return self.result.report(
            partition=further.get("partition"),
            doubt=self.doubt,
            resampled=further.get("bootstrap"),
            arrows=further.get("arrows"),
            **settings,
        )

    def document(self, assurance: str) -> dict[str, Any]:
        """Everything as plain values."""
        content = self.result.to_dict(assurance=assurance)
        content["notes"] += [problem.text(option) for problem in self.refusals]
        content["variants"] = self.record.variants
        content["graph_doubt"] = self.doubt.to_dict()
        content["inspection"] = self.result.inspection.to_dict(option)
        return content | {name: one.to_dict() for name, one in self.further.items()}

    def show(self, *, doubts: bool) -> None:
        """Print everything; of the evidence against the graph all of it, or how much."""
        result = self.result
        tables = result.certificate.population.tables
        through = [result.indirect.summary(result.labels)] if result.indirect else []
        print_results(result.summary(), *_errors(result), *tables, *through, self.relaxed)
        doubt = self.doubt.summary()
        print_result(doubt if doubts else replace(doubt, columns=(), lines=(), notes=()))
        print_results(*(one.summary() for one in self.further.values()))
        for problem in self.refusals:
            say(problem.text(option))


def _errors(result: "Audit") -> "tuple[Summary, ...]":
    """What errors add, if predictions were audited and labels were given; facts aside."""
    from evenhand.models.predictions import PredictionAudit

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
    from evenhand.record import FORMAT

    try:
        content = loads(beside.read_text("utf-8"))
        is_release = content["format"] == FORMAT and "release" in content
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return
    if is_release:
        say(
            f"{beside} certifies this release given its own graph, not one learned again: "
            f"--graph {quote(str(beside))} judges by that."
        )
