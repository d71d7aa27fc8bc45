"""The order of labels: numbers and classes of numbers by value, others as text."""

import re
from collections.abc import Iterable
from fractions import Fraction
from math import inf, isnan

from evenhand.question.codings import MISSING


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
        place = {label: _lower_end(label) for label in labels}
    except ValueError:
        return tuple(labels)
    if any(isnan(number) for number, _ in place.values()):
        return tuple(labels)
    return tuple(sorted(labels, key=place.__getitem__))


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
