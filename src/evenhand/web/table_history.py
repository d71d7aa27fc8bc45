"""``TableHistory``: the tables of a question file as they are now, and as they were before."""

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


class TableHistory:
    """States of the tables, of which one is the present one; no state is changed."""

    def __init__(self, tables: Tables) -> None:
        self.first = tables
        self._states, self._at = [tables], 0

    @property
    def now(self) -> Tables:
        """The present state."""
        return self._states[self._at]

    def enter(self, tables: Tables) -> bool:
        """Go on with other tables; False if they are the same."""
        if tables == self.now:
            return False
        del self._states[self._at + 1 :]
        self._states.append(tables)
        self._at += 1
        return True

    def amend(self, tables: Tables) -> None:
        """Set other tables in place of the present ones."""
        self._states[self._at] = tables

    def step(self, by: int) -> None:
        """Go back (-1) or forth (+1)."""
        if not 0 <= self._at + by < len(self._states):
            raise QuestionError.of(
                f"There is nothing to {'undo' if by < 0 else 'redo'}.", remedy="Go on."
            )
        self._at += by

    def difference(self, by: int) -> str:
        """What a step would change, in words; "" if there is none."""
        at = self._at + by
        is_there = 0 <= at < len(self._states)
        return difference_in_words(self._states[at], self.now) if is_there else ""
