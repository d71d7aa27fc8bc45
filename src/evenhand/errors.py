"""What can go wrong, as a tree of exceptions.

Every problem has up to three parts: what is wrong and where, what was found, and what to do.
What to do is data, too (``Remedy``), so that Python, command line and web can each spell it.
All problems that one pass finds are raised together, so that a file is repaired in one go.

    EvenhandError
    ├── InputError            a file, frame or table cannot be read as a table of labels
    │   ├── ColumnError       a column is absent, repeated, or no category
    │   ├── MissingValueError values are missing and nobody said what that means
    │   └── ValuesError       a column's values do not fit what was asked of them
    │       └── UnplacedError a number lies in no class of its column
    ├── QuestionError         the question makes no sense, or not for these data
    │   ├── StaleError        the app: a page changes what was changed since it was shown
    │   └── UnsavedError      the app: going on would lose choices that are in no file
    ├── KnowledgeError        tiers and arrows contradict each other or the data
    ├── GraphError            a graph cannot be read, or cannot answer the question
    ├── CannotReleaseError    no release can be certified; nothing is written
    ├── UnconfirmedError      the checker does not confirm a certificate; it is not written
    └── ResourceError         too large, or the machine refused
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, get_close_matches
from pathlib import Path
from typing import Self, TypeAlias

Spelling: TypeAlias = Callable[[str, object], str]

_LEAST_SIMILARITY = 0.6
_LONGEST_NAME = 200


def python_argument(name: str, value: object) -> str:
    """Spell an argument as in a call of the library; ``...`` stands for the caller's choice.

    >>> python_argument("overwrite", True), python_argument("columns", ...)
    ('overwrite=True', 'columns=…')
    """
    return f"{name}=…" if value is ... else f"{name}={value!r}"


def words_only(_name: str, _value: object) -> str:
    """Spell no argument: for documents whose readers cannot run anything."""
    return ""


@dataclass(frozen=True, slots=True)
class Remedy:
    """What helps: in words, and as an argument of the library where one does it.

    ``value`` is plain data, or ``...`` where the choice is the user's. Each interface spells
    the argument in its own way: ``missing='drop'``, ``--missing drop``, or a button.
    """

    words: str
    argument: str = ""
    value: object = ...

    def text(self, spelling: Spelling) -> str:
        """The words with the argument; ``spelling`` gives "" where an interface lacks it."""
        spelled = spelling(self.argument, self.value) if self.argument else ""
        return f"{self.words} ({spelled})" if spelled else self.words

    def excludes(self, columns: Collection[str]) -> bool:
        """Whether one of the columns would be left out."""
        named = self.value if isinstance(self.value, list | tuple) else ()
        return self.argument == "exclude" and any(name in columns for name in named)

    def to_dict(self) -> dict[str, object]:
        """The remedy as plain values."""
        choice = {} if self.value is ... else {"value": self.value}
        argument = {"argument": self.argument, **choice} if self.argument else {}
        return {"words": self.words, **argument}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in parts that a test or a program can look at.

    ``remedy`` is a sentence, or one or several remedies of which each helps. It ``is_open``
    where nothing is wrong yet: something is still to be said.
    """

    what: str
    found: str = ""
    remedy: str | Remedy | tuple[Remedy, ...] = ""
    where: str = ""
    is_open: bool = False

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Everything that helps, one by one."""
        if isinstance(self.remedy, str):
            return (Remedy(self.remedy.removesuffix(".")),) if self.remedy else ()
        return (self.remedy,) if isinstance(self.remedy, Remedy) else self.remedy

    def remedy_text(self, spelling: Spelling = python_argument) -> str:
        """The remedies as one sentence."""
        *others, last = [remedy.text(spelling) for remedy in self.remedies] or [""]
        sentence = f"{', '.join(others)}, or {last}" if others else last
        return f"{sentence}." if sentence else ""

    def text(self, spelling: Spelling = python_argument) -> str:
        """The whole problem as one line."""
        place = f"{self.where}: " if self.where else ""
        parts = (self.what, self.found, self.remedy_text(spelling))
        return place + " ".join(part for part in parts if part)

    def __str__(self) -> str:
        return self.text()

    def to_dict(self, spelling: Spelling = python_argument) -> dict[str, object]:
        """The problem as plain values; ``remedy`` is the sentence, ``remedies`` the parts."""
        return {
            "what": self.what,
            "found": self.found,
            "remedy": self.remedy_text(spelling),
            "where": self.where,
            "remedies": [remedy.to_dict() for remedy in self.remedies],
        }


class EvenhandError(ValueError):
    """Something the user can mend; ``problems`` holds every part of it."""

    exit_status = 2
    # What is said of names that are not there, of those that are, and what to do.
    absent = (
        "There is no column",
        "The columns are",
        "Name one of the columns that are there.",
    )

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))

    @classmethod
    def of(
        cls,
        what: str,
        found: str = "",
        remedy: str | Remedy | tuple[Remedy, ...] = "",
        where: str = "",
    ) -> Self:
        """An error with this one problem."""
        return cls(Problem(what, found, remedy, where))

    @classmethod
    def unknown(
        cls, names: Iterable[str], available: Iterable[str], *, where: str = ""
    ) -> Self:
        """Each unknown name, with the names that look like it."""
        known, (no, all_of, hint) = list(available), cls.absent
        return cls(
            *(
                Problem(
                    f"{no} {quote_short(name)}.",
                    did_you_mean(name, known) or f"{all_of} {listed(known)}.",
                    hint,
                    where,
                )
                for name in names
            )
        )


class InputError(EvenhandError):
    """A file, frame or table cannot be read as a table of labels."""


class ColumnError(InputError):
    """A column is absent, repeated, or no category."""


class MissingValueError(InputError):
    """Values are missing and nobody said what that means."""


class ValuesError(InputError):
    """A column's values do not fit what was asked of them."""


class UnplacedError(ValuesError):
    """A number lies in no class of its column."""


class QuestionError(EvenhandError):
    """The question makes no sense, or not for these data."""


class KnowledgeError(EvenhandError):
    """Tiers and arrows contradict each other or the data."""


class GraphError(EvenhandError):
    """A graph cannot be read, or cannot answer the question."""

    absent = (
        "The graph has no node",
        "Its nodes are",
        "Name one of the nodes, or add it to the graph.",
    )


class CannotReleaseError(EvenhandError):
    """No release can be certified as asked; nothing is written."""

    exit_status = 3


class UnconfirmedError(EvenhandError):
    """The stand-alone checker does not confirm a certificate; so it is not written."""

    exit_status = 5


class ResourceError(EvenhandError):
    """Too large, or the machine refused."""

    exit_status = 4


@contextmanager
def optional_library(library: str) -> Iterator[None]:
    """Turn a failed import of a library that is the user's choice into a problem."""
    try:
        yield
    except ImportError as error:
        raise ResourceError.of(
            f"This cannot be converted: {library} is not installed.",
            str(error),
            f"Install {library}.",
        ) from error


@contextmanager
def keeping(columns: Collection[str]) -> Iterator[None]:
    """Raise the same problems, without the remedy to leave out a column that is needed."""
    try:
        yield
    except EvenhandError as error:
        problems = (
            replace(one, remedy=tuple(r for r in one.remedies if not r.excludes(columns)))
            for one in error.problems
        )
        raise type(error)(*problems) from error


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


def quote_short(name: str) -> str:
    """Quote a name for a message, cut off where it is longer than any that people use."""
    return repr(_short(name, limit=_LONGEST_NAME))


def did_you_mean(name: str, available: Iterable[str]) -> str:
    """Name what looks like ``name``, or say nothing.

    >>> did_you_mean("Sex ", ["sex", "age"])
    "Did you mean 'sex'?"
    """
    if len(name) > _LONGEST_NAME:
        return ""  # nobody mistypes that, and to compare it would take long
    by_folded = {candidate.strip().casefold(): candidate for candidate in available}
    near = get_close_matches(name.strip().casefold(), by_folded, n=3, cutoff=_LEAST_SIMILARITY)
    return f"Did you mean {' or '.join(repr(by_folded[key]) for key in near)}?" if near else ""


def nearest_path(path: Path, *, excluded: Collection[Path] = ()) -> Path | None:
    """The existing path with the most similar name; a misspelt parent folder is tried, too.

    The part before the first dot must be similar: most files of a folder end alike.
    """
    folder = next((parent for parent in path.parents if path_exists(parent)), None)
    if folder is None:
        return None
    wrong, *inside = path.relative_to(folder).parts
    names: list[str] = []
    with suppress(OSError):  # a folder that cannot be listed offers nothing
        names = sorted(entry.name for entry in folder.iterdir())

    def similarity(name: str) -> tuple[float, float]:
        stems = wrong.partition(".")[0], name.partition(".")[0]
        return _ratio(*stems), _ratio(wrong, name)

    for name in sorted(names, key=similarity, reverse=True):
        candidate = folder.joinpath(name, *inside)
        if (
            similarity(name)[0] >= _LEAST_SIMILARITY
            and candidate not in excluded
            and path_exists(candidate)
        ):
            return candidate
    return None


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def path_exists(path: Path) -> bool:
    """Whether there is such a file or folder; False also for a name that is too long."""
    with suppress(OSError):
        return path.exists()
    return False


def _short(text: str, *, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
