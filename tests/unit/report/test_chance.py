"""Section 4: could it be chance?"""

import numpy as np
from tests.many_groups import hiring_audit, score_audit
from tests.report_pages import (
    CASES,
    GRAPH,
    QUESTION,
    admissions_audit,
    page_text,
    report_text,
    shown_on_average,
)

import evenhand as eh
from evenhand.report import report


def test_differences_that_chance_could_make_are_said_to_be_so():
    text = report_text(*CASES["not certified"])
    assert "After allowing for 5 comparisons, no single group is shown to differ by" in text
    assert "Statistical verdict: inconclusive." in text


def test_a_shown_difference_is_named_with_who_is_ahead():
    columns = {
        "gender": ["female", "female", "male", "male"],
        "admission": ["admitted", "rejected"] * 2,
    }
    counts = eh.CountTable.of(columns, [100, 900, 900, 100])
    text = report_text(counts, eh.CausalGraph.parse("gender -> admission"))
    assert "After allowing for 1 comparison, 1 of 1 differences" in text
    assert "1 with men ahead" in text
    assert "Statistical verdict: difference shown." in text


def test_where_nothing_is_compared_chance_explains_nothing():
    assert "nothing that chance could explain" in report_text(*CASES["nothing comparable"])


def test_a_difference_shown_on_average_alone_is_said_to_be_so():
    text = report_text(*shown_on_average())
    assert "After allowing for 21 comparisons, no single group is shown" in text
    assert "It is shown to lie beyond 5 points (p 0.012 after allowing for all" in text
    assert "is shown on average, in no single group: 11.7 points, men higher." in text
    assert "0 of 20 groups show" not in text


def test_what_chance_would_make_is_told_with_people_and_with_the_threshold():
    text = report_text(*CASES["not certified"])
    assert (
        "4 of 4 comparable groups differ by 5 points or more; chance alone would make about "
        "1.2 (0 to 3). The probability that it makes as many is 0.008. People in such groups: "
        "2,200 seen, about 637 by chance. That is more than chance alone would make."
    ) in text
    assert (
        "if every true difference were just under 5 points, about 2.1 groups would be seen to "
        "reach it."
    ) in text


def towns(many, *, ahead=0):
    """Towns with 40 of each; half of the women admitted, of the men some more."""
    columns = {
        "gender": ["female", "female", "male", "male"] * many,
        "town": [f"town {number:02}" for number in range(many) for _ in range(4)],
        "admission": ["admitted", "rejected"] * (2 * many),
    }
    counts = [20, 20, 20 + ahead, 20 - ahead] * many
    return eh.CountTable.of(columns, counts), eh.CausalGraph.parse(
        "town -> admission; gender -> admission"
    )


def test_what_chance_explains_is_said_by_the_rule():
    explained = "That is no more than chance would make, given this graph."
    assert explained in report_text(*towns(8))
    # No group reaches the threshold, and they are too many for the average to be chance.
    average = report_text(*towns(200, ahead=1))
    assert explained not in average
    assert "but chance does not explain the difference on average." in average
    assert "That is more than chance alone would make." in report_text(*towns(30, ahead=4))


def test_each_examined_block_set_has_its_line():
    audit = admissions_audit(graph=GRAPH, scope="all")
    lines = report(audit, labels=QUESTION.labels).page.chance.seen.lines
    partitions = audit.certificate.partitions
    assert len(partitions) > 1
    assert [line.chance for line in lines] == [one.by_chance for one in partitions]
    assert [(line.seen, line.measured) for line in lines] == [
        (one.violating, one.measured.sum()) for one in partitions
    ]


def test_the_picture_holds_the_range_and_what_was_seen():
    [line] = report(admissions_audit(graph=GRAPH)).page.chance.seen.lines
    assert (line.seen, line.measured) == (4, 4)
    assert (line.chance.lower, line.chance.upper) == (0, 3)
    assert np.isclose(line.chance.at_threshold, 2.1, atol=0.1)


def test_how_many_a_milder_rule_would_name_is_told():
    """Ten towns with p about .017: too many for Holm, few enough for Benjamini and Hochberg."""
    towns = [f"town {number}" for number in range(10) for _ in range(4)]
    columns = {
        "gender": ["female", "female", "male", "male"] * 10,
        "town": towns,
        "admission": ["admitted", "rejected"] * 20,
    }
    counts = eh.CountTable.of(columns, [20, 80, 40, 60] * 10)
    graph = eh.CausalGraph.parse("town -> admission; gender -> admission")
    statistics = eh.audit(
        counts, QUESTION.question, graph=graph
    ).certificate.partition.statistics
    assert not statistics.shown.any()
    ordered = np.sort(statistics.p_threshold)
    named = max(k + 1 for k in range(10) if ordered[k] <= 0.05 * (k + 1) / 10)
    assert f"; {named} by the milder rule" in report_text(counts, graph)
    assert "; none by the milder rule" in report_text(*CASES["not certified"])


def test_what_is_within_is_said_to_be_judged_one_by_one():
    text = report_text(*CASES["not certified"])
    assert "None is shown to differ by less, each taken by itself." in text


def test_of_many_groups_chance_is_simulated_and_its_error_said():
    audit = hiring_audit()
    text = page_text(report(audit).html)
    error = audit.certificate.by_chance.error
    assert f"so that the number expected has a standard error, {error:.2g}." in text
    assert "just under the threshold</li>" not in report(audit).html
    assert "Just under" not in text
    assert "After allowing for 9 comparisons, 2 of 5 differences at or beyond" in text
    assert "are shown to lie beyond it (E1): 1 with green ahead and 1 with red ahead" in text
    assert "the difference that is clearest of 5, green minus blue, is 21.8 points" in text


def test_of_several_values_the_clearest_difference_names_its_own():
    text = page_text(report(score_audit(criterion="every")).html)
    assert "the difference that is clearest of 9, blue minus red who had score high, is" in text


def test_chance_is_judged_by_the_clearest_mean_of_all_pairs():
    # The leading pair, A and C, may be chance; A and B, with many rows, cannot be.
    columns = {
        "group": ["A", "A", "B", "B", "C", "C"] * 2,
        "town": ["x"] * 6 + ["y"] * 6,
        "hired": ["yes", "no"] * 6,
    }
    counts = eh.CountTable.of(columns, [4000, 6000, 4300, 5700, 20, 20] * 2)
    graph = eh.CausalGraph.parse("group -> hired; town -> hired")
    question = eh.Question(protected="group", decision="hired", favorable="yes")
    text = page_text(report(eh.audit(counts, question, graph=graph)).html)
    assert "leaves open" not in text
    assert "chance does not explain every difference on average." in text
