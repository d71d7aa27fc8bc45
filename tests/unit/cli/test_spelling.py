import shlex

import pytest

from evenhand.cli.spelling import as_options, bin_in, mark_in, merges_in


@pytest.mark.parametrize(
    ("remedy", "typed"),
    [
        ("Allow it (overwrite=True).", "Allow it (--overwrite)."),
        ("Allow it (--overwrite, in Python overwrite=True).", "Allow it (--overwrite)."),
        ("Name it (other=VALUE).", "Name it (--other VALUE)."),
        ("Leave it out (columns=…).", "Leave it out (--columns …)."),
        ("Use missing='level'.", "Use --missing level."),
        ("Use na=['<a b>', '?'].", "Use --na '<a b>' --na '?'."),
        ("Give delimiter='\\t'.", "Give --delimiter '\\t'."),
        ("Lower it (max_depth=…).", "Lower it (--max-depth …)."),
        ("Write it as 2GB.", "Write it as 2GB."),
        ("See `compare`, where a = b.", "See `compare`, where a = b."),
        ("Merge, as merge={'a': {'b': ['c'}.", "Merge, as merge={'a': {'b': ['c'}."),
    ],
)
def test_arguments_in_a_remedy_become_options(remedy, typed):
    assert as_options(remedy) == typed


@pytest.mark.parametrize("cuts", [4, ["37"], ["0.5", "1"]])
@pytest.mark.parametrize("column", ["age", "a=b", "it's {odd}"])
def test_bins_are_read_as_they_are_spelled(column, cuts):
    option, text = shlex.split(as_options(f"bins={ {column: cuts}!r}"))
    assert (option, bin_in(text)) == ("--bin", (column, cuts))


@pytest.mark.parametrize(
    "merge",
    [
        {"income": {"<=50K": ["<=50K", "<=50K."]}},
        {"it's": {"a": ["a", "A"]}},
        {"work": {"a": ["a", "A"], "b": ["b", "B."]}},
    ],
)
def test_merges_are_read_as_they_are_spelled(merge):
    words = shlex.split(as_options(f"merge={merge!r}"))
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
    shown = as_options(f"merge={merge!r}")
    assert "--merge" not in shown
    assert shown.startswith("[data.merge.")


def test_a_tab_can_be_typed():
    assert (mark_in(r"\t"), mark_in(";")) == ("\t", ";")
