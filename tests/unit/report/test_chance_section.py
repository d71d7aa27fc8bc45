"""Section 4: could it be chance?"""

from tests.report_pages import CASES, report_text

import evenhand as eh


def test_differences_that_chance_could_make_are_said_to_be_so():
    text = report_text(*CASES["not certified"])
    assert (
        "It could be. After allowing for 4 comparisons, none beyond 5 points is shown." in text
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
