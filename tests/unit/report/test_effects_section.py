"""Section 5a: the claim about effects through chosen attributes, in every state."""

import re
from html import unescape

import pytest
from tests.loans import CELLS, QUESTION, ZIP_FIRST, asking, loans
from tests.path_states import MEASURED, REFUSED
from tests.report_pages import page_text

import evenhand as eh
from evenhand import Verdict
from evenhand.question.display_labels import Labels
from evenhand.report import report

LABELS = Labels(
    columns={"zip": "district"},
    values={"race": {"b": "blacks", "w": "whites"}, "loan": {"yes": "got a loan"}},
)


def audit_of(state):
    counts, graph, asked = REFUSED if state == "refused" else MEASURED[state]
    return eh.audit(counts, asked, graph=graph)


def html_of(state, **options):
    return report(audit_of(state), generated="today", **options).html


def section(html, name="through"):
    found = re.search(rf'<section class="sec" id="{name}".*?</section>', html, re.DOTALL)
    return found and found[0]


def opening(html):
    return html[: html.index('<p class="appendix">')]


def said(part):
    """The text of a part of a page, elements apart."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", part))).strip()


def results(part):
    """What results say of themselves: their cells and facts, without spaces."""
    found = re.findall(r'<div class="result">.*?\n</div>', part, re.DOTALL)
    return [said(one).replace(" ", "") for one in found]


def told(result):
    """Every fact and line of a result, as a page has it, without spaces."""
    facts = (f"{name}{fact}" for name, fact in result.facts)
    texts = (*facts, *map("".join, result.lines), *map(str, result.notes))
    return [re.sub(r"\s+", "", text) for text in texts]


@pytest.mark.parametrize("state", [*MEASURED, "refused"])
def test_the_claim_stands_as_in_the_terminal(state):
    audit = audit_of(state)
    (shown,) = results(section(report(audit, generated="today").html))
    assert all(text in shown for text in told(audit.certificate.indirect.summary()))


@pytest.mark.parametrize("state", MEASURED)
def test_the_claim_stands_in_the_opening_and_in_its_section(state):
    audit = audit_of(state)
    indirect = audit.certificate.indirect
    html = report(audit, labels=LABELS, generated="today").html
    word = str(indirect.verdict).capitalize()
    sentence = indirect.sentence(LABELS)
    assert f"{word}, through district {sentence}" in said(opening(html))
    assert "A second claim, apart from the answer: through district" in said(html)
    assert sentence in said(section(html))
    points = "20 points" if state == "own threshold" else "5 points"
    assert f"the threshold of this claim is {points}" in said(opening(html))


def test_the_rest_of_the_opening_is_as_without_the_claim():
    plain = report(eh.audit(loans(), asking(redlining=()), graph=ZIP_FIRST), generated="today")
    asked = html_of("identified")
    card = re.compile(r'<section class="verdict claims".*?</section>', re.DOTALL)

    def body(html):
        text = opening(html).replace(" They are a claim of their own, below.", "")
        return re.sub(r"\s+", "", text[text.index("<body>") :])

    assert len(card.findall(opening(asked))) == 1
    assert body(card.sub("", asked)) == body(plain.html)
    assert section(plain.html) is None
    assert ".waterfall" not in plain.html


@pytest.mark.parametrize("state", MEASURED)
def test_what_the_reader_has_to_say_and_what_is_not_in_the_intervals_is_said(state):
    text = said(section(html_of(state)))
    assert "Yours to say Which of these paths are justified." in text
    assert "It was stated; the intervals do not allow for an error in it" in text


def test_of_a_learned_graph_it_is_said_that_it_was_learned():
    learned = eh.discover(loans(), question=QUESTION)
    audit = eh.audit(loans(), QUESTION, graph=learned)
    text = said(section(report(audit, generated="today").html))
    assert "It was learned from rows; the intervals do not allow for" in text


def test_witnesses_and_graphs_are_named():
    texts = {state: said(section(html_of(state))) for state in MEASURED}
    named = {
        "Witnesses: income. The effect has bounds.": {
            "witness",
            "unseen, witness",
            "several graphs",
        },
        "2 ways to direct the open edges, all measured": {"several graphs"},
        "not judged: job": {"explained"},
        "all rows, whichever group they belong to": {"everybody"},
        "whose direction is open. Require": {"several graphs"},
        "No path from race to loan goes through": {"no path"},
    }
    for sentence, states in named.items():
        assert {state for state, text in texts.items() if sentence in text} == states, sentence


@pytest.mark.parametrize("state", [*MEASURED, "refused"])
def test_reasons_stand_there_with_what_helps(state):
    audit = audit_of(state)
    text = said(section(report(audit, generated="today").html))
    for reason in audit.certificate.indirect.reasons:
        assert reason.what in text
        for remedy in reason.remedies:
            assert remedy.words in text


def test_where_nothing_was_measured_the_reason_stands_in_place_of_a_picture():
    audit = audit_of("refused")
    html = report(audit, generated="today").html
    part = section(html)
    reason = audit.certificate.indirect.reasons[0]
    assert "waterfall" not in part
    assert reason.what in said(part)
    assert "<details" not in part
    assert reason.what in said(opening(html))
    assert "Yours to say" not in said(part)


def test_a_verdict_is_red_only_where_the_effect_is_shown():
    marks = {}
    for state in MEASURED:
        audit = audit_of(state)
        part = opening(report(audit, generated="today").html)
        marks[state] = re.search(r'class="side v-([\w-]+)"', part)[1]
        verdict = audit.certificate.indirect.verdict
        assert marks[state] == str(verdict).replace(" ", "-")
    assert set(marks.values()) == {"certified", "not-certified", "cannot-decide"}


@pytest.fixture(scope="module")
def released():
    audit = eh.audit(loans(), QUESTION, graph=ZIP_FIRST)
    release = audit.release(seed=1)
    return audit, release, report(audit, release, generated="today").html


def test_a_release_has_the_claim_before_and_after(released):
    audit, release, html = released
    part = section(html)
    assert said(part).index("The other way, and all numbers") < said(part).index("As released")
    claims = (audit.certificate.indirect, release.certificate.indirect)
    (shown,) = results(part)
    assert all(text in shown for text in told(claims[0].summary()))
    assert [str(claim.verdict).capitalize() for claim in claims] == [
        said(word) for word in re.findall(r"</svg>([\w ]+), through zip</h2>", opening(html))
    ]


def test_released_rows_have_no_intervals_and_no_errors(released):
    _, _, html = released
    before, after = section(html).split("<summary>As released</summary>")
    assert 'class="whisker"' in before
    assert 'class="whisker"' not in after
    assert "±" in said(before)
    assert "±" not in said(after)


def test_the_first_part_tells_the_claim_before_and_after_a_release(released):
    audit, release, html = released
    top = said(opening(html))
    labels = Labels()
    before, after = (one.certificate.indirect.sentence(labels) for one in (audit, release))
    assert top.index(before) < top.index("The release") < top.rindex(after)


def test_a_shared_page_tells_the_verdict_of_a_certified_release_and_nothing_else():
    audit = eh.audit(loans(dict.fromkeys(CELLS, (100, 50))), QUESTION, graph=ZIP_FIRST)
    assert audit.certificate.indirect.verdict is Verdict.CERTIFIED
    page = report(audit, share=True, generated="today").html
    assert "Withheld, through zip" in said(page)
    release = audit.release(seed=1)
    page = report(audit, release, share=True, generated="today").html
    assert "Certified, through zip" in said(page)
    for html in (page, report(audit, share=True).html):
        assert "Through zip" not in said(html)
        assert "waterfall" not in html[html.index("</style>") :]
        assert audit.certificate.indirect.sentence() not in html


def test_a_shared_page_of_an_uncertified_effect_withholds_it():
    audit = eh.audit(loans(), QUESTION, graph=ZIP_FIRST)
    assert audit.certificate.indirect.verdict is Verdict.NOT_CERTIFIED
    text = said(report(audit, share=True, generated="today").html)
    assert "Withheld, through zip" in text
    assert "Not certified, through" not in text


def test_the_direct_claim_points_to_this_section():
    assert "They are a claim of their own, below." in page_text(html_of("identified"))


def test_resamples_are_told_where_there_are_any():
    audit = audit_of("witness")
    resampled = audit.bootstrap(resamples=5, seed=1)
    text = said(report(audit, resampled=resampled, generated="today").html)
    assert resampled.indirect.facts[0][1] in text
