"""Pictures of single results, for notebooks."""

import re

import pytest
from tests.loans import QUESTION as PATHS
from tests.loans import ZIP_FIRST, loans
from tests.many_groups import hiring_audit
from tests.path_states import REFUSED
from tests.report_pages import CASES, GRAPH, QUESTION, admissions_audit, contrast, page_text

import evenhand as eh
from evenhand.report.notebook import MOST_DOTS, figures
from evenhand.report.rendering import style_sheet

ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
BY_TOWN = eh.CausalGraph.parse("sex -> hired; town -> hired")


def by_town(*cells):
    """A certificate by towns: women hired and not, men hired and not."""
    columns = {
        "town": [f"town {at:04}" for at in range(len(cells)) for _ in range(4)],
        "sex": ["f", "f", "m", "m"] * len(cells),
        "hired": ["yes", "no"] * 2 * len(cells),
    }
    counts = eh.CountTable.of(columns, [number for cell in cells for number in cell])
    return eh.certify(counts, BY_TOWN, ASKED)


def body(fragment):
    """The fragment without its style sheet."""
    return re.sub(r"<style>.*?</style>", "", fragment, flags=re.DOTALL)


def dots(fragment):
    """How many dots stand in the funnel."""
    chart = re.search(r'<div class="funnel">.*?</div>', fragment, re.DOTALL)[0]
    return len(re.findall(r'class="dot ', chart))


def test_an_audit_shows_its_answer_then_its_graph_then_its_groups_in_plain_words():
    audit = eh.audit(eh.datasets.admissions(2), QUESTION, graph=GRAPH)
    html = audit._repr_html_()
    sentence = html.index(audit.answer.statements[0].partition(": ")[2])
    assert sentence < html.index('class="graph') < html.index('class="plot')
    text = page_text(html)
    assert "women higher" in text
    assert "applying to EEwith a high score · 400" in text
    assert text.rstrip().endswith('audit.report().write("report.html") writes the whole page.')


@pytest.mark.parametrize("name", CASES)
def test_red_is_for_what_is_shown(name):
    counts, graph = CASES[name]
    certificate = eh.certify(counts, graph, QUESTION.question)
    shown = any(one.shown for one in certificate.subpopulations)
    assert ("c-shown" in body(figures(certificate))) == shown
    assert ("red: significantly" in body(figures(certificate))) == shown


def test_of_many_groups_the_shown_and_the_largest_are_drawn_and_that_is_said():
    small_but_shown = (5, 55, 55, 5)
    certificate = by_town(*[(100, 100, 100, 100)] * 399, small_but_shown)
    html = body(figures(certificate))
    assert dots(html) == MOST_DOTS
    assert f"one of the {MOST_DOTS} significant or largest of the 400 comparable groups" in html
    assert html.count("c-shown") - html.count("red: ") * 2 == 1  # two stand in the key


def test_groups_that_can_all_be_drawn_are():
    html = body(figures(by_town(*[(100, 100, 90, 110)] * 40)))
    assert dots(html) == 40
    assert "one of the 40 comparable groups" in html


def test_one_group_is_drawn_with_its_interval():
    counts, graph = CASES["no causes"]
    html = body(figures(eh.certify(counts, graph, QUESTION.question)))
    assert html.count('class="row"') == 1
    assert "everybody" in html


def test_where_nothing_can_be_compared_no_group_is_drawn():
    counts, graph = CASES["nothing comparable"]
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    assert str(audit.verdict) == "cannot decide"
    assert figures(audit.certificate) == ""
    assert 'class="graph' in audit._repr_html_()


def test_released_rows_show_neither_red_nor_intervals():
    released = admissions_audit().release(seed=7).certificate
    html = body(figures(released))
    assert dots(html) == 4
    assert "interval" not in html
    assert "c-shown" not in html


def test_an_uncertified_release_is_not_shown_to_differ():
    audit = admissions_audit(1, CASES["no causes"][1])
    assert "c-shown" in body(figures(audit.certificate))
    released = audit.release(method=eh.LocalPreferentialSampling(), uncertified=True, seed=1)
    assert "c-shown" not in body(figures(released.certificate))


def test_few_groups_move_one_by_one_and_many_in_histograms():
    few = body(figures(admissions_audit().release(seed=7)))
    assert few.count('class="moved"') == 4
    certificate = by_town(*[(40, 60, 60, 40)] * 20)
    plan = eh.plan_removal(certificate)
    many = body(figures(eh.release(certificate.examined.counts, plan, seed=1)))
    assert many.count('class="histogram"') == 4  # sides, before, after, numbers
    assert "As recorded: 0 of 20 comparable groups are under the threshold." in many
    assert "As released: 20 of 20 comparable groups are under the threshold." in many


def test_a_release_with_nothing_to_compare_has_no_picture():
    counts, graph = CASES["nothing comparable"]
    audit = eh.audit(counts, QUESTION.question, graph=graph)
    assert figures(audit.release(uncertified=True, seed=1)) == ""


def test_a_graph_shows_every_attribute_and_open_edges_without_heads():
    graph = eh.PartialGraph.parse("a -> b; b - c; d")
    html = body(figures(graph))
    assert re.findall(r'class="name"[^>]*>(\w+)<', html) == ["a", "c", "d", "b"]
    assert html.count('class="head') == 1
    assert html.count('class="link l-rest open"') == 1


def test_of_a_large_graph_the_most_linked_attributes_are_drawn():
    names = [f"n{at:03}" for at in range(200)]
    arrows = {("n000", name) for name in names[1:]} | {("n001", name) for name in names[2:]}
    html = body(figures(eh.CausalGraph(tuple(names), frozenset(arrows))))
    assert len(re.findall('<g class="box', html)) == 40
    assert "The 40 attributes with the most links are drawn." in html
    assert "The graph has 200 attributes and 397 arrows." in html
    dense = {(a, b) for a in names[:60] for b in names[:60] if a < b}
    assert len(figures(eh.CausalGraph(tuple(names), frozenset(dense)))) < 40_000


def test_adult_with_nine_causes_takes_less_than_forty_kilobytes():
    counts = eh.datasets.adult()
    arrows = {(name, "income") for name in counts.names if name != "income"}
    graph = eh.CausalGraph(counts.names, frozenset(arrows))
    audit = eh.audit(counts, eh.datasets.question("adult"), graph=graph)
    assert "of the 268 comparable groups" in audit._repr_html_()
    for result in (audit, audit.certificate, audit.graph, audit.release(seed=1)):
        assert len(result._repr_html_().encode()) < 40_000


def test_what_has_no_pictures_is_refused():
    with pytest.raises(TypeError, match="no pictures of a int"):
        figures(3)


def test_colors_can_be_seen_on_light_and_on_dark_pages():
    style = style_sheet("notebook.css")
    colors = dict(re.findall(r"--([\w-]+):(#\w+)", style))
    assert set(colors) == {"group", "other", "cause", "bad"}
    for color in colors.values():
        assert all(contrast(color, page) >= 3 for page in ("#ffffff", "#111111", "#1e1e1e"))
    # Text has the color of the page; what is mixed from it is the lighter the less it matters.
    assert re.findall(r"--(?:ink|text|on-decision):(\w+)", style) == ["currentColor"] * 3


def test_many_groups_have_their_matrix_in_a_notebook_too():
    html = figures(hiring_audit().certificate)
    assert html.count('<table class="against">') == 1
    assert "green ahead of blue by 21.8 points" in html
    assert "--on-shown:#000" in html  # paper is transparent there
    assert html.count('<div class="pair">') == 3
    assert "against" not in figures(admissions_audit().certificate)


def test_effects_along_paths_are_drawn_in_both_directions():
    audit = eh.audit(loans(), PATHS, graph=ZIP_FIRST)
    for html in (figures(audit.certificate), audit._repr_html_()):
        assert html.count('<figure class="waterfall') == 2
        assert ".waterfall" in html
        assert "url(" not in html
    after = audit.release(seed=1).certificate
    assert 'class="whisker"' in body(figures(audit.certificate))
    assert 'class="whisker"' not in body(figures(after))
    assert "waterfall" not in figures(admissions_audit().certificate)
    counts, graph, refused = REFUSED
    assert "waterfall" not in figures(eh.certify(counts, graph, refused))
