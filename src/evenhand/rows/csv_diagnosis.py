"""Reads a text file slowly and exactly, to report what is wrong with it and on which line.

The fast reader only says that something is wrong; then the file is read once more, here. Never
more than one record of bounded length is in memory: a compressed one may be of any length.
"""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO
from zipfile import ZipFile

import pyarrow as pa

from evenhand.errors import Problem, Remedy

# Sentinel line that we add after the last one: an unclosed quote swallows it.
END = "\x1aend"
LONGEST_RECORD = 1 << 22  # characters
_MOST_PROBLEMS = 20


def is_zip_member(name: str) -> bool:
    """Whether a name in an archive is that of a file, and not a folder or added by macOS."""
    return not name.endswith("/") and not name.startswith("__MACOSX/")


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
