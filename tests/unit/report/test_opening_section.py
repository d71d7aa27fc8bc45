"""The first page: the first sentence, the verdicts, and the example."""

import re
from dataclasses import replace

import pytest
from tests.many_groups import hiring_audit, score_audit
from tests.report_pages import (
    CASES,
    QUESTION,
    admissions_audit,
    page_text,
    report_text,
    shown_on_average,
)

import evenhand as eh
from evenhand.report import report

TOWNS = eh.CausalGraph.parse("town -> admission; gender -> admission")


def towns(*cells):
    """Women admitted and rejected, men admitted and rejected, for each town."""
    columns = {"gender": [], "town": [], "admission": []}
    for town in range(len(cells)):
        columns["gender"] += ["female", "female", "male", "male"]
        columns["town"] += [f"town {town}"] * 4
        columns["admission"] += ["admitted", "rejected"] * 2
    return eh.CountTable.of(columns, [many for four in cells for many in four])


SHOWN = towns((300, 700, 600, 400), (0, 1, 1, 0))
LITTLE = towns(*[(0, 1, 1, 0)] * 3, *[(1, 0, 0, 1)] * 3, (700, 700, 0, 0))
NOT_SHOWN = {name: case for name, case in CASES.items() if name != "no causes"}
RED = re.compile(r'class="[^"]*(?:[vcsp]-shown|is-shown)')


def html_of(counts, graph):
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    return audit, report(audit, labels=QUESTION.labels).html


@pytest.mark.parametrize("case", [*CASES.values(), (SHOWN, TOWNS), (LITTLE, TOWNS)])
def test_the_first_paragraph_is_the_answer(case):
    audit, html = html_of(*case)
    first = html[html.index("</h1>") :].partition("</p>")[0]
    assert page_text(f"</style>{first}").strip() == audit.answer.statements[0]


@pytest.mark.parametrize("case", [*NOT_SHOWN.values(), (LITTLE, TOWNS)])
def test_nothing_is_red_where_nothing_is_shown(case):
    audit, html = html_of(*case)
    assert audit.certificate.population.verdict is not eh.StatisticalVerdict.SHOWN
    assert not RED.search(html)
    assert "red: shown" not in page_text(html)


def test_what_is_shown_is_red_in_cards_pictures_and_tables():
    _, html = html_of(SHOWN, TOWNS)
    assert html.count('class="side v-shown"') == 2
    assert len(re.findall(r'class="dot c-shown"', html)) > 1
    assert html.count("is-shown") == 2  # the style sheet, and one of two groups
    assert "red: shown beyond the threshold" in page_text(html)


def test_a_difference_shown_on_average_alone_makes_the_verdicts_red():
    _, html = html_of(*shown_on_average())
    assert html.count('class="side v-shown"') == 2
    assert "dot c-shown" not in html


def test_the_example_is_a_shown_group_and_not_the_most_extreme_one():
    text = report_text(SHOWN, TOWNS)
    assert "For example Of 1,000 women (town town 0), 300 (30.0%) were admitted." in text
    assert "(E1), shown to lie beyond 5 points." in text


@pytest.mark.parametrize("case", ["not certified", "nothing comparable"])
def test_what_chance_may_explain_is_no_example(case):
    assert "For example" not in report_text(*CASES[case])


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ((LITTLE, TOWNS), "Not certified, in the 0.8 % of the rows that could be compared"),
        (CASES["certified"], "The largest difference is 0.0 points, under 5 points."),
        (CASES["certified"], "there is no evidence to list"),
        (CASES["no direct arrow"], "The graph has no arrow from gender to admission"),
        (
            (towns((100, 900, 900, 100)), TOWNS),
            "Chance allowed for, the one group shows a difference beyond 5 points.",
        ),
        (
            (towns((50_000, 50_000, 50_100, 49_900)), TOWNS),
            "every comparable group is shown to differ by less than 5 points",
        ),
    ],
)
def test_the_verdicts_say_what_they_rest_on(case, said):
    text = report_text(*case)
    assert said in text
    assert "1 of 1 groups shows" not in text


def test_people_who_are_not_counted_are_recorded_all_the_same():
    counts = towns((30, 70, 60, 40))
    assert "200 people are recorded." in report_text(counts, TOWNS)
    third = eh.CountTable.of(
        {
            "gender": ["female", "female", "male", "male", "other"],
            "town": ["A"] * 5,
            "admission": ["admitted", "rejected", "admitted", "rejected", "admitted"],
        },
        [30, 70, 60, 40, 7],
    )
    asked = eh.Question(
        protected="gender",
        group="female",
        other="male",
        decision="admission",
        favorable="admitted",
    )
    text = page_text(report(eh.audit(third, asked, graph=TOWNS)).html)
    assert "Of 207 people recorded 200 are counted (section 7)." in text
    assert "7 rows of groups that are not compared (gender other) were left out." in text
    shared = page_text(report(eh.audit(third, asked, graph=TOWNS), share=True).html)
    assert "(gender other)" not in shared
    pooled = eh.audit(third, replace(asked, other="rest"), graph=TOWNS)
    assert "Everybody but gender female (gender male and gender other) was put together" in (
        page_text(report(pooled).html)
    )


def test_the_range_of_chance_is_not_broken_where_the_page_is_narrow():
    assert "<dd>about 1.2 (0\u00a0to\u00a03)</dd>" in report(admissions_audit()).html


def test_groups_without_a_label_are_people_with_a_value(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("race,hired\n" + "African-American,yes\nCaucasian,no\n" * 20)
    asked = eh.Question(
        protected="race", group="African-American", decision="hired", favorable="yes"
    )
    audit = eh.audit(path, asked, graph=eh.CausalGraph.parse("race -> hired"))
    html = audit.report().html
    said = "People with race African-American are compared with people with race Caucasian"
    assert said in html
    assert "People with race African-American are ahead by" in html


def test_a_decision_that_is_a_question_is_asked_once():
    counts = eh.CountTable.of({"sex": ["f", "m"], "Released?": ["yes", "no"]}, [20, 20])
    asked = eh.Question(protected="sex", group="f", decision="Released?", favorable="yes")
    graph = eh.CausalGraph(["sex", "Released?"], [("sex", "Released?")])
    assert (
        "Does sex itself change Released?<"
        in eh.audit(counts, asked, graph=graph).report().html
    )


def test_one_of_several_possible_sets_of_causes_is_said_to_be_one():
    counts, graph = CASES["open edge"]
    sets = eh.audit(counts, QUESTION.question, graph=graph).certificate.possible_decision_causes
    said = f"(one of {len(sets)} possible sets; section 5 has the others)."
    assert len(sets) > 1
    assert said in report_text(counts, graph)
    assert "possible sets" not in report_text(*CASES["not certified"])


def test_of_many_groups_the_opening_says_who_is_compared_and_how_much_of_each():
    audit = hiring_audit()
    text = page_text(report(audit).html)
    assert (
        "Compared in pairs are people with race blue, gray, green and red who are alike" in text
    )
    assert "97.9% of red" in text  # 22 of 1,072 live in town D, where nobody else does
    assert "100% of blue, 100% of gray, 100% of green" in text
    assert (
        "Two values of race lie 5 points or more apart in 3 of 3 groups, up to 22.0 points."
        in text
    )
    assert "2 of 7 comparisons show a difference beyond 5 points." in text


def test_of_many_groups_the_example_is_the_strongest_pair():
    text = page_text(report(hiring_audit()).html)
    example = text[text.index("For example") :]
    assert example.startswith(
        "For example Of 1,000 people with race blue (town A), 200 (20.0%) had hired yes. "
        "Of 1,000 such people with race green, 420 (42.0%)."
    )


def test_with_a_reference_the_opening_says_who_is_ahead_of_it():
    text = page_text(report(hiring_audit(other="blue")).html)
    assert (
        "People with race gray, green and red are compared with people with race blue" in text
    )
    assert "Others are ahead by 19.3 to 22.0 points in 2 of 2 groups." in text


def test_of_several_values_the_figure_names_the_one():
    text = page_text(report(score_audit(criterion="every")).html)
    assert "where it is clearest: blue more often than red had score high" in text


def test_one_group_of_many_groups_of_people_is_not_counted_among_one():
    one = {"A": {"red": (100, 900), "green": (500, 500), "blue": (900, 100)}}
    text = page_text(report(hiring_audit(one)).html)
    assert "5 points or more apart in the one comparable group" in text
    assert "comparable group differs by 5 points or more" in text
    assert "1 of 1 groups" not in text
    assert "of the 1 " not in text
