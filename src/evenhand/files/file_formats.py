"""The formats of data files by the endings of their names: one table for all who need it."""

from dataclasses import dataclass
from pathlib import Path

TEXT, PARQUET, ARROW = "delimited text", "Parquet", "Arrow"
ARROW_STREAM, SPREADSHEET = "Arrow stream", "spreadsheet"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """How a file holds a table; text has the delimiter of its ending, or any if that is None.

    Readers look at the first bytes of a file besides: they tell kind and compression.
    """

    kind: str
    delimiter: str | None = None
    compression: str | None = None
    is_written: bool = True


COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_TEXTS = {".csv": None, ".tsv": "\t", ".tab": "\t", ".txt": None, ".dat": None, ".data": None}
_SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
FORMATS = {
    **{
        ending + packed: FileFormat(kind=TEXT, delimiter=delimiter, compression=compression)
        for packed, compression in {"": None, **COMPRESSIONS}.items()
        for ending, delimiter in _TEXTS.items()
    },
    **dict.fromkeys((".parquet", ".pq"), FileFormat(kind=PARQUET)),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), FileFormat(kind=ARROW)),
    ".arrows": FileFormat(kind=ARROW_STREAM),
    **dict.fromkeys(_SPREADSHEETS, FileFormat(kind=SPREADSHEET, is_written=False)),
}


def ending_of(path: str | Path) -> str:
    """The ending of a name that tells the format, as it is written there.

    >>> ending_of("people.2024.CSV.gz"), ending_of("people.2024.parquet"), ending_of("people")
    ('.CSV.gz', '.parquet', '')
    """
    suffixes = Path(path).suffixes
    two, one = "".join(suffixes[-2:]), "".join(suffixes[-1:])
    return two if two.lower() in FORMATS or one.lower() in COMPRESSIONS else one


def format_of(path: str | Path) -> FileFormat | None:
    """The format that the ending of a name tells."""
    return FORMATS.get(ending_of(path).lower())


def is_table(path: str | Path, *kinds: str) -> bool:
    """Whether a name looks like that of a table, compressed or not, of some kinds or any."""
    plain = Path(path)
    while plain.suffix.lower() in COMPRESSIONS:
        plain = plain.with_suffix("")
    known = format_of(path) or format_of(plain)
    return known is not None and (not kinds or known.kind in kinds)


def plain_endings(*kinds: str) -> tuple[str, ...]:
    """The endings of some kinds of files; those of compressed text are not among them."""
    return tuple(
        ending
        for ending, one in FORMATS.items()
        if one.kind in kinds and not (one.kind == TEXT and one.compression)
    )
