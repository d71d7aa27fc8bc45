"""Encoders of one column's texts: labels as integer codes, frequencies as numbers.

Codes are assigned as labels first appear, which may be late in the data. A text that cannot be
binned, or is no frequency, gets the code ``UNFIT``; reporting it is left to the caller.
"""

from decimal import Decimal, InvalidOperation
from sys import getsizeof

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts.count_table import MOST_ROWS
from evenhand.question import Bins, Codings
from evenhand.question.parse_values import exact_number
from evenhand.rows.arrow_numpy import as_numpy, is_null

UNFIT = -1
_WHOLE = r"^[+-]?[0-9]+(\.0*)?$"


class LabelEncoder:
    """Codes of the labels of one column, in order of first appearance.

    ``codes`` maps each label to its code, ``text_codes`` each text that was not binned.
    ``spellings`` holds, for numbers that occur in other than their shortest spelling, all
    spellings that occur.
    """

    def __init__(self, name: str, codings: Codings) -> None:
        self.name = name
        self.codes: dict[str | None, int] = {}
        self._codings = codings
        self.text_codes: dict[str, int] = {}
        self.spellings: dict[str, set[str]] = {}
        self.bytes = 0  # kept in memory for this column
        self._whole = True  # so far all numbers are
        bins = codings.bins.get(name)
        self._bins = bins if isinstance(bins, Bins) else None

    @property
    def parses_numbers(self) -> bool:
        """Whether texts are binned, so that their spelling does not matter."""
        return self._bins is not None

    @property
    def labels(self) -> list[str | None]:
        """The label of each code, once all texts are encoded: classes depend on all numbers."""
        if self._bins is None or self._bins.whole is not None or not self._whole:
            return [*self.codes]
        whole = self._bins.whole_labels()
        return [None if label is None else whole[label] for label in self.codes]

    def encode(self, texts: pa.Array) -> NDArray[np.int64]:
        """The code of each text; null is a label like any other here."""
        if self._bins is not None:
            return self._encode_numbers(texts, self._bins)
        return np.array([self._code(text) for text in texts.to_pylist()], np.int64)

    def note_spellings(self, texts: pa.Array, labels: pa.Array) -> None:
        """Remember numbers spelled in several ways; call it before their labels are encoded."""
        if texts.type != labels.type:  # typed numbers have no spelling
            return
        differing = pc.not_equal(texts, labels)  # null where a value is missing
        if not (self.spellings or pc.any(differing).as_py()):
            return
        for text, label in zip(
            *(array.filter(differing).to_pylist() for array in (texts, labels)), strict=True
        ):
            known = {label} & self.text_codes.keys()  # so far met in the shortest spelling
            self.spellings.setdefault(label, known).add(text)
        for label in labels.filter(pc.invert(differing)).to_pylist():
            if label in self.spellings:
                self.spellings[label].add(label)

    def _code(self, text: str | None) -> int:
        if text is None:
            return self._label_code(None)
        code = self.text_codes.get(text)
        if code is None:
            unfit = "\0" in text
            code = UNFIT if unfit else self._label_code(self._codings.label(self.name, text))
            self.text_codes[text] = code
            self.bytes += getsizeof(text)
        return code

    def _label_code(self, label: str | None) -> int:
        return self.codes.setdefault(label, len(self.codes))

    def _encode_numbers(self, texts: pa.Array, bins: Bins) -> NDArray[np.int64]:
        """Codes of binned numbers, by comparing floats where that is exact.

        Rounding keeps the order of numbers, so a number whose float differs from a cut's float
        lies on the same side of the cut as its float does. The others are compared exactly.
        """
        numbers = nearest_floats(texts)
        cuts = np.array([float(cut) for cut in bins.cuts])
        classes = np.searchsorted(cuts, numbers)
        codes = np.empty(len(texts), np.int64)
        self._whole = self._whole and _all_whole(texts, numbers)
        for position in np.unique(classes[np.isfinite(numbers)]):
            codes[classes == position] = self._label_code(bins.labels[position])
        unclear = ~np.isfinite(numbers) | np.isin(numbers, cuts)
        if bins.whole:  # between two classes may lie what is no whole number
            unclear |= np.isin(np.floor(numbers), cuts) | np.isin(np.ceil(numbers) - 1, cuts)
        for position in np.flatnonzero(unclear):
            codes[position] = self._number_code(texts[position].as_py(), bins)
        return codes

    def _number_code(self, text: str | None, bins: Bins) -> int:
        try:
            return self._label_code(None if text is None else bins.label(text))
        except ValueError:
            return UNFIT


class FrequencyParser:
    """Parses the column of whole numbers that says how often each line occurs."""

    parses_numbers = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.bytes = 0

    def encode(self, texts: pa.Array) -> NDArray[np.int64]:
        """The number in each text."""
        return np.array([_whole_number(text) for text in texts.to_pylist()], np.int64)


def nearest_floats(texts: pa.Array) -> NDArray[np.float64]:
    """Each text as a float (infinite if too large), NaN if it is no number."""
    try:
        numbers = texts.cast(pa.float64())
        return np.where(is_null(numbers), np.nan, as_numpy(numbers))
    except pa.ArrowInvalid:
        return np.array([_nearest_float(text) for text in texts.to_pylist()], np.float64)


def _all_whole(texts: pa.Array, numbers: NDArray[np.float64]) -> bool:
    """Whether all texts that are numbers are whole ones; few need to be parsed exactly."""
    finite = np.isfinite(numbers)
    if (numbers[finite] != np.floor(numbers[finite])).any():
        return False
    simple = pc.fill_null(pc.match_substring_regex(texts, _WHOLE), False)
    unclear = texts.filter(pc.and_(pc.invert(simple), pa.array(finite)))
    return all(exact_number(text).denominator == 1 for text in unclear.to_pylist())


def _nearest_float(text: str | None) -> float:
    try:
        return float(Decimal((text or "nan").strip()))
    except (InvalidOperation, ValueError):
        return np.nan


def _whole_number(text: str | None) -> int:
    try:
        number = exact_number(text or "")
    except ValueError:
        return UNFIT
    fits = number.denominator == 1 and 0 <= number <= MOST_ROWS
    return number.numerator if fits else UNFIT
