"""The people of ``tests.hiring`` as a file and as a table of an engine."""

import pytest
from tests import people_in_engines
from tests.hiring import csv_text, people


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(csv_text(people()), newline="")
    return path


@pytest.fixture
def persons():
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    return people_in_engines.in_duckdb(ibis, people_in_engines.people())
