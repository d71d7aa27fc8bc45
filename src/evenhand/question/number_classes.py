"""Classes of numbers between cut points, and the labels that a person would write for them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any, Self, TypeAlias

from evenhand.errors import QuestionError, Remedy, listed
from evenhand.question.parse_values import Number, exact_fraction, exact_number, refused

_AT_LEAST = ">="
_FIRST_CLASS = re.compile(r"(up to|under) .+")
_UPPER_END = re.compile(r"(?:up to |.+ to )?(under )?(.*)", re.DOTALL)

# A number, and whether it is itself below the cut: (37, True) is "up to 37", then "over 37".
Boundary: TypeAlias = tuple[Fraction, bool]


@dataclass(frozen=True, slots=True)
class Bins:
    """Classes of numbers between cut points.

    A cut of 37 means "up to 37", and ends a class; ">=37" means "37 or more", and begins one.
    ``at_least`` marks the latter. ``whole`` says whether the column has whole numbers only;
    None that its values will decide. Labels depend on it, the classes of whole numbers do not.

    >>> Bins.at(37, 50).labels
    ('up to 37', 'over 37 to 50', 'over 50')
    >>> Bins.at(37, ">=50").of_whole_numbers(True).labels
    ('up to 37', '38 to 49', '50 or more')
    >>> Bins.at("up to 37", "38 to 49", "50 or more").label("49")
    '38 to 49'
    """

    cuts: tuple[Fraction, ...]
    at_least: tuple[bool, ...] = ()
    whole: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_least", self.at_least or (False,) * len(self.cuts))

    @classmethod
    def at(cls, *cuts: Number) -> Self:
        """Classes from cut points, or from their labels; text makes 0.1 one tenth."""
        labels = tuple(map(str, cuts))
        is_labels = bool(cuts) and _FIRST_CLASS.fullmatch(labels[0]) is not None
        try:
            parsed = [*(map(_upper_end, labels[:-1]) if is_labels else map(_parse_cut, cuts))]
        except ValueError as error:
            raise QuestionError.of(
                f"The cut points {listed(cuts)} are not all numbers: {error}.",
                remedy=Remedy("Write numbers, for example", "bins", {"age": [37]}),
            ) from error
        if not parsed or any(a >= b for a, b in pairwise(parsed)):
            raise QuestionError.of(
                f"The cut points {listed(cuts)} do not rise.",
                remedy="Give at least one, from the smallest to the largest.",
            )
        bins = cls(tuple(cut for cut, _ in parsed), tuple(not below for _, below in parsed))
        if not is_labels:
            return bins
        for settled in map(bins.of_whole_numbers, (True, False)):
            if settled.labels == labels:
                return settled
        raise QuestionError.of(
            f"The classes {listed(cuts)} leave gaps between them.",
            f"With the same upper ends they would be {listed(settled.labels)}.",
            "Write these, or cut points alone.",
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the classes, from low to high."""
        if self.whole:
            ends = self.ends
            middle = (_span(str(low + 1), str(high)) for low, high in pairwise(ends))
            return (f"up to {ends[0]}", *middle, f"{ends[-1] + 1} or more")
        cuts = [(number_text(number), below) for number, below in self.boundaries]
        (first, ends_first), (last, ends_last) = cuts[0], cuts[-1]
        middle = (
            _span(f"over {low}" if ends else low, high if inside else f"under {high}")
            for (low, ends), (high, inside) in pairwise(cuts)
        )
        return (
            f"up to {first}" if ends_first else f"under {first}",
            *middle,
            f"over {last}" if ends_last else f"{last} or more",
        )

    @property
    def notation(self) -> list[str]:
        """The classes as ``at`` reads them: labels once they are settled, else cut points."""
        if self.whole is not None:
            return [*self.labels]
        return [
            (_AT_LEAST if begins else "") + number_text(cut)
            for cut, begins in zip(self.cuts, self.at_least, strict=True)
        ]

    @property
    def boundaries(self) -> list[Boundary]:
        """Each cut, and whether the number itself lies below it."""
        return [(cut, not up) for cut, up in zip(self.cuts, self.at_least, strict=True)]

    @property
    def ends(self) -> list[int]:
        """The largest whole number below each cut."""
        return [*map(last_below, self.boundaries)]

    def position(self, number: Fraction) -> int:
        """How many cuts lie below a number."""
        return bisect_left(self.boundaries, (number, 0.5))

    def label(self, text: str) -> str:
        """The class of a number given as text; ``ValueError`` if it is none, or in no class."""
        number = exact_number(text)
        # Between "up to 3" and "4 or more" lies 3.5, of which neither is true.
        if self.whole and number.denominator > 1 and floor(number) in self.ends:
            raise ValueError(text)
        return self.labels[self.position(number)]

    def of_whole_numbers(self, whole: bool) -> Self:  # noqa: FBT001  # what it says
        """The same classes, labelled for whole numbers or for any; what is settled stays so.

        Of whole numbers, cuts between the same two make one class, not an empty one.
        """
        if self.whole is not None or not whole:
            return replace(self, whole=bool(self.whole))
        ends = sorted({*self.ends})
        return replace(self, cuts=tuple(map(Fraction, ends)), at_least=(), whole=True)

    def whole_labels(self) -> dict[str, str]:
        """The label that each class has if its numbers are whole, by the label otherwise."""
        ends = self.ends
        labels, distinct = self.of_whole_numbers(True).labels, sorted({*ends})
        places = [*(bisect_left(distinct, end) for end in ends), -1]
        return {
            label: labels[at]
            for label, at in zip(self.of_whole_numbers(False).labels, places, strict=True)
        }

    def settled(self, occurring: Iterable[str]) -> Self:
        """The classes with labels as those that occur: of whole numbers, or of any.

        A label that both have, as "up to 3", tells nothing, and holds the same numbers.
        """
        labels = self.whole_labels()
        only_whole = {*labels.values()} - {*labels}
        return self.of_whole_numbers(not only_whole.isdisjoint(occurring))


def read_bins(cuts: Any, column: str) -> Bins | int:  # noqa: ANN401  # whatever a person gives
    """Classes from cut points or labels, or the number of quantile classes."""
    if isinstance(cuts, Bins):
        return cuts
    if isinstance(cuts, Iterable) and not isinstance(cuts, str | bytes | Mapping):
        return Bins.at(*cuts)
    if type(cuts) is not int or cuts < 2:
        raise refused(
            "What is asked for",
            cuts,
            "no list of cut points, nor a number of classes from 2 on",
            Remedy("Write numbers, for example", "bins", {column: [37]}),
        )
    return cuts


def number_text(number: Fraction) -> str:
    """The shortest exact text: a decimal where there is one, else a fraction."""
    if number.denominator == 1:
        return str(number.numerator)
    decimal = Decimal(number.numerator) / Decimal(number.denominator)
    return str(decimal) if Fraction(decimal) == number else str(number)


def _parse_cut(cut: Number) -> Boundary:
    text = cut.strip() if isinstance(cut, str) else ""
    if text.startswith(_AT_LEAST):
        return exact_fraction(text.removeprefix(_AT_LEAST)), False
    return exact_fraction(cut), True


def _upper_end(label: str) -> Boundary:
    """The cut above a class."""
    under, number = _UPPER_END.fullmatch(label).groups()  # type: ignore[union-attr]
    return exact_fraction(number), not under


def last_below(cut: Boundary) -> int:
    """The largest whole number below a cut."""
    number, below = cut
    return floor(number) if below else ceil(number) - 1


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
