"""The order of labels: numbers and classes of numbers by value, others as text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf, isnan

import numpy as np

from evenhand.errors import Problem, Remedy
from evenhand.question.codings import MISSING

MARKERS = frozenset(
    {"", "?", "??", "-", "--", ".", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null"}
)
# Among numbers these say that there is none; elsewhere they may be a value.
WORDS_FOR_MISSING = frozenset(
    {"unknown", "missing", "not available", "not stated", "not known", "unspecified", "no data"}
)
EXAMPLES = 5


def in_order(values: Iterable[str]) -> tuple[str, ...]:
    """Sort labels as numbers or classes of numbers where all are such, as text otherwise.

    >>> in_order({"10", "9"}), in_order({"10", "9", "x"})
    (('9', '10'), ('10', '9', 'x'))
    >>> in_order({">100", ">37, <=100", "<=37"})
    ('<=37', '>37, <=100', '>100')
    >>> in_order({"101 or more", "38 to 100", "up to 37", "(missing)"})
    ('up to 37', '38 to 100', '101 or more', '(missing)')
    """
    labels = sorted(values)
    try:
        numbers = np.fromiter(map(float, labels), float, len(labels))
    except ValueError:
        return _in_class_order(labels)
    # Without a key for each label: of a million these are 200 MB.
    if np.isnan(numbers).any() or (numbers[1:] >= numbers[:-1]).all():
        return tuple(labels)
    return tuple(map(labels.__getitem__, np.argsort(numbers, kind="stable").tolist()))


def _in_class_order(labels: list[str]) -> tuple[str, ...]:
    """Sorted labels that are not all numbers: by where classes of numbers begin, or as text."""
    try:
        place = {label: _lower_end(label) for label in labels}
    except ValueError:
        return tuple(labels)
    if any(isnan(number) for number, _ in place.values()):
        return tuple(labels)
    return tuple(sorted(labels, key=place.__getitem__))


# Words whose order is known, worst first; "fair" and "good" are read as grades.
_SCALES = (
    ("low", "medium", "high"),
    ("low", "mid", "high"),
    ("low", "middle", "high"),
    ("low", "average", "high"),
    ("very low", "low", "medium", "high", "very high"),
    ("poor", "fair", "good", "excellent"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("very poor", "poor", "fair", "good", "very good", "excellent"),
    ("bad", "average", "good"),
    ("fail", "pass", "merit", "distinction"),
)


def known_order(values: Iterable[str]) -> tuple[str, ...]:
    """Labels from low to high where their order is known: numbers, classes, words of a scale.

    Nothing for other labels, and where a value is missing: that has no place among them.

    >>> known_order(["high", "low", "medium"]), known_order(["10", "9"]), known_order("ab")
    (('low', 'medium', 'high'), ('9', '10'), ())
    """
    labels = [*values]
    if MISSING in labels or not labels:
        return ()
    plain = {label: label.strip().casefold() for label in labels}
    for scale in _SCALES:
        if {*plain.values()} <= {*scale}:
            return tuple(sorted(labels, key=lambda label: scale.index(plain[label])))
    try:
        numbers = [_lower_end(label)[0] for label in labels]
    except ValueError:
        return ()
    return () if any(map(isnan, numbers)) else in_order(labels)


def _lower_end(label: str) -> tuple[float, bool]:
    """Where a number or a class begins, and whether only after that number."""
    try:
        return float(label), False
    except ValueError:
        if label == MISSING:
            return inf, True
    if first := re.fullmatch(r"<=(.+)|(?:up to|under) (.+)", label):
        return min(-inf, _number(first[1] or first[2])), False
    if above := re.fullmatch(r">(.+?)(?:, .+)?|over (.+?)(?: to .+)?", label):
        return _number(above[1] or above[2]), True
    if begin := re.fullmatch(r"(.+?)(?: to .+| or more)", label):
        return _number(begin[1]), False
    raise ValueError(label)


def _number(text: str) -> float:
    return float(Fraction(text) if "/" in text else text)


def looks_missing(value: str) -> bool:
    """Whether a text often stands for a missing value.

    >>> [looks_missing(text) for text in (" ?", "N/A", "none", "0")]
    [True, True, False, False]
    """
    return value.strip().casefold() in MARKERS


def marker_problem(value: str, by_column: Mapping[str, int]) -> Problem:
    """A value that looks missing, in how many rows of which columns it is, and what to do."""
    return Problem(
        f"{value!r} is taken as a value: {rows_in(by_column)}.",
        remedy=Remedy("If it means that there is none, declare it", "na", [value]),
    )


def rows_in(by_column: Mapping[str, int]) -> str:
    """In how many rows of which columns, most rows first.

    >>> rows_in({"a": 3, "b": 12})
    "'b' 12 rows, 'a' 3"
    """
    often = sorted(by_column.items(), key=lambda item: -item[1])
    texts = [f"{name!r} {many:,}" for name, many in often]
    return some([f"{one} row{'s'[: often[0][1] > 1]}" for one in texts[:1]] + texts[1:])


def some(texts: Sequence[str]) -> str:
    """The first texts, and the number of the others."""
    rest = len(texts) - EXAMPLES
    return ", ".join(texts[:EXAMPLES]) + (f" and {rest:,} more" if rest > 0 else "")
