"""Learning the graph for a question that may change before it is learned."""

from collections.abc import Callable
from dataclasses import replace

from evenhand.auditing import Audit, audit
from evenhand.display import Progress, ProgressCallback
from evenhand.question import Codings, QuestionFile
from evenhand.rows import Rows


class _OutdatedError(BaseException):
    """Raised from a progress callback: no handler of errors takes it for one."""


def learned_while(
    key: str,
    asked_key: Callable[[], str],
    rows: Rows,
    file: QuestionFile,
    progress: ProgressCallback,
) -> Audit | None:
    """The audit with the graph as it is learned; None once a graph of another key is asked."""

    def report(of: Progress) -> None:
        if asked_key() != key:
            raise _OutdatedError
        progress(of)

    # Effects through others are measured where it is judged, on the graph as it is edited.
    asked = replace(file, question=file.question.direct, edits=(), codings=Codings())
    try:
        return audit(replace(rows, progress=report), asked, progress=report)
    except _OutdatedError:
        return None
