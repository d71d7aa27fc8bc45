"""``evenhand release``: the smallest change, certified and written; and ``compare``."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from evenhand.cli.asked import Asked
from evenhand.cli.options import AsJson, ReportFile, result_option, with_keys
from evenhand.cli.terminal import (
    ProgressBar,
    option,
    print_json,
    print_results,
    say,
    say_for_owner,
)
from evenhand.display import WholeProgress
from evenhand.errors import QuestionError

if TYPE_CHECKING:
    from evenhand.releasing import PublishedFiles, Release
    from evenhand.removal import Baseline, Method
from evenhand.cli.options import Seed


@with_keys
def release(
    asked: Asked,
    *,
    output: Annotated[
        Path | None, result_option("--output", "-o", help="The file to write.")
    ] = None,
    dry_run: Annotated[
        bool, result_option("--dry-run", help="Show the plan and write nothing.")
    ] = False,
    seed: Annotated[
        int | None,
        result_option(
            help="Random seed: the same seed gives the same bytes, and reveals which rows were "
            "changed. Give a large one that nobody knows, or none. [default: random]"
        ),
    ] = None,
    report: ReportFile = None,
    overwrite: Annotated[
        bool, result_option("--overwrite", help="Replace an earlier release or report.")
    ] = False,
    share: Annotated[
        bool,
        result_option(
            "--share",
            help="Also write a certificate for others, without small counts, and make the "
            "report such a copy.",
        ),
    ] = False,
    uncertified: Annotated[
        bool, result_option("--uncertified", help="Allow methods that give no guarantee.")
    ] = False,
    accept_graph: Annotated[
        str | None,
        result_option(
            metavar="REASON",
            help="Certify although nobody can tell the answer by this graph; the certificate "
            "states the reason.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Remove every difference with the smallest change, and write what is certified.

    The certificate and the manifest are written beside it, readable by the owner only. The
    input is never changed. Example: `evenhand release adult.csv --question adult.toml
    --output adult-released.csv`
    """
    method = _method(asked, uncertified=uncertified or dry_run)
    removed: tuple[str, ...] = ()
    if not dry_run:
        removed = _check_files(
            asked, output, report, uncertified=uncertified, overwrite=overwrite
        )
    with ProgressBar(quiet=json) as bar:
        progress = asked.whole_progress(bar, {})
        (audit,) = asked.audits(progress)
        audit.find_answer(progress=progress)
        if dry_run and seed is None:
            seed = audit.certificate.examined.counts.seed  # the same plan at each look
        released = audit.release(
            method=method,
            seed=seed,
            uncertified=uncertified or dry_run,
            accept_graph=accept_graph,
            drop=asked.of("release")["drop"],
            progress=progress,
        )
        progress.finish()
    if not json:
        asked.show_guesses()
    columns = [one.to_dict(option) for one in released.revealing_columns]
    revealing = {"revealing_columns": columns}
    if dry_run or output is None:
        unasked = accept_graph is None and not uncertified
        refusals = [problem] if unasked and (problem := audit.answer.graph_problem) else []
        if json:
            refused = {"refused": [one.to_dict(option) for one in refusals]} if refusals else {}
            print_json(released.plan.to_dict() | revealing | refused)
        else:
            plan = released.plan.summary()
            notes = (*plan.notes, *refusals, *released.left_behind, *released.warnings)
            print_results(replace(plan, notes=notes))
        return
    for problem in () if json else released.warnings:
        say(problem.text(option), err=True)  # before anything is published
    shown = {"share": share, "least_count": asked.of("run")["least_count"]}
    with ProgressBar(quiet=json) as bar:
        progress = WholeProgress(bar, released.seconds_to_write)
        files = released.write(
            output,
            overwrite=overwrite,
            metadata=bool(asked.of("release")["metadata"]),
            progress=progress,
            **shown,
        )
        progress.finish()
    if report is not None:
        from evenhand.files import after_writing

        with after_writing(files.data, files.certificate, files.shared, files.manifest):
            audit.report(released, **shown).write(report, overwrite=overwrite)
    say_for_owner(shared=share)
    if json:
        paths = {
            name: str(path)
            for name, path in (
                ("output", files.data),
                ("certificate", files.certificate),
                ("manifest", files.manifest),
                ("shared", files.shared),
                ("croissant", files.croissant),
                ("statement", files.statement),
            )
            if path
        }
        print_json(released.to_dict() | revealing | paths)
    else:
        _print_release(released, files, report, removed)


def _method(asked: Asked, *, uncertified: bool) -> "Method | Baseline":
    """The method that is asked for; refused if nothing can be released by it."""
    from evenhand.removal import named_method

    named, models = asked.of("release"), asked.of("run")["predictions"]
    del named["drop"], named["metadata"]
    method = named_method(**{**named, "only": tuple(named["only"])})
    if len(models) > 1:
        raise QuestionError.of(
            f"A release changes the predictions of one model, and {len(models)} are named.",
            remedy="Name one column with --predictions.",
        )
    if not (method.guaranteed or uncertified):
        raise QuestionError.of(
            f"{named['method']} {named['policy'] or ''}".strip() + " gives no guarantee.",
            remedy="Choose another, or allow it with --uncertified.",
        )
    return method


def _check_files(
    asked: Asked,
    output: Path | None,
    report: Path | None,
    *,
    uncertified: bool,
    overwrite: bool,
) -> tuple[str, ...]:
    """Refuse files that cannot be written, before any work is done.

    Returns the names of what an interrupted run had left, which is removed.
    """
    if output is None:
        raise QuestionError.of(
            "No file is named for the release.",
            remedy="Name one with --output, or see the plan with --dry-run.",
        )
    from evenhand.releasing.release_targets import ReleaseFiles
    from evenhand.releasing.writer import output_format

    planned = ReleaseFiles.of(output, uncertified=uncertified)
    asked.check_outputs(report, release=planned.paths, overwrite=overwrite)
    output_format(output)
    return planned.prepare((), overwrite=overwrite)


def _print_release(
    released: "Release", files: "PublishedFiles", report: Path | None, removed: tuple[str, ...]
) -> None:
    """Print what was released, and where the files are; warnings were printed before."""
    summary = released.summary()
    notes = tuple(note for note in summary.notes if note not in released.warnings)
    print_results(replace(summary, notes=notes))
    for leftover in (*removed, *files.removed):
        say(f"Removed what an interrupted run had left: {leftover}")
    for name in files.superseded:
        say(f"Removed with the earlier release: {name}")
    for what, path in (
        ("Data", files.data),
        ("Certificate, yours only", files.certificate),
        ("Certificate for others", files.shared),
        ("Manifest with the seed, keep it", files.manifest),
        ("Croissant metadata", files.croissant),
        ("in-toto statement, unsigned", files.statement),
        ("Report", report),
    ):
        if path is not None:
            say(f"{what}: {path}")
    if files.croissant is not None:
        from evenhand.releasing.publication_metadata import BY_PUBLISHER

        needed = ", ".join(BY_PUBLISHER)
        say(f"Before you publish the metadata, add what only you know: {needed}.")


@with_keys
def compare(
    asked: Asked,
    *,
    thresholds: Annotated[
        str | None, result_option(help="Several thresholds: '0.025,0.05,0.1'.")
    ] = None,
    seed: Seed = None,
    json: AsJson = False,
) -> None:
    """Apply every removal method to the counts: what it changes, costs and leaves.

    Nothing is written. Example: `evenhand compare adult.csv --question adult.toml
    --thresholds 0.025,0.05,0.075,0.1`
    """
    from evenhand.releasing.compare import compare as compare_methods

    with ProgressBar(quiet=json) as progress:
        comparison = compare_methods(
            asked.audits(progress)[0].certificate,
            thresholds=None if thresholds is None else thresholds.split(","),
            seed=seed,
            progress=progress,
        )
    if json:
        print_json(comparison.to_dict())
    else:
        asked.show_guesses()
        print_results(comparison.summary(), comparison.measures_summary())
