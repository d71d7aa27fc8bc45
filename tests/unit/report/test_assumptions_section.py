"""Section 7: what the verdict rests on."""

from tests.report_pages import CASES, GRAPH, QUESTION, admissions_audit, page_text, report_text

import evenhand as eh
from evenhand.evidence.bootstrap import bootstrap
from evenhand.evidence.graph_doubt import doubt
from evenhand.report import report


def test_sensitivity_is_told_beside_the_strongest_recorded_cause():
    text = report_text(*CASES["not certified"])
    assert "It would have to account for" in text
    assert "major0.0 points" in text


def test_no_finding_outlasts_a_cause_that_there_is_not():
    """Both sides have the same majors and scores: none of them could explain anything."""
    text = report_text(*CASES["not certified"])
    assert "there is nothing to compare with" in text
    assert "would survive" not in text
    assert "none has rows enough here" not in text


def test_findings_that_outlast_the_strongest_recorded_cause_are_counted():
    columns = {
        "gender": ["female", "female", "male", "male"] * 2,
        "town": ["A"] * 4 + ["B"] * 4,
        "admission": ["admitted", "rejected"] * 4,
    }
    counts = eh.CountTable.of(columns, [30, 70, 120, 30, 60, 100, 90, 10])
    graph = eh.CausalGraph.parse("gender -> admission; town -> admission; gender -> town")
    assert "2 of 2 differences would survive an unrecorded cause" in report_text(counts, graph)


def test_trials_of_the_graph_are_told_if_they_were_made():
    audit = admissions_audit()
    counts = eh.datasets.admissions(2)
    tried = doubt(counts, GRAPH, QUESTION.question)
    text = page_text(report(audit, doubt=tried).html)
    assert "The weakest of the links at admission" in text
    again = bootstrap(counts, QUESTION.question, graph=GRAPH, resamples=3, seed=1)
    assert "3 resamples of the rows, all with the same graph." in page_text(
        report(audit, resampled=again).html
    )


def test_what_looks_missing_is_told_to_the_owner_alone():
    counts = eh.datasets.admissions(2).recoded("major", {"EE": "?"})
    audit = eh.audit(counts, QUESTION.question, graph=GRAPH)
    said = "1,200 rows with “?” as major. If they mean that nothing is known"
    assert said in page_text(report(audit).html)
    assert "Not declared" not in report(audit, share=True).html
    assert "Not declared" not in report_text(*CASES["not certified"])


def test_that_the_population_decides_is_said_where_it_was_chosen():
    counts, said = eh.datasets.admissions(2), "What the rows show of the population decides."
    audits = {
        judge: eh.audit(counts, QUESTION.question, graph=GRAPH, judge=judge)
        for judge in ("rows", "population")
    }
    assert said not in page_text(report(audits["rows"]).html)
    assert said in page_text(report(audits["population"]).html)
