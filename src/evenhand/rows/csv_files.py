"""CSV and similar text: any delimiter, quoted newlines, byte order mark, gzip, zstd.

Fields are labels and stay text; no type is inferred. A blank line is no row.

Regular text is encoded by numpy, from where it is not on Arrow parses block by block.
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
from typing import IO, TypeAlias
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

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
from evenhand.rows.value_labels import as_texts

_HEAD = 1 << 18
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 20
_LF, _CR, _QUOTE = b'\n\r"'
# Sentinel line that we add after the last one: an unclosed quote swallows it.
END = "\x1aend"
LONGEST_RECORD = 1 << 22  # characters
_BLOCK = LONGEST_RECORD
_MOST_PROBLEMS = 20
# Of the encoder.
_Numbers: TypeAlias = NDArray[np.int64]
_Words: TypeAlias = NDArray[np.uint64]
_SLICE = 1 << 18  # bytes, of which all that is worked out stays in the cache
_FIRST_SLICE = 1 << 12
_LONGEST = 32  # bytes of a text, four words: longer ones are as fast in Arrow
_MOST_VALUES = 1000
_SLOT_BITS = 12  # of the table, for each column
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], np.uint64
)
_NEVER = int.from_bytes(b"\n" * 8)  # no text has a line end
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)  # by size, or more


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
    file: "pa.NativeFile | IO[bytes]", encoder: "TextEncoder | None", parser: "_ArrowParser"
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
            yield from parser.parse(memoryview(rest)[:end])
            rest = rest[end:]
        except pa.ArrowInvalid:  # perhaps the end lies within quotes
            if is_last or len(rest) >= 2 * _BLOCK:
                raise
        if len(rest) >= 2 * _BLOCK:
            raise pa.ArrowInvalid("A record does not end")


def _last_end(text: bytes) -> int:
    """Where the last line ends that has an even number of quotes before its end."""
    end = 1 + max(text.rfind(b"\n"), text.rfind(b"\r"))
    marks = np.frombuffer(text, np.uint8)
    quotes = marks == _QUOTE
    if np.count_nonzero(quotes[:end]) % 2 == 0:  # five times as fast as bytes.count
        return end
    is_end = ((marks == _LF) | (marks == _CR)) & ~np.logical_xor.accumulate(quotes)
    return int(np.flatnonzero(is_end).max(initial=-1)) + 1


class _ArrowParser:
    """Parses blocks of whole records with Arrow."""

    def __init__(
        self, delimiter: str, names: Sequence[str], columns: Sequence[str], *, coded: bool
    ) -> None:
        kind = pa.dictionary(pa.int32(), pa.string()) if coded else pa.string()
        self._names, self._end = names, f"\n{delimiter.join([END] * len(names))}\n".encode()
        self._parse = arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
        self._convert = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, kind), include_columns=columns
        )

    def parse(self, text: memoryview) -> Batches:
        """The rows; an error if the sentinel line is not the last."""
        whole = pa.py_buffer(b"".join((text, self._end)))
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


class TextEncoder:
    """Encodes regular text by numpy: 242 ns a row of 12 fields, Arrow 315.

    Text is regular as long as it has no quotes, as many fields in each line, and short texts of
    few values in the columns that are wanted; where none is wanted nothing is. A text of up to
    8 bytes is one number, a longer one is several, its words. Numbers are looked up in a table
    by a hash; what is not found there is compared byte by byte. Irregular text, and all after
    it, is left to Arrow. A dictionary grows from block to block.
    """

    def __init__(self, delimiter: str, names: Sequence[str], wanted: Sequence[str]) -> None:
        self._delimiter, self._width = ord(delimiter), len(names)
        self._wanted = [*wanted]
        self._fields = [names.index(name) for name in wanted]
        self._bounds = sorted({at for f in self._fields for at in (f, f + 1)} - {0})
        self._codes: list[dict[str, int]] = [{} for _ in wanted]  # as texts are met
        self._taught = False
        self._has_returns = False
        self._words = 1  # as many as the longest text so far has
        slots = len(wanted) << _SLOT_BITS
        self._slot_words = np.zeros((_LONGEST // 8, slots), np.uint64)
        self._slot_words[0] = _NEVER
        self._slot_codes = np.zeros(slots, np.int32)

    def encode(self, text: bytes) -> tuple[pa.RecordBatch, int]:
        """The rows of whole lines up to where they are not regular, and how long these are."""
        pieces, done = [np.zeros((len(self._wanted), 0), np.int32)], 0
        # Words are filled up with zeros; in a single column a blank line would be a row.
        regular = self._wanted and self._width > 1 and not (b'"' in text or b"\0" in text)
        marks = np.frombuffer(text + bytes(_LONGEST + 8) if regular else b"", np.uint8)
        self._has_returns = b"\r" in text
        while regular and done < len(text):
            # The first lines teach most values: few of them, as new ones take long.
            end = text.rfind(b"\n", done, done + (_SLICE if self._taught else _FIRST_SLICE)) + 1
            end = end or text.find(b"\n", done) + 1
            found = self._encode_lines(marks, done, end)
            self._taught = True
            if found is None:
                break
            pieces.append(found)
            done = end
        columns = [
            pa.DictionaryArray.from_arrays(
                pa.Array.from_buffers(pa.int32(), len(codes), [None, pa.py_buffer(codes)]),
                as_texts([*known]),
                safe=False,
            )
            for codes, known in zip(np.hstack(pieces), self._codes, strict=True)
        ]
        return pa.RecordBatch.from_arrays(columns, self._wanted), done

    def _encode_lines(
        self, marks: NDArray[np.uint8], begin: int, end: int
    ) -> NDArray[np.int32] | None:
        """The codes of the wanted fields of some lines; None if these are not regular."""
        fields = self._find_fields(marks[begin:end])
        if fields is None:
            return None
        starts, sizes = fields
        longest = int(sizes.max())
        if longest > _LONGEST:
            return None
        self._words = max(self._words, -(-longest // 8))
        # The eight bytes from each place on as a number; copied, they are quick to take.
        places = np.ndarray(end - begin + _LONGEST, np.dtype("<u8"), marks, begin, (1,)).copy()
        words = [places.take(starts, mode="clip") & _MASKS.take(sizes, mode="clip")]
        words += [
            places.take(starts + at, mode="clip") & _MASKS.take(sizes - at, mode="clip")
            for at in range(8, 8 * self._words, 8)
        ]
        slots = _slots(words)
        slots += np.arange(len(slots))[:, np.newaxis] << _SLOT_BITS
        known = self._slot_words[0].take(slots, mode="clip") == words[0]
        for slot_words, word in zip(self._slot_words[1:], words[1:], strict=False):
            known &= slot_words.take(slots, mode="clip") == word
        codes = self._slot_codes.take(slots, mode="clip")
        for column in np.flatnonzero(~known.all(axis=1)).tolist():
            rows = np.flatnonzero(~known[column])
            new = self._look_up(column, [word[column, rows] for word in words])
            if new is None:
                return None
            codes[column, rows] = new
        return codes

    def _find_fields(self, marks: NDArray[np.uint8]) -> tuple[_Numbers, _Numbers] | None:
        """Where the wanted fields of lines begin and how long they are; None if irregular."""
        is_end = marks == _LF
        found = np.flatnonzero((marks == self._delimiter) | is_end)
        rows = np.count_nonzero(is_end)
        if len(found) != rows * self._width:
            return None
        stops = found.reshape(rows, self._width)
        last = stops[:, -1]
        if not is_end[last].all():
            return None
        # Where each field ends, and before the first of a line the line before.
        bounds = np.empty((self._width + 1, rows), np.int64)
        bounds[0, 0], bounds[0, 1:] = -1, last[:-1]
        for at in self._bounds:
            bounds[at] = stops[:, at - 1]
        starts = bounds[self._fields] + 1
        sizes = bounds[[field + 1 for field in self._fields]] - starts
        if self._has_returns and (returns := np.count_nonzero(marks == _CR)):
            if returns != rows or (marks[last - 1] != _CR).any():
                return None
            for at, field in enumerate(self._fields):
                sizes[at] -= field == self._width - 1
        return starts, sizes

    def _look_up(self, column: int, words: Sequence[_Words]) -> NDArray[np.int32] | None:
        """The codes of texts that the table did not give: new ones, or their slot is taken."""
        joined = np.stack(words, axis=1).view(f"V{8 * len(words)}")[:, 0]
        texts, first, inverse = np.unique(joined, return_index=True, return_inverse=True)
        codes, known = np.empty(len(texts), np.int32), self._codes[column]
        for at in np.argsort(first).tolist():
            try:
                text = texts[at].tobytes().rstrip(b"\0").decode()
            except UnicodeDecodeError:
                return None
            codes[at] = known.setdefault(text, len(known))
            if len(known) > _MOST_VALUES:
                return None
            one = [word[first[at : at + 1]] for word in words]
            slot = int(_slots(one)[0]) + (column << _SLOT_BITS)
            if self._slot_words[0, slot] == _NEVER:
                self._slot_codes[slot] = codes[at]
                self._slot_words[: len(one), slot] = np.concatenate(one)
        return codes[inverse]


def _slots(words: Sequence[_Words]) -> _Numbers:
    """A hash of each text, the number of a slot; words of zero do not matter."""
    mixed = words[0] * _FACTORS[0]
    for word, factor in zip(words[1:], _FACTORS[1:], strict=False):
        mixed += word * factor
    slots: _Numbers = (mixed >> np.uint64(64 - _SLOT_BITS)).astype(np.int64)
    return slots
