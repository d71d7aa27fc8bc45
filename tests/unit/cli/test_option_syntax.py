import shlex

import pytest

from evenhand.cli.option_syntax import bin_in, mark_in, merges_in, option


@pytest.mark.parametrize(
    ("argument", "value", "typed"),
    [
        ("overwrite", True, "--overwrite"),
        ("other", ..., "--other …"),
        ("missing", "level", "--missing level"),
        ("na", ["<a b>", "?"], "--na '<a b>' --na '?'"),
        ("delimiter", "\t", r"--delimiter '\t'"),
        ("required", ["married=True -> hired"], "--require 'married=True -> hired'"),
        ("key", "person_id", ""),
    ],
)
def test_arguments_become_options(argument, value, typed):
    assert option(argument, value) == typed


@pytest.mark.parametrize("cuts", [4, ["37"], ["0.5", "1"]])
@pytest.mark.parametrize("column", ["age", "a=b", "it's {odd}"])
def test_bins_are_read_as_they_are_spelled(column, cuts):
    name, text = shlex.split(option("bins", {column: cuts}))
    assert (name, bin_in(text)) == ("--bin", (column, cuts))


@pytest.mark.parametrize(
    "merge",
    [
        {"income": {"<=50K": ["<=50K", "<=50K."]}},
        {"it's": {"a": ["a", "A"]}},
        {"work": {"a": ["a", "A"], "b": ["b", "B."]}},
    ],
)
def test_merges_are_read_as_they_are_spelled(merge):
    words = shlex.split(option("merge", merge))
    assert {*words[::2]} == {"--merge"}
    assert merges_in(words[1::2]) == merge


@pytest.mark.parametrize(
    "merge",
    [
        {"a:b": {"c": ["c", "C"]}},
        {"a": {"b,c": ["b,c"]}},
        {"a": {"b": ["b", " b"]}},
        {"a": {"": ["", "."]}},
    ],
)
def test_what_no_option_can_say_is_shown_for_the_question_file(merge):
    shown = option("merge", merge)
    assert "--merge" not in shown
    assert shown.startswith("[data.merge.")


def test_a_tab_can_be_typed():
    assert (mark_in(r"\t"), mark_in(";")) == ("\t", ";")
