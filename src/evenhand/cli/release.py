"""``evenhand release``: makes the smallest change, certifies the result and writes it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from evenhand.cli.option_syntax import option, parse_names
from evenhand.cli.options import (
    AsJson,
    CommonOptions,
    LabelColumn,
    LeastCount,
    PredictionColumns,
    ReportFile,
    options_in,
)
from evenhand.cli.output_checks import check_outputs
from evenhand.cli.terminal import ProgressBar, print_json, print_result, say, say_for_owner
from evenhand.cli.verb_parameters import with_common_options
from evenhand.errors import QuestionError, did_you_mean

if TYPE_CHECKING:
    from evenhand.releasing import PublishedFiles, Release
    from evenhand.removal import Baseline, Method

_release = options_in("The release")


@with_common_options
def release(
    options: CommonOptions,
    *,
    output: Annotated[
        Path | None, _release("--output", "-o", help="The file to write.")
    ] = None,
    method: Annotated[
        str,
        _release(
            help="modify-data, modify-graph; or, with --uncertified, shuffle-protected, "
            "local-massaging, local-preferential-sampling."
        ),
    ] = "modify-data",
    policy: Annotated[
        str,
        _release(
            help="Of modify-data: minimal, group, raise, rows, uncertified paper, printed. "
            "Of modify-graph: quotas, generate; with --uncertified sample."
        ),
    ] = "",
    only: Annotated[
        list[str] | None,
        _release(help="Of modify-data: change decisions of this group; once for each group."),
    ] = None,
    rank: Annotated[
        str | None,
        _release(
            metavar="COLUMN",
            help="Of modify-data: change the rows nearest to the other side by this score, "
            "higher for what is nearer to a favorable decision; default: random ones.",
        ),
    ] = None,
    margin: Annotated[
        str, _release(help="Stay below the threshold by this much, as 0.01.")
    ] = "0",
    seed: Annotated[
        int | None,
        _release(
            help="Random seed: the same seed gives the same bytes, and tells which rows were "
            "changed. Give a large one that nobody knows, or leave it out; default: random."
        ),
    ] = None,
    predictions: PredictionColumns = None,
    labels: LabelColumn = None,
    report: ReportFile = None,
    drop: Annotated[
        list[str] | None,
        _release(help="Do not release these columns, outside the question: 'a,b'."),
    ] = None,
    dry_run: Annotated[
        bool, _release("--dry-run", help="Show the plan and write nothing.")
    ] = False,
    overwrite: Annotated[
        bool, _release("--overwrite", help="Replace an earlier release or report.")
    ] = False,
    share: Annotated[
        bool,
        _release(
            "--share",
            help="Also write a certificate for others, without small counts, and make the "
            "report such a copy.",
        ),
    ] = False,
    least_count: LeastCount = 10,
    uncertified: Annotated[
        bool, _release("--uncertified", help="Allow methods that give no guarantee.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Remove every difference with the smallest change, and write what is certified.

    The certificate and the manifest are written beside it, readable by the owner only. The
    input is never changed. Example: `evenhand release adult.csv --question adult.toml
    --output adult-released.csv`
    """
    by = _method(method, policy, margin, only or [], rank)
    if len(predictions or ()) > 1:
        raise QuestionError.of(
            "A release changes the predictions of one model, and "
            f"{len(predictions or ())} are named.",
            remedy="Name one column with --predictions.",
        )
    if output is None and not dry_run:
        raise QuestionError.of(
            "No file is named for the release.",
            remedy="Name one with --output, or see the plan with --dry-run.",
        )
    if not by.guaranteed and not uncertified and not dry_run:
        raise QuestionError.of(
            f"{method} {policy}".strip() + " gives no guarantee.",
            remedy="Choose another, or allow it with --uncertified.",
        )
    if output is not None and not dry_run:
        from evenhand.releasing.publish import ReleaseFiles
        from evenhand.releasing.writer import output_format

        planned = ReleaseFiles.of(output, uncertified=uncertified)
        check_outputs(options, report, release=planned.paths, overwrite=overwrite)
        output_format(output)  # refuses a name that it cannot write before any work
    if options.file_judge() != "rows":
        say("A release is judged by its rows, whatever the question file says.", err=True)
    progress = ProgressBar(quiet=json)
    with progress:
        (audit,) = options.audits(progress, predictions=predictions, labels=labels)
        released = audit.release(
            method=by,
            # The same plan each time it is looked at.
            seed=audit.certificate.examined.counts.seed if dry_run and seed is None else seed,
            uncertified=uncertified or dry_run,
            drop=_names(drop),
            progress=progress,
        )
        betrayals = {"betrayals": [one.to_dict(option) for one in released.betrayals]}
    if dry_run or output is None:
        if json:
            print_json(released.plan.to_dict() | betrayals)
        else:
            _print_plan(released)
        return
    _warn(released, quiet=json)
    with progress:
        files = released.write(
            output,
            overwrite=overwrite,
            share=share,
            least_count=least_count,
            progress=progress,
        )
    if report is not None:
        from evenhand.files import after_writing

        with after_writing(files.data, files.certificate, files.shared, files.manifest):
            page = audit.report(released, share=share, least_count=least_count)
            page.write(report, overwrite=overwrite)
    say_for_owner(shared=share)
    if json:
        names = {
            "output": str(files.data),
            "certificate": str(files.certificate),
            "manifest": str(files.manifest),
            **({"shared": str(files.shared)} if files.shared else {}),
        }
        print_json(released.to_dict() | betrayals | names)
        return
    _print_release(released, files, report)


def _print_plan(released: "Release") -> None:
    """Print what would be changed, and what would betray it."""
    summary = released.plan.summary()
    notes = (*summary.notes, *released.left_behind, *released.warnings)
    print_result(replace(summary, notes=notes))


def _warn(released: "Release", *, quiet: bool) -> None:
    """Say on standard error what betrays changed rows, before anything is published."""
    for problem in () if quiet else released.warnings:
        say(problem.text(option), err=True)


def _print_release(released: "Release", files: "PublishedFiles", report: Path | None) -> None:
    """Print what was released, and where the files are; warnings were printed before."""
    summary = released.summary()
    notes = tuple(note for note in summary.notes if note not in released.warnings)
    print_result(replace(summary, notes=notes))
    for leftover in files.removed:
        say(f"Removed what an interrupted run had left: {leftover}")
    for name in files.superseded:
        say(f"Removed with the earlier release: {name}")
    for what, path in (
        ("Data", files.data),
        ("Certificate, yours only", files.certificate),
        ("Certificate for others", files.shared),
        ("Manifest with the seed, keep it", files.manifest),
        ("Report", report),
    ):
        if path is not None:
            say(f"{what}: {path}")


def _names(typed: list[str] | None) -> list[str]:
    return [name for names in typed or () for name in parse_names(names)]


def _method(
    method: str, policy: str, margin: str, only: list[str], rank: str | None
) -> "Method | Baseline":
    """The removal method that was named."""
    from evenhand import removal

    if rank is not None and method != "modify-data":
        raise QuestionError.of(
            f"{method} does not choose rows by a score.",
            remedy="Leave out --rank, or use --method modify-data.",
        )
    if method == "modify-data":
        return removal.ModifyData(
            policy=policy or "minimal",  # type: ignore[arg-type]  # read there
            margin=margin,  # type: ignore[arg-type]  # read there
            only=tuple(only),
            rank=rank,
        )
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
    raise QuestionError.of(
        f"There is no method {method!r}" + (f" with policy {policy!r}." if policy else "."),
        did_you_mean(method, named) if method not in named else "",
        f"Choose one of {', '.join(named)}; `evenhand release --help` lists policies.",
    )
