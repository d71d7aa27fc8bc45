"""Opens paths: which files make one table, and the format of each, by its first bytes."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from glob import glob
from itertools import zip_longest
from pathlib import Path
from zipfile import ZipFile

from evenhand.errors import ColumnError, InputError, Problem, listed, nearest_path
from evenhand.rows.arrow_files import arrow_source, parquet_source
from evenhand.rows.arrow_numpy import value_type
from evenhand.rows.batch_source import BatchSource, reading
from evenhand.rows.csv_diagnosis import TextFile, is_zip_member
from evenhand.rows.csv_files import csv_source
from evenhand.rows.foreign_files import refuse_foreign
from evenhand.rows.spreadsheets import spreadsheet_source

_TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data")
_BINARY = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")
_COMPRESSED = (".gz", ".zst")
_PARQUET, _ARROW = b"PAR1", (b"ARROW1", b"\xff\xff\xff\xff")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_PACKED = {_GZIP: "gzip", _ZSTD: "zstd", _ZIP: "zip"}
_NO_TEXT = {_PARQUET: "Parquet", **dict.fromkeys(_ARROW, "Arrow"), _OLD_EXCEL: "Excel"}
_BOOKS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}  # parts of a spreadsheet


def file_sources(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None,
    sheet: str | None = None,
    memory: int,
) -> tuple[BatchSource, ...]:
    """The sources of a file, of all data files in a folder, or of all that match a pattern."""
    text = os.fspath(path)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise InputError.of(
            "This is an address, and nothing is fetched from the network.",
            remedy="Download it and give the path of the file.",
            where=text,
        )
    with reading(text):
        sources = tuple(
            _file_source(file, delimiter, sheet, memory) for file in _matching_files(text)
        )
    problems = [*_schema_differences(sources)]
    if problems:
        raise ColumnError(*problems)
    return sources


def is_spreadsheet(path: str) -> bool:
    """Whether some file that the path names has sheets."""
    with reading(path):
        files = filter(Path.is_file, _matching_files(path))
        return any(_is_book(*_beginning(file)) for file in files)


def _matching_files(text: str) -> list[Path]:
    path = Path(text)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        # Path.glob would need the folder separately.
        matching = sorted(Path(m) for m in glob(text) if Path(m).is_file())  # noqa: PTH207
        if not matching:
            raise InputError(_not_found(path, error)) from error
        return matching
    if not is_folder:
        return [path]
    with reading(text):
        inside = sorted(path.iterdir())
    files = [file for file in inside if _is_data(file)]
    if not files:
        raise InputError.of(
            "This folder has no data files.",
            f"It holds {listed(file.name for file in inside) or 'nothing'}.",
            f"Data files end in {', '.join(_TEXT + _BINARY)}, perhaps with .gz or .zst. "
            "Others can be named by a pattern, such as 'folder/part-*'.",
            text,
        )
    return files


def _not_found(path: Path, error: Exception) -> Problem:
    if isinstance(error, FileNotFoundError):
        near = nearest_path(path)
        return Problem(
            "There is no such file.",
            f"Did you mean {str(near)!r}?" if near else "",
            f"Check the path; the working folder is {Path.cwd()}.",
            str(path),
        )
    message = getattr(error, "strerror", None) or str(error)
    return Problem("This path cannot be read.", f"{message}.", "Check the path.", str(path))


def _is_data(file: Path) -> bool:
    name = file.name.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return file.is_file() and name.endswith(_TEXT + _BINARY) and not name.startswith((".", "_"))


def _file_source(
    path: Path, delimiter: str | None, sheet: str | None, memory: int
) -> BatchSource:
    where = str(path)
    if re.search("[\udc80-\udcff]", where):
        raise InputError.of(
            "The path has bytes that are no UTF-8.",
            remedy="Rename the file or its folder.",
            where=ascii(where),
        )
    with reading(where):
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise InputError.of(
                "This is a pipe, a device or a socket.",
                "It cannot be read twice, and may never end.",
                "Write its content to a file first.",
                where,
            )
        if status.st_size == 0:
            raise InputError.of(
                "This file is empty (0 bytes).",
                remedy="Check how it was written or fetched.",
                where=where,
            )
        head, members = _beginning(path)
    if _is_book(head, members):
        return spreadsheet_source(where, sheet=sheet, memory=memory)
    if sheet is not None:
        raise InputError.of(
            f"This is no spreadsheet: it has no sheet {sheet!r}.",
            remedy="Leave the sheet out, or name the spreadsheet.",
            where=where,
        )
    if head.startswith(_PARQUET):
        return parquet_source(where)
    if head.startswith(_ARROW):
        return arrow_source(where, is_stream=not head.startswith(_ARROW[0]))
    refuse_foreign(path, head)
    if path.suffix.lower() in _BINARY:
        raise InputError.of(
            f"The name ends in {path.suffix}, but the file does not begin like one.",
            f"Its first bytes are {head[:8]!r}.",
            "If it is a text file, give it a name that says so, such as .csv.",
            where,
        )
    if head.startswith(_ZIP):
        _check_zip(members, where)
    return csv_source(where, compression=_compression(where, head), delimiter=delimiter)


def _compression(where: str, head: bytes) -> str | None:
    """How a text is compressed, if it is; what is no text inside is refused."""
    packed = next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)
    if packed is None:
        return None
    with reading(where), TextFile(where, packed).open() as file:
        inside = bytes(file.read(8))
    for magic, name in (_PACKED | _NO_TEXT).items():
        if inside.startswith(magic):
            raise InputError.of(
                f"Unpacked from {packed}, this is {name}{' again' if name == packed else ''}.",
                "Only text is read from compressed files.",
                "Unpack it once, and name the unpacked file.",
                where,
            )
    return packed


def _beginning(path: Path) -> tuple[bytes, list[str]]:
    """The first bytes of a file, and what it holds if it is an archive."""
    with path.open("rb") as file:
        head = file.read(64)
    return head, _zip_members(path) if head.startswith(_ZIP) else []


def _is_book(head: bytes, members: Sequence[str]) -> bool:
    return head.startswith(_OLD_EXCEL) or not _BOOKS.isdisjoint(members)


def _zip_members(path: Path) -> list[str]:
    """The files in an archive, without folders and what macOS adds."""
    with ZipFile(path) as archive:
        return [name for name in archive.namelist() if is_zip_member(name)]


def _check_zip(members: Sequence[str], where: str) -> None:
    """Refuse an archive of several files, or of a file that is no text."""
    if len(members) != 1:
        raise InputError.of(
            f"This zip archive holds {len(members)} files.",
            f"They are {listed(members)}." if members else "",
            "Unpack it and name one of them, or a folder of files with the same columns.",
            where,
        )
    if not members[0].lower().endswith(_TEXT):
        raise InputError.of(
            f"This zip archive holds {members[0]!r}.",
            "In an archive only text is read.",
            "Unpack it and name that file.",
            where,
        )


def _schema_differences(sources: Sequence[BatchSource]) -> Iterator[Problem]:
    """Files that do not make one table with the first."""
    first, *others = sources
    for other in others:
        if other.kind != first.kind:
            yield Problem(
                f"This is {other.kind}, but {first.where} is {first.kind}.",
                remedy="Give a pattern for the files of one kind, such as 'folder/*.parquet'.",
                where=other.where,
            )
            continue
        for old, new in zip_longest(_fields(first), _fields(other), fillvalue=("", "nothing")):
            if old != new:
                yield Problem(
                    f"Here stands the column {new[0]!r} ({new[1]}), where {first.where} has "
                    f"{old[0]!r} ({old[1]}).",
                    "Several files make one table only if they have the same columns.",
                    "Bring all files to the same columns, in the same order.",
                    other.where,
                )


def _fields(source: BatchSource) -> list[tuple[str, str]]:
    if source.schema is None:
        return [(name, "text") for name in source.names]
    return [(field.name, str(value_type(field.type))) for field in source.schema]
