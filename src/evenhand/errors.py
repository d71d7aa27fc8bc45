"""What can go wrong, as a tree of exceptions.

Every message has up to three parts: what is wrong and where, what was found, and what to do.
All problems that one pass finds are raised together, so that a file is repaired in one go.

    EvenhandError
    ├── InputError            a file, frame or table cannot be read as a table of labels
    │   ├── ColumnError       a column is absent, repeated, or no category
    │   ├── MissingValueError values are missing and nobody said what that means
    │   └── ValuesError       a column's values do not fit what was asked of them
    ├── QuestionError         the question makes no sense, or not for these data
    ├── KnowledgeError        tiers and arrows contradict each other or the data
    ├── GraphError            a graph cannot be read, or cannot answer the question
    ├── CannotReleaseError    no release can be certified; nothing is written
    └── ResourceError         too large, or the machine refused
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in parts that a test or a program can look at."""

    what: str
    found: str = ""
    remedy: str = ""
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return place + " ".join(part for part in (self.what, self.found, self.remedy) if part)


class EvenhandError(ValueError):
    """Something the user can mend; ``problems`` holds every part of it."""

    exit_status = 2

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class InputError(EvenhandError):
    """A file, frame or table cannot be read as a table of labels."""


class ColumnError(InputError):
    """A column is absent, repeated, or no category."""

    @classmethod
    def unknown(
        cls, names: Iterable[str], available: Iterable[str], *, where: str = ""
    ) -> "ColumnError":
        """Each unknown name, with the names that look like it."""
        present = list(available)
        return cls(
            *(
                Problem(
                    f"There is no column {name!r}.",
                    did_you_mean(name, present) or f"The columns are {listed(present)}.",
                    "Name one of the columns that are there.",
                    where,
                )
                for name in names
            )
        )


class MissingValueError(InputError):
    """Values are missing and nobody said what that means."""


class ValuesError(InputError):
    """A column's values do not fit what was asked of them."""


class QuestionError(EvenhandError):
    """The question makes no sense, or not for these data."""


class KnowledgeError(EvenhandError):
    """Tiers and arrows contradict each other or the data."""


class GraphError(EvenhandError):
    """A graph cannot be read, or cannot answer the question."""

    @classmethod
    def unknown(
        cls, names: Iterable[str], available: Iterable[str], *, where: str = ""
    ) -> "GraphError":
        """Each name that is no node, with the nodes that look like it."""
        nodes = list(available)
        return cls(
            *(
                Problem(
                    f"The graph has no node {name!r}.",
                    did_you_mean(name, nodes) or f"Its nodes are {listed(nodes)}.",
                    "Name one of the nodes, or add it to the graph.",
                    where,
                )
                for name in names
            )
        )


class CannotReleaseError(EvenhandError):
    """No release can be certified as asked; nothing is written."""

    exit_status = 3


class ResourceError(EvenhandError):
    """Too large, or the machine refused."""

    exit_status = 4


def listed(values: Iterable[object], *, limit: int = 12) -> str:
    """Quote values for a message, the rest as a number.

    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed(range(20), limit=2)
    "'0', '1' and 18 more"
    """
    texts = [repr(_short(str(value))) for value in values]
    rest = len(texts) - limit
    return ", ".join(texts[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def did_you_mean(name: str, available: Iterable[str]) -> str:
    """Name what looks like ``name``, or say nothing.

    >>> did_you_mean("Sex ", ["sex", "age"])
    "Did you mean 'sex'?"
    """
    by_folded = {candidate.strip().casefold(): candidate for candidate in available}
    near = get_close_matches(name.strip().casefold(), by_folded, n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(repr(by_folded[key]) for key in near)}?" if near else ""


def _short(text: str, *, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
