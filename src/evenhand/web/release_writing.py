"""The release that is chosen, by its address; written: rows, certificates, manifest, report."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from shlex import join
from typing import Any
from urllib.parse import urlencode

from evenhand.auditing import Audit
from evenhand.display import Progress, ProgressCallback
from evenhand.errors import QuestionError
from evenhand.files import after_writing, check_folder, check_targets
from evenhand.files.file_formats import ending_of, format_of
from evenhand.question import exact_fraction
from evenhand.question.fields import option_words
from evenhand.question.parse_values import check_seed
from evenhand.releasing import PublishedFiles, Release
from evenhand.releasing.publish import ReleaseFiles
from evenhand.releasing.writer import output_format
from evenhand.removal import POLICIES, Baseline, Method, ModifyData, named_method
from evenhand.report.html_report import View
from evenhand.web.evidence_screen import JudgedBesides, offer_file
from evenhand.web.folder import Folder
from evenhand.web.graph_links import audit_to_publish
from evenhand.web.jobs import Job, request_again
from evenhand.web.session import Session, needed
from evenhand.wording.verdict_words import certificate_class, verdict_word

_FEWEST = ModifyData()
# Those that promise to meet the criterion; all others are compared, and never written.
_RELEASING = {f"{one.method}:{one.name}": one for one in POLICIES if one.guaranteed}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseChoice:
    """A method and its settings; ``margin`` is in percentage points, as it was typed."""

    way: str = f"{_FEWEST.name}:{_FEWEST.policy}"
    margin: str = "0"
    only: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "ReleaseChoice":
        """The choice that an address, or the body of a request, names."""
        return cls(
            way=str(given.get("way") or cls().way),
            margin=str(given.get("margin") or "0").strip() or "0",
            **{name: _texts(given, name) for name in ("only", "drop")},
        )

    @property
    def takes_groups(self) -> bool:
        """Whether it can be said whose decisions may change."""
        policy = _RELEASING.get(self.way)
        return policy is not None and policy.takes_groups

    @property
    def method(self) -> Method | Baseline:
        """The method with its settings; one that gives no guarantee is refused."""
        found = _RELEASING.get(self.way)
        if found is None:
            raise QuestionError.of(
                f"{self.way.replace(':', ' ')} gives no guarantee.",
                "It is compared with others, and never written.",
                "Choose one that ends certified.",
            )
        return named_method(found.method, found.name, margin=self.margin_share, only=self.only)

    @property
    def margin_share(self) -> Fraction:
        """The margin as a share."""
        try:
            return exact_fraction(self.margin) / 100
        except ValueError as error:
            raise QuestionError.of(
                f"The margin {self.margin!r} cannot be read.", f"{error}.", "Write a number."
            ) from error

    def address(self, **changed: Any) -> str:  # noqa: ANN401  # fields of the choice
        """The screen with this choice, or with parts of it changed."""
        lists = {name: tuple(of) for name, of in changed.items() if isinstance(of, list)}
        choice = replace(self, **changed | lists)
        if not choice.takes_groups:
            choice = replace(choice, only=())
        return f"release?{urlencode(choice.query, doseq=True)}" if choice.query else "release"

    @property
    def query(self) -> dict[str, Any]:
        """What differs from the first choice, as plain values."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        usual = ReleaseChoice()
        return {
            name: [*value] if isinstance(value, tuple) else value
            for name, value in values.items()
            if value != getattr(usual, name)
        }

    @property
    def options(self) -> list[str]:
        """The same as options of the command line."""
        method, _, policy = self.way.partition(":")
        table = {
            "method": method if method != _FEWEST.name else None,
            "policy": policy if self.way != ReleaseChoice().way else None,
            "margin": str(self.margin_share) if self.margin != "0" else None,
            "only": [*self.only],
            "drop": [*self.drop],
        }
        return option_words({"release": table}, "release")


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """All values of one name: of an address, or a list of a body."""
    values: Iterable[Any]
    if hasattr(given, "getlist"):
        values = given.getlist(name)
    else:
        value = given.get(name, ())
        values = value if isinstance(value, list | tuple) else (value,)
    return tuple(dict.fromkeys(str(value) for value in values if str(value)))


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
    audit, judged = audit_to_publish(session), needed(session.audit)
    folder, name = session.folder, str(body.get("file", "")).strip()
    overwrite, choice = bool(body.get("overwrite")), ReleaseChoice.of(body)
    method = choice.method  # refuses one without a guarantee
    path = folder.target(name, overwrite=True)
    output_format(path)  # refuses a name that it cannot write
    page = folder.target(report_name(name), overwrite=True) if body.get("report") else None
    pages = [page] if page else []
    files = ReleaseFiles.of(path, uncertified=False)
    check_folder(folder.root)
    check_targets([*files.paths, *pages], [*map(str, session.inputs)], overwrite=True)
    check_targets(pages, (), overwrite=overwrite)
    text = str(body.get("seed", "")).strip()
    seed = check_seed(_whole(text, "The seed")) if text else None
    accept_graph = str(body.get("accept_graph", "")).strip() or None
    settings: dict[str, Any] = {
        "share": bool(body.get("share")),
        "least_count": _whole(str(body.get("least_count", "10")), "The least count"),
    }

    def work(progress: ProgressCallback) -> None:
        is_written = False
        files.prepare((), overwrite=overwrite)

        def until_written(of: Progress) -> None:
            """Pass reports on until the files have names: then nothing can be cancelled."""
            if not is_written:
                progress(of)

        besides = JudgedBesides.of(session, judged)
        released = audit.release(
            method=method,
            seed=seed,
            accept_graph=accept_graph,
            drop=choice.drop,
            progress=until_written,
        )
        written = released.write(path, overwrite=overwrite, **settings)
        is_written = True
        if page is not None:
            with after_writing(
                written.data, written.certificate, written.shared, written.manifest
            ):
                report = besides.report(audit, released, **settings)
                report.write(page, overwrite=overwrite)
        session.results["made"] = _made(session, judged, released, written, page)

    again = request_again("POST", "api/release", body)
    return session.jobs.start(f"Releasing {path.name}", work, again=again)


def _whole(text: str, what: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise QuestionError.of(
            f"{what} {text!r} is no whole number.", remedy="Write digits alone."
        ) from None


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
