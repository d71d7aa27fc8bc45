"""Section 5: which comparisons count."""

from tests.admission import OPEN_GRAPH, QUESTION
from tests.report_pages import admissions_audit, page_text

from evenhand import CausalGraph, CountTable, audit, datasets
from evenhand.report import report


def test_a_misleading_partition_names_the_open_path_and_what_would_mend_it():
    found = admissions_audit(1)
    text = page_text(report(found, partition=found.explain_partition(["test_score"])).html)
    assert "leaves open gender → major → admission" in text
    assert "to mend it, hold major equal" in text
    assert (
        "is misleading: what it shows, or does not show, is no evidence of a direct effect"
        in text
    )


def test_a_meaningful_partition_is_called_so():
    found = admissions_audit(1)
    text = page_text(
        report(found, partition=found.explain_partition(["test_score", "major"])).html
    )
    assert "by major and test score, is meaningful" in text


def test_where_an_edge_is_open_no_direction_is_guessed():
    found = audit(datasets.admissions(1), QUESTION, graph=OPEN_GRAPH)
    page = report(found, partition=found.explain_partition(["major"])).html
    text = page_text(page)
    assert "in each of these 0 of the ways compare like with like, in at least one 2" in text
    assert "hangs on the direction of the edge between test score and admission" in text
    assert "is meaningful or misleading, as the edges without direction may be" in text
    assert "● meaningful" not in page


def test_block_sets_that_were_examined_are_listed():
    found = admissions_audit(scope="all")
    text = page_text(report(found).html)
    assert "also checked" in text
    assert "were examined" in text


def test_the_average_is_the_one_that_opens_the_page():
    towns = {"town": ["A"] * 4 + ["B"] * 4, "gender": ["female", "female", "male", "male"] * 2}
    columns = towns | {"admission": ["admitted", "rejected"] * 4}
    counts = CountTable.of(columns, [30, 70, 120, 30, 60, 100, 90, 10])
    graph = CausalGraph.parse("gender -> admission; town -> admission; gender -> town")
    found = audit(counts, QUESTION, graph=graph)
    text = page_text(report(found).html)
    size = f"{100 * found.certificate.population.common.difference:.1f}"
    assert f"Among people alike in town it is {size} points on average" in text
    assert f"are {size} points ahead" in text
    assert "goes with what is held equal: it is no direct effect" in text


def test_people_who_cannot_be_compared_are_part_of_the_gap():
    columns = {
        "town": ["A"] * 4 + ["B"] * 2,
        "gender": ["female", "female", "male", "male", "male", "male"],
        "admission": ["admitted", "rejected"] * 3,
    }
    counts = CountTable.of(columns, [30, 70, 60, 40, 9, 1])
    graph = CausalGraph.parse("gender -> admission; town -> admission; gender -> town")
    text = page_text(report(audit(counts, QUESTION, graph=graph)).html)
    assert "held equal or with people who cannot be compared: it is no direct effect" in text
