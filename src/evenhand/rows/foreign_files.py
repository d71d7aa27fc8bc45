"""Files that are not read: what each is, and how to make a table of it that is.

One table, by the first bytes or, where these say nothing, by the end of the name.
"""

import re
from pathlib import Path

from evenhand.errors import InputError


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
    (
        ".rds .rda .rdata",
        "an R data file",
        _BY_R,
    ),
    (
        ".pkl .pickle",
        "a Python pickle",
        "Nothing is executed that a file holds: write it as Parquet where it was made.",
    ),
)


def refuse_foreign(path: Path, head: bytes) -> None:
    """Raise if a file is of a kind that is known and not read."""
    for sign, thing, remedy in _FORMATS:
        ending = path.suffix.lower()
        if re.match(sign, head) if isinstance(sign, bytes) else ending in sign.split():
            raise InputError.of(
                f"This is {thing}, which is not read here.",
                "",
                remedy.format(name=path.name, stem=path.stem),
                str(path),
            )
