"""``SavedQuestion``: how much of what was chosen is in the question file, and why not all."""

from contextlib import suppress
from pathlib import Path

from evenhand.errors import EvenhandError, Problem, QuestionError, Remedy
from evenhand.web.jobs import unexpected
from evenhand.web.store import QuestionStore, Tables
from evenhand.web.table_history import difference_in_words

_REMEDIES = (
    Remedy("Write it over what is there", "unsaved", "write"),
    Remedy("Go on without it", "unsaved", "drop"),
)


class UnsavedError(QuestionError):
    """What was chosen cannot be saved, and would be lost."""


class SavedQuestion:
    """The question file of the open table, if there is one.

    ``tables`` are those that it says, or that were suggested for it: nobody chose them.
    ``problem`` is why saving failed the last time.
    """

    def __init__(
        self, store: QuestionStore | None = None, tables: Tables | None = None
    ) -> None:
        self.store, self._tables = store, tables or {}
        self.problem: Problem | None = None

    @property
    def path(self) -> Path | None:
        """The file."""
        return self.store.path if self.store else None

    @property
    def has_conflict(self) -> bool:
        """Whether somebody else changed the file; nothing is written until settled."""
        with suppress(EvenhandError):
            return self.store is not None and self.store.changed_elsewhere
        return False

    def save(self, tables: Tables, stated: Tables, *, overwrite: bool) -> bool:
        """Write what was chosen, and is stated besides; whether it is in the file now."""
        if self.store is None:
            return True
        try:
            if self.store.save(stated, overwrite=overwrite):
                self._tables = tables
            self.problem = None
        except EvenhandError as error:
            self.problem = error.problems[0]
        except Exception as error:  # noqa: BLE001  # else a timer would end unheard
            self.problem = unexpected(error)
        return self._tables == tables

    def lacks(self, tables: Tables, where: str) -> Problem | None:
        """What was chosen and is not in the file, and why; None if all is."""
        if self.store is None or not (what := difference_in_words(self._tables, tables)):
            return None
        why = self.problem.what if self.problem else "It was changed outside the app."
        said = f"What was chosen is not in the question file: {what}."
        return Problem(said, why, _REMEDIES, where)
