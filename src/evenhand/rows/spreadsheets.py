"""Spreadsheets: one sheet of an Excel or OpenDocument file, read by python-calamine.

A cell becomes the text under which its value is counted; a formula counts as its stored result.
The first row that is not empty names the columns. An empty row is no row, and a column without
any text is no column.
"""

import sys
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from subprocess import TimeoutExpired, run
from types import ModuleType
from typing import Any
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from evenhand.errors import ColumnError, InputError, Remedy, ResourceError, did_you_mean, listed
from evenhand.files.file_formats import SPREADSHEET
from evenhand.question import as_label
from evenhand.rows.arrow_numpy import as_texts
from evenhand.rows.batch_source import (
    BATCH_ROWS,
    Batches,
    BatchSource,
    unique_names,
    unreadable,
)

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


def spreadsheet_source(where: str, *, sheet: str | None, memory: int) -> BatchSource:
    """The named sheet of a file, or the only one that is not empty."""
    left, rows = _sheet_rows(where, sheet, memory)
    if not rows:
        raise InputError.of("This sheet is empty.", remedy="Name another one.", where=where)
    (header_row, names), *rows = rows
    used = [at for at, name in enumerate(names) if name or any(texts[at] for _, texts in rows)]
    nameless = [column_letters(left + at) for at in used if not names[at]]
    if nameless:
        raise ColumnError.of(
            f"The columns {listed(nameless)} have no name in row {header_row}.",
            f"That is the first row with a text: {listed(filter(None, names))}.",
            "Let the first row name every column: remove titles and notes around the table.",
            where,
        )
    header = tuple(names[at] for at in used)
    table = pa.table(
        [as_texts([texts[at] for _, texts in rows]) for at in used],
        names=[*unique_names(header)],
    )

    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        yield from table.select(list(columns)).to_batches(max_chunksize=BATCH_ROWS)

    def places(numbers: Collection[int]) -> dict[int, str]:
        return {number: f"row {rows[number][0]:,}" for number in numbers}

    return BatchSource(
        where=where,
        kind=SPREADSHEET,
        names=tuple(table.column_names),
        header=header,
        open=batches,
        places=places,
        rows=table.num_rows,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else as_label(value)


def _sheet_rows(
    where: str, sheet: str | None, memory: int
) -> tuple[int, list[tuple[int, list[str]]]]:
    """The first column, counted from 0, and the number and texts of each row with any."""
    try:
        import python_calamine as calamine  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise InputError.of(
            "This is a spreadsheet, and what reads it is not installed.",
            f"{error}.",
            "Install it: pip install python-calamine. Or save the sheet as CSV.",
            where,
        ) from error
    check_sheet_size(where, sheet, memory, calamine)
    try:
        with calamine.CalamineWorkbook.from_path(where) as book:
            name = _chosen_sheet(book, where) if sheet is None else sheet
            if name not in book.sheet_names:
                raise InputError.of(
                    f"There is no sheet {name!r}.",
                    did_you_mean(name, book.sheet_names),
                    _sheet_remedies(book.sheet_names),
                    where,
                )
            cells = book.get_sheet_by_name(name)
            text = lru_cache(100_000, typed=True)(_text)  # equal texts are held once
            top, left = check_sheet_start(where, cells)
            rows = enumerate(islice(cells.iter_rows(), top, None), top + 1)
            texts = ((at, [*map(text, row)]) for at, row in rows)
            return left, [one for one in texts if any(one[1])]
    except calamine.PasswordError as error:
        raise InputError.of(
            "This spreadsheet is encrypted.", remedy="Save it without a password.", where=where
        ) from error
    except calamine.CalamineError as error:
        raise InputError(unreadable(error, where)) from error


def _chosen_sheet(book: Any, where: str) -> str:  # noqa: ANN401  # a workbook
    """The only sheet with cells; several are refused by name."""
    calamine = sys.modules["python_calamine"]
    tables = [s.name for s in book.sheets_metadata if s.typ == calamine.SheetTypeEnum.WorkSheet]
    if len(tables) == 1:
        return str(tables[0])
    sheets = [name for name in tables if book.get_sheet_by_name(name).height]
    if len(sheets) != 1:
        raise InputError.of(
            f"This spreadsheet has {len(sheets)} sheets: {listed(sheets)}."
            if sheets
            else "All sheets of this spreadsheet are empty.",
            "Which one is the table, nobody said." if sheets else "",
            _sheet_remedies(sheets) if sheets else "Check that it is the right file.",
            where,
        )
    return str(sheets[0])


def _sheet_remedies(names: Sequence[str]) -> tuple[Remedy, ...]:
    first, *others = names
    return (
        Remedy(f"Read the sheet {first!r}", "sheet", first),
        *(Remedy(f"read the sheet {name!r}", "sheet", name) for name in others),
        Remedy("save the sheet as CSV"),
    )


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
