"""Refuses a spreadsheet that takes too much memory, and says which cell makes it so large.

python-calamine holds a sheet with all empty cells up to the farthest one, and ends the process
if there is no memory for them. So a process with a limit opens the spreadsheet first.
"""

import sys
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired, run
from types import ModuleType
from typing import Any
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from evenhand.errors import ResourceError

_CELL = 32  # bytes that an empty cell takes
_ITSELF = 50_000_000  # bytes of the process that tries
_SECONDS = 300  # that it may take to open
_EMPTY = 1 << 26  # cells above a table; to pass them takes some seconds
_PIECE = 1_000_000  # bytes
_LONGEST = 20 * _PIECE  # of a tag; no spreadsheet has such
_LETTERS, _DIGITS = 7, 10  # of the name of a cell, at most; no sheet has longer ones
_TRY = """import resource, sys
sys.path.insert(0, sys.argv[1])
import python_calamine
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
limit, hard = int(sys.argv[2]), resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
sys.stdout.write("ready")
sys.stdout.flush()
try:
    book = python_calamine.CalamineWorkbook.from_path(sys.argv[3])
    for name in sys.argv[4:] or book.sheet_names:
        book.get_sheet_by_name(name)
except (python_calamine.CalamineError, OSError) as error:
    sys.exit(str(error))
"""
_NO_MEMORY = (b"MemoryError", b"capacity overflow")


def check_sheet_size(where: str, sheet: str | None, memory: int, calamine: ModuleType) -> None:
    """Refuse a spreadsheet whose cells take over half of the memory; texts take the rest."""
    fits = _fits(where, sheet, memory // 2, calamine)
    if fits:
        return
    size = max(_sizes(where), key=lambda one: one.cells, default=_Size(where))
    if fits is None and size.cells * _CELL <= memory // 2:
        return
    raise ResourceError.of(
        "This spreadsheet takes more memory than may be used.",
        size.sentence() + f"{memory // 2 / 1e6:,.0f} MB may be used for its cells.",
        "Delete what stands far from the table, save the sheet as CSV, or allow more memory.",
        where,
    )


def check_sheet_start(where: str, cells: Any) -> tuple[int, int]:  # noqa: ANN401  # a sheet
    """The first row and column with a cell, counted from 0; too far down is refused.

    python-calamine holds no empty rows above the table, but gives them one by one.
    """
    row, column = cells.start or (0, 0)
    if row * max(cells.width, 64) > _EMPTY:
        raise ResourceError.of(
            "This sheet begins below too many empty rows.",
            f"The table begins in cell {_reference((row + 1, column + 1))}.",
            "Delete the empty rows above the table, or save the sheet as CSV.",
            where,
        )
    return row, column


def _fits(where: str, sheet: str | None, memory: int, calamine: ModuleType) -> bool | None:
    """Whether a process with this much memory can open it; None if it could not try or open."""
    if sys.platform != "linux":
        return None
    place = Path(str(calamine.__file__)).parents[1]
    command = [sys.executable, "-I", "-S", "-c", _TRY, str(place), str(memory + _ITSELF), where]
    command += [sheet] if sheet else []
    try:
        done = run(  # noqa: S603  # our own program
            command, capture_output=True, check=False, timeout=_SECONDS
        )
    except OSError:
        return None
    except TimeoutExpired as error:
        raise ResourceError.of(
            f"This spreadsheet takes over {_SECONDS} seconds to open.",
            remedy="Save the sheet as CSV.",
            where=where,
        ) from error
    if done.returncode < 0 or any(word in done.stderr for word in _NO_MEMORY):
        return False if done.stdout else None
    return None if done.returncode or not done.stdout else True


class _Size:
    """How far the cells of one sheet reach, as its XML says; ``start`` is told of each tag.

    Cells with a format and no content do not count.
    """

    def __init__(self, part: str) -> None:
        self._part = Path(part).name
        self._row = self._column = self._filled = 0
        self._last_row = self._last_column = (0, 0)  # the farthest cells
        self._height = 1  # of a row that stands for several

    @property
    def cells(self) -> int:
        """How many cells there are, with empty ones, up to the farthest."""
        return self._last_row[0] * self._last_column[1]

    def sentence(self) -> str:
        """Which cells are the farthest; empty if that is not known."""
        if not self.cells:
            return ""
        far = dict.fromkeys(map(_reference, (self._last_column, self._last_row)))
        return (
            f"In {self._part} the farthest cell is {' and '.join(far)}: {self.cells:,} cells "
            f"with all empty ones before, {self._filled:,} of them filled. "
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take notice of a tag of a sheet, of Excel (row, c, v, is) or OpenDocument."""
        match tag.rpartition(":")[2]:
            case "row":
                self._row, self._column = _number(attributes.get("r", self._row + 1)), 0
            case "c":
                self._column += 1
                if reference := attributes.get("r"):
                    self._row, self._column = _position(reference)
            case "v" | "is":
                self._fill(1)
            case "table":
                self._row = 0
            case "table-row":
                self._height = _number(attributes.get("table:number-rows-repeated", 1))
                self._row, self._column = self._row + self._height, 0
            case "table-cell" | "covered-table-cell":
                width = _number(attributes.get("table:number-columns-repeated", 1))
                self._column += width
                if "office:value-type" in attributes:
                    self._fill(width * self._height)

    def _fill(self, number: int) -> None:
        self._filled += number
        place = (self._row, self._column)
        self._last_row = max(self._last_row, place)
        self._last_column = max(self._last_column, place, key=lambda one: one[1])


def _sizes(where: str) -> Iterator[_Size]:
    """The sizes of all sheets of an archive, read in pieces; what is no XML ends early."""
    with suppress(BadZipFile, OSError, NotImplementedError), ZipFile(where) as archive:
        for member in archive.infolist():
            size, parser, fed = _Size(member.filename), expat.ParserCreate(), 0
            parser.StartElementHandler = size.start
            with (
                suppress(expat.ExpatError, ValueError, BadZipFile, zlib.error),
                archive.open(member) as file,
            ):
                while fed - parser.CurrentByteIndex < _LONGEST and (piece := file.read(_PIECE)):
                    parser.Parse(piece)
                    fed += len(piece)
            yield size


def _position(reference: str) -> tuple[int, int]:
    """Row and column, counted from 1.

    >>> _position("A7"), _position("XFD1048576")
    ((7, 1), (1048576, 16384))
    """
    letters = reference.rstrip("0123456789")
    if len(letters) > _LETTERS:
        raise ValueError(letters)
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return _number(reference[len(letters) :]), column


def _number(text: str | int) -> int:
    """A number of rows or columns; ValueError for one that no sheet has."""
    if len(str(text)) > _DIGITS:
        raise ValueError(text)
    return int(text)


def _reference(place: tuple[int, int]) -> str:
    """The name of a cell.

    >>> _reference((7, 1)), _reference((1048576, 16384))
    ('A7', 'XFD1048576')
    """
    row, column = place
    return f"{column_letters(column - 1)}{row}"


def column_letters(position: int) -> str:
    """The name that a spreadsheet gives to a column, counted from 0.

    >>> column_letters(0), column_letters(25), column_letters(26), column_letters(702)
    ('A', 'Z', 'AA', 'AAA')
    """
    letters = ""
    while position >= 0:
        position, letter = divmod(position, 26)
        letters = chr(ord("A") + letter) + letters
        position -= 1
    return letters
