"""Frames that users bring (evenhand itself imports none of their libraries), and files."""

import pyarrow as pa
import pytest
from tests.reading import COLUMNS, MEGABYTE, packed


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas")


@pytest.fixture
def polars():
    return pytest.importorskip("polars")


@pytest.fixture
def duckdb():
    return pytest.importorskip("duckdb").connect()


@pytest.fixture
def table():
    return pa.table(COLUMNS)


@pytest.fixture
def write_file(tmp_path):
    """Write a file and give its path."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def essays(tmp_path):
    """Few rows, of which each has a text of its own and of a megabyte."""
    texts = (b"f,%d%s\n" % (number, b"x" * MEGABYTE) for number in range(120))
    return packed(tmp_path / "essays.csv.gz", b"sex,essay\n", *texts)
