"""``evenhand release``: the smallest change, carried out, certified and written."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli import output_checks
from evenhand.cli.options import Asked, shared
from evenhand.cli.terminal import Progress, print_json, print_result
from evenhand.errors import Problem, QuestionError, did_you_mean

if TYPE_CHECKING:
    from evenhand.releasing import Release, Written
    from evenhand.removal import Baseline, Method

_RELEASE = "The release"


@shared
def release(
    asked: Asked,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write.", rich_help_panel=_RELEASE),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="modify-data, modify-graph; or, with --uncertified, shuffle-protected, "
            "local-massaging, local-preferential-sampling.",
            rich_help_panel=_RELEASE,
        ),
    ] = "modify-data",
    policy: Annotated[
        str,
        typer.Option(
            help="Of modify-data: minimal, group, raise; with --uncertified paper, printed. "
            "Of modify-graph: quotas, generate; with --uncertified sample.",
            rich_help_panel=_RELEASE,
        ),
    ] = "",
    margin: Annotated[
        str, typer.Option(help="Stay so far below the threshold.", rich_help_panel=_RELEASE)
    ] = "0",
    seed: Annotated[
        int | None,
        typer.Option(help="For the same bytes again; else drawn.", rich_help_panel=_RELEASE),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a page for people here (HTML).", rich_help_panel=_RELEASE),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show the plan, write nothing.", rich_help_panel=_RELEASE
        ),
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace an earlier release or report.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    share: Annotated[
        bool,
        typer.Option("--share", help="Add a certificate for others.", rich_help_panel=_RELEASE),
    ] = False,
    uncertified: Annotated[
        bool,
        typer.Option(
            "--uncertified", help="Allow a file without a guarantee.", rich_help_panel=_RELEASE
        ),
    ] = False,
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="One JSON document, nothing else.", rich_help_panel=_RELEASE
        ),
    ] = False,
) -> None:
    """Remove every difference with the smallest change, and write what is certified.

    Beside FILE come its certificate and its manifest (both for the owner only). The input is
    never touched. Example: `evenhand release adult.csv --question adult.toml
    --output adult-released.csv`
    """
    by = _method(method, policy, margin)
    if output is None and not dry_run:
        raise QuestionError(
            Problem(
                "Where should the release be written?",
                remedy="Name a file with --output, or look first with --dry-run.",
            )
        )
    if not by.guaranteed and not uncertified and not dry_run:
        raise QuestionError(
            Problem(
                f"{method} {policy}".strip() + " gives no guarantee.",
                remedy="Choose another, or allow it with --uncertified.",
            )
        )
    if output is not None and not dry_run:
        from evenhand.releasing.publish import files_of

        files = files_of(output, overwrite=overwrite, share=share, uncertified=uncertified)
        output_checks.check(asked, report, release=files.paths, overwrite=overwrite)
        if not share:
            named = files_of(output, overwrite=overwrite, share=True, uncertified=uncertified)
            output_checks.check_no_earlier_copy(named.path("shared"))
    progress = Progress(quiet=json)
    with progress:
        found = asked.audit(progress)
    if dry_run or output is None:
        plan = found.plan(by=by, seed=seed)
        if json:
            print_json(plan.to_dict())
        else:
            print_result(plan.summary())
        return
    with progress:
        released = found.release(by=by, seed=seed, uncertified=uncertified)
        written = released.write(output, overwrite=overwrite, share=share)
    if report is not None:
        page = found.report(released, labels=asked.labels(), share=share)
        page.write(report, overwrite=overwrite)
    if json:
        names = {
            "output": str(written.data),
            "certificate": str(written.certificate),
            "manifest": str(written.manifest),
        }
        print_json(released.to_dict() | names)
        return
    _tell(released, written, report)


def _tell(released: "Release", written: "Written", report: Path | None) -> None:
    """Print what was released, and where everything is."""
    print_result(released.summary())
    for leftover in written.removed:
        typer.echo(f"Removed what an interrupted run had left: {leftover}")
    for what, path in (
        ("Data", written.data),
        ("Certificate, yours only", written.certificate),
        ("Certificate for others", written.shared),
        ("Manifest with the seed, keep it", written.manifest),
        ("Report", report),
    ):
        if path is not None:
            typer.echo(f"{what}: {path}")


def _method(method: str, policy: str, margin: str) -> "Method | Baseline":
    """The removal method that was named."""
    from evenhand import removal

    if method == "modify-data":
        return removal.ModifyData(policy=policy or "minimal", margin=margin)  # type: ignore[arg-type]  # read there
    if method == "modify-graph" and policy in ("", "quotas", "generate", "sample"):
        return removal.ModifyGraph(
            margin=margin,  # type: ignore[arg-type]  # read there
            generate=policy == "generate",
            sample=policy == "sample",
        )
    baselines: dict[str, Callable[[], Baseline]] = {
        "shuffle-protected": removal.ShuffleProtected,
        "local-massaging": removal.LocalMassaging,
        "local-preferential-sampling": removal.LocalPreferentialSampling,
    }
    if method in baselines and not policy:
        return baselines[method]()
    named = ["modify-data", "modify-graph", *baselines]
    raise QuestionError(
        Problem(
            f"There is no method {method!r}" + (f" with policy {policy!r}." if policy else "."),
            did_you_mean(method, named) if method not in named else "",
            f"Choose one of {', '.join(named)}; `evenhand release --help` lists policies.",
        )
    )
