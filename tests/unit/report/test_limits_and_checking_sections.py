"""Sections 8 and 9, and the small print."""

from tests.many_groups import hiring_audit
from tests.report_pages import CASES, page_text, report_text

import evenhand as eh
from evenhand.report import report


def test_groups_that_cannot_be_compared_are_listed():
    text = report_text(*CASES["nothing comparable"])
    assert "Cannot decide" in text
    assert (
        "2 of 2 groups, with 100 people (100% of the rows), hold only women or only men."
        in text
    )


def test_names_without_a_label_are_read_with_spaces_and_found_with_their_own():
    columns = {
        "sex": ["f", "f", "m", "m"] * 2,
        "job_kind": ["a_b"] * 4 + ["c"] * 4,
        "Income_class": ["high", "low"] * 4,
    }
    counts = eh.CountTable.of(columns, [10, 30, 20, 20, 15, 15, 16, 14])
    asked = eh.Question(protected="sex", group="f", decision="Income_class", favorable="high")
    graph = eh.CausalGraph.parse("sex -> Income_class; job_kind -> Income_class")
    audit = eh.audit(counts, asked, graph=graph)
    text, fine = page_text(report(audit).html).split("Small print")
    assert "Does sex itself change Income class?" in text
    assert "job kind a_b" in text
    assert "Income_class" not in text.partition("Could it be chance?")[0]
    assert "job_kind" not in text.partition("Could it be chance?")[0]
    assert "Income_class = high" in fine
    assert "Columns: Income class = Income_class; job kind = job_kind." in fine


def test_how_many_groups_hold_only_one_side_is_told_for_both():
    text = report_text(*CASES["nothing comparable"])
    assert "Only women: 1; only men: 1." in text


def test_of_many_groups_who_is_there_is_said():
    text = page_text(report(hiring_audit()).html)
    assert (
        "1 of 4 groups, with 22 people (0.7% of the rows), holds no two values of race." in text
    )
    assert "only gray: 0; only green: 0; only red: 1." in text
    assert "town D22 red" in text


def test_with_least_rows_a_group_with_few_of_each_is_unmeasured():
    text = page_text(report(hiring_audit(min_rows=23)).html)
    assert "holds no two values of race with at least 23 people" in text
    text = page_text(report(hiring_audit(min_rows=200)).html)
    assert "3 of 4 groups" in text
    assert "town B23 gray, 60 green and 50 red" in text
    assert "Only blue: 0; only gray: 0; only green: 0; only red: 1; several: 2." in text


def test_a_comparison_of_many_groups_is_worked_out_with_its_names():
    text = page_text(report(hiring_audit()).html)
    assert (
        "E1: green − blue: 420 ÷ 1,000 − 200 ÷ 1,000 = 42.00% − 20.00%; 22.0 points ≥" in text
    )
    assert "race (blue; gray; green; red), in pairs; hired = yes; τ = 1/20." in text
    assert "share of the group ahead minus share of the group behind. Never negative." in text


def many_races(races, *, without=0):
    """Two towns where so many races live, in the second one but for some."""
    people = {f"race {n:02}": (4, 6) for n in range(races)}
    return {"x": people, "y": dict([*people.items()][without:])}


def test_how_many_kinds_of_people_every_group_holds_is_true():
    text = page_text(report(hiring_audit(many_races(4))).html)
    assert "Every group holds all 4 values of race." in text
    text = page_text(report(hiring_audit(many_races(4, without=1))).html)
    assert "Every group holds at least two values of race." in text


def test_of_very_many_groups_ten_are_listed_and_the_rest_counted():
    towns = many_races(50)
    # Few of the first twelve live beside others.
    for n in range(12):
        towns[f"own {n:02}"] = {f"race {n:02}": (200 - n, 100)}
    html = report(hiring_audit(towns)).html
    text = page_text(html)
    assert "6.2% of race 00, 6.3% of race 01, " in text
    assert "6.4% of race 09, and no less of 40 more. 12 groups could not be compared." in text
    assert "race 09: 1; 40 more." in text
    assert "race 09; 40 more), in pairs" in text
