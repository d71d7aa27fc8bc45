"""Files that are not read: what each is, and how to make a table of it that is.

One table, by the first bytes or, where these say nothing, by the end of the name.
"""

import re
from pathlib import Path
from typing import NamedTuple

from evenhand.errors import InputError


class _ForeignFormat(NamedTuple):
    bytes: bytes | None  # a pattern of the first bytes
    endings: tuple[str, ...]  # used where no pattern is given
    thing: str
    remedy: str


def _by_pandas(function: str, needs: str = "") -> str:
    return (
        f"Convert it, in Python with pandas{needs}: "
        f'pandas.{function}.to_csv("{{stem}}.csv", index=False).'
    )


_EXPORT = "Export the table as CSV."
_JSON_LINES = (
    'Convert it, in Python with polars: polars.read_ndjson("{name}").write_csv("{stem}.csv").'
)
_FORMATS = (
    _ForeignFormat(rb"BZh[1-9]1AY&SY", (), "a bzip2 file", "Unpack it with bunzip2."),
    _ForeignFormat(rb"\xfd7zXZ", (), "an xz file", "Unpack it with unxz."),
    _ForeignFormat(rb"7z\xbc\xaf\x27\x1c", (), "a 7z archive", "Unpack it with 7z."),
    _ForeignFormat(rb"Rar!", (), "a RAR archive", "Unpack it with unrar."),
    _ForeignFormat(rb"PK\x05\x06", (), "an empty zip archive", "Fetch or pack it again."),
    _ForeignFormat(rb"SQLite format 3", (), "an SQLite database", _EXPORT),
    _ForeignFormat(
        rb"FEA1\0", (), "a Feather file of version 1", "Write it again as version 2."
    ),
    _ForeignFormat(rb"(?s)PARE...\0", (), "an encrypted Parquet file", "Decrypt it."),
    _ForeignFormat(rb"%PDF-", (), "a PDF document", _EXPORT),
    _ForeignFormat(
        rb"(?i)\s*<(!doctype )?html",
        (),
        "an HTML page",
        "Perhaps a download failed: look at it.",
    ),
    _ForeignFormat(rb"\s*<\?xml", (), "an XML document", _EXPORT),
    _ForeignFormat(rb"<stata_dta>", (), "a Stata file", _by_pandas('read_stata("{name}")')),
    _ForeignFormat(
        rb"\$FL[23]",
        (),
        "an SPSS file",
        _by_pandas('read_spss("{name}")', " and pyreadstat"),
    ),
    _ForeignFormat(
        rb"\0{12}\xc2\xea\x81\x60", (), "a SAS file", _by_pandas('read_sas("{name}")')
    ),
    _ForeignFormat(
        rb"HEADER RECORD\*{7}LIB",
        (),
        "a SAS transport file",
        _by_pandas('read_sas("{name}", format="xport")'),
    ),
    _ForeignFormat(None, (".orc",), "an ORC file", _by_pandas('read_orc("{name}")')),
    _ForeignFormat(rb"\x89HDF", (), "an HDF5 file", _by_pandas('read_hdf("{name}")')),
    _ForeignFormat(rb"Obj\x01", (), "an Avro file", "Convert it to Parquet."),
    _ForeignFormat(
        rb"RD[AX][23]\n", (), "an R data file", 'In R: write.csv(table, "{stem}.csv").'
    ),
    _ForeignFormat(rb"\s*\{\s*\"", (), "JSON", _JSON_LINES),
    _ForeignFormat(rb"\s*\[\s*[\[{]", (), "JSON", _by_pandas('read_json("{name}")')),
    _ForeignFormat(None, (".dta",), "a Stata file", _by_pandas('read_stata("{name}")')),
    _ForeignFormat(None, (".dbf",), "a dBase file", _EXPORT),
    _ForeignFormat(
        None,
        (".rds", ".rda", ".rdata"),
        "an R data file",
        'In R: write.csv(table, "{stem}.csv", row.names = FALSE).',
    ),
    _ForeignFormat(
        None,
        (".pkl", ".pickle"),
        "a Python pickle",
        "Nothing is executed that a file holds: write it as Parquet where it was made.",
    ),
)


def refuse_foreign(path: Path, head: bytes) -> None:
    """Raise if a file is of a kind that is known and not read."""
    for known in _FORMATS:
        named = path.suffix.lower() in known.endings
        if re.match(known.bytes, head) if known.bytes else named:
            remedy = known.remedy.format(name=path.name, stem=path.stem)
            raise InputError.of(
                f"This is {known.thing}, which is not read here.", "", remedy, str(path)
            )
