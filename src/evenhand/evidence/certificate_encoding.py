"""Parts of a certificate document: tables, digests, canonical JSON with a seal.

Anyone can check a document without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text.
docs/certificate.md describes every field, certificate.schema.json its form.
"""

import gc
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.counts.count_table import code_type
from evenhand.errors import InputError
from evenhand.evidence.partition import Partition
from evenhand.evidence.partition_table import (
    BLOCK,
    PartitionTable,
    compact,
    counts_by_cell,
)
from evenhand.evidence.recorded_table import RecordedTable

FORMAT = "evenhand certificate 2"
_UNPUBLISHED = "evenhand certificate 1"
ROUNDING = 1e-15


def check_format(found: object, where: str) -> None:
    """Refuse a document of another format."""
    if found == FORMAT:
        return
    if found == _UNPUBLISHED:
        raise InputError.of(
            f"The format {_UNPUBLISHED!r} was never published.",
            remedy="Make the certificate anew.",
            where=where,
        )
    raise InputError.of(
        f"The format {found!r} is not known here.",
        remedy=f"This version reads {FORMAT!r}; use a later one.",
        where=where,
    )


def floats_as_text(value: Any, name: str = "") -> Any:  # noqa: ANN401  # plain values
    """The same plain values, with floats as text of twelve significant digits.

    >>> floats_as_text({"p": 0.01234567890123456, "rows": 3})
    {'p': '0.0123456789012', 'rows': 3}

    Estimates are of the order of 1, so what is smaller than 1e-15 is rounding, which differs
    between machines, and is written as 0. Only p-values can be so small.
    """
    if isinstance(value, dict):
        return {name: floats_as_text(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [floats_as_text(inner, name) for inner in value]
    if not isinstance(value, float):
        return value
    is_rounding = abs(value) < ROUNDING and not name.startswith("p")
    return f"{0.0 if is_rounding else value:.12g}"


def digest(examined: ExaminedCounts, partition: Partition) -> str:
    """SHA-256 of the counts of groups, decision and the partition's attributes.

    They are counted as they were compared: only these groups, only these kinds of decision.
    """
    return _compared_counts(examined, partition).digest


def _compared_counts(examined: ExaminedCounts, partition: Partition) -> CountTable:
    """The counts of groups, decision and the partition's attributes."""
    question, assignments = examined.question, partition.assignments
    groups = Attribute(question.groups_column, partition.groups)
    decisions = Attribute(question.decision, partition.decisions)
    counts = np.ascontiguousarray(counts_by_cell(partition).T)
    line, cell = np.nonzero(counts)
    group, kind = np.divmod(cell, len(partition.decisions))
    return CountTable(
        (*assignments.attributes, groups, decisions),
        (
            *(column[line] for column in assignments.codes),
            group.astype(code_type(len(groups))),
            kind.astype(code_type(len(decisions))),
        ),
        counts[line, cell],
    )


def parse_document(text: str) -> Any:  # noqa: ANN401  # plain values
    """The content of JSON text; ValueError if a name stands twice, or text is no Unicode."""
    is_collecting = gc.isenabled()
    gc.disable()  # a million lines are no garbage: looking for it takes longer than to parse
    try:
        content = json.loads(text, object_pairs_hook=_unique_names)
    finally:
        if is_collecting:
            gc.enable()
    try:
        text.encode()
        if "\\u" in text:  # only so a half can stand in text that is whole
            json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text in it holds half a character, a lone surrogate") from error
    return content


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the name {twice!r} stands there twice")
    return content


def keep_by_column(content: dict[str, Any]) -> None:
    """Keep the tables of a valid document by column, also those of a record within it."""
    question = content["question"]
    many = len(question["groups"]) * len(question["decisions"])
    for entry in content["partitions"]:
        table = RecordedTable.of(entry["table"], len(entry["names"]), many)
        entry["table"] = entry["table"] if table is None else table
    record = content["rules"].get("without", {}).get("record")
    if record is not None:
        keep_by_column(record)


def canonical(document: dict[str, Any]) -> str:
    """The one JSON text of a document: sorted keys, no spaces, one line."""
    return b"".join(encoded(document)).decode() + "\n"


def with_seal(document: dict[str, Any]) -> dict[str, Any]:
    """Add the SHA-256 of the rest: a checksum, not a signature."""
    sha256 = hashlib.sha256()
    for piece in encoded(document):
        sha256.update(piece)
    return {**document, "seal": sha256.hexdigest()}


def encoded(value: Any) -> Iterator[bytes]:  # noqa: ANN401  # plain values
    """The JSON text of plain values and tables in pieces: keys sorted, without spaces."""
    if isinstance(value, PartitionTable):
        yield from _joined(([block] for block in value.blocks), b"[", b"]")
    elif isinstance(value, RecordedTable):
        blocks = ([compact(lines)[1:-1]] for lines in value.blocks)
        yield from _joined(blocks, b"[", b"]")
    elif isinstance(value, dict):
        parts = (chain((compact(name) + b":",), encoded(value[name])) for name in sorted(value))
        yield from _joined(parts, b"{", b"}")
    elif isinstance(value, list) and dict in {*map(type, value)}:
        yield from _joined(map(encoded, value), b"[", b"]")
    elif isinstance(value, list):
        blocks = (value[begin : begin + BLOCK] for begin in range(0, len(value), BLOCK))
        yield from _joined(([compact(block)[1:-1]] for block in blocks), b"[", b"]")
    else:
        yield compact(value)


def _joined(parts: Iterable[Iterable[bytes]], begin: bytes, end: bytes) -> Iterator[bytes]:
    comma = begin
    for part in parts:
        yield comma
        yield from part
        comma = b","
    yield end if comma != begin else begin + end


def plain(value: Any) -> Any:  # noqa: ANN401  # plain values
    """The same with lists of lines instead of tables."""
    if isinstance(value, PartitionTable | RecordedTable):
        return value.lines()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list) and dict in {*map(type, value)}:
        return [*map(plain, value)]
    return value
