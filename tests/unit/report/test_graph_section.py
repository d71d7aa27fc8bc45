"""Section 1: like with like."""

from tests import predictions
from tests.loans import QUESTION as PATHS
from tests.loans import ZIP_FIRST, loans
from tests.report_pages import CASES, QUESTION, admissions_audit, page_text, report_text

import evenhand as eh
from evenhand.report import report
from evenhand.report.graph_section import causes, graph_figure
from evenhand.wording import Words


def test_an_open_edge_is_named_with_its_remedy():
    assert "perhaps a cause" in report_text(*CASES["open edge"])


def test_a_graph_without_the_arrow_in_question_is_told_as_such():
    graph = eh.CausalGraph.parse("gender -> major -> admission; test_score -> admission")
    audit = admissions_audit(graph=graph)
    text = page_text(report(audit, labels=QUESTION.labels).html)
    assert "no arrow leads from gender to admission, which is caused by" in text
    assert "thick arrow" not in text
    assert "any remaining difference is due to chance." in text


def test_a_shown_difference_without_the_arrow_puts_the_graph_in_doubt():
    columns = {
        "gender": ["female", "female", "male", "male"],
        "admission": ["admitted", "rejected"] * 2,
        "major": ["CS"] * 4,
    }
    counts = eh.CountTable.of(columns, [100, 900, 900, 100])
    graph = eh.CausalGraph.parse("major -> admission; gender -> major")
    assert "so the graph is in doubt." in report_text(counts, graph)


def test_an_order_that_nobody_gave_is_not_said_to_be_given():
    learned = eh.audit(eh.datasets.admissions(2), QUESTION.question)
    text = page_text(learned.report().html)
    assert "No order was given: admission is taken to come last." in text
    assert "order that was given" not in text


def test_the_key_has_an_arrowhead_only_for_links_that_have_one():
    graph = eh.PartialGraph.parse(
        "gender -> admission; major -> admission; gender - test_score"
    )
    key = graph_figure(
        admissions_audit(graph=graph).certificate,
        eh.Knowledge(),
        Words(question=QUESTION.question, labels=QUESTION.labels),
    ).key
    assert {kind: head for kind, _, head in key} == {
        "direct": True,
        "cause": True,
        "rest": False,
    }
    assert ("rest", "other links", False) in key


def test_attributes_through_which_effects_are_asked_about_are_marked():
    marked = eh.audit(loans(), PATHS, graph=ZIP_FIRST)
    words = Words.of(marked.certificate, None)
    figure = graph_figure(marked.certificate, eh.Knowledge(), words)
    for drawing in (figure.wide, figure.narrow):
        assert [box.name for box in drawing.boxes if box.asked] == ["zip"]
    assert ("asked", "effects through it are asked about", False) in figure.key
    html = marked.report().html
    assert html.count('<rect class="asked"') == 3  # wide, narrow, in the key
    assert '<rect class="asked"' not in admissions_audit().report().html


def test_of_predictions_no_arrow_is_in_question_and_the_recorded_causes_are_named():
    result = predictions.audited(predictions.people())
    words = Words.of(result.certificate, None)
    key = {kind for kind, _, _ in graph_figure(result.certificate, eh.Knowledge(), words).key}
    assert "direct" not in key
    told = str(causes(result.certificate, words))
    assert "The recorded hired is caused by" in told
    assert "whatever else the model reads" in told
    assert "itself" not in told
