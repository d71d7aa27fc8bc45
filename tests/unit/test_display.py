from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.display import (
    Plain,
    Progress,
    ProgressReporter,
    Summary,
    duration,
    percent,
    plain,
    points,
    visible,
)


@given(st.text())
def test_nothing_from_data_acts_in_html(text):
    fragment = Summary(title=text, facts=((text, text),), notes=(text,))._repr_html_()
    assert fragment.count("<") == fragment.count(">") == 14


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\x1b", "\n", "\u2028"])
def test_marks_that_hide_or_act_are_shown(mark):
    assert mark not in visible(f"a{mark}b")
    assert mark not in str(Summary(title=f"a{mark}b"))


def test_columns_of_numbers_are_set_to_the_right():
    text = str(Summary(title="t", columns=("name", "rows"), lines=(("a", "1"), ("b", "1,000"))))
    assert text.splitlines()[2] == "  a         1"


def test_wide_characters_take_two_places():
    text = str(Summary(title="t", columns=("n", "m"), lines=(("日本", "x"), ("a", "x"))))
    assert text.splitlines()[2].index("x") == text.splitlines()[3].index("x") - 2


def test_a_share_just_under_one_is_not_shown_as_all():
    assert percent(0.99999) == ">99.9 %"
    assert percent(0.0001) == "<0.1 %"
    assert percent(0.977) == "97.7 %"


@given(st.integers(30, 120))
def test_text_fits_the_terminal_that_shows_it(width):
    summary = Summary(
        title="a title that is longer than thirty columns by some words",
        facts=(("name", "word " * 30),),
        columns=("first", "second"),
        lines=(("word " * 10, "1"), ("word " * 12, "2")),
        notes=("word " * 20,),
    )
    assert all(len(line) <= width for line in "\n".join(summary.parts(width)).split("\n"))
    assert "second 2" in "\n".join(summary.parts(30))
    assert "\n".join(summary.parts(1000)) == str(summary)


def test_the_time_of_a_step_begins_where_the_step_before_ended(monkeypatch):
    now = iter([0.0, 2.0, 4.0, 5.0])
    monkeypatch.setattr("evenhand.display.perf_counter", lambda: next(now))
    seen = []
    reporter = ProgressReporter(seen.append)
    reporter.advance("counting rows", 10, 20)
    reporter.advance("counting rows", 10, 20)
    reporter.report("tests", 3)
    assert [(one.done, one.seconds) for one in seen] == [(10, 2.0), (20, 4.0), (3, 1.0)]
    assert (seen[0].rate, seen[0].seconds_left, seen[2].seconds_left) == (5.0, 2.0, None)


def test_parts_of_unequal_length_predict_no_time():
    assert Progress("methods", done=3, total=12, seconds=2.0).seconds_left == 6.0
    assert (
        Progress("methods", done=3, total=12, seconds=2.0, is_even=False).seconds_left is None
    )


def test_a_notebook_reads_the_sentence_as_a_paragraph_and_what_to_call_next():
    summary = Summary(title="not certified", sentence="4 of 4 <differ>.", hint="audit.report()")
    assert str(summary) == "not certified: 4 of 4 <differ>."
    assert summary._repr_html_() == (
        '<div class="result"><h3>Not certified</h3>'
        "<p><strong>4 of 4 &lt;differ&gt;.</strong></p>"
        '<p class="note">audit.report()</p></div>'
    )


def test_with_figures_the_numbers_are_folded_and_the_hint_comes_last():
    summary = Summary(
        title="t", facts=(("a", "b"),), columns=("n",), lines=(("1",),) * 60, more=3, hint="h"
    )
    html = summary.html("<svg></svg>")
    assert html.startswith('<div class="result"><h3>T</h3><svg></svg><details>')
    assert html.count("<tr>") == 51
    assert html.endswith('<p>and 13 more</p></details><p class="note">h</p></div>')
    assert str(summary).endswith("  and 3 more")
    assert summary.parts(8)[-1] == "  and 3\n    more"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.99, "under 1 second"),
        (1, "about 1 second"),
        (1.6, "about 2 seconds"),
        (119, "about 119 seconds"),
        (120, "about 2 minutes"),
        (7_199, "about 120 minutes"),
        (7_200, "about 2 hours"),
        (172_799, "about 48 hours"),
        (172_800, "about 2 days"),
    ],
)
def test_a_duration_has_the_largest_unit_that_counts_two(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("difference", "shown"),
    [
        (None, "unmeasured"),
        (Fraction(1, 20), "5.0"),
        (Fraction(-1, 20), "−5.0"),
        (Fraction("0.04996"), "4.99"),
        (Fraction("-0.0496"), "−4.96"),
        (Fraction("0.0494"), "4.9"),
        (Fraction("-0.0001"), "0.0"),
        (0, "0.0"),
    ],
)
def test_points_never_round_across_the_threshold(difference, shown):
    assert points(difference, threshold=Fraction(1, 20)) == shown


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0.0 %"), (1, "100.0 %"), (0.0005, "0.1 %"), (2, "200.0 %")]
)
def test_only_nothing_and_all_are_shown_so(share, text):
    assert percent(share) == text
    assert percent(0.996, digits=0) == ">99 %"
    assert percent(0.0004, digits=2) == "0.04 %"


@dataclass
class Result(Plain):
    name: str
    part: object = None
    more: tuple = ()
    keys = "name also=part? of=name more? two=part.real?"


def test_plain_values_are_the_keys_that_a_result_names():
    assert Result("a", 3, (1,)).to_dict() == {
        "name": "a",
        "also": 3,
        "of": "a",
        "more": [1],
        "two": 3,
    }
    assert Result("a", 0).to_dict() == {"name": "a", "also": 0, "of": "a", "two": 0}
    assert plain([Result("a", 1j), {1: {3, 2}}, Fraction(1, 3), True, 0.5, None]) == [
        {"name": "a", "also": "1j", "of": "a", "two": 0.0},
        {"1": [2, 3]},
        "1/3",
        True,
        0.5,
        None,
    ]


def test_a_page_of_markdown_has_a_heading_a_table_and_a_list():
    summary = Summary(
        title="a*b", sentence="so", columns=("x", "y"), lines=(("1|2", "3"),), notes=("n_1",)
    )
    assert summary.markdown() == (
        "## a\\*b: so\n\n| x | y |\n| --- | --- |\n| 1\\|2 | 3 |\n\n- n\\_1"
    )
    assert Summary(title="t").markdown() == "## t"


def test_progress_is_measured_in_its_own_step_and_never_ends_before_now():
    assert Progress("s", done=3, total=None, seconds=2.0).seconds_left is None
    assert Progress("s", done=0, total=3, seconds=2.0).seconds_left is None
    assert Progress("s", done=3, total=3, seconds=0.0).rate == 0.0
    assert Progress("s", done=5, total=3, seconds=1.0).seconds_left == 0
    ProgressReporter(None).report("s", 1)


@pytest.mark.parametrize(
    ("mark", "shown"),
    [("\ufe0f", "\\ufe0f"), ("\U000e0041", "\\U000e0041"), ("\uffff", "\uffff"), ("é", "é")],
)
def test_what_a_program_may_show_as_nothing_is_written_out(mark, shown):
    assert visible(f"a{mark}") == f"a{shown}"


@dataclass
class Pair:
    first: Fraction
    second: tuple


def test_what_has_no_plain_form_of_its_own_has_that_of_its_fields():
    assert plain(Pair(Fraction(1, 2), (None,))) == {"first": "1/2", "second": [None]}


def test_a_column_with_a_letter_is_no_column_of_numbers():
    text = str(Summary(title="t", columns=("n",), lines=(("1a",), ("100",))))
    assert text.splitlines()[2] == "  1a"


def test_a_line_of_no_numbers_is_set_to_the_left():
    text = str(Summary(title="t", columns=("a", "b"), lines=(("x", "−1.5 %"), ("y", ""))))
    assert text.splitlines()[1:] == ["  a  b", "  x  −1.5 %", "  y"]
