"""A statement: a sentence in pieces, so that emphasis needs no markup and data bring none."""

from typing import Any, NamedTuple, TypeAlias


class Strong(str):
    """A piece of a sentence to be emphasized."""

    __slots__ = ()


class Code(str):
    """A piece of a sentence in a typewriter face: a digest, a command."""

    __slots__ = ()


Text: TypeAlias = tuple[str, ...]


def text(*pieces: str) -> Text:
    """A sentence made of pieces."""
    return pieces


class VerdictCard(NamedTuple):
    """A verdict: what it is about, the mark under which it is drawn, its word, a sentence."""

    about: str
    mark: str
    word: str
    sentence: Text


class Premise(NamedTuple):
    """Something the verdict rests on: its status, what it is, how it could be disputed.

    ``needed`` are rows of a table: how strong an unrecorded cause would have to be.
    """

    status: str
    what: str
    why: Text = ()
    needed: tuple[Any, ...] = ()
