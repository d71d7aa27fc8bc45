"""``evenhand audit``: the verdict on a table, with its evidence."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from json import loads
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from evenhand.cli.asked import Asked
from evenhand.cli.ci_results import write_junit, write_markdown
from evenhand.cli.options import AsJson, Quiet, ReportFile, result_option, with_keys
from evenhand.cli.terminal import (
    ProgressBar,
    option,
    print_json,
    print_results,
    say,
    say_for_owner,
)
from evenhand.display import ProgressReporter
from evenhand.errors import Problem, QuestionError, path_exists

if TYPE_CHECKING:
    from evenhand.auditing import Audit
    from evenhand.display import ProgressCallback, Summary
    from evenhand.evidence import GraphDoubt


# Steps after the audit.
_RESAMPLING, _WRITING = "resamples", "writing {}"


@with_keys
def audit(
    asked: Asked,
    *,
    report: ReportFile = None,
    certificate: Annotated[
        Path | None,
        result_option(help="Write the certificate to this file, readable by its owner only."),
    ] = None,
    junit: Annotated[
        Path | None, result_option(help="Write JUnit XML to this file, a test for each claim.")
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
    if share and certificate is None and report is None:
        raise QuestionError.of(
            "--share applies to a certificate or report, and neither is written.",
            remedy="Name a file with --certificate or --report.",
        )
    if certificate is not None and len(names) > 1:
        raise QuestionError.of(
            f"A certificate is about the predictions of one model, and {len(names)} are named.",
            remedy="Name one column with --predictions, or write a --report.",
        )
    asked.check_outputs(certificate, report, junit, overwrite=overwrite)
    files = _Files(certificate, report, junit, share=share, overwrite=overwrite)
    with ProgressBar(quiet=quiet or json) as bar:
        progress = asked.whole_progress(bar, _seconds(asked.of("audit"), files))
        audits = asked.audits(progress)
        answers = {
            name: _Answer.of(result, asked.of("audit"), progress)
            for name, result in zip(names, audits, strict=True)
        }
        files.write(asked, answers, progress)
        progress.finish()
    is_strict = bool(asked.of("audit")["strict"])
    say_for_owner(shared=share and not quiet)
    from evenhand.evidence.statistical_verdict import exit_status, in_words

    verdicts = {
        ": ".join(filter(None, (name if len(names) > 1 else "", claim))): verdict
        for name, answer in answers.items()
        for claim, verdict in answer.result.deciding_verdicts.items()
    }
    if json:
        document, *besides = (answer.document() for answer in answers.values())
        beside = dict(zip(names[1:], besides, strict=True))
        print_json(document | ({"beside": beside} if beside else {}))
    elif quiet:
        say(*in_words(verdicts))
    else:
        asked.show_guesses()
        _show(answers)
        _tell_of_release(asked)
        for what, path in (("Certificate", certificate), ("Report", report), ("JUnit", junit)):
            if path is not None:
                say(f"{what}: {path}")
    raise typer.Exit(exit_status(verdicts, strict=is_strict))


def _seconds(asked: Mapping[str, Any], files: "_Files") -> dict[str, float]:
    """About how long what follows the answer takes."""
    from evenhand.record.checker_process import CHECKING

    many = asked["bootstrap"] or 0
    checking = {CHECKING: 0.1} if files.certificate else {}
    writing = {_WRITING.format(path.name): 0.5 for path in files.named}
    return {_RESAMPLING: 0.05 * many, **checking, **writing}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Answer:
    """An audit, what was asked besides the verdict, by name, and why some was refused."""

    result: "Audit"
    relaxed: "Summary"
    asked: Mapping[str, Any]
    besides: Mapping[str, Any]
    refusals: tuple[Problem, ...]

    @classmethod
    def of(
        cls, result: "Audit", asked: Mapping[str, Any], progress: "ProgressCallback"
    ) -> Self:
        """Ask an audit what the table [audit] asks."""
        besides, refusals = dict[str, Any](), tuple[Problem, ...]()
        result.find_answer(progress=progress)
        if (many := asked["bootstrap"]) is not None:
            seed = asked["bootstrap_seed"]
            resampled = result.bootstrap(many, seed=seed, progress=progress)
            besides["bootstrap"] = resampled
            result = result.with_resamples(resampled)
        if asked["partition"]:
            besides["partition"] = result.explain_partition(asked["partition"])
        if asked["arrows"]:
            try:
                besides["arrows"] = result.arrows()
            except QuestionError as error:
                refusals = error.problems
        return cls(
            result=result,
            relaxed=result.certificate.relaxed(assurance=asked["assurance"]).summary(),
            asked=asked,
            besides=besides,
            refusals=refusals,
        )

    @property
    def doubt(self) -> "GraphDoubt":
        """What the rows say against the graph."""
        return self.result.doubt()

    def document(self) -> dict[str, Any]:
        """Everything as plain values."""
        content = self.result.to_dict(assurance=self.asked["assurance"])
        content["notes"] += [problem.text(option) for problem in self.refusals]
        content["guesses"] = self.result.file.told_guesses(option)
        content["graph_doubt"] = self.doubt.to_dict()
        content["inspection"] = self.result.inspection.to_dict(option)
        return content | {name: one.to_dict() for name, one in self.besides.items()}

    def show(self) -> None:
        """Print everything; of the evidence against the graph all of it, or how much."""
        result, doubt = self.result, self.doubt.summary()
        bias = getattr(result, "error_bias", None)  # of predictions with labels
        brief = doubt if self.asked["doubt"] else replace(doubt, columns=(), lines=(), notes=())
        print_results(
            result.summary(),
            *([replace(bias.summary(), facts=())] if bias else []),
            *([result.indirect.summary(result.labels)] if result.indirect else []),
            self.relaxed,
            brief,
            *(one.summary() for one in self.besides.values()),
        )
        say(*(problem.text(option) for problem in self.refusals))


@dataclass(frozen=True)
class _Files:
    """The files that an audit is asked to write."""

    certificate: Path | None
    report: Path | None
    junit: Path | None
    share: bool = field(kw_only=True)
    overwrite: bool = field(kw_only=True)

    @property
    def named(self) -> list[Path]:
        """The files that are to be written."""
        return [path for path in (self.certificate, self.report, self.junit) if path]

    def write(
        self, asked: Asked, answers: Mapping[str, _Answer], progress: "ProgressCallback"
    ) -> None:
        """Write them one after the other; what fails says which are written already."""
        from evenhand.files import after_writing

        reporter = ProgressReporter(progress)
        first, *others = answers.values()
        results = {name if others else "": one.result for name, one in answers.items()}
        shown, overwrite = {"least_count": asked.of("run")["least_count"]}, self.overwrite
        if self.certificate is not None:
            reporter.report(_WRITING.format(self.certificate.name), 0)
            record, rows = first.result.stated_certificate, first.result.rows
            data = rows.plain_file if rows else None
            write = (
                partial(record.write_shared, **shown) if self.share else partial(record.write)
            )
            write(self.certificate, overwrite=overwrite, data=data, progress=progress)
        with after_writing(self.certificate):
            if self.report is not None:
                reporter.report(_WRITING.format(self.report.name), 0)
            if self.report is not None and self.report.suffix.lower() == ".md":
                with_counts = not self.share
                write_markdown(
                    self.report, results, with_counts=with_counts, overwrite=overwrite
                )
            elif self.report is not None:
                first.result.report(
                    partition=first.besides.get("partition"),
                    resampled=first.besides.get("bootstrap"),
                    arrows=first.besides.get("arrows"),
                    rates=bool(first.asked["rates"]),
                    share=self.share,
                    certificate_file=self.certificate,
                    beside={name: results[name] for name in [*answers][1:]} or None,
                    **shown,
                ).write(self.report, overwrite=overwrite)
        if self.junit is not None:
            with after_writing(self.certificate, self.report):
                is_strict = bool(asked.of("audit")["strict"])
                write_junit(
                    self.junit, results, table=asked.data, strict=is_strict, overwrite=overwrite
                )


def _show(answers: Mapping[str, _Answer]) -> None:
    """Print all audits; of several models first what they have in common."""
    if len(answers) > 1:
        from evenhand.models.predictions import compare_models

        print_results(compare_models({name: one.result for name, one in answers.items()}))
    for name, answer in answers.items():
        if len(answers) > 1:
            say(f"Predictions in {name}", "", bold=True)
        answer.show()


def _tell_of_release(asked: Asked) -> None:
    """Name the certificate of a release that lies beside the data, unless a graph was given."""
    data = Path(asked.data)
    beside = data.with_name(f"{data.name.partition('.')[0]}.certificate.json")
    if asked.graph_file is not None or not path_exists(beside):
        return
    from evenhand.record import FORMAT

    with suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
        content = loads(beside.read_text("utf-8"))
        if content["format"] == FORMAT and "release" in content:
            say(
                f"{beside} certifies this release given its own graph, not one learned again: "
                f"--graph {quote(str(beside))} judges by that."
            )
