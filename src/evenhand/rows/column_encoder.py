"""Encodes one column batch by batch; remembers the first row of each problem."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from sys import getsizeof

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.rows.arrow_numpy import as_arrow, is_null
from evenhand.rows.batch_source import BatchSource, row_numbers
from evenhand.rows.key_counter import Codes
from evenhand.rows.text_encoders import UNFIT, FrequencyParser, LabelEncoder
from evenhand.rows.value_labels import distinct, to_labels

_UNKNOWN = -2  # code of a dictionary value that no row has had yet


@dataclass(frozen=True, slots=True)
class RowPlace:
    """A row of a source, numbered from 0."""

    source: BatchSource
    row: int

    def __str__(self) -> str:
        places = self.source.places([self.row])
        return places.get(self.row) or row_numbers([self.row])[self.row]


@dataclass(slots=True)
class ColumnEncoder:
    """Encodes a column; ``unfit`` and ``missing`` hold the first row of each problem.

    ``values`` are the distinct values of the latest batch and ``codes`` their codes: cached,
    because batches of one file often share a dictionary.
    """

    encoder: LabelEncoder | FrequencyParser
    na: Sequence[str] = ()
    values: pa.Array | None = None
    codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    unfit: dict[str, RowPlace] = field(default_factory=dict)
    missing: RowPlace | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.encoder.name

    def encode(
        self, array: pa.Array, source: BatchSource, row: int
    ) -> tuple[NDArray[np.int64], Codes]:
        """Codes of the distinct values in a batch, and for each row which of them it holds."""
        values, indices = distinct(array)
        if self.values is None or not values.equals(self.values):
            self.values, self.codes = values, np.full(len(values), _UNKNOWN, np.int64)
        unknown = self.codes == _UNKNOWN
        if unknown.any():
            # A dictionary may hold values that no row has: those get no code.
            new = np.flatnonzero(unknown & (np.bincount(indices, minlength=len(values)) > 0))
            present = values.take(as_arrow(new))
            is_number = self.encoder.parses_numbers
            labels = to_labels(present, na=self.na, respell=not is_number or bool(self.na))
            if isinstance(self.encoder, LabelEncoder) and not is_number:
                self.encoder.note_spellings(present, labels)
            self.codes[new] = self.encoder.encode(labels)
            if labels.null_count or (self.codes[new] == UNFIT).any():
                occurring, first = np.unique(indices, return_index=True)
                rows = row + first[np.searchsorted(occurring, new)]
                self._remember(labels, self.codes[new], rows, source)
        return np.maximum(self.codes, 0), indices

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
                self.encoder.bytes += getsizeof(text)
