"""Reads all columns of a table as codes, one line per row, for a look at the columns.

Unlike counting this accepts any column: identifiers, free text, numbers of many values. Lines
are neither merged nor sorted. Only as many rows are read as fit into memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable
from evenhand.counts.count_table import code_type
from evenhand.question import Bins, Codings
from evenhand.question.codings import MISSING
from evenhand.question.parse_values import exact_number
from evenhand.rows.arrow_numpy import is_null, value_type
from evenhand.rows.batch_source import BatchSource, reading
from evenhand.rows.quantiles import frequencies
from evenhand.rows.value_labels import distinct, has_labels, to_labels

_Codes: TypeAlias = NDArray[np.integer]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineTable:
    """The rows as lines of codes; ``unreadable`` names columns whose values are no labels.

    ``complete`` is False if the table has more rows than were read.
    """

    table: CountTable
    unreadable: tuple[str, ...]
    complete: bool


def read_lines(
    sources: Sequence[BatchSource], names: Sequence[str], codings: Codings, *, memory: int
) -> LineTable:
    """Read the columns in one pass; bins and merges that are given are applied."""
    unreadable: tuple[str, ...] = ()
    batches: list[pa.RecordBatch] = []
    size, complete = 0, True
    for batch in _batches(sources, names, codings):
        unreadable = unreadable or _unreadable(batch.schema)
        size += batch.nbytes
        complete = size <= memory or not batches
        if not complete:
            break
        batches.append(batch)
    rows = sum(batch.num_rows for batch in batches)
    counts = np.ones(rows, np.int64)
    if codings.frequency and batches:
        at = batches[0].schema.get_field_index(codings.frequency)
        counts = np.concatenate([frequencies(batch.column(at)) for batch in batches])
    attributes, columns = [], []
    for at, name in enumerate(names):
        if name not in unreadable:
            labels, codes = _read_column([batch.column(at) for batch in batches], codings)
            values, codes = _apply(codings, name, *_occurring(labels, codes[counts > 0]))
            attributes.append(Attribute(name, values))
            columns.append(codes.astype(code_type(len(values))))
    table = CountTable(tuple(attributes), tuple(columns), counts[counts > 0])
    return LineTable(table=table, unreadable=unreadable, complete=complete)


def _batches(
    sources: Sequence[BatchSource], names: Sequence[str], codings: Codings
) -> Iterator[pa.RecordBatch]:
    wanted = [*names, *([codings.frequency] if codings.frequency else [])]
    for source in sources:
        with reading(source.where):
            yield from source.open(wanted, coded=True)


def _unreadable(schema: pa.Schema) -> tuple[str, ...]:
    return tuple(field.name for field in schema if not has_labels(value_type(field.type)))


def _read_column(chunks: list[pa.Array], codings: Codings) -> tuple[list[str], _Codes]:
    """The labels of a column, as they first appear, and the code of each row."""
    if not chunks:
        return [], np.zeros(0, np.int32)
    values, codes = distinct(pa.chunked_array(chunks).combine_chunks())
    labels = to_labels(values, na=codings.na).cast(pa.string())
    texts = _texts(labels)
    for at in np.flatnonzero(is_null(labels)).tolist() if labels.null_count else ():
        texts[at] = MISSING
    if labels.equals(values) or len({*texts}) == len(texts):
        return texts, codes
    new: dict[str, int] = {}  # several values have one label, as 1 and 1.0
    places = np.array([new.setdefault(text, len(new)) for text in texts], np.int32)
    return [*new], places[codes]


def _occurring(labels: list[str], codes: _Codes) -> tuple[tuple[str, ...], _Codes]:
    """Without labels that no row has: a dictionary may hold such."""
    occurs = np.bincount(codes, minlength=len(labels)) > 0
    if occurs.all():
        return tuple(labels), codes
    return tuple(compress(labels, occurs.tolist())), (np.cumsum(occurs) - 1)[codes]


def _texts(array: pa.StringArray) -> list[str]:
    """The texts of an array; several times faster than Arrow's own conversion."""
    offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset :][: len(array) + 1]
    data = array.buffers()[2]
    text = data.to_pybytes() if data else b""
    begins = offsets.tolist()
    if text.isascii():
        whole = text.decode("ascii")
        return [whole[a:b] for a, b in pairwise(begins)]
    return [text[a:b].decode() for a, b in pairwise(begins)]


def _apply(
    codings: Codings, name: str, values: tuple[str, ...], codes: _Codes
) -> tuple[tuple[str, ...], _Codes]:
    """The column in classes or merged values, if such are given for it."""
    if not codings.is_coded(name):
        return values, codes
    bins = codings.bins.get(name)
    if isinstance(bins, Bins):
        settled = bins.of_whole_numbers(all(map(_is_whole, values)))
        codings = replace(codings, bins={name: settled})
    new: dict[str, int] = {}
    at = [new.setdefault(_coded_label(codings, name, value), len(new)) for value in values]
    return tuple(new), np.array(at, code_type(len(new)))[codes]


def _is_whole(value: str) -> bool:
    """Whether a text is a whole number, or no number at all."""
    try:
        return exact_number(value).denominator == 1
    except ValueError:
        return True


def _coded_label(codings: Codings, name: str, value: str) -> str:
    """The label that is counted; a text that cannot be binned stays, counting refuses it."""
    try:
        return value if value == MISSING else codings.label(name, value)
    except ValueError:
        return value
