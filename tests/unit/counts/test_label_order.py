"""Classes of numbers come in the order of their numbers, whatever their words."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import CountTable, datasets, read
from evenhand.counts.label_order import in_order, known_order, looks_missing
from evenhand.question import Bins


@pytest.mark.parametrize(
    "cuts", [[9, 10, 100], [">=-5", "0.5", ">=7", 7], ["1/3", 2], [-10, -9, 1000]]
)
@pytest.mark.parametrize("whole", [True, False])
def test_classes_are_sorted_by_value(cuts, whole):
    labels = Bins.at(*cuts).of_whole_numbers(whole).labels
    mixed = [*labels[1::2], *reversed(labels[::2])]
    assert in_order(mixed) == labels
    assert in_order([*mixed, "(missing)"]) == (*labels, "(missing)")


@given(st.lists(st.sampled_from(["1", "01", "1.0", "-0", "0", "10", "9", "1e3", "inf"])))
def test_numbers_are_sorted_by_value_and_equal_ones_as_texts(labels):
    assert in_order(labels) == tuple(sorted(sorted(labels), key=float))


def test_texts_are_sorted_as_texts():
    assert in_order(["up to you", "3 to 5", "a"]) == ("3 to 5", "a", "up to you")
    assert in_order(["1/2", "3/4", "10"]) == ("1/2", "10", "3/4")
    assert in_order(["nan", "10", "9"]) == ("10", "9", "nan")


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (["High", "low ", "medium"], ("low ", "medium", "High")),
        (["poor", "excellent", "good", "fair"], ("poor", "fair", "good", "excellent")),
        (["10", "9", "-1"], ("-1", "9", "10")),
        (["38 or more", "up to 37"], ("up to 37", "38 or more")),
        (["red", "green", "blue"], ()),
        (["low", "medium", "unknown"], ()),
        (["1", "2", "(missing)"], ()),
        (["nan", "1"], ()),
        ([], ()),
    ],
)
def test_an_order_is_known_of_numbers_classes_and_words_of_a_scale_alone(labels, ordered):
    assert known_order(labels) == ordered


def table(*work):
    return pa.table({"work": [*work, "private", "private"], "sex": ["f"] * (len(work) + 2)})


@pytest.mark.parametrize(
    "text", ["?", " ?", "NA", "na ", "N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "-", ".", " "]
)
def test_texts_that_often_mean_missing_are_noticed(text):
    counts = read(table(text, text, text)).count()
    assert counts.values("work") == {text: 3, "private": 2}
    assert counts.missing_markers == {text: {"work": 3}}


@pytest.mark.parametrize("text", ["none", "unknown", "0", "-1", "no", "Nan Goldin", "other"])
def test_other_texts_are_not(text):
    assert not looks_missing(text)


def test_what_was_declared_is_not_spoken_of():
    assert not read(table("?"), na=["?"], missing="drop").count().missing_markers
    assert not read(table("?"), na=["?"], missing="level").count().missing_markers
    assert not read(table("?"), merge={"work": {"not said": ["?"]}}).count().missing_markers


def test_a_note_says_how_many_rows_and_what_to_do():
    counts = CountTable.of({"work": ["?", "private"], "sex": ["f", "m"]}, [2799, 5])
    (note,) = counts.summary().notes
    assert str(note) == (
        "'?' is taken as a value: 'work' 2,799 rows. If it means that there is none, "
        "declare it (na=['?'])."
    )
    assert str(note) in str(counts)
    one = CountTable.of({"work": ["?", "private"]}, [1, 5])
    assert "'?' is taken as a value: 'work' 1 row." in str(one)


def test_one_value_in_many_columns_is_told_of_in_one_sentence():
    names = [f"c{at}" for at in range(10)]
    counts = CountTable.of({name: ["?", "x"] for name in names}, [3, 4])
    (note,) = counts.summary().notes
    assert str(note).startswith(
        "'?' is taken as a value: 'c0' 3 rows, 'c1' 3, 'c2' 3, 'c3' 3, 'c4' 3 and 5 more. If it"
    )


def test_many_such_values_are_told_of_in_few_sentences():
    markers = ["?", "-", ".", "na", "n/a", "nan", "null"]
    notes = CountTable.of({"c": [*markers, "x"]}, [9, 8, 7, 6, 5, 4, 3, 2]).summary().notes
    assert len(notes) == 6
    assert str(notes[-1]) == "2 more values look missing: 'nan', 'null'."


def test_a_tidy_table_has_no_notes():
    assert datasets.admissions(1).summary().notes == ()
