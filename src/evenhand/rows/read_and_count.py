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
    choose: Callable[[Rows | CountTable], frozenset[str]],
) -> tuple[Rows | None, CountTable, tuple[str, ...]]:
    """The rows of whatever is audited, None of counts; counts of chosen columns; all columns.

    Codings that would have no effect are refused, and what ``choose`` refuses is not counted.
    """
    codings = codings or Codings()
    if isinstance(source, CountTable | Rows):
        check_not_coded(source, codings)
    else:
        source = read(source, codings=codings, memory=memory, progress=progress)
    names, chosen = source.names, choose(source)
    if not chosen >= {*names}:
        source = source.only(chosen)
    if isinstance(source, CountTable):
        return None, source, names
    return source, source.count(), names


def check_not_coded(source: Rows | CountTable, codings: Codings) -> None:
    """Refuse codings for rows that were read without them."""
    applied = Codings() if isinstance(source, CountTable) else source.requested
    if codings not in (Codings(), applied):
        raise QuestionError.of(
            "The rows are already read, and codings are given besides.",
            "They would have no effect.",
            "Give them when the rows are read, or give the file or frame itself.",
        )
