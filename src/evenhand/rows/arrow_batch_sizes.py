"""How large the batches of an Arrow file are once they are decoded, read from its metadata.

Arrow decodes the chosen columns of a batch whole, and some compressed bytes may become
gigabytes. Each compressed buffer begins with its size, and the metadata say where buffers are.
They are FlatBuffers: a table there begins with the offset of a list of its fields' places.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from os import SEEK_END
from pathlib import Path
from struct import calcsize, error, iter_unpack, unpack_from
from typing import BinaryIO, TypeAlias

import pyarrow as pa

# Fields by their numbers in Arrow's Message.fbs and File.fbs.
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3
_DICTIONARY, _RECORDS = 2, 3  # types of headers
_DATA, _BUFFERS, _COMPRESSION = 1, 2, 3
_BLOCKS = (2, 3)  # of dictionaries and of record batches in the footer of a file
_BUFFER, _BLOCK = "<qq", "<qi4xq"
_CONTINUED = b"\xff\xff\xff\xff"  # older versions wrote no such mark before a message
_END_OF_FILE = 10  # bytes: the length of the footer and a mark

_Message: TypeAlias = tuple["_Table", int]  # and the place of its body in the file


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a FlatBuffer."""

    content: bytes
    place: int

    @classmethod
    def root(cls, content: bytes) -> "_Table":
        return cls(content, _number("<I", content, 0))

    def field(self, number: int) -> int:
        """The place of a field; 0 if it has its default."""
        fields = self.place - _number("<i", self.content, self.place)
        at = 4 + 2 * number
        if at >= _number("<H", self.content, fields):
            return 0
        offset = _number("<H", self.content, fields + at)
        return self.place + offset if offset else 0

    def number(self, number: int, form: str) -> int:
        at = self.field(number)
        return _number(form, self.content, at) if at else 0

    def table(self, number: int) -> "_Table":
        at = self.field(number)
        return _Table(self.content, at + _number("<I", self.content, at))

    def structs(self, number: int, form: str) -> list[tuple[int, ...]]:
        if not (at := self.field(number)):
            return []
        begin = at + _number("<I", self.content, at)
        size = _number("<I", self.content, begin) * calcsize(form)
        return [*iter_unpack(form, self.content[begin + 4 : begin + 4 + size])]


def _number(form: str, content: bytes, place: int) -> int:
    (number,) = unpack_from(form, content, place)
    return int(number)


def largest_batch(
    path: str, schema: pa.Schema, columns: Collection[int], *, is_stream: bool
) -> int:
    """The bytes that the largest batch takes, of these columns, or the largest dictionary."""
    # As many as a column of each type has in a batch; one of nulls has none.
    each = [
        0 if pa.types.is_null(field.type) else len(pa.nulls(0, field.type).buffers())
        for field in schema
    ]
    try:
        with Path(path).open("rb") as file:
            messages = _of_stream(file) if is_stream else _of_file(file)
            sizes = (_size(file, message, each, columns) for message in messages)
            return max(sizes, default=0)
    except (error, ValueError) as damaged:  # of a place before the begin of the file, too
        raise pa.ArrowInvalid(f"Its metadata are damaged: {damaged}") from damaged


def _of_stream(file: BinaryIO) -> Iterator[_Message]:
    """The messages of a stream, one after the other."""
    place = 0
    while found := _message(file, place):
        yield found
        message, body = found
        place = body + max(message.number(_BODY_LENGTH, "<q"), 0)


def _of_file(file: BinaryIO) -> Iterator[_Message]:
    """The messages that the footer of a file names."""
    end = file.seek(-_END_OF_FILE, SEEK_END)
    length = _number("<i", file.read(4), 0)
    file.seek(end - length)
    footer = _Table.root(file.read(length))
    for place, _, _ in chain.from_iterable(footer.structs(n, _BLOCK) for n in _BLOCKS):
        if found := _message(file, place):
            yield found


def _message(file: BinaryIO, place: int) -> _Message | None:
    """The message at a place; None at the end of a stream."""
    file.seek(place)
    size = file.read(4)
    size = file.read(4) if size == _CONTINUED else size
    if len(size) < 4 or not any(size):
        return None
    content = file.read(_number("<i", size, 0))
    return _Table.root(content), file.tell()


def _size(
    file: BinaryIO, message: _Message, each: Sequence[int], columns: Collection[int]
) -> int:
    """The bytes of the buffers of a message once they are decoded."""
    records, body = message
    kind = records.number(_HEADER_TYPE, "B")
    if kind not in (_DICTIONARY, _RECORDS):
        return 0
    records = records.table(_HEADER)
    if kind == _DICTIONARY:  # Arrow reads all of them
        records = records.table(_DATA)
    buffers = records.structs(_BUFFERS, _BUFFER)
    # Views of texts have any number of buffers: then all are taken.
    if kind == _RECORDS and sum(each) == len(buffers):
        ends = [*accumulate(each)]
        own = (buffers[ends[at] - each[at] : ends[at]] for at in columns)
        buffers = [*chain.from_iterable(own)]
    if not records.field(_COMPRESSION):
        return sum(length for _, length in buffers)
    size = 0
    for offset, length in buffers:
        if length:
            file.seek(body + offset)
            unpacked = _number("<q", file.read(8), 0)
            size += length if unpacked < 0 else unpacked  # below 0 it is not compressed
    return size
