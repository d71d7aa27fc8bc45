"""What a look at the table found stands among the premises, unless the copy is for others."""

from tests.report_pages import GRAPH as ADMISSIONS_GRAPH
from tests.report_pages import QUESTION as ADMISSIONS
from tests.report_pages import admissions_audit, page_text

from evenhand import CausalGraph, CountTable, Question, audit, datasets

ASKED = Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = CausalGraph.parse("degree -> hired; sex -> hired; title -> hired")
LINES = (
    *(("f", "ba", "yes", 40), ("f", "ba", "no", 60), ("m", "ba", "yes", 50)),
    *(("m", "ba", "no", 50), ("f", "ma", "yes", 30), ("m", "ma", "no", 30)),
)


def judged():
    sex, degree, hired, often = map(list, zip(*LINES, strict=True))
    title = [{"f": "Ms", "m": "Mr"}[value] for value in sex]
    columns = {"sex": sex, "degree": degree, "hired": hired, "title": title}
    return audit(CountTable.of(columns, often), ASKED, graph=GRAPH)


def test_a_copy_of_the_protected_attribute_is_found_in_the_table():
    text = page_text(judged().report().html)
    assert "Found in the table" in text
    assert "The same column in other words: 'sex' = 'title'." in text
    assert "Keep one of them" in text
    told = text.replace("impact is not excluded", "")  # what a measure says is no option
    assert "exclude" not in told  # readers of the page cannot type


def test_a_copy_for_others_tells_no_numbers_of_rows():
    assert "Found in the table" not in page_text(judged().report(share=True).html)


def test_what_looks_missing_is_told_to_the_owner_alone():
    counts = datasets.admissions(2).recoded("major", {"EE": "?"})
    found = audit(counts, ADMISSIONS.question, graph=ADMISSIONS_GRAPH)
    said = "1,200 rows with “?” as major. If they mean that nothing is known"
    assert said in page_text(found.report().html)
    assert "Not declared" not in found.report(share=True).html
    assert "Not declared" not in page_text(admissions_audit().report().html)
