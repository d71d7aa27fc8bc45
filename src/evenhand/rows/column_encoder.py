"""One column while batches go by: its codes, and where the first trouble of each kind is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from sys import getsizeof

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.rows.arrow_arrays import as_arrow, is_null
from evenhand.rows.batch_source import BatchSource, row_numbers
from evenhand.rows.key_counter import Codes
from evenhand.rows.text_encoders import UNFIT, FrequencyParser, LabelEncoder
from evenhand.rows.value_labels import distinct, to_labels

_UNMET = -2


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a part, from 0."""

    part: BatchSource
    row: int

    def __str__(self) -> str:
        places = self.part.places([self.row])
        return places.get(self.row) or row_numbers([self.row])[self.row]


@dataclass(slots=True)
class ColumnEncoder:
    """What is known of a column while batches go by.

    ``values`` are the distinct values of the latest batch and ``codes`` their codes; batches
    of one file often share them.
    """

    domain: LabelEncoder | FrequencyParser
    na: Sequence[str] = ()
    values: pa.Array | None = None
    codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    unfit: dict[str, Place] = field(default_factory=dict)
    missing: Place | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.domain.name

    def encode(
        self, array: pa.Array, part: BatchSource, row: int
    ) -> tuple[NDArray[np.int64], Codes]:
        """Codes of the distinct values in a batch, and for each row which of them it holds."""
        values, indices = distinct(array)
        if self.values is None or not values.equals(self.values):
            self.values, self.codes = values, np.full(len(values), _UNMET, np.int64)
        unmet = self.codes == _UNMET
        if unmet.any():
            # A dictionary may hold values that no row has: those are not learned.
            new = np.flatnonzero(unmet & (np.bincount(indices, minlength=len(values)) > 0))
            labels = to_labels(values.take(as_arrow(new)), na=self.na)
            self.codes[new] = self.domain.encode(labels)
            if labels.null_count or (self.codes[new] == UNFIT).any():
                present, first = np.unique(indices, return_index=True)
                rows = row + first[np.searchsorted(present, new)]
                self._remember(labels, self.codes[new], rows, part)
        return np.maximum(self.codes, 0), indices

    def _remember(self, labels: pa.Array, codes: Codes, rows: Codes, part: BatchSource) -> None:
        """Keep the places of the first missing value and of each text that does not fit."""
        if self.missing is None and labels.null_count:
            self.missing = Place(part, int(rows[is_null(labels)].min()))
        unfit = np.flatnonzero(codes == UNFIT)
        for position in unfit[np.argsort(rows[unfit])].tolist():
            text = labels[position].as_py() or ""
            if text not in self.unfit:
                self.unfit[text] = Place(part, int(rows[position]))
                self.domain.bytes += getsizeof(text)
