"""CSV and its kin: any delimiter, quoted newlines, byte order mark, gzip, zstd.

A field is a label and stays the text that it is; no type is guessed. A blank line is no row.

Arrow parses. A line of our own is put after the last one, because Arrow takes a quote that is
still open at the end of the file for closed: if that line does not come back as a row, a quote
is open.
"""

import atexit
import codecs
import csv
import io
import re
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from threading import Event
from typing import TypeAlias
from weakref import WeakSet

import pyarrow as pa
import pyarrow.csv as arrow_csv

from evenhand.errors import InputError, Problem, Remedy, listed
from evenhand.rows.batch_source import Batches, BatchSource, Dialect, reading, unreadable
from evenhand.rows.csv_diagnosis import END, LONGEST, TextFile

_Reading: TypeAlias = Generator[pa.RecordBatch, None, None]

_HEAD = 1 << 18
_BLOCK = LONGEST
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 20
_PATIENCE = 5.0  # seconds; to read a block takes a hundredth
_UNFINISHED: WeakSet[_Reading] = WeakSet()


def csv_source(where: str, *, compression: str | None, delimiter: str | None) -> BatchSource:
    """A file of delimited text."""
    text = TextFile(where, compression)
    lines = _first_lines(text)
    mark = "\ufeff" if lines[0].startswith("\ufeff") else ""
    lines[0] = lines[0].removeprefix(mark)
    text = replace(text, delimiter=_delimiter(lines, delimiter, where=where))
    header, names = _header(lines, text.delimiter)
    if re.search("[\0\udc80-\udcff]", header):
        raise InputError(*text.foreign_bytes())
    if not names:
        raise InputError(
            Problem(
                "This file has no header.",
                "Its first lines are blank, or have no end.",
                "The first line must name the columns.",
                where,
            )
        )
    begin = len((mark + header).encode())
    dialect = Dialect(
        delimiter=text.delimiter,
        newline=next(end for end in ("\r\n", "\r", "\n", "") if header.endswith(end)) or "\n",
        has_bom=bool(mark),
        compression=compression,
    )

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
        with reading(where):
            try:
                parsed = _parsed(text, begin, names, columns, kind)
                _UNFINISHED.add(parsed)
                yield from _to_the_end(parsed)
            except pa.ArrowInvalid as error:
                raise InputError(*text.problems() or [unreadable(error, where)]) from error

    return BatchSource(
        where=where,
        kind="delimited text",
        names=names,
        open=batches,
        places=text.places,
        dialect=dialect,
    )


def _first_lines(text: TextFile) -> list[str]:
    """The first lines, as far as they are needed to know what the columns are."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with reading(text.where), text.open() as file:
        lines = io.StringIO(decoder.decode(file.read(_HEAD)), newline="").readlines()
        # A line that is cut off says nothing.
        return (lines[:-1] if file.read(1) else lines) or [""]


def _header(lines: Sequence[str], delimiter: str) -> tuple[str, tuple[str, ...]]:
    """The text of the header, with blank lines before it, and the names in it."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        names = next(filter(None, reader), [])
    except csv.Error:  # a field without end
        names = []
    return "".join(lines[: reader.line_num]), tuple(names)


def _parsed(
    text: TextFile, begin: int, names: Sequence[str], columns: Sequence[str], kind: pa.DataType
) -> _Reading:
    """Arrow's batches of the lines after the header, our own last line included.

    Arrow reads ahead in a thread, and somewhat longer than its reader is there. Whether this
    comes to its end or is closed before: nothing is read any more then.
    """
    file = text.open()
    file.read(begin)
    end = f"\n{text.delimiter.join([END] * len(names))}\n"
    source = _Source(_Joined(file, io.BytesIO(end.encode())).read)
    gone = source.gone
    try:
        yield from arrow_csv.open_csv(
            pa.PythonFile(source, mode="r"),
            arrow_csv.ReadOptions(block_size=_BLOCK, column_names=names, use_threads=False),
            arrow_csv.ParseOptions(delimiter=text.delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, kind), include_columns=columns
            ),
        )
    finally:
        del source
        gone.wait(_PATIENCE)


@atexit.register
def _stop_reading() -> None:
    """Close what was not read to its end and is still held, as by a variable of a script.

    A thread that needs Python after its end would abort the process, or never end it.
    """
    for parsed in [*_UNFINISHED]:
        parsed.close()


def _to_the_end(batches: Iterable[pa.RecordBatch]) -> Batches:
    """The batches without our own last line, which must be there."""
    held = None
    for batch in filter(len, batches):
        if held:
            yield held
        held = batch
    rows = held.num_rows - 1 if held else 0
    if not held or any(column[rows].as_py() != END for column in held):
        raise pa.ArrowInvalid("A quote is never closed")
    yield held.slice(0, rows)


class _Source:
    """What Arrow reads, and until when.

    The traceback of an error would hold the owner of ``read``, but does not hold this.
    """

    closed = False

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self.read, self.gone = read, Event()

    def __del__(self) -> None:
        self.gone.set()


class _Joined:
    """Files read one after the other, in blocks that do not end in a carriage return.

    After a block that does, Arrow drops a line feed that begins the next, also inside quotes.
    """

    def __init__(self, *files: pa.NativeFile | io.BytesIO) -> None:
        self._files = list(files)
        self._held = b""

    def read(self, size: int) -> bytes:
        """Up to so many bytes; none at the end of the last file."""
        data, self._held = self._held, b""
        while self._files and data in (b"", b"\r"):
            more: bytes = self._files[0].read(size - len(data))
            data += more
            if not more:
                self._files.pop(0)
        if data.endswith(b"\r"):
            data, self._held = data[:-1], b"\r"
        return data


def _delimiter(lines: Sequence[str], asked: str | None, *, where: str) -> str:
    """The delimiter that was asked for, or the one that gives the most columns."""
    if asked is not None and (len(asked) != 1 or asked in '"\r\n' or not asked.isascii()):
        raise InputError(
            Problem(
                f"{asked!r} cannot be a delimiter.",
                remedy="Give one character, such as ',' or ';' or '\\t'.",
                where=where,
            )
        )
    best = max(_DELIMITERS, key=lambda mark: _width(lines, mark))
    columns = _width(lines, best)[1]
    if asked is not None and (_width(lines, asked)[1] > 1 or columns <= 1):
        return asked
    if columns != 1 and asked is None:
        return best
    raise InputError(
        Problem(
            "Only one column was found.",
            f"The delimiter {best!r} would give {columns} columns."
            if asked
            else f"None of {listed(_DELIMITERS)} stands in the header.",
            Remedy("Give this one", "delimiter", best)
            if asked
            else Remedy("Give the one that does", "delimiter"),
            where,
        )
    )


def _width(lines: Sequence[str], delimiter: str) -> tuple[bool, int]:
    """Whether the first records have as many fields as the header, and how many it has."""
    records = csv.reader(lines, delimiter=delimiter)
    widths: list[int] = []
    with suppress(csv.Error):  # a field without end
        widths.extend(len(fields) for fields in islice(filter(None, records), _SAMPLE))
    return len({*widths}) == 1 and widths[0] > 1, widths[0] if widths else 0
