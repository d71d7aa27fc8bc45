"""CSV and similar text: any delimiter, quoted newlines, byte order mark, gzip, zstd.

Fields are labels and stay text; no type is inferred. A blank line is no row.

Regular text is encoded by ``csv_encoder``, from where it is not on Arrow parses block by block.
Arrow treats a quote that is still open at the end of a block as closed, so we add a sentinel
line after the last one: if that does not come back as a row, a quote is open.
"""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from evenhand.errors import InputError, Problem, Remedy, listed
from evenhand.files.file_formats import TEXT
from evenhand.rows.batch_source import (
    Batches,
    BatchSource,
    Dialect,
    read_ahead,
    reading,
    unique_names,
    unreadable,
)
from evenhand.rows.csv_encoder import TextEncoder

_HEAD = 1 << 18
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 20
_LF, _CR, _QUOTE = b'\n\r"'
# Sentinel line that we add after the last one: an unclosed quote swallows it.
END = "\x1aend"
LONGEST_RECORD = 1 << 22  # characters
_BLOCK = LONGEST_RECORD
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of delimited UTF-8 text, perhaps compressed."""

    where: str
    compression: str | None
    delimiter: str = ","

    def open(self) -> "pa.NativeFile | IO[bytes]":
        """The bytes of the text, from the start; of a zip archive, those of its one text."""
        if self.compression == "zip":
            archive = ZipFile(self.where)
            names = archive.namelist()
            return archive.open(next(n for n in names if is_zip_member(n)))
        file = pa.OSFile(self.where)
        return pa.CompressedInputStream(file, self.compression) if self.compression else file

    def records(self) -> Iterator[tuple[int, list[str] | None]]:
        """Every record but blank lines, with the number of its first line.

        A record that does not end is yielded as ``None``, and is the last.
        """
        text = io.TextIOWrapper(self.open(), "utf-8-sig", errors="replace", newline="")
        length = 0

        def lines() -> Iterator[str]:
            nonlocal length
            while line := text.readline(LONGEST_RECORD):
                length += len(line)
                if length >= LONGEST_RECORD:
                    raise csv.Error
                yield line
            yield END

        reader, begin = csv.reader(lines(), delimiter=self.delimiter), 1
        try:
            for fields in reader:
                length = 0
                if fields and fields[-1].endswith(END):
                    if fields != [END]:
                        yield begin, None
                    return
                if fields:
                    yield begin, fields
                begin = reader.line_num + 1
        except csv.Error:
            # An unclosed quote that swallows line after line, or an overlong line.
            yield begin, None

    def places(self, rows: Collection[int]) -> dict[int, str]:
        """The line number of each row; the header is no row."""
        numbered = enumerate(islice(self.records(), 1, max(rows) + 2))
        return {row: f"line {line:,}" for row, (line, _) in numbered if row in rows}

    def problems(self) -> list[Problem]:
        """Why the text is no table: the first problems of each kind."""
        return [*self.invalid_bytes(), *self._ragged_records()]

    def invalid_bytes(self) -> Iterator[Problem]:
        """The first byte that is not UTF-8 text."""
        # Read as text: a block of bytes may end within a character.
        file = io.TextIOWrapper(self.open(), "utf-8", errors="surrogateescape", newline="")
        offset, line = 0, 1
        while block := file.read(LONGEST_RECORD):
            text = block.encode(errors="surrogateescape")
            problem = invalid_byte(text, offset, line, where=self.where)
            if problem:
                yield problem
                return
            offset, line = offset + len(text), line + block.count("\n")

    def _ragged_records(self) -> Iterator[Problem]:
        """Records with fewer or more fields than the header, and a quote that is not closed."""
        records = self.records()
        width = len(next(records, (1, None))[1] or ())
        ragged = 0
        for line, fields in records:
            if fields is None:
                yield Problem(
                    "This record does not end.",
                    "A quote is never closed, or a text has more than 131,072 characters, or "
                    f"all of them have {LONGEST_RECORD:,}.",
                    'Close the quote, double it ("") if it is part of a text, or cut the text.',
                    f"{self.where}, line {line:,}",
                )
            elif len(fields) != width:
                ragged += 1
                if ragged <= _MOST_PROBLEMS:
                    yield Problem(
                        f"This line has {len(fields)} fields, the header has {width}.",
                        remedy="Correct it; a field that holds the delimiter needs quotes.",
                        where=f"{self.where}, line {line:,}",
                    )
        if ragged > _MOST_PROBLEMS:
            yield Problem(
                f"In all {ragged:,} lines have another number of fields than the header.",
                remedy="Check how the file was written.",
                where=self.where,
            )


def csv_source(where: str, *, compression: str | None, delimiter: str | None) -> BatchSource:
    """A file of delimited text."""
    text = TextFile(where, compression)
    lines = _first_lines(text)
    bom = "\ufeff" if lines[0].startswith("\ufeff") else ""
    lines[0] = lines[0].removeprefix(bom)
    text = replace(text, delimiter=_delimiter(lines, delimiter, where=where))
    header, written = _header(lines, text.delimiter)
    names = unique_names(written)
    if re.search("[\0\udc80-\udcff]", header):
        raise InputError(*text.invalid_bytes())
    if not names:
        raise InputError.of(
            "This file has no header.",
            "Its first lines are blank, or have no end.",
            "The first line must name the columns.",
            where,
        )
    begin = len((bom + header).encode())
    dialect = Dialect(
        delimiter=text.delimiter,
        newline=next(end for end in ("\r\n", "\r", "\n", "") if header.endswith(end)) or "\n",
        has_bom=bool(bom),
        compression=compression,
    )

    @read_ahead
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        encoder = TextEncoder(text.delimiter, names, columns) if coded else None
        parser = _ArrowParser(text.delimiter, names, columns, coded=coded)
        try:
            with text.open() as file:
                file.read(begin)
                yield from _parsed_blocks(file, encoder, parser)
        except pa.ArrowInvalid as error:
            raise InputError(*text.problems() or [unreadable(error, where)]) from error

    return BatchSource(
        where=where,
        kind=TEXT,
        names=names,
        header=written,
        open=batches,
        places=text.places,
        dialect=dialect,
    )


def _first_lines(text: TextFile) -> list[str]:
    """The first lines, enough to find the delimiter and the columns."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    with reading(text.where), text.open() as file:
        lines = io.StringIO(decoder.decode(file.read(_HEAD)), newline="").readlines()
        # The last line may be cut off.
        return (lines[:-1] if file.read(1) else lines) or [""]


def _header(lines: Sequence[str], delimiter: str) -> tuple[str, tuple[str, ...]]:
    """The text of the header, with blank lines before it, and the column names."""
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        names = next(filter(None, reader), [])
    except csv.Error:  # an unclosed quote
        names = []
    return "".join(lines[: reader.line_num]), tuple(names)


def _parsed_blocks(
    file: "pa.NativeFile | IO[bytes]", encoder: TextEncoder | None, parser: "_ArrowParser"
) -> Batches:
    """The rows of a file: those of regular text encoded, from where it is not on parsed."""
    rest, is_last = b"", False
    while not is_last:
        block = file.read(_BLOCK)
        is_last = not block
        rest += block or b"\n"  # the last line may have no end
        if encoder and b'"' not in block:  # known at once, before anything is copied
            end = rest.rfind(b"\n") + 1
            batch, regular = encoder.encode(rest[:end])
            if batch.num_rows:
                yield batch
            rest = rest[regular:]
            if regular == end and (end or len(rest) < _BLOCK):
                continue
        encoder = None
        end = len(rest) if is_last else _last_end(rest)
        try:
            yield from parser.parse(rest[:end])
            rest = rest[end:]
        except pa.ArrowInvalid:  # perhaps the end lies within quotes
            if is_last or len(rest) >= 2 * _BLOCK:
                raise
        if len(rest) >= 2 * _BLOCK:
            raise pa.ArrowInvalid("A record does not end")


def _last_end(text: bytes) -> int:
    """Where the last line ends that has an even number of quotes before its end."""
    end = 1 + max(text.rfind(b"\n"), text.rfind(b"\r"))
    if text.count(b'"', 0, end) % 2 == 0:
        return end
    marks = np.frombuffer(text, np.uint8)
    is_end = ((marks == _LF) | (marks == _CR)) & ~np.logical_xor.accumulate(marks == _QUOTE)
    return int(np.flatnonzero(is_end).max(initial=-1)) + 1


class _ArrowParser:
    """Parses whole records, as they stand in blocks of a file, by Arrow."""

    def __init__(
        self, delimiter: str, names: Sequence[str], columns: Sequence[str], *, coded: bool
    ) -> None:
        kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
        self._names, self._end = names, f"\n{delimiter.join([END] * len(names))}\n".encode()
        self._parse = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        self._convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, kind), include_columns=columns
        )

    def parse(self, text: bytes) -> Batches:
        """The rows; an error if the sentinel line is not the last."""
        whole = pa.py_buffer(text + self._end)
        options = arrow_csv.ReadOptions(
            block_size=len(whole), column_names=self._names, use_threads=False
        )
        table = arrow_csv.read_csv(pa.BufferReader(whole), options, self._parse, self._convert)
        rows = table.num_rows - 1
        if any(column[rows].as_py() != END for column in table.columns):
            raise pa.ArrowInvalid("A quote is never closed")
        yield from table.slice(0, rows).to_batches()


def _delimiter(lines: Sequence[str], given: str | None, *, where: str) -> str:
    """The given delimiter, or the one that gives the most columns."""
    if given is not None and (len(given) != 1 or given in '"\r\n' or not given.isascii()):
        raise InputError.of(
            f"{given!r} cannot be a delimiter.",
            remedy="Give one character, such as ',' or ';' or '\\t'.",
            where=where,
        )
    best = max(_DELIMITERS, key=lambda delimiter: _width(lines, delimiter))
    columns = _width(lines, best)[1]
    if given is not None and (_width(lines, given)[1] > 1 or columns <= 1):
        return given
    if columns != 1 and given is None:
        return best
    raise InputError.of(
        "Only one column was found.",
        f"The delimiter {best!r} would give {columns} columns."
        if given
        else f"None of {listed(_DELIMITERS)} stands in the header.",
        Remedy("Give this one", "delimiter", best)
        if given
        else Remedy("Give the one that does", "delimiter"),
        where,
    )


def _width(lines: Sequence[str], delimiter: str) -> tuple[bool, int]:
    """Whether the first records have as many fields as the header, and how many it has."""
    records = csv.reader(lines, delimiter=delimiter)
    widths: list[int] = []
    with suppress(csv.Error):  # an unclosed quote
        widths.extend(len(fields) for fields in islice(filter(None, records), _SAMPLE))
    return len({*widths}) == 1 and widths[0] > 1, widths[0] if widths else 0


def is_zip_member(name: str) -> bool:
    """Whether a name in an archive is that of a file, and not a folder or added by macOS."""
    return not name.endswith("/") and not name.startswith("__MACOSX/")


def invalid_byte(text: bytes, offset: int, line: int, *, where: str) -> Problem | None:
    """The first byte that is not UTF-8, or is NUL."""
    try:
        at = text.decode().encode().find(b"\0")
        what, found = "a NUL byte", "This is no text, or UTF-16."
        remedy = _as_utf8("UTF-16")
    except UnicodeDecodeError as error:
        at = error.start
        character = text[at : at + 1].decode("latin-1")
        what, found = f"the byte 0x{text[at]:02X}", f"In Latin-1 this would be {character!r}."
        remedy = _as_utf8("LATIN1")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")) and not offset:
        found = "The first bytes say UTF-16."
        remedy = _as_utf8("UTF-16")
    if at < 0:
        return None
    line += text.count(b"\n", 0, at)
    return Problem(
        f"The text is not UTF-8: there is {what} at byte {offset + at:,}, line {line:,}.",
        found,
        remedy,
        where,
    )


def _as_utf8(encoding: str) -> tuple[Remedy, ...]:
    """How to save a text of another encoding as UTF-8, with what people have at hand."""
    return (
        Remedy("In Excel, open it and save it as 'CSV UTF-8 (comma delimited)'"),
        Remedy(
            "in LibreOffice, save it as 'Text CSV', tick 'Edit filter settings' and choose the "
            "character set 'Unicode (UTF-8)'"
        ),
        Remedy(f"convert it: `iconv -f {encoding} -t UTF-8 old.csv > new.csv`"),
    )
