"""Section 4: could it be chance?"""

import re

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
from evenhand.wording.certificate_words import population_summary


def test_what_all_groups_say_together_stands_as_in_the_terminal():
    cases = [*map(CASES.get, ("not certified", "nothing comparable")), shown_on_average()]
    for counts, graph in cases:
        certificate = eh.audit(counts, QUESTION.question, graph=graph).certificate
        text = report_text(counts, graph).replace(" ", "")
        for result in (
            population_summary(certificate.population),
            certificate.relaxed().summary(),
        ):
            assert result.title[1:].replace(" ", "") in text
            for name, fact in result.facts:
                assert f"{name}{fact}".replace(" ", "") in text


def test_a_difference_shown_on_average_alone_is_said_to_be_so():
    text = report_text(*shown_on_average())
    assert "is shown on average, in no single group: 11.7 points, men higher." in text
    assert "0 of 20 groups show" not in text


def test_what_chance_would_make_is_told_with_people():
    text = report_text(*CASES["not certified"])
    assert "about 1.2 (0 to 3), p of as many 0.008; 637 people, seen 2,200" in text
    assert "What was seen is more than chance alone would make." in text


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
    explained = "What was seen is no more than chance would make, given this graph."
    assert explained in report_text(*towns(8))
    # No group reaches the threshold, and they are too many for the average to be chance.
    average = report_text(*towns(200, ahead=1))
    assert explained not in average
    assert "but chance does not explain the difference on average." in average
    assert "What was seen is more than chance alone would make." in report_text(
        *towns(30, ahead=4)
    )


def test_each_examined_block_set_has_its_line():
    audit = admissions_audit(graph=GRAPH, scope="all")
    html = report(audit, labels=QUESTION.labels).html
    partitions = audit.certificate.partitions
    assert len(partitions) > 1
    assert re.findall(r'aria-label="(\d+) of (\d+) seen, (.*?) by chance"', html) == [
        (f"{one.violating}", f"{one.measured.sum()}", f"{one.by_chance}") for one in partitions
    ]


def test_the_picture_holds_the_range_and_what_was_seen():
    html = report(admissions_audit(graph=GRAPH)).html
    assert 'aria-label="4 of 4 seen, about 1.2 (0 to 3) by chance"' in html
    assert '<rect class="by-chance" x="0%" y="8" width="75%" height="14"/>' in html


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
