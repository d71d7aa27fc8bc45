"""Dictionaries of batches: shared, partly used, with values that do not fit."""

import pyarrow as pa
from tests.reading import the_problem

from evenhand.errors import ValuesError
from evenhand.rows import read


def test_unused_levels_are_no_values():
    codes = pa.array([0, 1] * 100, pa.int32())
    labels = pa.array([f"level {number}" for number in range(1_000)])
    table = pa.table({"a": pa.DictionaryArray.from_arrays(codes, labels)})
    assert read(table).count().attributes[0].values == ("level 0", "level 1")


def test_a_wrong_number_is_found_in_a_shared_dictionary():
    labels = pa.array(["old", "never", "1", "young"])
    first = pa.DictionaryArray.from_arrays(pa.array([2, 2]), labels)
    second = pa.DictionaryArray.from_arrays(pa.array([2, 3, 0, 3]), labels)
    table = pa.table({"a": pa.chunked_array([first, second])})
    problem = the_problem(ValuesError, table, bins={"a": [1]})
    assert "'young'" in problem.what
    assert "row 4" in problem.found
    assert "2 such values in all: 'young', 'old'" in problem.found
