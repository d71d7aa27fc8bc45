"""Files of other programs are named, with how to convert them."""

import pytest
from tests.reading import the_problem

from evenhand.errors import InputError
from evenhand.rows import read


@pytest.mark.parametrize(
    ("name", "content", "thing", "remedy"),
    [
        ("a.dta", b"<stata_dta><header>", "Stata", 'pandas.read_stata("a.dta").to_csv("a.csv"'),
        ("a.dta", b"\x72\x02\x01\x00", "Stata", "pandas.read_stata"),
        ("a.sav", b"$FL2@(#) SPSS DATA FILE", "SPSS", "pyreadstat"),
        ("a.sas7bdat", b"\0" * 12 + b"\xc2\xea\x81\x60", "SAS", "pandas.read_sas"),
        ("a.xpt", b"HEADER RECORD*******LIBRARY HEADER", "SAS transport", "xport"),
        ("a.jsonl", b'{"a": 1}\n{"a": 2}\n', "JSON", "polars.read_ndjson"),
        ("a.json", b'[{"a": 1}, {"a": 2}]', "JSON", "pandas.read_json"),
        ("a.orc", b"ORC\n", "ORC", "pandas.read_orc"),
        ("a.h5", b"\x89HDF\r\n", "HDF5", "pandas.read_hdf"),
        ("a.rds", b"\x1f\x8b\x08", "R data", '"a.csv", row.names = FALSE)'),
        ("a", b"RDX3\nX", "R data", '"a.csv", row.names = FALSE)'),
        ("a.xml", b"<?xml version=", "XML", "CSV"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c", "7z", "Unpack"),
        ("a.pkl", b"\x80\x04", "pickle", "Parquet"),
        ("a.feather", b"FEA1\0\0\0\0", "Feather", "version 2"),
        ("a.parquet", b"PARE\x20\x01\0\0", "encrypted", "Decrypt"),
    ],
)
def test_what_is_not_read_is_named_with_how_to_convert_it(
    write_file, name, content, thing, remedy
):
    problem = the_problem(InputError, write_file(content, name))
    assert thing in problem.what
    assert remedy in problem.remedy_text()


@pytest.mark.parametrize("column", ["ORCID", "PARENT", "FEA1", "Rare", "BZh", "HEADER", "RDX3"])
def test_a_text_that_begins_alike_is_read(write_file, column):
    assert read(write_file(f"{column},b\nx,y\n")).columns == (column, "b")
