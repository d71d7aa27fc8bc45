"""``evenhand audit``: the verdict on a table, with its evidence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from json import loads
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

import typer

from evenhand.cli.asked import Asked
from evenhand.cli.options import (
    AsJson,
    Quiet,
    ReportFile,
    result_option,
    with_keys,
)
from evenhand.cli.output_checks import check_outputs
from evenhand.cli.spelling import option
from evenhand.cli.terminal import (
    ProgressBar,
    print_json,
    print_result,
    print_results,
    say,
    say_for_owner,
)
from evenhand.errors import Problem, QuestionError

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.display import ProgressCallback, Summary
    from evenhand.evidence import Certificate, GraphDoubt

_T = TypeVar("_T")


@with_keys
def audit(
    asked: Asked,
    *,
    report: ReportFile = None,
    certificate: Annotated[
        Path | None,
        result_option(help="Write the certificate to this file, readable by its owner only."),
    ] = None,
    share: Annotated[
        bool,
        result_option("--share", help="Withhold small counts in certificate and report."),
    ] = False,
    overwrite: Annotated[
        bool, result_option("--overwrite", help="Replace an earlier certificate or report.")
    ] = False,
    json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Ask whether the protected attribute itself changed the decision.

    Example: `evenhand audit adult.csv --protected sex --group Female --decision income
    --favorable '>50K' --tiers 'sex,age,race|education|*|income'`
    """
    names = asked.of("run")["predictions"] or [""]
    _check_files(certificate, report, share=share, models=len(names))
    check_outputs(asked, certificate, report, overwrite=overwrite)
    with ProgressBar(quiet=quiet or json) as progress:
        audits = asked.audits(progress)
        answers = {
            name: _Answer.of(result, asked.of("audit"), progress)
            for name, result in zip(names, audits, strict=True)
        }
    files = partial(_write, answers, asked.of("run")["least_count"], share=share)
    with ProgressBar(quiet=quiet or json) as progress:
        files(certificate, report, overwrite=overwrite, progress=progress)
    say_for_owner(shared=share and not quiet)
    from evenhand.evidence.population import exit_status, in_words

    verdicts = {
        ": ".join(filter(None, (name if len(names) > 1 else "", claim))): verdict
        for name, answer in answers.items()
        for claim, verdict in answer.result.deciding_verdicts.items()
    }
    if json:
        leading, *others = [(name, answer.document()) for name, answer in answers.items()]
        print_json(leading[1] | ({"beside": dict(others)} if others else {}))
    elif quiet:
        say(*in_words(verdicts))
    else:
        _show(answers)
        _tell_of_release(asked)
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


def _write(
    answers: "dict[str, _Answer]",
    least_count: int,
    certificate: Path | None,
    report: Path | None,
    *,
    share: bool,
    overwrite: bool,
    progress: "ProgressCallback",
) -> None:
    """Write the certificate and the page of the first audit, others beside it."""
    from evenhand.files import after_writing

    leading, *others = answers.values()
    result, further = leading.result, leading.further
    if certificate is not None:
        record, rows = leading.record, result.rows
        shared = partial(record.write_shared, least_count=least_count)
        write = shared if share else record.write
        data = rows.plain_file if rows else None
        write(certificate, overwrite=overwrite, data=data, progress=progress)
    if report is not None:
        models = {name: one.result for name, one in answers.items() if one in others}
        beside: dict[str, Any] = {"beside": models} if models else {}
        with after_writing(certificate):
            result.report(
                partition=further.get("partition"),
                doubt=leading.doubt,
                resampled=further.get("bootstrap"),
                arrows=further.get("arrows"),
                share=share,
                least_count=least_count,
                certificate_file=certificate,
                **beside,
            ).write(report, overwrite=overwrite)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Answer:
    """An audit, and what was asked besides the verdict: by name, and why some was refused."""

    result: "Audit"
    doubt: "GraphDoubt"
    relaxed: "Summary"
    asked: dict[str, Any]
    further: dict[str, Any]
    refusals: tuple[Problem, ...]

    @classmethod
    def of(cls, result: "Audit", asked: dict[str, Any], progress: "ProgressCallback") -> Self:
        """Ask an audit what the table [audit] asks."""
        many, seed = asked["bootstrap"], asked["bootstrap_seed"]
        resampled = (
            None if many is None else result.bootstrap(many, seed=seed, progress=progress)
        )
        result = result.with_resamples(resampled)
        refusals: list[Problem] = []
        partition = asked["partition"]
        further = {
            "bootstrap": resampled,
            "partition": result.explain_partition(partition) if partition else None,
            "arrows": _unless_refused(result.arrows, refusals) if asked["arrows"] else None,
        }
        return cls(
            result=result,
            doubt=result.doubt(),
            relaxed=result.certificate.relaxed(assurance=asked["assurance"]).summary(),
            asked=asked,
            further={name: one for name, one in further.items() if one is not None},
            refusals=tuple(refusals),
        )

    @property
    def record(self) -> "Certificate":
        """The certificate, with how many variants were judged."""
        arrows = self.further.get("arrows")
        return self.result.certificate.stating(arrows=len(arrows.ways) if arrows else 0)

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        content = self.result.to_dict(assurance=self.asked["assurance"])
        content["notes"] += [problem.text(option) for problem in self.refusals]
        content["variants"] = self.record.variants
        content["graph_doubt"] = self.doubt.to_dict()
        content["inspection"] = self.result.inspection.to_dict(option)
        return content | {name: one.to_dict() for name, one in self.further.items()}

    def show(self) -> None:
        """Print everything; of the evidence against the graph all of it, or how much."""
        result, doubt = self.result, self.doubt.summary()
        tables = result.certificate.population.tables
        through = [result.indirect.summary(result.labels)] if result.indirect else []
        print_results(result.summary(), *_errors(result), *tables, *through, self.relaxed)
        brief = replace(doubt, columns=(), lines=(), notes=())
        print_result(doubt if self.asked["doubt"] else brief)
        print_results(*(one.summary() for one in self.further.values()))
        for problem in self.refusals:
            say(problem.text(option))


def _show(answers: dict[str, _Answer]) -> None:
    """Print all audits; of several models first what they have in common."""
    if len(answers) > 1:
        from evenhand.models.predictions import compare_models

        print_result(compare_models({name: one.result for name, one in answers.items()}))
    for name, answer in answers.items():
        if len(answers) > 1:
            say(f"Predictions in {name}", "", bold=True)
        answer.show()


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


def _tell_of_release(asked: Asked) -> None:
    """Name the certificate of a release that lies beside the data, unless a graph was given."""
    data = Path(asked.data)
    beside = data.with_name(f"{data.name.partition('.')[0]}.certificate.json")
    if asked.graph_file is not None or not beside.is_file():
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
