"""What all sources have in common: names of their own, errors with their place."""

import pyarrow as pa
import pytest
from tests.reading import refusal

from evenhand.errors import ColumnError, ResourceError
from evenhand.rows import read


def test_repeated_column_names_are_refused_with_their_positions(write_file):
    path = write_file("a,b,a,b,a\n1,2,3,4,5\n")
    first, second = refusal(ColumnError, path)
    assert first.where == str(path)
    assert "'a' occurs 3 times" in first.what
    assert "1, 3, 5" in first.found
    assert "'b'" in second.what


def test_too_little_memory_is_said(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    rows = read(pa.table({"a": ["x"]}))
    monkeypatch.setattr("evenhand.rows.count_rows._RowCounter.read", full)
    with pytest.raises(ResourceError, match="memory") as caught:
        rows.count()
    assert "fewer columns" in str(caught.value.problems[0])
