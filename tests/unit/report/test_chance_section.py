"""Section 4: could it be chance?"""

from tests.report_pages import CASES, report_text, shown_on_average

import evenhand as eh


def test_differences_that_chance_could_make_are_said_to_be_so():
    text = report_text(*CASES["not certified"])
    assert (
        "It could be. After allowing for 5 comparisons, none beyond 5 points is shown." in text
    )
    assert "Statistical verdict: inconclusive." in text


def test_a_shown_difference_is_named_with_who_is_ahead():
    columns = {
        "gender": ["female", "female", "male", "male"],
        "admission": ["admitted", "rejected"] * 2,
    }
    counts = eh.CountTable.of(columns, [100, 900, 900, 100])
    text = report_text(counts, eh.CausalGraph.parse("gender -> admission"))
    assert "Hardly. After allowing for 1 comparison, 1 of 1 differences" in text
    assert "1 with men ahead" in text
    assert "Statistical verdict: difference shown." in text


def test_where_nothing_is_compared_chance_explains_nothing():
    assert "nothing that chance could explain" in report_text(*CASES["nothing comparable"])


def test_a_difference_shown_on_average_alone_is_said_to_be_so():
    text = report_text(*shown_on_average())
    assert "In each group alone it could be. After allowing for 21 comparisons, none" in text
    assert "is shown in a single group." in text
    assert "It is shown to lie beyond 5 points (p 0.012 after allowing for all" in text
    assert "is shown on average, in no single group: 11.7 points, men higher." in text
    assert "0 of 20 groups" not in text


def test_a_shared_report_does_not_say_where_a_difference_is_shown():
    text = report_text(*shown_on_average(), share=True, least_count=30)
    assert "Chance allowed for, a difference beyond 5 points is shown." in text
    assert "on average" not in text
