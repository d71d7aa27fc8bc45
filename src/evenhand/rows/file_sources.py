"""Opens paths: which files make one table, and the format of each, by its first bytes."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from glob import glob
from itertools import pairwise, zip_longest
from os import SEEK_END
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from evenhand.errors import ColumnError, InputError, Problem, listed, nearest_path
from evenhand.files.file_formats import (
    ARROW,
    ARROW_STREAM,
    COMPRESSIONS,
    PARQUET,
    TEXT,
    ending_of,
    is_table,
    plain_endings,
)
from evenhand.rows.arrow_batch_sizes import largest_batch
from evenhand.rows.batch_source import (
    BATCH_ROWS,
    Batches,
    BatchSource,
    read_ahead,
    reading,
    unique_names,
)
from evenhand.rows.count_rows import too_large
from evenhand.rows.csv_files import TextFile, csv_source, is_zip_member
from evenhand.rows.spreadsheets import spreadsheet_source
from evenhand.rows.value_labels import as_numpy, value_type

_TEXT = plain_endings(TEXT)
_BINARY = plain_endings(PARQUET, ARROW, ARROW_STREAM)
_PARQUET, _ARROW = b"PAR1", (b"ARROW1", b"\xff\xff\xff\xff")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZIP, _OLD_EXCEL = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_PACKED = {_GZIP: "gzip", _ZSTD: "zstd", _ZIP: "zip"}
_NO_TEXT = {_PARQUET: "Parquet", **dict.fromkeys(_ARROW, "Arrow"), _OLD_EXCEL: "Excel"}
_BOOKS = {"xl/workbook.xml", "xl/workbook.bin", "content.xml"}  # parts of a spreadsheet
_PART_BYTES = 1 << 26  # of decoded texts
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def _by_pandas(function: str, needs: str = "") -> str:
    return (
        f"Convert it, in Python with pandas{needs}: "
        f'pandas.{function}.to_csv("{{stem}}.csv", index=False).'
    )


_BY_R = 'In R: write.csv(table, "{stem}.csv", row.names = FALSE).'
_EXPORT = "Export the table as CSV."
_JSON_LINES = (
    'Convert it, in Python with polars: polars.read_ndjson("{name}").write_csv("{stem}.csv").'
)
# A pattern of the first bytes or endings of the name, what the file is, and what to do.
_FORMATS: tuple[tuple[bytes | str, str, str], ...] = (
    (rb"\Z", "an empty file (0 bytes)", "Check how it was written or fetched."),
    (rb"BZh[1-9]1AY&SY", "a bzip2 file", "Unpack it with bunzip2."),
    (rb"\xfd7zXZ", "an xz file", "Unpack it with unxz."),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it with 7z."),
    (rb"Rar!", "a RAR archive", "Unpack it with unrar."),
    (rb"PK\x05\x06", "an empty zip archive", "Fetch or pack it again."),
    (rb"SQLite format 3", "an SQLite database", _EXPORT),
    (rb"FEA1\0", "a Feather file of version 1", "Write it again as version 2."),
    (rb"(?s)PARE...\0", "an encrypted Parquet file", "Decrypt it."),
    (rb"%PDF-", "a PDF document", _EXPORT),
    (rb"(?i)\s*<(!doctype )?html", "an HTML page", "Perhaps a download failed: look at it."),
    (rb"\s*<\?xml", "an XML document", _EXPORT),
    (rb"<stata_dta>", "a Stata file", _by_pandas('read_stata("{name}")')),
    (rb"\$FL[23]", "an SPSS file", _by_pandas('read_spss("{name}")', " and pyreadstat")),
    (rb"\0{12}\xc2\xea\x81\x60", "a SAS file", _by_pandas('read_sas("{name}")')),
    (
        rb"HEADER RECORD\*{7}LIB",
        "a SAS transport file",
        _by_pandas('read_sas("{name}", format="xport")'),
    ),
    (".orc", "an ORC file", _by_pandas('read_orc("{name}")')),
    (rb"\x89HDF", "an HDF5 file", _by_pandas('read_hdf("{name}")')),
    (rb"Obj\x01", "an Avro file", "Convert it to Parquet."),
    (rb"RD[AX][23]\n", "an R data file", _BY_R),
    (rb"\s*\{\s*\"", "JSON", _JSON_LINES),
    (rb"\s*\[\s*[\[{]", "JSON", _by_pandas('read_json("{name}")')),
    (".dta", "a Stata file", _by_pandas('read_stata("{name}")')),
    (".dbf", "a dBase file", _EXPORT),
    (".rds .rda .rdata", "an R data file", _BY_R),
    (
        ".pkl .pickle",
        "a Python pickle",
        "Nothing is executed that a file holds: write it as Parquet where it was made.",
    ),
)


def file_sources(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None,
    sheet: str | None = None,
    memory: int,
) -> tuple[BatchSource, ...]:
    """The sources of a file, of all data files in a folder, or of all that match a pattern."""
    text = os.fspath(path)
    with reading(text):
        files = matching_files(text)
        sources = tuple(_file_source(file, delimiter, sheet, memory) for file in files)
    problems = [*_schema_differences(sources)]
    if problems:
        raise ColumnError(*problems)
    return sources


def is_spreadsheet(path: str) -> bool:
    """Whether some file that the path names has sheets."""
    with reading(path):
        files = filter(Path.is_file, matching_files(path))
        return any(_is_book(*_beginning(file)) for file in files)


def matching_files(text: str) -> list[Path]:
    """The file of this path, all data files in a folder, or all that match a pattern."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise InputError.of(
            "This is an address, and nothing is fetched from the network.",
            remedy="Download it and give the path of the file.",
            where=text,
        )
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
            f"Data files end in {', '.join(_TEXT + _BINARY)}, perhaps with "
            f"{' or '.join(COMPRESSIONS)}. Others can be named by a pattern, such as "
            "'folder/part-*'.",
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
    is_named = is_table(file, TEXT, PARQUET, ARROW, ARROW_STREAM)
    return file.is_file() and is_named and not file.name.startswith((".", "_"))


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
        head, members = _beginning(path)
    if _is_book(head, members):
        return spreadsheet_source(where, sheet=sheet, memory=memory)
    if sheet is None and head.startswith(_PARQUET):
        return parquet_source(where)
    if sheet is None and head.startswith(_ARROW):
        is_stream = not head.startswith(_ARROW[0])
        return arrow_source(where, is_stream=is_stream, memory=memory)
    if reason := _refusal(path, sheet, head, members):
        raise InputError.of(*reason, where)
    return csv_source(where, compression=_compression(where, head), delimiter=delimiter)


def _refusal(
    path: Path, sheet: str | None, head: bytes, members: Sequence[str]
) -> tuple[str, str, str] | None:
    """Why a file is no text: what it is, what was found, what to do; None if it may be one."""
    if sheet is not None:
        remedy = "Leave the sheet out, or name the spreadsheet."
        return f"This is no spreadsheet: it has no sheet {sheet!r}.", "", remedy
    ending = path.suffix.lower()
    for sign, thing, remedy in _FORMATS:
        if re.match(sign, head) if isinstance(sign, bytes) else ending in sign.split():
            convert = remedy.format(name=path.name, stem=path.stem)
            return f"This is {thing}, which is not read here.", "", convert
    if ending_of(path).lower() in _BINARY:
        return (
            f"The name ends in {path.suffix}, but the file does not begin like one.",
            f"Its first bytes are {head[:8]!r}.",
            "If it is a text file, give it a name that says so, such as .csv.",
        )
    texts = [name for name in members if name.lower().endswith(_TEXT)]
    if not head.startswith(_ZIP) or len(texts) == len(members) == 1:
        return None
    if len(members) == 1:
        what = f"This zip archive holds {members[0]!r}."
        return what, "In an archive only text is read.", "Unpack it and name that file."
    return (
        f"This zip archive holds {len(members)} files.",
        f"They are {listed(members)}." if members else "",
        "Unpack it and name one of them, or a folder of files with the same columns.",
    )


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
    """The first bytes of a file, and the files that it holds if it is an archive."""
    with path.open("rb") as file:
        head = file.read(64)
    if not head.startswith(_ZIP):
        return head, []
    with ZipFile(path) as archive:
        return head, [name for name in archive.namelist() if is_zip_member(name)]


def _is_book(head: bytes, members: Sequence[str]) -> bool:
    return head.startswith(_OLD_EXCEL) or not _BOOKS.isdisjoint(members)


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


def parquet_source(where: str) -> BatchSource:
    """A Parquet file; only the chosen columns are decoded."""
    with reading(where):
        schema, length = pq.read_schema(where), pq.read_metadata(where).num_rows
    texts = {field.name: field.type for field in schema if _is_text(value_type(field.type))}

    @read_ahead
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:
        kinds = {name: texts[name] for name in columns if name in texts}
        dictionaries = [name for name, kind in kinds.items() if coded or _is_text(kind)]
        with reading(where), pq.ParquetFile(where, read_dictionary=dictionaries) as file:
            for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                chosen = _validate(batch, columns)
                yield from [chosen] if coded else _decoded(chosen, schema)

    return BatchSource(
        where=where,
        kind=PARQUET,
        names=tuple(schema.names),
        open=batches,
        schema=schema,
        rows=length,
    )


def _decoded(batch: pa.RecordBatch, schema: pa.Schema) -> Batches:
    """The batch in its own types, in parts: a long text may stand in a dictionary once."""
    own = pa.schema([schema.field(name) for name in batch.schema.names])
    sizes = np.zeros(batch.num_rows, np.int64)
    for column, kind in zip(batch.columns, own.types, strict=True):
        if column.type != kind:
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            sizes += as_numpy(pc.fill_null(lengths, 0))
    begins = np.flatnonzero(np.diff(np.cumsum(sizes) // _PART_BYTES, prepend=-1)).tolist()
    for begin, end in pairwise([*begins, batch.num_rows]):
        part = batch.slice(begin, end - begin)
        arrays = [
            column.cast(kind) for column, kind in zip(part.columns, own.types, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=own)


def arrow_source(where: str, *, is_stream: bool, memory: int) -> BatchSource:
    """An Arrow IPC file (also called Feather) or stream; no batch may exceed the memory."""

    def begin(file: pa.NativeFile, fields: list[int] | None = None) -> pa.RecordBatchReader:
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        opener = pa.ipc.open_stream if is_stream else pa.ipc.open_file
        return opener(file, options=options)

    with reading(where), pa.OSFile(where) as file:
        schema = begin(file).schema
        file.seek(-len(_END_OF_STREAM), SEEK_END)
        if is_stream and file.read() != _END_OF_STREAM:
            raise InputError.of(
                "This Arrow stream breaks off before its end.",
                "The mark that ends a stream is missing.",
                "Write or fetch it again.",
                where,
            )

    @read_ahead
    def batches(columns: Sequence[str], *, coded: bool) -> Batches:  # noqa: ARG001
        with reading(where), pa.OSFile(where) as file:
            chosen = [names.index(name) for name in columns]
            size = largest_batch(where, schema, chosen, is_stream=is_stream)
            if size > memory:
                found = f"They take {size / 1e6:,.0f} MB unpacked."
                raise too_large("The rows of one batch", memory, found, where)
            reader = begin(file, sorted(chosen))
            for batch in reader if is_stream else _file_batches(reader):
                named = batch.rename_columns([names[at] for at in sorted(chosen)])
                yield _validate(named, columns)

    names = unique_names(schema.names)
    return BatchSource(
        where=where,
        kind=ARROW,
        names=names,
        header=tuple(schema.names),
        open=batches,
        schema=schema,
    )


def _validate(batch: pa.RecordBatch, columns: Sequence[str]) -> pa.RecordBatch:
    """These columns of a batch, validated.

    Arrow does not validate files, and a damaged one would crash it. Parquet also returns 'a.b'
    for 'a'.
    """
    chosen = batch.select(list(columns))
    chosen.validate()
    for column in chosen.columns:
        if not _has_valid_codes(column):
            column.validate(full=True)
    return chosen


def _has_valid_codes(column: pa.Array) -> bool:
    """Whether this is a valid dictionary, and indices into it: in a fifth of Arrow's time."""
    if not pa.types.is_dictionary(column.type) or column.indices.null_count:
        return False
    column.dictionary.validate(full=True)
    codes = as_numpy(column.indices)
    return not len(codes) or bool(codes.min() >= 0 and codes.max() < len(column.dictionary))


def _file_batches(reader: pa.ipc.RecordBatchFileReader) -> Batches:
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
