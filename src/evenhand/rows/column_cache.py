"""Cache of encoded columns, so that small sets of them can be counted again and again.

Discovery asks for many small sets of columns, and which ones depends on its results. A column
is read when it is first needed, and cached as one or two bytes per row; under memory pressure
the least recently used column is evicted. Text must be parsed as a whole for any column, so as
many further ones as fit are cached in the same pass. The row count of compressed text is known
only after reading, so columns that turn out not to fit are dropped during the pass.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from evenhand.counts.count_table import code_type
from evenhand.question import Codings
from evenhand.rows.batch_source import Batches, BatchSource, reading
from evenhand.rows.column_encoder import ColumnEncoder
from evenhand.rows.counting_errors import raise_all, too_large_columns, unfit_texts
from evenhand.rows.key_counter import Codes
from evenhand.rows.text_encoders import FrequencyParser, LabelEncoder
from evenhand.rows.value_labels import check_types


class ColumnCache:
    """The columns of a table, read when they are first needed."""

    def __init__(
        self,
        sources: Sequence[BatchSource],
        columns: Sequence[str],
        codings: Codings,
        *,
        memory: int,
    ) -> None:
        self._sources, self._columns, self._codings = sources, columns, codings
        self._memory = memory
        self._cached: dict[str, pa.Array] = {}

    def source(self, names: Sequence[str]) -> tuple[BatchSource, Codings]:
        """These columns as a source of labels, and the codings to read it with."""
        frequency = self._codings.frequency
        wanted = [*names, *([frequency] if frequency else [])]
        absent = [name for name in wanted if name not in self._cached]
        if absent:
            self._read(absent, self._read_ahead(absent))
        for name in wanted:
            self._cached[name] = self._cached.pop(name)  # most recently used
        if absent:
            self._evict(keeping=len(wanted))
        cached = {name: self._cached[name] for name in wanted}

        def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
            yield pa.RecordBatch.from_arrays([cached[name] for name in columns], list(columns))

        first = self._sources[0]
        labels = Codings(missing=self._codings.missing, frequency=frequency)
        source = BatchSource(
            where=first.where, kind=first.kind, names=tuple(wanted), open=batches
        )
        return source, labels

    def _read(self, needed: Sequence[str], ahead: list[str]) -> None:
        """Read columns in one pass; of those ahead as many as fit."""
        names = [*needed, *ahead]
        columns = {name: self._column(name) for name in names}
        arrays: dict[str, list[Any]] = {name: [] for name in names}
        for source in self._sources:
            with reading(source.where):
                row = 0
                for batch in source.open(names, coded=True):
                    check_types(batch.schema, where=source.where)
                    for name, column in columns.items():
                        arrays[name].append(_encode(column, batch.column(name), source, row))
                    row += batch.num_rows
                    sizes = {name: column.encoder.bytes for name, column in columns.items()}
                    while ahead and sum(sizes.values()) > self._memory:
                        name = ahead.pop()
                        del columns[name], arrays[name], sizes[name]
                    if sum(sizes.values()) > 2 * self._memory:
                        raise too_large_columns(sizes, 2 * self._memory, source.where)
        raise_all([*unfit_texts([*columns.values()])])
        for name, column in columns.items():
            self._cached[name] = _concatenate(column, arrays.pop(name))

    def _column(self, name: str) -> ColumnEncoder:
        if name == self._codings.frequency:
            return ColumnEncoder(FrequencyParser(name))
        return ColumnEncoder(LabelEncoder(name, self._codings), self._codings.na)

    def _read_ahead(self, absent: Sequence[str]) -> list[str]:
        """Further columns to cache when text is parsed: as many as surely fit into memory."""
        if any(source.dialect is None for source in self._sources):
            return []
        size = sum(_text_bytes(source) for source in self._sources)
        # A field and its delimiter take two bytes at least, and a code of it takes one or two.
        fitting = len(self._columns) * self._memory // (size + 1) - len(absent)
        others = [n for n in self._columns if n not in self._cached and n not in absent]
        return others[: max(fitting, 0)]

    def _evict(self, *, keeping: int) -> None:
        size = sum(column.nbytes for column in self._cached.values())
        for name in [*self._cached][:-keeping]:
            if size <= self._memory:
                break
            size -= self._cached.pop(name).nbytes


def _text_bytes(source: BatchSource) -> int:
    """The size of a text; if it is compressed, a high estimate."""
    packed = source.dialect is not None and source.dialect.compression is not None
    return Path(source.where).stat().st_size * (20 if packed else 1)


def _encode(
    column: ColumnEncoder, array: pa.Array, source: BatchSource, row: int
) -> Codes | pa.Array:
    """The codes of a batch in the narrowest type; frequencies unchanged."""
    if isinstance(column.encoder, LabelEncoder):
        codes, indices = column.encode(array, source, row)
        array = codes.astype(code_type(int(codes.max(initial=0)) + 1))[indices]
    column.encoder.bytes += array.nbytes
    return array


def _concatenate(column: ColumnEncoder, arrays: Sequence[Any]) -> pa.Array:
    """A column as an Arrow dictionary of labels, null for missing; frequencies unchanged."""
    if not arrays:
        return pa.array([], pa.string())
    if isinstance(column.encoder, FrequencyParser):
        return pa.concat_arrays(arrays)
    labels = pa.array(column.encoder.labels, pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.concatenate(arrays)), labels)
