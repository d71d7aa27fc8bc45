"""The release that was chosen, written: rows, certificates, manifest and report."""

from dataclasses import dataclass
from pathlib import Path
from shlex import join
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import Progress, ProgressCallback
from evenhand.errors import QuestionError
from evenhand.files import after_writing, check_folder, check_targets
from evenhand.files.file_formats import ending_of, format_of
from evenhand.question.parse_values import check_seed
from evenhand.releasing import PublishedFiles, Release
from evenhand.releasing.publish import ReleaseFiles
from evenhand.releasing.writer import output_format
from evenhand.report.html_report import View
from evenhand.web.evidence_work import JudgedBesides, current_audit, offer_file
from evenhand.web.folder import Folder
from evenhand.web.graph_links import audit_to_publish
from evenhand.web.jobs import Job
from evenhand.web.release_choice import ReleaseChoice
from evenhand.web.remedies import request_again
from evenhand.web.session import Session
from evenhand.wording.verdict_words import certificate_class, verdict_word


# Those that promise to meet the criterion; all others are compared, and never written.
@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What is to be written, read from a form and checked before any work."""

    choice: ReleaseChoice
    path: Path
    report: Path | None
    seed: int | None
    share: bool
    least_count: int
    overwrite: bool


def report_name(name: str) -> str:
    """The name of the report that goes with a release."""
    certificate = ReleaseFiles.of(Path(name), uncertified=False).names["certificate"]
    return certificate.removesuffix(".certificate.json") + ".report.html"


def free_name(folder: Folder, table: Path | None) -> str:
    """A name for the released rows that no file has, in the format of the table."""
    if table is None:
        return ""
    stem, known = table.name.partition(".")[0], format_of(table)
    is_plain = known is not None and known.is_written and not known.compression
    ending = ending_of(table).lower() if is_plain else ".csv"
    numbers = ("", *(f"-{number}" for number in range(2, 100)))
    names = (f"{stem}-released{number}{ending}" for number in numbers)
    return next((name for name in names if _is_free(folder, name)), f"{stem}-released{ending}")


def _is_free(folder: Folder, name: str) -> bool:
    paths = ReleaseFiles.of(folder.root / name, uncertified=False).paths
    return not any(path.exists() for path in (*paths, folder.root / report_name(name)))


def release_rows(session: Session, body: dict[str, Any]) -> Job:
    """Release the rows as a job; what can be refused is refused before it starts."""
    session.check(body.get("revision"))
    audit, judged = audit_to_publish(session), current_audit(session)
    wish = _wish(session, body)
    return session.jobs.start(
        f"Releasing {wish.path.name}",
        lambda progress: _write(session, (audit, judged), wish, _UntilWritten(progress)),
        again=request_again("POST", "api/release", body),
    )


def _wish(session: Session, body: dict[str, Any]) -> _Wish:
    folder, name = session.folder, str(body.get("file", "")).strip()
    overwrite, choice = bool(body.get("overwrite")), ReleaseChoice.of(body)
    _ = choice.method  # refuses one without a guarantee
    path = folder.target(name, overwrite=True)
    output_format(path)  # refuses a name that it cannot write
    report = folder.target(report_name(name), overwrite=True) if body.get("report") else None
    check_folder(folder.root)
    files = ReleaseFiles.of(path, uncertified=False).paths
    inputs = [*map(str, session.inputs)]
    pages = [report] if report else []
    check_targets([*files, *pages], inputs, overwrite=True)
    # Those of the rows are checked when what a killed run left has been cleared away.
    check_targets(pages, (), overwrite=overwrite)
    seed = str(body.get("seed", "")).strip()
    return _Wish(
        choice=choice,
        path=path,
        report=report,
        seed=check_seed(_whole(seed, "The seed")) if seed else None,
        share=bool(body.get("share")),
        least_count=_whole(str(body.get("least_count", "10")), "The least count"),
        overwrite=overwrite,
    )


def _whole(text: str, what: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise QuestionError.of(
            f"{what} {text!r} is no whole number.", remedy="Write digits alone."
        ) from None


class _UntilWritten:
    """Passes reports on until the files have their names: then nothing can be cancelled."""

    def __init__(self, progress: ProgressCallback) -> None:
        self._progress, self.written = progress, False

    def __call__(self, progress: Progress) -> None:
        if not self.written:
            self._progress(progress)


def _write(
    session: Session,
    audits: tuple[Audit, Audit],
    wish: _Wish,
    progress: _UntilWritten,
) -> None:
    audit, judged = audits
    besides = JudgedBesides.of(session, judged)
    released = besides.stated(audit).release(
        method=wish.choice.method,
        seed=wish.seed,
        drop=wish.choice.drop,
        progress=progress,
    )
    files = released.write(
        wish.path, overwrite=wish.overwrite, share=wish.share, least_count=wish.least_count
    )
    progress.written = True
    if wish.report is not None:
        with after_writing(files.data, files.certificate, files.shared, files.manifest):
            settings = {"share": wish.share, "least_count": wish.least_count}
            page = besides.report(audit, released, **settings)
            page.write(wish.report, overwrite=wish.overwrite)
    session.results["made"] = _made(session, judged, released, files, wish.report)


def _made(
    session: Session,
    judged: Audit,
    released: Release,
    files: PublishedFiles,
    report: Path | None,
) -> View:
    """The files as the command line names them, each with an address."""
    listed = []
    for what, path in (
        ("Data", files.data),
        ("Certificate, yours only", files.certificate),
        ("Certificate for others", files.shared),
        ("Manifest with the seed, keep it", files.manifest),
        ("Report", report),
    ):
        if path is not None:
            name = offer_file(session, path)
            size = f"{path.stat().st_size:,} bytes"
            listed.append(View(id=name, what=what, name=path.name, size=size))
    found = released.certificate
    removed = (f"Removed what an interrupted run had left: {one}" for one in files.removed)
    superseded = (f"Removed with the earlier release: {one}" for one in files.superseded)
    return View(
        audit=judged,
        mark=certificate_class(found),
        word=verdict_word(found.verdict),
        sentence=f"{released.changed_rows:,} of {released.before.row_count:,} rows changed. "
        + found.first_sentence(judged.labels),
        files=tuple(listed),
        notes=(*removed, *superseded),
        commands=(join(["evenhand", "verify", files.certificate.name, files.data.name]),),
        certificate=files.certificate.name,
        data=files.data.name,
    )
