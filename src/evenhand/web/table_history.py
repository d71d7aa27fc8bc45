"""``TableHistory``: the tables of a question file as they are now, and as they were before."""

from collections.abc import Callable

from evenhand.errors import QuestionError
from evenhand.web.store import Tables

_TABLE_WORDS = {
    "question": "the question",
    "knowledge": "the order of events",
    "graph": "the graph",
    "data": "how columns are read",
    "labels": "words",
}


def difference_in_words(one: Tables, other: Tables) -> str:
    """What differs, as "the question and the graph"; "" if nothing does."""
    names = [name for name in _TABLE_WORDS if one.get(name) != other.get(name)]
    return " and ".join(_TABLE_WORDS[name] for name in names)


class StaleError(QuestionError):
    """A page that is not the newest changes what was changed since it was shown."""


class TableHistory:
    """States of the tables, of which one is the present one; no state is changed.

    Every change has a revision, also one that goes back: pages say which one they show.
    """

    def __init__(self, tables: Tables, revision: int = 0) -> None:
        self.first = tables
        self._states, self._at = [tables], 0
        self.revision, self._shown = revision, {revision: tables}

    @property
    def now(self) -> Tables:
        """The present state."""
        return self._states[self._at]

    def renew(self) -> None:
        """Begin a new revision."""
        self.revision += 1
        self._shown[self.revision] = self.now

    def check(
        self,
        revision: object,
        part: Callable[[Tables], object] = lambda tables: tables,
        wanted: object = None,
    ) -> None:
        """Refuse to change a part that was changed since a page of this revision was shown.

        Nothing is refused where the part is as ``wanted`` by now, or without a revision.
        """
        if revision is None:
            return
        shown = self._shown.get(revision) if isinstance(revision, int) else None
        if shown is None:
            why = "a table was opened"
        elif part(shown) == part(self.now) or part(self.now) == wanted:
            return
        else:
            why = f"{difference_in_words(shown, self.now)} changed"
        raise StaleError.of(
            f"This page is not the newest: {why} since it was shown, maybe in another tab.",
            remedy="Look at what is chosen now, and change it again.",
        )

    def enter(self, tables: Tables) -> bool:
        """Go on with other tables; False if they are the same."""
        if tables == self.now:
            return False
        del self._states[self._at + 1 :]
        self._states.append(tables)
        self._at += 1
        self.renew()
        return True

    def amend(self, tables: Tables) -> None:
        """Set other tables in place of the present ones, as part of the same change."""
        self._states[self._at] = self._shown[self.revision] = tables

    def step(self, by: int) -> None:
        """Go back (-1) or forth (+1)."""
        if not 0 <= self._at + by < len(self._states):
            raise QuestionError.of(
                f"There is nothing to {'undo' if by < 0 else 'redo'}.", remedy="Go on."
            )
        self._at += by
        self.renew()

    def difference(self, by: int) -> str:
        """What a step would change, in words; "" if there is none."""
        at = self._at + by
        is_there = 0 <= at < len(self._states)
        return difference_in_words(self._states[at], self.now) if is_there else ""
