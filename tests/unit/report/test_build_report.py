"""Every kind of result has a page of nine sections that says what is the case."""

import re
from html import unescape

import pytest
from tests.report_pages import CASES, QUESTION, report_text

import evenhand as eh
from evenhand.report import report


@pytest.mark.parametrize("share", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_every_page_has_its_sections_in_the_same_order(name, share):
    counts, graph = CASES[name]
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    html = report(audit, share=share, generated="today").html
    assert re.findall(r'<h2 id="h(\d)">', html) == list("1234" if share else "123456789")


@pytest.mark.parametrize("name", CASES)
def test_no_page_uses_a_word_that_promises_more_than_was_shown(name):
    text = report_text(*CASES[name]).casefold()
    for word in ("fair", "compliant", "unbiased", "privileged", "significant "):
        assert word not in text


def test_a_page_names_the_file_but_not_its_folder(tmp_path):
    path = tmp_path / "people's.csv"
    path.write_text("gender,admission\n" + "female,admitted\nmale,rejected\n" * 20)
    audit = eh.audit(
        path,
        eh.Question(
            protected="gender", group="female", decision="admission", favorable="admitted"
        ),
        graph=eh.CausalGraph.parse("gender -> admission"),
    )
    html = report(audit, certificate_file=tmp_path / "people's.json").html
    assert str(tmp_path) not in html
    assert "evenhand verify 'people'\"'\"'s.json' 'people'" in unescape(html)
