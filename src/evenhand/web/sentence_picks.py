"""Choices within a sentence: what is chosen, what else could be, and what choosing it sends."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing that can be chosen; ``value`` is what it sends, as JSON."""

    words: str
    value: str
    chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A choice within the sentence: what is chosen, and what else could be.

    ``options`` are in sections, whose titles may be empty; ``body`` is the request, in which
    the value of the option stands for "$value".
    """

    id: str
    name: str
    kind: str
    shown: str
    body: str
    options: tuple[tuple[str, tuple[Option, ...]], ...]


def points_of(threshold: Fraction) -> str:
    """A threshold in percentage points, with its unit."""
    number = f"{float(100 * threshold):.6g}"
    return f"{number} point{'' if number == '1' else 's'}"


def sentence_pick(  # noqa: PLR0917  # the parts of a choice, in the order of the sentence
    name: str,
    title: str,
    kind: str,
    shown: str,
    change: Any,  # noqa: ANN401  # plain values
    sections: Iterable[tuple[str, tuple[Option, ...]]],
) -> Pick:
    """A choice that changes a part of the question."""
    return Pick(
        id=name,
        name=title,
        kind=kind,
        shown=shown,
        body=json.dumps({"change": {"question": change}}),
        options=tuple(sections),
    )
