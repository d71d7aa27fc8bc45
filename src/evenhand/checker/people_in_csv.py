"""Reads the people of a CSV file as the codings of a record say."""

import csv
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import TextIO

from .partition_claims import SHARED
from .record_fields import Record

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-][0-9]{1,3})?")
TIME = re.compile(
    r"(\d{4}-\d\d-\d\d[T ])?(\d\d:\d\d:\d\d(\.\d+)?)(Z|[+-]\d\d(:?\d\d)?)?", re.ASCII
)
Person = tuple[int, tuple[str, ...], int]
LONGEST_FIELD = 2**31 - 1  # what a C long holds everywhere
LARGEST_EXPONENT = 400


class UnreadableDataError(Exception):
    """The data are no text that is read here, so nothing can be said of them."""


class NoClassError(Exception):
    """A number in the data lies in no class of the record, or a class cannot be read."""


def read_people(path: str, codings: Record, asked: Sequence[str]) -> Iterator[Person]:
    """Each CSV line: its number, its labels in the columns asked for, and its frequency.

    A line that is dropped has no labels.
    """
    # It stays so: to set it back would disturb another thread that reads.
    csv.field_size_limit(LONGEST_FIELD)
    try:
        yield from _people(path, codings, asked)
    except (csv.Error, UnicodeDecodeError) as error:
        raise UnreadableDataError(f"{path}: {error}") from error


def _people(path: str, codings: Record, asked: Sequence[str]) -> Iterator[Person]:
    absent = {"", *codings.get("na", ())}
    missing, frequency = codings["missing"], codings.get("frequency")
    coded = {*codings.get("bins", ()), *codings.get("merge", ())}
    label = lru_cache(SHARED)(partial(encode, codings=codings))
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        head = first_lines(file)
        delimiter = codings.get("delimiter") or widest_delimiter(head)
        reader = csv.reader(chain(head, file), delimiter=delimiter)
        header = unique_names(next(filter(None, reader), []))
        names = codings.get("columns") or [name for name in header if name != frequency]
        if not {*names, *coded} <= {*header}:
            raise ValueError(f"{path}: a column is lacking")
        places, place = ({one: at for at, one in enumerate(each)} for each in (header, names))
        columns, wanted = [places[name] for name in names], [place[name] for name in asked]
        coded_at = [place[name] for name in coded & {*names}]
        for row in filter(None, reader):
            even, where = len(row) == len(header), reader.line_num
            weight = whole_number(row[places[frequency]]) if frequency and even else 1
            if weight is None or not even:
                what = "too many fields, too few, or no whole frequency"
                raise ValueError(f"{path}, line {where}: {what}")
            labels = [*map(spelling, map(row.__getitem__, columns))]
            lacking: Sequence[int] = ()
            if not absent.isdisjoint(labels):
                lacking = [at for at, text in enumerate(labels) if text in absent]
            if lacking and missing == "error" and weight:
                name = names[lacking[0]]
                raise ValueError(f"{path}, line {where}: there is no value of {name!r}")
            if lacking and missing == "drop":
                labels = []
            else:
                for at in coded_at:
                    labels[at] = labels[at] if at in lacking else label(names[at], labels[at])
                for at in lacking:
                    labels[at] = "(missing)"
                labels = [*map(labels.__getitem__, wanted)]
            if weight:
                yield where, (*labels,), weight


def first_lines(file: TextIO) -> list[str]:
    """What shows the delimiter; a file without lines is refused."""
    if head := file.readlines(2**18):
        return head
    raise csv.Error("this file is empty")


@lru_cache(2**16)
def whole_number(text: str) -> int | None:
    """The frequency of a line; None if it is no number, negative or a fraction."""
    number = exact_number(text)
    if number is None or number < 0 or number.denominator > 1:
        return None
    return int(number)


def exact_number(text: str) -> Fraction | None:
    """The number that a text is; None if it is none, or one that would fill the memory."""
    try:
        number = Decimal(text.strip())
    except ArithmeticError:
        return None
    is_usual = number.is_finite() and abs(number.adjusted()) <= LARGEST_EXPONENT
    return Fraction(number) if is_usual else None


def unique_names(header: Sequence[str]) -> list[str]:
    """The names, with a number after each that occurred before: a, a.1, a.2."""
    names, written, numbers = dict[str, None](), {*header}, dict[str, int]()
    for name in header:
        new = name
        while new in names or (new != name and new in written):
            numbers[name] = numbers.get(name, 0) + 1
            new = f"{name}.{numbers[name]}"
        names[new] = None
    return [*names]


def widest_delimiter(head: list[str]) -> str:
    """The delimiter that splits the first lines into equally many fields, and into the most."""
    lines = {mark: [*filter(None, csv.reader(head, delimiter=mark))][:20] for mark in ",;\t|"}
    return max(lines, key=lambda m: (len({*map(len, lines[m])}) == 1, len(lines[m][0])))


@lru_cache(2**16)
def spelling(text: str) -> str:
    """A number or time in its shortest spelling, a truth value in small letters, other text."""
    if time := TIME.fullmatch(text):
        day, clock, zone = (time[1] or "")[:10], time[2], time[4]
        clock = clock.rstrip("0").rstrip(".") if time[3] else clock
        if zone:
            sign, numbers = ("+", "00") if zone == "Z" else (zone[0], zone[1:].replace(":", ""))
            return f"{day} {clock}{sign}{numbers[:2]}:{numbers[2:]:0>2}".strip()
        return day if day and clock == "00:00:00" else f"{day} {clock}".strip()
    if not NUMBER.fullmatch(text):
        return text.lower() if text in {"True", "TRUE", "False", "FALSE"} else text
    digits = format(Decimal(text), "f")
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    return digits if digits.strip("-0") else "0"


def encode(name: str, text: str, codings: Record) -> str:
    """The label under which a text is counted."""
    if classes := codings.get("bins", {}).get(name):
        number = exact_number(text)
        try:
            held = [one for one in classes if is_in_class(number or Fraction(), one)]
        except (ValueError, ArithmeticError):  # a label that cannot be read
            held = []
        else:
            if number is None:
                raise ValueError(f"{text!r} is no number, but {name!r} has classes of numbers")
        if not held:
            raise NoClassError(f"{text!r} lies in no class of {name!r} that is known")
        return str(held[0])
    merge = codings.get("merge", {}).get(name, {})
    return next((new for old in (text, "*") for new in merge if old in merge[new]), text)


def is_in_class(number: Fraction, label: str) -> bool:
    """Whether a number is what the words say: up to 2, 3 to 5, over 5 to under 7.5."""
    if label.startswith("up to "):
        low, high = "", label.removeprefix("up to ")
    elif label.startswith("under "):
        low, high = "", label
    elif label.endswith(" or more"):
        low, high = label.removesuffix(" or more"), ""
    else:
        low, to, high = label.partition(" to ")
        high = high if to or low.startswith("over ") else low
    if high.startswith("under "):
        below = number < Fraction(high.removeprefix("under "))
    else:
        below = not high or number <= Fraction(high)
    if low.startswith("over "):
        above = number > Fraction(low.removeprefix("over "))
    else:
        above = not low or number >= Fraction(low)
    return below and above
