"""``LabelArray`` behaves as the tuple of the same texts."""

import numpy as np
import pyarrow as pa
import pytest

from evenhand import read
from evenhand.rows.column_profile import ColumnKind, parse_numbers
from evenhand.rows.label_array import LabelArray, to_texts

TEXTS = ("a", "é", "", "Straße", "x" * 50, *(f"t{at}" for at in range(2000)))


@pytest.mark.parametrize("offset", [0, 3])
def test_it_is_a_sequence_of_texts(offset):
    texts = TEXTS[offset:]
    labels = LabelArray(pa.array(TEXTS).slice(offset))
    assert tuple(labels) == texts
    assert len(labels) == len(texts)
    assert [labels[0], labels[-1]] == [texts[0], texts[-1]]
    assert labels[5:900:7] == [*texts[5:900:7]]
    assert "t7" in labels
    assert "absent" not in labels
    assert labels.index("t7") == texts.index("t7")
    with pytest.raises(ValueError, match="^$"):
        labels.index("absent")


def test_texts_of_an_array():
    assert to_texts(pa.array(TEXTS)) == [*TEXTS]
    assert to_texts(pa.array(TEXTS).slice(1, 3)) == [*TEXTS[1:4]]
    assert to_texts(pa.array([], pa.string())) == []


@pytest.mark.parametrize(
    "texts",
    [
        ["1", "2.5", "-3e2"],
        [" 1", "2 ", "+3"],
        ["1", "2", "?", "(missing)", " NA "],
        ["1", "nan"],
        ["1", "inf"],
        ["01", "02"],
        ["1_000", "2"],
        ["1", "two", "n/a"],
        ["٣", "4"],
        ["(missing)", "?"],
        ["a", "b"],
        [],
    ],
)
def test_numbers_are_parsed_as_those_of_a_tuple(texts):
    numbers, unknown = parse_numbers(tuple(texts))
    same, places = parse_numbers(LabelArray(pa.array(texts, pa.string())))
    assert np.array_equal(numbers, same, equal_nan=True)
    assert unknown == places


def test_a_number_column_with_nan_as_text_tells_the_marker():
    table = pa.table({"x": [*map(str, range(40)), "nan"], "y": ["a"] * 41})
    column = read(table).inspect().column("x")
    assert column.kind is ColumnKind.NUMBER
    assert column.markers == (("nan", 1),)
    many = pa.table({"x": [*map(str, range(4000)), "nan", *map(str, range(4000))]})
    column = read(many).inspect().column("x")
    assert column.kind is ColumnKind.NUMBER
    assert column.markers == (("nan", 1),)
