"""Checks and parses values that users write: texts, labels, exact numbers."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from operator import index
from typing import Any, TypeAlias

from evenhand.errors import QuestionError

# A threshold with more digits than this is a mistake, and would make exact verdicts slow.
_LONGEST_NUMBER = 18
_LARGEST_EXPONENT = 400
SEED_BITS = 128
# As it is written, "0.05", "1/20" or 0.05; it is read as exactly that number.
Number: TypeAlias = str | int | float | Decimal | Fraction

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-][0-9]{1,3})?")
_TRUTH_VALUES = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_TIME = (
    r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})[T ])?([0-9]{2}:[0-9]{2}:[0-9]{2})(\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
# Every text that ``as_label`` changes matches this; Arrow and Python understand it alike.
RESPELLED = (
    r"^(-?[0-9]+(\.[0-9]*0|(\.[0-9]+)?[eE][+-][0-9]{1,3})|-0|True|TRUE|False|FALSE"
    rf"|{_TIME})$"
)


def as_label(value: object) -> str:
    """The text under which a value is counted, whatever type its column has.

    A number has its shortest decimal spelling, without an exponent, so that a frame and the
    file written from it give the same counts. What may be a code stays as it is: 01, +1, 1e3.
    A time has its shortest spelling, too: midnight without a time zone is the date alone.

    >>> as_label(True), as_label(1.0), as_label("1.50"), as_label(">50K"), as_label("01")
    ('true', '1', '1.5', '>50K', '01')
    >>> as_label("2020-01-31T00:00:00.000"), as_label("2020-01-31 09:30:00.50")
    ('2020-01-31', '2020-01-31 09:30:00.5')
    """
    text = str(value)
    if not _NUMBER.fullmatch(text):
        time = re.fullmatch(_TIME, text)
        return _time_label(*time.groups("")) if time else _TRUTH_VALUES.get(text, text)
    plain = f"{Decimal(text):f}"
    plain = plain.rstrip("0").removesuffix(".") if "." in plain else plain
    return "0" if plain == "-0" else plain


def _time_label(date: str, clock: str, fraction: str, offset: str) -> str:
    """A date and time with a space between them, no needless zeros, an offset as +01:00."""
    clock += fraction.rstrip("0").removesuffix(".")
    if date and clock == "00:00:00" and not offset:
        return date
    digits = "+0000" if offset == "Z" else offset.replace(":", "")
    zone = f"{digits[:3]}:{digits[3:] or '00'}" if digits else ""
    return f"{date} {clock}{zone}".lstrip()


def exact_number(text: str) -> Fraction:
    """Parse a decimal number; ``ValueError`` if it is none, or far beyond floats."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(text) from None
    # A short text can mean a number that fills the memory: 1e999999999.
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError(text)
    return Fraction(number)


def require_text(value: object, what: str) -> str:
    """Return the value if it is text; raise ``QuestionError`` otherwise."""
    if not isinstance(value, str):
        raise QuestionError.of(
            f"{what} is {value!r}, which is no text.", remedy="Write a name in quotes."
        )
    return value


def require_table(value: object, what: str) -> Mapping[str, Any]:
    """Return the value if it is a mapping; raise ``QuestionError`` otherwise."""
    if not isinstance(value, Mapping):
        raise QuestionError.of(
            f"{what} is {value!r}, which is no table of names and values.",
            remedy='Write a table, as {"a": …}.',
        )
    return value


def require_texts(values: object, what: str) -> tuple[str, ...]:
    """Return the texts of a list; a text alone is not taken as a list of its letters."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    items: tuple[object, ...] = tuple(values) if is_list else (None,)  # type: ignore[arg-type]
    if not all(isinstance(item, str) for item in items):
        raise QuestionError.of(
            f"{what} is {values!r}, which is no list of texts.",
            remedy='Write a list, as ["a", "b"].',
        )
    return tuple(map(str, items))


def exact_fraction(value: Number) -> Fraction:
    """Parse "0.05", "1/20", Decimal, int or float as the exact number that was typed.

    A float stands for its shortest text: ``Fraction(0.05)`` is not one twentieth.
    """
    if isinstance(value, Fraction):
        return value
    text = str(value).strip()
    if len(text) > 4 * _LONGEST_NUMBER:
        raise ValueError(f"{text[:20]}… has too many digits")
    try:
        number = Fraction(text) if "/" in text else exact_number(text)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f"{text!r} is not a number") from error
    if max(len(str(number.numerator)), len(str(number.denominator))) > _LONGEST_NUMBER + 1:
        raise ValueError(f"{text!r} needs more than {_LONGEST_NUMBER} digits")
    return number


def check_seed(seed: int) -> int:
    """Return a random seed if it is one: a whole number of at most 128 bits."""
    try:
        number = index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**SEED_BITS:
        raise QuestionError.of(
            f"The seed {seed!r} is no whole number from 0 to 2¹²⁸ − 1.",
            remedy="Give such a number, or leave it out.",
        )
    return number


def as_whole(value: Any) -> Any:  # noqa: ANN401  # whatever a person gives
    """A whole number of another library as Python's own; anything else as it is.

    >>> as_whole(2.5), as_whole(True)
    (2.5, True)
    """
    with suppress(TypeError):
        return value if isinstance(value, bool) else index(value)
    return value
