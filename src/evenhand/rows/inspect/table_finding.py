"""``TableFinding``: one thing to look at in a table, with what to do about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from enum import StrEnum

from evenhand.errors import Problem, Remedy, Spelling, listed, python_argument

_EXAMPLES = 5


class FindingKind(StrEnum):
    """What was found, the most important first."""

    DETERMINES_DECISION = "determines the decision"
    NEARLY_DETERMINES_DECISION = "nearly determines the decision"
    FOLLOWS_FROM_DECISION = "follows from the decision"
    TIED_TO_PROTECTED = "tied to the protected attribute"
    COUNTED = "counts of people"
    SPELLING = "spelling variants"
    MARKER = "looks missing"
    MISSING = "missing values"
    EQUIVALENT = "equivalent columns"
    DEPENDENT = "dependent columns"
    NO_GROUPS = "forms no groups"
    NUMBERS = "numbers of many values"
    COMMA_NUMBERS = "numbers with a comma"
    MANY_VALUES = "many values"
    UNREADABLE = "no labels"
    IN_PART = "looked at in part"


# What can change the answer to a question, rather than how well the table can be read. What
# determines the decision is not among them: the verdict itself tells that.
MATTERS = frozenset(
    {
        FindingKind.FOLLOWS_FROM_DECISION,
        FindingKind.TIED_TO_PROTECTED,
        FindingKind.SPELLING,
        FindingKind.MARKER,
        FindingKind.EQUIVALENT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFinding:
    """One thing to look at: what, in which columns, its numbers, and what to do."""

    kind: FindingKind
    columns: tuple[str, ...]
    problem: Problem
    numbers: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, object]:
        """Plain values; the problem's parts beside what was found."""
        return {
            "kind": str(self.kind),
            "columns": list(self.columns),
            "numbers": dict(self.numbers),
            **self.problem.to_dict(spelling),
        }


def tell(
    kind: FindingKind,
    columns: Iterable[str],
    what: str,
    *remedies: Remedy,
    found: str = "",
    **numbers: object,
) -> Iterator[TableFinding]:
    """One finding of these columns, in words and numbers; none if there are none."""
    if names := tuple(columns):
        problem = Problem(what, found, remedies)
        yield TableFinding(kind=kind, columns=names, problem=problem, numbers=numbers)


def leave_out(
    kind: FindingKind, names: Sequence[str], why: str, **numbers: object
) -> Iterator[TableFinding]:
    """Columns that should be left out, and why."""
    what = f"{some_names(names)} {'are' if len(names) > 1 else 'is'} {why}"
    out = Remedy(f"Leave {it(names)} out", "exclude", [*names])
    return tell(kind, names, what, out, found="", **numbers)


def unreadable(names: Sequence[str]) -> Iterator[TableFinding]:
    """Columns of lists, bytes and the like."""
    return leave_out(FindingKind.UNREADABLE, names, "of a type whose values are no labels.")


def in_part(what: str, remedy: Remedy, **numbers: object) -> TableFinding:
    """Something was too much to be looked at as a whole."""
    problem = Problem(what, remedy=remedy)
    return TableFinding(kind=FindingKind.IN_PART, columns=(), problem=problem, numbers=numbers)


def first_rows(rows: int) -> TableFinding:
    """The table has more rows than memory allows to look at."""
    what = f"Only the first {rows:,} rows were looked at."
    return in_part(what, Remedy("Allow more memory", "memory"), rows=rows)


def it(names: Sized) -> str:
    """The word for one column, or several."""
    return "them" if len(names) > 1 else "it"


def some_names(names: Sequence[str]) -> str:
    """The first names, quoted, and the number of the others."""
    return listed(names, limit=_EXAMPLES)


def some(texts: Sequence[str]) -> str:
    """The first texts, and the number of the others."""
    rest = len(texts) - _EXAMPLES
    return ", ".join(texts[:_EXAMPLES]) + (f" and {rest:,} more" if rest > 0 else "")


def rows_in(by_column: Mapping[str, int]) -> str:
    """In how many rows of which columns, most rows first.

    >>> rows_in({"a": 3, "b": 12})
    "'b' 12 rows, 'a' 3"
    """
    often = sorted(by_column.items(), key=lambda item: -item[1])
    texts = [f"{name!r} {many:,}" for name, many in often]
    return some([f"{one} row{'s'[: often[0][1] > 1]}" for one in texts[:1]] + texts[1:])
