"""The one JSON text of a record, and its seal: names sorted, no spaces, UTF-8.

Long tables are JSON in blocks already when a record is made: as Python objects a million lines
are 300 MB, and to encode them takes eight times as long.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

FORMAT = "evenhand certificate 3"
BLOCK = 1 << 14
ROUNDING = 1e-15
_TABLE = "\ud800"  # half a character, which no text can have, stands for a table


@dataclass(frozen=True, slots=True)
class Table:
    """The lines of a table as JSON, so many in each block, without brackets around all."""

    blocks: tuple[bytes, ...]

    @classmethod
    def of(cls, lines: list[Any]) -> "Table":
        """Encode plain lines."""
        parts = (lines[begin : begin + BLOCK] for begin in range(0, len(lines), BLOCK))
        return cls(tuple(b"".join(pieces(part))[1:-1] for part in parts))


def pieces(record: object) -> Iterator[bytes]:
    """The canonical text of plain values and tables, piece by piece."""
    tables: list[Table] = []

    def stand_in(table: Table) -> str:
        tables.append(table)
        return _TABLE

    text = json.dumps(
        record,
        default=stand_in,
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    first, *rest = text.split(f'"{_TABLE}"')
    yield first.encode()
    for table, after in zip(tables, rest, strict=True):
        yield b"["
        for at, block in enumerate(table.blocks):
            yield b"," + block if at else block
        yield b"]" + after.encode()


def canonical(record: object) -> str:
    """The one text of a record, as a line."""
    return b"".join(pieces(record)).decode() + "\n"


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    """The record with the SHA-256 of the rest: a checksum, not a signature."""
    sha256 = hashlib.sha256()
    for piece in pieces(record):
        sha256.update(piece)
    return {**record, "seal": sha256.hexdigest()}


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
