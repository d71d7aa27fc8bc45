"""What takes long before a verdict can be shown: it is worked out as a job, with progress."""

from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import EvenhandError
from evenhand.web.jobs import Job
from evenhand.web.session import Session

# With fewer lines and open edges it is done before a page is missed.
_MANY_LINES = 5000
_MANY_OPEN_EDGES = 8


def takes_long(session: Session) -> bool:
    """Whether the audit is to be worked out yet, and measures effects through others.

    They are measured on each graph that the learned one may stand for: up to thousands.
    """
    learned = session.learned
    if learned is None or not session.file.question.redlining or session.has_audit:
        return False
    many_graphs = len(learned.graph.undirected) > _MANY_OPEN_EDGES
    return many_graphs or len(learned.counts) > _MANY_LINES


def is_due(session: Session) -> bool:
    """Whether a page of the verdict would keep somebody waiting without a word."""
    try:
        if not _is_large(session):
            return False
        audit = None if takes_long(session) else session.audit
    except EvenhandError:
        return False  # the page says why
    return audit is None or audit.known_doubt is None


def _is_large(session: Session) -> bool:
    learned = session.learned
    many = learned is not None and len(learned.counts) > _MANY_LINES
    return many or takes_long(session)


def work_out(session: Session, progress: ProgressCallback) -> None:
    """Judge what is chosen now, and test what speaks against its graph, where it takes long."""
    if not _is_large(session):
        return
    reporter = ProgressReporter(progress)
    if takes_long(session):
        through = ", ".join(session.file.question.redlining)
        reporter.report(
            f"measuring effects through {through}, which cannot be stopped midway", 0
        )
    else:
        reporter.report("judging", 0)
    if audit := session.audit:
        audit.doubt(progress=progress)


def judge(session: Session, _body: object = None) -> Job | None:
    """Work out what the pages of the verdict need, if that takes long."""
    if not is_due(session):
        return None
    return session.jobs.start(
        "Judging", lambda progress: work_out(session, progress), joins=True
    )
