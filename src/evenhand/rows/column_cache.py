"""Columns in memory as codes, so that small sets of them can be counted again and again.

A search asks for many small sets of columns, and which ones depends on what it found. Each
column is read when it is first asked for, and kept in one byte or two for each row. When memory
runs short, what was not asked for the longest is forgotten, and read again if need be. Text is
parsed as a whole whatever is asked for, so there further columns are kept along, as many as
turn out to fit: how many rows a compressed file holds is known when it was read.
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
from evenhand.rows.data_problems import raise_all, too_large_columns, unfit_texts
from evenhand.rows.key_counter import Codes
from evenhand.rows.text_encoders import FrequencyParser, LabelEncoder
from evenhand.rows.value_labels import check_types


class ColumnCache:
    """The columns of some parts, read when they are asked for."""

    def __init__(
        self,
        parts: Sequence[BatchSource],
        columns: Sequence[str],
        codings: Codings,
        *,
        memory: int,
    ) -> None:
        self._parts, self._columns, self._codings = parts, columns, codings
        self._memory = memory
        self._kept: dict[str, pa.Array] = {}
        self.reads = 0

    def source(self, names: Sequence[str]) -> tuple[BatchSource, Codings]:
        """These columns as one part, and how they are read: as the labels that they hold."""
        frequency = self._codings.frequency
        wanted = [*names, *([frequency] if frequency else [])]
        absent = [name for name in wanted if name not in self._kept]
        if absent:
            self._read(absent, self._ahead(absent))
        for name in wanted:
            self._kept[name] = self._kept.pop(name)  # asked for last, forgotten last
        self._forget(keeping=len(wanted))
        kept = {name: self._kept[name] for name in wanted}

        def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
            yield pa.RecordBatch.from_arrays([kept[name] for name in columns], list(columns))

        first = self._parts[0]
        labels = Codings(missing=self._codings.missing, frequency=frequency)
        part = BatchSource(
            where=first.where, kind=first.kind, names=tuple(wanted), open=batches
        )
        return part, labels

    def _read(self, asked: Sequence[str], ahead: list[str]) -> None:
        """Read columns, all of them at once; of those ahead as many as fit."""
        self.reads += 1
        names = [*asked, *ahead]
        columns = {name: self._column(name) for name in names}
        arrays: dict[str, list[Any]] = {name: [] for name in names}
        for part in self._parts:
            with reading(part.where):
                row = 0
                for batch in part.open(names, coded=True):
                    check_types(batch.schema, where=part.where)
                    for name, column in columns.items():
                        arrays[name].append(_narrow(column, batch.column(name), part, row))
                    row += batch.num_rows
                    sizes = {name: column.domain.bytes for name, column in columns.items()}
                    while ahead and sum(sizes.values()) > self._memory:
                        name = ahead.pop()
                        del columns[name], arrays[name], sizes[name]
                    if sum(sizes.values()) > 2 * self._memory:
                        raise too_large_columns(sizes, 2 * self._memory, part.where)
        raise_all([*unfit_texts([*columns.values()])])
        for name, column in columns.items():
            self._kept[name] = _whole(column, arrays.pop(name))

    def _column(self, name: str) -> ColumnEncoder:
        if name == self._codings.frequency:
            return ColumnEncoder(FrequencyParser(name))
        return ColumnEncoder(LabelEncoder(name, self._codings), self._codings.na)

    def _ahead(self, absent: Sequence[str]) -> list[str]:
        """What more to read of text: as many columns as surely fit into the memory."""
        if any(part.dialect is None for part in self._parts):
            return []
        size = sum(_bytes_of_text(part) for part in self._parts)
        # A field and its delimiter take two bytes at least, and a code of it takes one or two.
        fitting = len(self._columns) * self._memory // (size + 1) - len(absent)
        others = [n for n in self._columns if n not in self._kept and n not in absent]
        return others[: max(fitting, 0)]

    def _forget(self, *, keeping: int) -> None:
        held = sum(column.nbytes for column in self._kept.values())
        for name in [*self._kept][:-keeping]:
            if held <= self._memory:
                break
            held -= self._kept.pop(name).nbytes


def _bytes_of_text(part: BatchSource) -> int:
    """The size of a text; of a compressed one, a large guess."""
    packed = part.dialect is not None and part.dialect.compression is not None
    return Path(part.where).stat().st_size * (20 if packed else 1)


def _narrow(
    column: ColumnEncoder, array: pa.Array, part: BatchSource, row: int
) -> Codes | pa.Array:
    """The codes of a batch, in a narrow type; frequencies as they stand."""
    if isinstance(column.domain, LabelEncoder):
        codes, indices = column.encode(array, part, row)
        array = codes.astype(code_type(int(codes.max(initial=0)) + 1))[indices]
    column.domain.bytes += array.nbytes
    return array


def _whole(column: ColumnEncoder, arrays: Sequence[Any]) -> pa.Array:
    """A column as a dictionary of labels, null for missing; frequencies as they stand."""
    if not arrays:
        return pa.array([], pa.string())
    if isinstance(column.domain, FrequencyParser):
        return pa.concat_arrays(arrays)
    labels = pa.array([*column.domain.codes], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(np.concatenate(arrays)), labels)
