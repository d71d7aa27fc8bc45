"""``evenhand audit``: the verdict on a table, with its evidence."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import output_checks
from evenhand.cli.option_syntax import names_in
from evenhand.cli.options import Asked, shared
from evenhand.cli.terminal import Progress, print_json, print_result
from evenhand.errors import Problem, QuestionError

if TYPE_CHECKING:
    from evenhand.evidence import Verdict

_RESULT = "What comes out"


def exit_status(verdict: "Verdict") -> int:
    """0 certified, 1 not certified, 3 cannot decide."""
    return {"certified": 0, "not certified": 1, "cannot decide": 3}[verdict.value]


@shared
def audit(
    asked: Asked,
    *,
    partition: Annotated[
        str | None,
        typer.Option(help="Explain a partition of your own: 'a,b'.", rich_help_panel=_RESULT),
    ] = None,
    assurance: Annotated[
        str,
        typer.Option(help="Share asked for by the relaxed criterion.", rich_help_panel=_RESULT),
    ] = "0.8",
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write the certificate here, for its owner only.", rich_help_panel=_RESULT
        ),
    ] = None,
    share: Annotated[
        bool,
        typer.Option("--share", help="Withhold small counts in it.", rich_help_panel=_RESULT),
    ] = False,
    bootstrap: Annotated[
        int | None,
        typer.Option(
            help="Learn and certify again on so many resamples.", rich_help_panel=_RESULT
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the resamples.", rich_help_panel=_RESULT)
    ] = 0,
    doubt: Annotated[
        bool,
        typer.Option(
            "--doubt", help="All evidence against the graph.", rich_help_panel=_RESULT
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a page for people here (HTML).", rich_help_panel=_RESULT),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace an earlier certificate or report.",
            rich_help_panel=_RESULT,
        ),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON document, nothing else.", rich_help_panel=_RESULT
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the verdict.", rich_help_panel=_RESULT)
    ] = False,
) -> None:
    """Ask whether the protected attribute itself changed the decision.

    Example: `evenhand audit adult.csv --protected sex --group Female --decision income
    --favorable '>50K' --tiers 'sex,age,race|education|*|income'`
    """
    if share and certificate is None and report is None:
        raise QuestionError(
            Problem(
                "What is to be shared?", remedy="Name a file with --certificate or --report."
            )
        )
    output_checks.check(asked, certificate, report, overwrite=overwrite)
    with Progress(quiet=quiet or json) as progress:
        found = asked.audit(progress)
        resampled = (
            None
            if bootstrap is None
            else found.bootstrap(bootstrap, seed=seed, progress=progress)
        )
    doubted = found.doubt()
    relaxed = found.certificate.relaxed(assurance=assurance)
    explained = found.explain_partition(names_in(partition)) if partition else None
    if certificate is not None:
        write = found.certificate.write_shared if share else found.certificate.write
        write(certificate, overwrite=overwrite)
    if report is not None:
        found.report(
            labels=asked.labels(),
            partition=explained,
            doubt=doubted,
            resampled=resampled,
            share=share,
        ).write(report, overwrite=overwrite)
    if json:
        told = found.to_dict(assurance=assurance)
        told["graph_doubt"] = doubted.to_dict()
        told |= {"partition": explained.to_dict()} if explained else {}
        print_json(told | ({"bootstrap": resampled.to_dict()} if resampled else {}))
    elif quiet:
        typer.echo(str(found.verdict))
    else:
        print_result(found.summary())
        print_result(relaxed.summary())
        doubts = doubted.summary()
        print_result(doubts if doubt else replace(doubts, columns=(), rows=(), notes=()))
        if resampled:
            print_result(resampled.summary())
        if explained:
            print_result(explained.summary())
        for what, path in (("Certificate", certificate), ("Report", report)):
            if path is not None:
                typer.echo(f"{what}: {path}")
    raise typer.Exit(exit_status(found.verdict))
