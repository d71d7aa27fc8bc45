"""Pieces of sentences: emphasis without markup, numbers, and lists."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from evenhand.display import percent

MOST_LISTED = 10


class Strong(str):
    """A piece of a sentence to be emphasized."""

    __slots__ = ()


class Code(str):
    """A piece of a sentence in a typewriter face: a digest, a command."""

    __slots__ = ()


class NamedAttribute(str):
    """A piece of a sentence that names an attribute: in the app it leads to its box."""

    __slots__ = ("name",)
    name: str

    @classmethod
    def of(cls, name: str, label: str) -> "NamedAttribute":
        """The words for a column, and the column."""
        made = cls(label)
        made.name = name
        return made


Text: TypeAlias = str | tuple[str, ...]


class VerdictCard(NamedTuple):
    """A verdict: what it is about, the mark under which it is drawn, its word, a sentence."""

    about: Text
    mark: str
    word: str
    sentence: Text


class Premise(NamedTuple):
    """Something the verdict rests on: its status, what it is, how it could be disputed."""

    status: str
    what: str
    why: Text = ""


def text(*pieces: str) -> tuple[str, ...]:
    """A sentence made of pieces."""
    return pieces


def rate(yes: int, total: int) -> str:
    """A share of a count as a percentage that shows neither none nor all where that is untrue.

    >>> rate(31, 462), rate(9_999, 10_000), rate(1, 10_000)
    ('6.7%', '>99.9%', '<0.1%')
    """
    return share(yes / total) if total else "none"


def share(part: float) -> str:
    """A share as a percentage, without decimals where it is all or none."""
    return f"{part:.0%}" if part in (0, 1) else percent(part).replace(" ", "")


def count(many: int, one: str, several: str | None = None) -> str:
    """A number with its noun.

    >>> count(1, "group"), count(1200, "group")
    ('1 group', '1,200 groups')
    """
    return f"{many:,} {one if many == 1 else several or one + 's'}"


def part(some: int, every: int, one: str) -> str:
    """Some of all things in words, with their noun.

    >>> part(1, 1, "test"), part(2, 2, "test"), part(3, 3, "test"), part(1, 3, "test")
    ('the only test', 'both tests', 'all 3 tests', '1 of the 3 tests')
    """
    if every == 1:
        return f"the only {one}"
    few = f"{some:,} of the {every:,}"
    return f"{few if some < every else 'both' if every == 2 else f'all {every:,}'} {one}s"


def listing(names: Iterable[str]) -> str:
    """Names in a row: "a, b and c".

    >>> listing(["a", "b", "c"]), listing([])
    ('a, b and c', 'nothing')
    """
    *most, last = [*names] or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last


def shortened(names: Sequence[str]) -> list[str]:
    """The names, of more than ten the first ten and how many more there are.

    >>> shortened([*"abcdefghijkl"])[-2:]
    ['j', '2 more']
    """
    rest = len(names) - MOST_LISTED
    return [*names[:MOST_LISTED], f"{rest:,} more"] if rest > 0 else [*names]


def capital(text: str) -> str:
    """The text with a capital letter in front."""
    return text[:1].upper() + text[1:]
