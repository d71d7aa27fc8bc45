"""Spreadsheets: one sheet of an Excel or OpenDocument file, read by python-calamine.

A cell becomes the text under which its value is counted; a formula counts as its stored result.
The first row that is not empty names the columns. An empty row is no row, and a column without
any text is no column.
"""

import sys
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from subprocess import TimeoutExpired, run
from types import ModuleType
from typing import Any

import pyarrow as pa

from evenhand.errors import ColumnError, InputError, Remedy, ResourceError, did_you_mean, listed
from evenhand.files.file_formats import SPREADSHEET
from evenhand.question import as_label
from evenhand.rows.batch_source import (
    BATCH_ROWS,
    Batches,
    BatchSource,
    unique_names,
    unreadable,
)
from evenhand.rows.value_labels import as_texts

_ITSELF = 50_000_000  # bytes of the process that tries
_SECONDS = 300  # that it may take to open
_EMPTY = 1 << 26  # cells above a table; to pass them takes some seconds
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
_TOO_LARGE = (b"MemoryError", b"capacity overflow", b"Cell limit exceeded")


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
    _check_size(where, sheet, memory, calamine)
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
            top, left = _check_start(where, cells)
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


def _check_start(where: str, cells: Any) -> tuple[int, int]:  # noqa: ANN401  # a sheet
    """The first row and column with a cell, counted from 0; too far down is refused.

    python-calamine holds no empty rows above the table, but gives them one by one.
    """
    row, column = cells.start or (0, 0)
    if row * max(cells.width, 64) > _EMPTY:
        raise ResourceError.of(
            "This sheet begins below too many empty rows.",
            f"The table begins in cell {column_letters(column)}{row + 1}.",
            "Delete the empty rows above the table, or save the sheet as CSV.",
            where,
        )
    return row, column


def _check_size(where: str, sheet: str | None, memory: int, calamine: ModuleType) -> None:
    """Refuse a spreadsheet whose cells take over half of the memory; texts take the rest.

    A process with so much memory tries to open it. Where none can, on other systems than
    Linux, all is read.
    """
    if sys.platform != "linux":
        return
    place, limit = Path(str(calamine.__file__)).parents[1], memory // 2
    command = [sys.executable, "-I", "-S", "-c", _TRY, str(place), str(limit + _ITSELF), where]
    command += [sheet] if sheet else []
    try:
        done = run(  # noqa: S603  # our own program
            command, capture_output=True, check=False, timeout=_SECONDS
        )
    except OSError:
        return
    except TimeoutExpired as error:
        raise ResourceError.of(
            f"This spreadsheet takes over {_SECONDS} seconds to open.",
            remedy="Save the sheet as CSV.",
            where=where,
        ) from error
    failed = done.returncode < 0 or any(word in done.stderr for word in _TOO_LARGE)
    if failed and done.stdout:
        raise ResourceError.of(
            "This spreadsheet takes more memory than may be used.",
            f"{limit / 1e6:,.0f} MB may be used for its cells.",
            "Delete what stands far from the table (Ctrl+End goes to the last cell), save the "
            "sheet as CSV, or allow more memory.",
            where,
        )


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
