"""Reads values that people write: texts, labels, exact numbers; what is none is refused."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from operator import index
from typing import Any, TypeAlias

from evenhand.errors import Problem, QuestionError, Remedy, listed

# A threshold with more digits than this is a mistake, and would make exact verdicts slow.
_LONGEST_NUMBER = 18
_LARGEST_EXPONENT = 400
SEED_BITS = 128
WILDCARD = "*"  # in merges and tiers: all that is not named
JOIN = " & "  # between the values of a group that several attributes define
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


def refused(what: str, value: object, kind: str, *remedies: Remedy | str) -> QuestionError:
    """The error for a value that is not of its kind; ``what`` names what it was given for."""
    helps = tuple(one if isinstance(one, Remedy) else Remedy(one) for one in remedies)
    return QuestionError.of(f"{what} is {value!r}, which is {kind}.", remedy=helps)


def of_type(kind: str, write: str, *types: Any) -> Callable[[Any, str], Any]:  # noqa: ANN401
    """A reader of values of some types; of these True is no number."""

    def read(value: Any, what: str) -> Any:  # noqa: ANN401  # of each kind its own
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise refused(what, value, f"no {kind}", write)
        return value

    return read


require_text: Callable[[Any, str], str] = of_type("text", "Write a name in quotes", str)
require_table: Callable[[Any, str], Mapping[Any, Any]] = of_type(
    "table of names and values", 'Write a table, as {"a": …}', Mapping
)


def require_texts(values: Any, what: str) -> tuple[str, ...]:  # noqa: ANN401
    """Return the texts of a list; a text alone is not taken as a list of its letters."""
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    items: tuple[object, ...] = tuple(values) if is_list else (None,)
    if not all(isinstance(item, str) for item in items):
        raise refused(what, values, "no list of texts", 'Write a list, as ["a", "b"]')
    return tuple(map(str, items))


def distinct_texts(values: object, what: str) -> tuple[str, ...]:
    """The texts of a list, each once."""
    return tuple(dict.fromkeys(require_texts(values, what)))


def labels(values: object, what: str) -> tuple[str, ...]:
    """The labels of a list of values, in its order."""
    if not isinstance(values, Iterable) or isinstance(values, str | set | frozenset):
        raise refused(what, values, "no list of values", 'Write a list, as ["a", "b"]')
    return tuple(map(as_label, values))


def text_or_texts(value: object, what: str) -> str | tuple[str, ...]:
    """One text, or several."""
    is_list = isinstance(value, tuple | list)
    return _one_or_all(require_texts(value, what)) if is_list else require_text(value, what)


def text_labels(values: object, what: str) -> tuple[str, ...]:
    """The labels of a list of texts."""
    return labels(require_texts(values, what), what)


def label_or_labels(value: object, what: str) -> str | tuple[str, ...] | None:
    """The label of one value, or those of several; None of none."""
    if isinstance(value, set | frozenset):
        value = sorted(value, key=as_label)
    is_list = isinstance(value, tuple | list)
    return (_one_or_all(labels(value, what)) if is_list else as_label(value)) or None


def _one_or_all(texts: tuple[str, ...]) -> str | tuple[str, ...]:
    """Each text once; one that stands in a list is as if it stood alone."""
    distinct = tuple(dict.fromkeys(texts))
    return distinct[0] if len(distinct) == 1 else distinct


def group_label(value: object, what: str) -> str:
    """The label of a group; of several attributes their values, joined."""
    return JOIN.join(labels(value if isinstance(value, tuple | list) else [value], what))


def one_of(*names: str) -> Callable[[Any, str], str]:
    """A reader of a word for which there is a choice."""

    def read(value: object, what: str) -> str:
        if value not in names:
            choose = Remedy("Choose one", what.strip("`"))
            raise refused(what, value, f"none of {listed(names)}", choose)
        return str(value)

    return read


def of_columns(read: Callable[[Any, str], Any]) -> Callable[[Any, str], dict[str, Any]]:
    """A reader of what is said of each column; all problems come together."""

    def read_each(value: object, what: str) -> dict[str, Any]:
        said, problems = dict[str, Any](), list[Problem]()
        for column, one in require_table(value or {}, what).items():
            try:
                said[column] = read(one, column)
            except QuestionError as error:
                where = f"{what.strip('`')} of {column!r}"
                problems += [replace(problem, where=where) for problem in error.problems]
        if problems:
            raise QuestionError(*problems)
        return said

    return read_each


def value_words(words: object, column: str) -> dict[str, str]:
    """Plain words for the values of a column."""
    table = require_table(words, f"What stands for values of {column!r}")
    return {as_label(value): require_text(word, "A label") for value, word in table.items()}


def merged_labels(groups: object, _: str) -> dict[str, tuple[str, ...]]:
    """What is merged: the new labels, each with those that it replaces."""
    merged = {
        as_label(new): labels(olds, f"What {new!r} replaces")
        for new, olds in require_table(groups, "What is merged").items()
    }
    named = Counter(old for olds in merged.values() for old in olds)
    if twice := sorted(old for old, times in named.items() if times > 1):
        raise QuestionError.of(
            f"The values {listed(twice)} are merged twice.",
            remedy="Put each old value under one new value.",
        )
    return merged


def whole_from(least: int) -> Callable[[Any, str], int]:
    """A reader of whole numbers."""

    def read(value: Any, what: str) -> int:  # noqa: ANN401  # whatever a person gives
        number = _whole_number(value, least, 2**63)
        if number is None:
            give = Remedy("Give one", what.strip("`"), least or ...)
            raise refused(what, value, f"no whole number of at least {least}", give)
        return number

    return read


def check_seed(seed: int) -> int:
    """Return a random seed if it is one: a whole number of at most 128 bits."""
    number = _whole_number(seed, 0, 2**SEED_BITS)
    if number is None:
        raise QuestionError.of(
            f"The seed {seed!r} is no whole number from 0 to 2¹²⁸ − 1.",
            remedy="Give such a number, or leave it out.",
        )
    return number


def _whole_number(value: Any, least: int, beyond: int) -> int | None:  # noqa: ANN401
    """The value if it is a whole number, of whatever library, and in the range."""
    with suppress(TypeError):
        number = index(value)
        return number if not isinstance(value, bool) and least <= number < beyond else None
    return None


def difference_of_rates(value: Number, what: str) -> Fraction:
    """A threshold: a difference of rates between 0 and 1, exactly as it was typed."""
    name = what.strip("`").replace("_", " ")
    try:
        threshold = exact_fraction(value)
    except ValueError as error:
        raise QuestionError.of(
            f"The {name} {value!r} cannot be used.",
            _meant_rate(str(value)) or f"{error}.",
            "Write a number between 0 and 1, as '0.05' or '1/20'.",
        ) from error
    if not 0 < threshold < 1:
        meant = f"Did you mean {threshold / 100}?" if 1 <= threshold < 100 else ""
        raise QuestionError.of(
            f"The {name} {value!s} is not between 0 and 1.",
            meant
            if threshold
            else "No difference is smaller than 0, so nothing could ever be certified.",
            "Write a difference of rates, as '0.05' for five percentage points.",
        )
    return threshold


def _meant_rate(text: str) -> str:
    """Suggest the number that a mistyped one was meant to be: "5%" or "0,05"."""
    cleaned = text.strip().replace(",", ".")
    with suppress(ValueError):
        number = exact_number(cleaned.rstrip("% ")) / (100 if "%" in cleaned else 1)
        if 0 < exact_fraction(float(number)) < 1:
            return f"Did you mean '{float(number)}'?"
    return ""


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
