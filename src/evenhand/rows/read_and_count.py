"""Rows and counts of whatever is audited: a table to read, rows that are read, or counts."""

from collections.abc import Callable

from evenhand.counts import CountTable
from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError
from evenhand.question import Codings
from evenhand.rows.frame_sources import Source
from evenhand.rows.rows import Rows, read


def read_and_count(
    source: Source | Rows | CountTable,
    codings: Codings | None,
    memory: str | int | None,
    progress: ProgressCallback | None,
    check: Callable[[Rows | CountTable], None] | None = None,
) -> tuple[Rows | None, CountTable]:
    """The rows of whatever is audited, None of counts, and their counts.

    Codings that would have no effect are refused, and what ``check`` refuses is not counted.
    """
    codings = codings or Codings()
    if isinstance(source, CountTable | Rows):
        applied = Codings() if isinstance(source, CountTable) else source.requested
        if codings not in (Codings(), applied):
            raise QuestionError.of(
                "The rows are already read, and codings are given besides.",
                "They would have no effect.",
                "Give them when the rows are read, or give the file or frame itself.",
            )
    if not isinstance(source, CountTable | Rows):
        source = read(source, codings=codings, memory=memory, progress=progress)
    if check:
        check(source)
    return (None, source) if isinstance(source, CountTable) else (source, source.count())
