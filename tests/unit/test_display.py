import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.display import Progress, ProgressReporter, Summary, percent, visible


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
