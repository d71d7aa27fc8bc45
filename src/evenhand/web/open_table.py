"""``OpenTable``: the table that is open, in memory once, under whatever codings are chosen."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from evenhand.display import ProgressCallback
from evenhand.errors import EvenhandError, InputError
from evenhand.question import Codings, QuestionFile
from evenhand.rows import Inspection, Rows, read
from evenhand.web.question_store import Tables
from evenhand.web.results import Recent, key_of

# What must be known before the rows are read.
_HOW_TO_READ = ("delimiter", "sheet", "frequency")
# Parts of [question] that do not change what a look at the table finds.
_JUDGED = frozenset({"threshold", "judge", "min_rows", "basis", "redlining_threshold"})


class OpenTable:
    """The rows of a file, and looks at them, by what the tables of a question file say.

    ``stamp`` changes with the file on the disk.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.stamp = path, stamp_of(path)
        self._stored = Recent[Rows](2)
        self._rows = Recent[Rows](4)
        self._inspections = Recent[Inspection](8)

    @property
    def has_changed(self) -> bool:
        """Whether the file is another one on the disk than the one that was read."""
        return stamp_of(self.path) != self.stamp

    def check(self, where: str) -> None:
        """Refuse to go on with a file that was changed on the disk."""
        if self.has_changed:
            raise InputError.of(
                "The table was changed on the disk since it was read.",
                remedy="Read it again.",
                where=where,
            )

    def stored(self, tables: Tables, progress: ProgressCallback | None = None) -> Rows:
        """The rows with all columns as they stand; they are read once."""
        data = tables.get("data", {})
        how = {name: data.get(name) for name in _HOW_TO_READ}

        def reading() -> Rows:
            rows = read(self.path, codings=Codings.of(**how), progress=progress)
            self.check(self.path.name)  # these rows, and not those of a later file
            return rows

        return self._stored.get(key_of(how), reading)

    def rows(self, tables: Tables) -> Rows:
        """The rows, read as the tables say."""
        data, stored = tables.get("data", {}), self.stored(tables)
        return self._rows.get(key_of(data), lambda: stored.recoded(Codings.of(**data)))

    def inspection(self, tables: Tables) -> Inspection:
        """What a look at the rows finds, as they are read."""
        asked = {k: v for k, v in tables.get("question", {}).items() if k not in _JUDGED}
        rows = self.rows(tables)
        return self._inspections.get(
            key_of([tables.get("data", {}), asked]), lambda: _look(rows, tables)
        )

    def stored_inspection(self, tables: Tables) -> Inspection:
        """What a look at all columns finds, as they stand but for texts that mean missing."""
        stored, named = self.stored(tables), named_columns(tables)
        na = tables.get("data", {}).get("na", ())
        key = key_of(["stored", stored.requested.to_dict(), na, named])
        return self._inspections.get(
            key, lambda: stored.recoded(Codings.of(na=na)).inspect(**named)
        )


def named_columns(tables: Tables) -> dict[str, Any]:
    """The columns that the question names so far."""
    asked = tables.get("question", {})
    return {role: asked.get(role) or None for role in ("decision", "protected")}


def _look(rows: Rows, tables: Tables) -> Inspection:
    with suppress(EvenhandError):
        return rows.inspect(QuestionFile.from_tables(tables).question)
    return rows.inspect(**named_columns(tables))


def stamp_of(path: Path) -> str:
    """Changes with whatever is written into a file or put in its place."""
    try:
        of = path.stat()
    except OSError:
        return f"{path}: gone"
    return f"{path}: {of.st_ino}, {of.st_size} bytes, {of.st_mtime_ns} ns"
