"""Values become labels, and labels codes, by one rule for every type: all sources count alike.

A label is the text that ``evenhand.question.as_label`` gives. Only the distinct values of each
batch are converted, not every row. Codes are assigned as labels appear, which may be late.
A text that cannot be binned, or is no frequency, gets the code ``UNFIT``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from sys import getsizeof
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evenhand.counts.count_table import MOST_ROWS
from evenhand.counts.label_order import in_order
from evenhand.errors import ColumnError, Problem, Remedy
from evenhand.question import Bins, Codings, as_label
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import RESPELLED, exact_number
from evenhand.rows.batch_source import BatchSource, row_numbers
from evenhand.rows.key_counter import Codes


def as_numpy(array: pa.Array) -> NDArray[Any]:
    """The numbers of an array, without a copy; undefined where it is null."""
    buffers = [None, array.buffers()[1]]
    return np.from_dlpack(
        pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
    )


def is_null(array: pa.Array) -> NDArray[np.bool_]:
    """Which values are null."""
    return as_numpy(array.is_null().cast(pa.uint8())).astype(bool)


def as_arrow(numbers: NDArray[np.int64]) -> pa.Array:
    """An array of 64-bit integers."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def as_texts(texts: Sequence[str]) -> pa.Array:
    """An array of texts.

    >>> as_texts(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    data = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), data)


def value_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values, whether they are dictionary-encoded or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


UNFIT = -1
MISSING_TEXT = as_texts([MISSING])[0]
_WHOLE = r"^[+-]?[0-9]+(\.0*)?$"
_BLOCK = 1024
_UNKNOWN = -2  # code of a dictionary value that no row has had yet


def check_types(schema: Iterable[pa.Field], *, where: str) -> None:
    """Refuse columns whose values are no categories: lists, structures, bytes, durations."""
    problems = [
        Problem(
            f"The column {field.name!r} has the type {field.type}, whose values are no labels.",
            remedy=(
                Remedy("Leave it out", "exclude", [field.name]),
                Remedy("turn it into text"),
            ),
            where=where,
        )
        for field in schema
        if not has_labels(value_type(field.type))
    ]
    if problems:
        raise ColumnError(*problems)


def distinct(array: pa.Array) -> tuple[pa.Array, NDArray[np.integer]]:
    """The distinct values of a column, and for each row which of them it holds.

    A missing value is a value here, a null.
    """
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array, null_encoding="encode")
    values, indices = array.dictionary, as_numpy(array.indices)
    if pa.types.is_string_view(values.type):  # Arrow cannot slice it
        values = values.cast(pa.string())
    if array.indices.null_count:
        indices = np.where(is_null(array.indices), len(values), indices)
        values = pa.concat_arrays([values, pa.nulls(1, values.type)])
    return values, indices


def to_labels(values: pa.Array, *, na: Iterable[str] = (), respell: bool = True) -> pa.Array:
    """The label of each value, and null for what is missing: null, NaN, "" and ``na``.

    Without ``respell`` numbers keep their spelling: enough where they are parsed next.
    """
    labels = _cast_to_text(values)
    labels = _respell(labels) if respell else labels
    missing = pc.is_in(labels, value_set=as_texts(["", *na]))
    return pc.if_else(missing, pa.nulls(len(labels), labels.type), labels)


def _respell(texts: pa.Array) -> pa.Array:
    """The texts as ``as_label`` spells them; few differ, and only these are looked at."""
    differing = pc.match_substring_regex(texts, RESPELLED)
    if not pc.any(differing).as_py():
        return texts
    labels = as_texts([as_label(text) for text in texts.filter(differing).to_pylist()])
    return pc.replace_with_mask(texts, differing, labels.cast(texts.type))


def _cast_to_text(values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.nulls(len(values), kind), values)
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        if not pa.types.is_timestamp(kind) or kind.tz is None:
            raise
        # A zone that Arrow does not know, as "Local": the time in UTC, which says so.
        return values.cast(pa.timestamp(kind.unit, "UTC")).cast(pa.string())


def has_labels(kind: pa.DataType) -> bool:
    """Whether the values of this type can be labels."""
    types = pa.types
    if types.is_duration(kind) or types.is_interval(kind):  # temporal, too
        return False
    tests = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_boolean,
        types.is_integer,
        types.is_floating,
        types.is_decimal,
        types.is_temporal,
        types.is_null,
    )
    return any(is_type(kind) for is_type in tests)


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a source, numbered from 0."""

    source: BatchSource
    row: int

    def __str__(self) -> str:
        places = self.source.places([self.row])
        return places.get(self.row) or row_numbers([self.row])[self.row]


class ColumnEncoder:
    """Encodes a column batch by batch: labels get integers as they are met.

    Those of labels that are met in one batch are in order: most often those of all.

    ``codes`` maps each label to its code, None for missing values, and ``text_codes`` each text
    that was not binned. ``spellings`` holds, for numbers that occur in other than their
    shortest spelling, all spellings that occur. ``unfit`` holds the first row of each text that
    has no label, as it cannot be binned, and ``missing`` the first row without a value.
    """

    def __init__(self, name: str, codings: Codings) -> None:
        self.name = name
        self.codes: dict[str | None, int] = {}
        self.text_codes: dict[str, int] = {}
        self.spellings: dict[str, set[str]] = {}
        self.unfit: dict[str, RowPlace] = {}
        self.missing: RowPlace | None = None
        self.bytes = 0  # kept in memory for this column
        self._codings = codings
        bins = codings.bins.get(name)
        self._bins = bins if isinstance(bins, Bins) else None
        self._parses_numbers = self._bins is not None  # then their spelling does not matter
        self._whole = True  # so far all numbers are
        # Batches of one file often share a dictionary: the latest, and the codes of its values.
        self._dictionary: pa.Array | None = None
        self._dictionary_codes = np.zeros(0, np.int64)

    @property
    def labels(self) -> list[str | None]:
        """The label of each code, once all texts are encoded: classes depend on all numbers."""
        if self._bins is None or self._bins.whole is not None or not self._whole:
            return [*self.codes]
        whole = self._bins.whole_labels()
        return [None if label is None else whole[label] for label in self.codes]

    def encode(
        self, array: pa.Array, source: BatchSource, row: int
    ) -> tuple[NDArray[np.int64], Codes]:
        """Codes of the distinct values in a batch, and for each row which of them it holds."""
        values, indices = distinct(array)
        if self._dictionary is None or not values.equals(self._dictionary):
            self._dictionary = values
            self._dictionary_codes = np.full(len(values), _UNKNOWN, np.int64)
        codes = self._dictionary_codes
        unknown = codes == _UNKNOWN
        if unknown.any():
            # A dictionary may hold values that no row has: those get no code.
            new = np.flatnonzero(unknown & (np.bincount(indices, minlength=len(values)) > 0))
            present, na = values.take(as_arrow(new)), self._codings.na
            labels = to_labels(present, na=na, respell=not self._parses_numbers or bool(na))
            if not self._parses_numbers:
                self.note_spellings(present, labels)
            codes[new] = self.encode_labels(labels)
            if labels.null_count or (codes[new] == UNFIT).any():
                occurring, first = np.unique(indices, return_index=True)
                rows = row + first[np.searchsorted(occurring, new)]
                self._remember(labels, codes[new], rows, source)
        return np.maximum(codes, 0), indices

    def encode_labels(self, texts: pa.Array) -> NDArray[np.int64]:
        """The code of each text; null is a label like any other here."""
        if self._bins is not None:
            return self._encode_numbers(texts, self._bins)
        listed, is_coded = texts.to_pylist(), self._codings.is_coded(self.name)
        labels = {
            text: self._codings.label(self.name, text) if is_coded else text
            for text in listed
            if text is not None and text not in self.text_codes and "\0" not in text
        }
        for label in in_order({*labels.values()}.difference(self.codes)):
            self.codes[label] = len(self.codes)
        if None in listed:
            self._label_code(None)
        self.text_codes |= {text: self.codes[label] for text, label in labels.items()}
        self.bytes += sum(map(getsizeof, labels))
        of_missing = self.codes.get(None, UNFIT)
        codes = [of_missing if t is None else self.text_codes.get(t, UNFIT) for t in listed]
        return np.array(codes, np.int64)

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

    def _remember(
        self, labels: pa.Array, codes: Codes, rows: Codes, source: BatchSource
    ) -> None:
        """Note the first row with a missing value, and of each text that does not fit."""
        if self.missing is None and labels.null_count:
            self.missing = RowPlace(source, int(rows[is_null(labels)].min()))
        unfit = np.flatnonzero(codes == UNFIT)
        for position in unfit[np.argsort(rows[unfit])].tolist():
            text = labels[position].as_py() or ""
            if text not in self.unfit:
                self.unfit[text] = RowPlace(source, int(rows[position]))
                self.bytes += getsizeof(text)

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


class FrequencyEncoder(ColumnEncoder):
    """Encodes the column of whole numbers that says how often each line occurs, by them."""

    def __init__(self, name: str) -> None:
        super().__init__(name, Codings())
        self._parses_numbers = True

    def encode_labels(self, texts: pa.Array) -> NDArray[np.int64]:
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


class LabelArray(Sequence[str]):
    """Labels that become Python texts when they are asked for; most never are.

    >>> labels = LabelArray(as_texts(["a", "b"]))
    >>> labels[1], labels[:1], labels.index("b"), "b" in labels, [*labels]
    ('b', ['a'], 1, True, ['a', 'b'])
    """

    def __init__(self, array: pa.StringArray) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  # a text, or a list of some
        found = self.array[at]
        return found.to_pylist() if isinstance(at, slice) else found.as_py()

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), _BLOCK):
            yield from self[begin : begin + _BLOCK]

    def index(self, text: str, begin: int = 0, end: int | None = None) -> int:
        """Where a label stands."""
        at: int = pc.index(self.array, as_texts([text])[0], begin, end).as_py()
        if at < 0:
            raise ValueError
        return at
