"""What the evidence screen starts: resamples, and files to hand over."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from evenhand.auditing import Audit
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import QuestionError
from evenhand.evidence import Variations
from evenhand.evidence.variations.bootstrap import Bootstrap
from evenhand.releasing import Release
from evenhand.report import Report
from evenhand.web.graph_links import audit_to_publish, judged_arrows
from evenhand.web.jobs import Job
from evenhand.web.session import Session

RESAMPLES = 200
_MOST_RESAMPLES = 10_000
_LEAST_COUNT = 10


def current_audit(session: Session) -> Audit:
    """The audit of what is chosen now; refused until the graph is learned."""
    audit = session.audit
    if audit is None:
        raise QuestionError.of("No graph is learned yet.", remedy="Learn it first.")
    return audit


def resamples_of(session: Session, audit: Audit) -> Bootstrap | None:
    """The last resamples, if they are of this audit."""
    result = _last(session, "bootstrap", audit)
    return result if isinstance(result, Bootstrap) else None


def _last(session: Session, kind: str, audit: Audit) -> object:
    of, result = session.results.get(kind, (None, None))
    return result if of is not None and _judges_the_same(of, audit) else None


def _judges_the_same(one: Audit, other: Audit) -> bool:
    """Whether two audits differ in nothing but words."""
    return (
        one.counts is other.counts
        and one.question == other.question
        and one.certificate.graph == other.certificate.graph
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBesides:
    """What was judged besides an audit, which a certificate states and a report shows.

    Other arrows are always among it: the screen of the graph shows what each would give.
    """

    resampled: Bootstrap | None
    arrows: Variations | None

    @classmethod
    def of(cls, session: Session, audit: Audit) -> "JudgedBesides":
        """What was judged besides this audit."""
        return cls(
            resampled=resamples_of(session, audit),
            arrows=judged_arrows(audit),
        )

    def stated(self, audit: Audit) -> Audit:
        """The audit whose certificate states it."""
        record = audit.certificate.stating(arrows=len(self.arrows.ways) if self.arrows else 0)
        return replace(audit, certificate=record)

    def report(self, audit: Audit, release: Release | None = None, **settings: Any) -> Report:  # noqa: ANN401  # those of an audit's
        """The report that shows it."""
        return audit.report(
            release,
            resampled=self.resampled,
            arrows=self.arrows,
            **settings,
        )


def bootstrap(session: Session, body: dict[str, Any]) -> Job:
    """Draw the rows again and again, and judge each time."""
    audit, many = current_audit(session), str(body.get("resamples", RESAMPLES)).strip()
    if not many.isdecimal() or not 1 <= int(many[:9]) <= _MOST_RESAMPLES:
        raise QuestionError.of(
            f"{many!r} is no number of resamples from 1 to {_MOST_RESAMPLES:,}.",
            remedy=f"{RESAMPLES} are usual.",
        )

    def work(progress: ProgressCallback) -> None:
        result = audit.bootstrap(int(many), progress=progress)
        session.results["bootstrap"] = (audit, result)

    return session.jobs.start("Drawing the rows again", work)


def write_report(session: Session, body: dict[str, Any]) -> Job:
    """Write the report on the audit, with what was tried besides."""
    audit, path = audit_to_publish(session), _target(session, body, report_name(session))
    share, overwrite = bool(body.get("share")), bool(body.get("overwrite"))
    of, record = session.results.get("certificate", (None, None))
    certificate = record if of is not None and _judges_the_same(of, audit) else None

    def work(progress: ProgressCallback) -> None:
        reporter = ProgressReporter(progress)
        reporter.report("judging other arrows", 0)
        besides = JudgedBesides.of(session, audit)
        reporter.report("writing", 0)
        page = besides.report(
            audit, share=share, least_count=_LEAST_COUNT, certificate_file=certificate
        )
        offer_file(session, page.write(path, overwrite=overwrite))

    return session.jobs.start("Writing the report", work)


def write_certificate(session: Session, body: dict[str, Any]) -> Job:
    """Write the certificate of the audit; refused while an edit of the graph has no reason."""
    audit = audit_to_publish(session)
    path = _target(session, body, certificate_name(session))
    share, overwrite = bool(body.get("share")), bool(body.get("overwrite"))

    def work(progress: ProgressCallback) -> None:
        reporter = ProgressReporter(progress)
        reporter.report("judging other arrows", 0)
        besides = JudgedBesides.of(session, audit)
        reporter.report("writing", 0)
        record = besides.stated(audit.with_resamples(besides.resampled)).certificate
        shared = partial(record.write_shared, least_count=_LEAST_COUNT)
        data = audit.rows.plain_file if audit.rows else None
        write = shared if share else record.write
        write(path, overwrite=overwrite, data=data, progress=progress)
        session.results["certificate"] = (audit, path)
        offer_file(session, path)

    return session.jobs.start("Writing the certificate", work)


def report_name(session: Session) -> str:
    """What a report is called unless another name is given."""
    return f"{_table_name(session)}-report.html"


def certificate_name(session: Session) -> str:
    """What a certificate is called unless another name is given."""
    return f"{_table_name(session)}.certificate.json"


def _table_name(session: Session) -> str:
    return session.table.name.partition(".")[0] if session.table else "table"


def _target(session: Session, body: dict[str, Any], name: str) -> Path:
    given = str(body.get("name") or name).strip()
    return session.folder.target(given, session.inputs, overwrite=bool(body.get("overwrite")))


def offer_file(session: Session, path: Path) -> str:
    """Let a file that was written be downloaded; returns its id."""
    with session.lock:
        known = [name for name, file in session.made_files.items() if file == path]
        name = known[0] if known else token_hex(8)
        session.made_files[name] = path
    return name
