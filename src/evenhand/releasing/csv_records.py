"""Delimited text as bytes: where its records and fields begin and end.

Records are found as the reader of the rows finds them: a quote opens a field only at its
beginning, and a line ends with LF, CR LF or CR outside of quotes. Blank lines are no records.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 22
_QUOTE, _LF, _CR = b'"\n\r'


class ByteSource(Protocol):
    """Bytes to be read in order."""

    def read(self, size: int, /) -> bytes:
        """Up to so many bytes; none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Records:
    """Consecutive records: their bytes, and where in these each begins and ends.

    A record ends after its line end. Bytes between records are blank lines.
    """

    text: bytes
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class FieldFinder:
    """Finds chosen fields of a record, by their numbers."""

    def __init__(self, delimiter: str, numbers: Iterable[int]) -> None:
        mark = re.escape(delimiter.encode())
        plain = rb"[^" + mark + rb"\r\n]*+"
        field = rb'(?:"[^"]*+(?:""[^"]*+)*+"' + plain + rb'|(?!")' + plain + rb")"
        chosen = set(numbers)
        pieces = [
            b"(" + field + b")" if number in chosen else field
            for number in range(max(chosen, default=-1) + 1)
        ]
        self._numbers = sorted(chosen)
        self._record = re.compile(mark.join(pieces))
        rest = rb"(?:" + mark + field + rb")*+"
        self.line = re.compile(rb"(?>" + field + rest + rb")(\r\n|\n|\r(?!\Z))")
        self._whole = re.compile(
            rb"(?=[^\r\n])" + mark.join(pieces) + rest + rb"(?:\r\n|\n|\r|\Z)"
        )
        self._delimiter = delimiter

    def find(self, records: Records, at: int) -> dict[int, tuple[int, int]]:
        """Where the chosen fields of a record begin and end."""
        match = self._record.match(records.text, int(records.begins[at]), int(records.ends[at]))
        if match is None:
            return {}
        return {number: match.span(group + 1) for group, number in enumerate(self._numbers)}

    def spans(
        self, records: Records, rows: NDArray[np.int64], number: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where one of the chosen fields begins and ends, in some of the records.

        Records without quotes are searched together, not by one match each.
        """
        begins, ends = records.begins[rows], records.ends[rows]
        pairs = zip(begins.tolist(), ends.tolist(), strict=True)
        text = b"".join([records.text[begin:end] for begin, end in pairs])
        if b'"' in text:
            found = [self.find(records, row)[number] for row in rows.tolist()]
            first, last = np.array(found, np.int64).reshape(-1, 2).T
            return first, last
        marks = np.frombuffer(text + b"\n", np.uint8)
        stops = np.cumsum(ends - begins)
        starts = stops - (ends - begins)
        # Without its line end, which the last one may lack.
        stops -= np.isin(marks[stops - 1], (_LF, _CR))
        stops -= (marks[stops - 1] == _CR) & (marks[stops] == _LF)
        delimiters = np.flatnonzero(marks == ord(self._delimiter))
        before = np.searchsorted(delimiters, starts) + number
        delimiters = np.append(delimiters, [len(text)] * (number + 1))
        first = starts if number == 0 else delimiters[before - 1] + 1
        last = np.minimum(delimiters[before], stops)
        return first + (begins - starts), last + (begins - starts)

    def cells(self, records: Records) -> Iterator[tuple[int, set[bytes]]]:
        """The different bytes that each chosen field has in these records."""
        found = {*self._whole.findall(records.text)}
        if len(self._numbers) == 1:
            yield self._numbers[0], found
            return
        for at, number in enumerate(self._numbers):
            yield number, {cells[at] for cells in found}

    def encode(self, text: str) -> bytes:
        """A text as bytes of a field, in quotes if it needs them."""
        needs = any(mark in text for mark in ('"', "\n", "\r", self._delimiter))
        return ('"' + text.replace('"', '""') + '"' if needs else text).encode()

    def decode(self, cell: bytes) -> str:
        """The text of a field."""
        lines = io.StringIO(cell.decode(), newline="")
        return next(csv.reader(lines, delimiter=self._delimiter), [""])[0]


class RecordReader:
    """Reads as many records at a time as are asked for."""

    def __init__(self, source: ByteSource, delimiter: str) -> None:
        self._source, self._delimiter = source, delimiter
        self._line = FieldFinder(delimiter, ()).line
        self._text = b""
        self._scanned = 0
        self._begins = np.zeros(0, np.int64)
        self._ends = np.zeros(0, np.int64)
        self._at_end = False

    def take(self, amount: int) -> Records:
        """The next records, with the blank lines before them; fewer only at the end."""
        while len(self._ends) < amount and not self._at_end:
            self._read_on()
        begins, self._begins = np.split(self._begins, [amount])
        ends, self._ends = np.split(self._ends, [amount])
        size = int(ends[-1]) if len(ends) else 0
        text, self._text = self._text[:size], self._text[size:]
        self._begins, self._ends = self._begins - size, self._ends - size
        self._scanned -= size
        return Records(text, begins, ends)

    def rest(self) -> bytes:
        """What comes after the last record taken."""
        pieces = [self._text]
        while block := self._source.read(_BLOCK):
            pieces.append(block)
        return b"".join(pieces)

    def _read_on(self) -> None:
        """Read another block, and find the records that end in it."""
        block = self._source.read(_BLOCK)
        self._at_end = not block
        self._text += block
        tail = self._text[self._scanned :]
        ends = self._line_ends(tail)
        if self._at_end and len(tail) > (ends[-1] if len(ends) else 0):
            ends = np.append(ends, len(tail))
        begins = np.concatenate([[0], ends[:-1]]).astype(np.int64) if len(ends) else ends
        # A line that begins with its end is blank, and no record.
        first = np.frombuffer(tail, np.uint8)[begins]
        full = (first != _LF) & (first != _CR)
        self._begins = np.concatenate([self._begins, begins[full] + self._scanned])
        self._ends = np.concatenate([self._ends, ends[full] + self._scanned])
        self._scanned += int(ends[-1]) if len(ends) else 0

    def _line_ends(self, text: bytes) -> NDArray[np.int64]:
        """The places after each line end outside of quotes; the last line may be unfinished."""
        marks = np.frombuffer(text, np.uint8)
        breaks = np.flatnonzero(marks == _LF)
        if b"\r" in text:
            returns = np.flatnonzero(marks[:-1] == _CR)
            alone = returns[marks[returns + 1] != _LF]
            breaks = np.sort(np.concatenate([breaks, alone]))
        if b'"' in text:
            quotes = np.flatnonzero(marks == _QUOTE)
            if not self._are_regular(marks, quotes):
                return np.array([line.end() for line in self._lines(text)], np.int64)
            breaks = breaks[np.searchsorted(quotes, breaks) % 2 == 0]
        return breaks + 1

    def _are_regular(self, marks: NDArray[np.uint8], quotes: NDArray[np.intp]) -> bool:
        """Whether quotes open where fields begin, close where they end, or come doubled."""
        opening, closing = quotes[0::2], quotes[1::2]
        edges = np.zeros(256, bool)
        edges[[_QUOTE, _LF, _CR, ord(self._delimiter)]] = True
        before = marks[opening[opening > 0] - 1]
        after = marks[closing[closing < len(marks) - 1] + 1]
        return bool(edges[before].all() and edges[after].all())

    def _lines(self, text: bytes) -> Iterable[re.Match[bytes]]:
        """Line after line, by the letter of the rule: slow, and right for odd quotes."""
        position = 0
        while line := self._line.match(text, position):
            yield line
            position = line.end()
