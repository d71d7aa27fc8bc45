"""A text file, read slowly and exactly, to say what is wrong with it and on which line.

The fast reader only says that something is wrong. Then the file is read once more, here. Never
is more held than one record of a bounded length: a small compressed file may hold one of any.
"""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa

from evenhand.errors import Problem

# A line of our own after the last one: it is not seen if a quote is still open there.
END = "\x1aend"
LONGEST = 1 << 22  # record
_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file of delimited UTF-8 text, perhaps compressed."""

    where: str
    compression: str | None
    delimiter: str = ","

    def open(self) -> pa.NativeFile:
        """The bytes of the text, from the start."""
        file = pa.OSFile(self.where)
        return pa.CompressedInputStream(file, self.compression) if self.compression else file

    def records(self) -> Iterator[tuple[int, list[str] | None]]:
        """Every record but blank lines, and the number of the line on which it begins.

        A record that does not end comes as ``None``, and is the last.
        """
        text = io.TextIOWrapper(self.open(), "utf-8-sig", errors="replace", newline="")
        length = 0

        def lines() -> Iterator[str]:
            nonlocal length
            while line := text.readline(LONGEST):
                length += len(line)
                if length >= LONGEST:
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
            # Without end: the open quote swallows line after line, or the line goes on and on.
            yield begin, None

    def places(self, rows: Collection[int]) -> dict[int, str]:
        """The lines on which rows stand; the header is no row."""
        numbered = enumerate(islice(self.records(), 1, max(rows) + 2))
        return {row: f"line {line:,}" for row, (line, _) in numbered if row in rows}

    def problems(self) -> list[Problem]:
        """What keeps the text from being a table, of each kind the first ones."""
        return [*self.foreign_bytes(), *self._ragged_records()]

    def foreign_bytes(self) -> Iterator[Problem]:
        """The first byte that does not belong into UTF-8 text."""
        # Not bytes: a piece of these may end within a character.
        file = io.TextIOWrapper(self.open(), "utf-8", errors="surrogateescape", newline="")
        offset, line = 0, 1
        while piece := file.read(LONGEST):
            text = piece.encode(errors="surrogateescape")
            problem = foreign_byte(text, offset, line, where=self.where)
            if problem:
                yield problem
                return
            offset, line = offset + len(text), line + piece.count("\n")

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
                    f"all of them have {LONGEST:,}.",
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


def foreign_byte(text: bytes, offset: int, line: int, *, where: str) -> Problem | None:
    """The first byte of some text that is no UTF-8, or NUL, which no text has."""
    try:
        at = text.decode().encode().find(b"\0")
        what, found = "a NUL byte", "This is no text, or UTF-16."
        remedy = "Convert it: `iconv -f UTF-16 -t UTF-8 old.csv > new.csv`."
    except UnicodeDecodeError as error:
        at = error.start
        character = text[at : at + 1].decode("latin-1")
        what, found = f"the byte 0x{text[at]:02X}", f"In Latin-1 this would be {character!r}."
        remedy = "Convert it: `iconv -f LATIN1 -t UTF-8 old.csv > new.csv`."
    if text.startswith((b"\xff\xfe", b"\xfe\xff")) and not offset:
        found = "The first bytes say UTF-16."
        remedy = "Convert it: `iconv -f UTF-16 -t UTF-8 old.csv > new.csv`."
    if at < 0:
        return None
    line += text.count(b"\n", 0, at)
    return Problem(
        f"The text is not UTF-8: there is {what} at byte {offset + at:,}, line {line:,}.",
        found,
        remedy,
        where,
    )
