"""A statement: a sentence in pieces, so that emphasis needs no markup and data bring none."""

from typing import NamedTuple, TypeAlias


class Strong(str):
    """A piece of a sentence to be emphasized."""

    __slots__ = ()


class Code(str):
    """A piece of a sentence in a typewriter face: a digest, a command."""

    __slots__ = ()


class Section(str):
    """A piece of a sentence that refers to a section of the report: the app leaves it out."""

    __slots__ = ()


class Attribute(str):
    """A piece of a sentence that names an attribute: in the app it leads to its box."""

    __slots__ = ("name",)
    name: str

    @classmethod
    def of(cls, name: str, label: str) -> "Attribute":
        """The words for a column, and the column."""
        made = cls(label)
        made.name = name
        return made


Text: TypeAlias = str | tuple[str, ...]


def text(*pieces: str) -> tuple[str, ...]:
    """A sentence made of pieces."""
    return pieces


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
