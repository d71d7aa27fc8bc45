"""Sections 2 and 3: differences and evidence."""

import re

from tests.many_groups import hiring_audit
from tests.report_pages import CASES, admissions_audit, page_text, report_text

import evenhand as eh
from evenhand.report import report


def test_evidence_is_told_in_counts_with_its_interval():
    text = report_text(*CASES["not certified"])
    assert "Verdict" not in text.split("The question")[0]
    assert "Not certified" in text
    assert "E1" in text
    assert "Of 300 women" in text


def test_many_groups_are_drawn_as_a_funnel_and_the_strongest_as_a_matrix(adult):
    asked = eh.datasets.question("adult")
    names = [name for name in adult.names if name not in ("sex", "income")]
    arrows = {("sex", "income"), *((name, "income") for name in names[:7])}
    graph = eh.CausalGraph(adult.names, frozenset(arrows))
    html = report(eh.audit(adult, asked, graph=graph), labels=asked.labels).html
    assert 'class="plot matrix"' in html
    assert "Differences by size of group" in html
    assert "Where the people are" in html


def many_towns(first):
    """Twenty towns that differ by chance, and one before them."""
    cells = [first, *([(5, 5, 6, 4), (6, 4, 5, 5)] * 10)]
    columns = {
        "gender": ["female", "female", "male", "male"] * 21,
        "town": [f"town {number:02}" for number in range(21) for _ in range(4)],
        "admission": ["admitted", "rejected"] * 42,
    }
    return eh.CountTable.of(columns, [many for four in cells for many in four])


def test_findings_are_called_so_only_if_they_are_shown():
    graph = eh.CausalGraph.parse("town -> admission; gender -> admission")
    text = report_text(many_towns((5, 5, 6, 4)), graph)
    assert (
        "The 20 groups at or beyond the threshold that chance explains least; none is" in text
    )
    assert "strongest finding" not in text
    text = report_text(many_towns((300, 700, 600, 400)), graph)
    assert (
        "The 20 groups at or beyond the threshold that chance explains least; 1 shown" in text
    )
    assert "men higher, shown beyond 5 points" in text


def test_where_nobody_is_compared_no_group_is_said_to_be_under_the_threshold():
    text = report_text(*CASES["nothing comparable"])
    assert "No group can be compared: there is no evidence to list." in text
    assert "No comparable group differs" not in text


def test_equal_differences_have_no_range():
    text = report_text(*CASES["certified"])
    assert "The differences are all 0.0 points." in text
    assert "0.0 to 0.0" not in text


def test_a_key_shows_each_mark_once_and_no_group_has_the_color_of_a_difference():
    audit = admissions_audit()
    html = report(audit, audit.release(seed=7)).html
    keys = re.findall(r'<ul class="key">(.*?)</ul>', html, re.DOTALL)
    assert len(keys) == 4
    for key in keys:
        entries = re.findall(r"<li[^>]*>(.*?)</li>", key, re.DOTALL)
        drawn = [re.findall(r'<(circle|path|rect|line) class="([^"]*)"', e) for e in entries]
        marks = [tuple(shapes) for shapes in drawn if shapes]
        assert len(marks) == len({*marks}) > 1
    cells = re.findall(r'<td class="difference">(.*?)</td>', html, re.DOTALL)
    assert cells
    assert not [cell for cell in cells if "c-group" in cell or "c-other" in cell]


def test_each_group_of_many_is_told_by_its_strongest_pair_and_its_widest_gap():
    text = page_text(report(hiring_audit()).html)
    evidence = text[text.index("The evidence, in counts") :]
    assert (
        "Of 1,000 people with race blue (town A), 200 (20.0%) had hired yes. Of 1,000 such "
        "people with race green, 420 (42.0%)." in evidence
    )
    # Gray people of town B are farther behind, but they are few.
    assert "of 60 people with race green (town B)" in evidence.replace("Of", "of")
    assert "Widest gap: 12.2 points, 30 of 50 red and 11 of 23 gray." in evidence


def test_people_of_many_groups_are_counted_where_any_two_differ():
    many = {f"town {n:02}": {"red": (5, 5), "green": (6, 4), "blue": (5, 5)} for n in range(16)}
    text = page_text(report(hiring_audit(many | {"Z": {"red": (3, 4)}})).html)
    assert "two values of race 5 points or more apart, not shown 16480 98.6%" in text
    assert "no comparison possible 17" in text
    assert "Each dot is one of the 48 comparisons" in text


def test_with_a_reference_both_signs_are_told_where_both_occur():
    one = {"A": {"red": (30, 70), "green": (60, 40), "blue": (50, 50)}}
    text = page_text(report(hiring_audit(one, other="blue")).html)
    assert "The differences go from −10.0 to 20.0 points." in text
    assert "Above zero people with race blue are ahead, below zero others." in text
