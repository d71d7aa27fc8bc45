from fractions import Fraction

import pytest

from evenhand import Codings
from evenhand.errors import QuestionError
from evenhand.question import Bins


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("37", "up to 37"),
        ("37.0", "up to 37"),
        ("37.0001", "over 37 to 50.5"),
        (" 50.5", "over 37 to 50.5"),
        ("5e1", "over 37 to 50.5"),
        ("51", "over 50.5"),
        ("-3", "up to 37"),
    ],
)
def test_a_class_includes_its_upper_cut(text, label):
    assert Bins.at(37, "50.5").label(text) == label


def test_a_cut_is_the_number_that_was_written():
    assert Bins.at(0.1).cuts == (Fraction(1, 10),)


@pytest.mark.parametrize("text", ["old", "", "nan", "inf", "1,5"])
def test_what_is_no_number_has_no_class(text):
    with pytest.raises(ValueError, match=f"^{text}$"):
        Bins.at(37).label(text)


@pytest.mark.parametrize("cuts", [[], [5, 5], [9, 3], ["x"], 1, 0, True])
def test_cuts_that_make_no_classes_are_refused(cuts):
    with pytest.raises(QuestionError) as caught:
        Codings.of(bins={"age": cuts})
    assert caught.value.problems[0].where == "bins of 'age'"


def test_values_are_merged_and_the_rest_too():
    codings = Codings.of(merge={"work": {"private": ["Private", "Self"], "other": ["*"]}})
    assert [codings.label("work", text) for text in ("Self", "State", "?")] == [
        "private",
        "other",
        "other",
    ]


def test_values_outside_a_merge_keep_their_text():
    codings = Codings.of(merge={"income": {">50K": [">50K."]}})
    assert codings.label("income", "<=50K") == "<=50K"
    assert codings.label("age", "38") == "38"


def test_all_faulty_codings_come_together():
    with pytest.raises(QuestionError) as caught:
        Codings.of(
            missing="ignore",
            bins={"age": []},
            merge={"work": {"a": ["x"], "b": ["x"]}, "age": {"y": ["z"]}},
        )
    assert len(caught.value.problems) == 3


def test_binned_and_merged_at_once_is_refused():
    with pytest.raises(QuestionError, match="both binned and merged"):
        Codings.of(bins={"age": [3]}, merge={"age": {"old": ["99"]}})


@pytest.mark.parametrize(
    "given",
    [
        {"na": "NA"},
        {"na": [99]},
        {"columns": "age"},
        {"columns": [1]},
        {"exclude": "age"},
        {"frequency": 3},
        {"merge": {"work": {"x": "CS"}}},
        {"merge": {"work": {"x": 3}}},
    ],
)
def test_a_text_alone_is_not_taken_for_its_letters(given):
    with pytest.raises(QuestionError, match="no list|no text"):
        Codings.of(**given)


@pytest.mark.parametrize("value", [3, True, 0.5, "work", ["work"], b"x", None])
def test_what_is_no_table_is_refused_in_words(value):
    for given in ({"merge": {"work": value}}, {"merge": value}, {"bins": value}):
        if [*given.values()] != [None]:
            with pytest.raises(QuestionError, match="is no table of"):
                Codings.of(**given)


@pytest.mark.parametrize("value", [0.5, None, "37", {"37": 1}, b"37"])
def test_what_is_no_list_of_cuts_is_refused_in_words(value):
    with pytest.raises(QuestionError, match="no list of cut points"):
        Codings.of(bins={"age": value})


def test_a_table_without_some_columns_is_read_as_before():
    codings = Codings.of(
        columns=["a", "b", "c"], bins={"a": [1], "b": [2]}, merge={"c": {"x": ["y"]}}, na=["?"]
    )
    assert codings.dropping(["a", "c", "d"]) == Codings.of(
        columns=["b"], bins={"b": [2]}, na=["?"]
    )
    assert codings.dropping([]) == codings
    assert Codings.of(bins={"a": [1]}).dropping(["a"]) == Codings()


@pytest.mark.parametrize(
    ("given", "columns", "counted"),
    [
        ({}, None, ("a", "b", "c", "n")),
        ({"exclude": ["b"], "frequency": "n"}, None, ("a", "c")),
        ({"columns": ["c", "b", "a"], "exclude": ["b"]}, ("c", "b", "a"), ("c", "a")),
    ],
)
def test_the_columns_that_are_counted_are_named_or_all_but_some(given, columns, counted):
    codings = Codings.of(**given, bins={"a": [1]})
    assert codings.select(("a", "b", "c", "n")) == counted
    assert {*codings.named_columns()} == {*(columns or ()), "a", *given.get("exclude", ())} | (
        {"n"} if "frequency" in given else set()
    )
    without = codings.dropping(["c", "a"])
    assert without.columns == (None if columns is None else ("b",))
    assert not without.is_coded("a")
    assert codings.without("b").is_coded("a")


def test_a_coding_holds_for_the_column_that_it_names_alone():
    codings = Codings.of(bins={"a": [1], "b": [2]}, merge={"c": {"x": ["y"]}})
    assert [codings.is_coded(name) for name in "abcd"] == [True, True, True, False]
    assert [codings.without("a", "c").is_coded(name) for name in "abc"] == [False, True, False]
    assert codings.label("d", "y") == "y"
    assert codings.label("c", "y") == "x"
