"""What the page for others must not tell, and what it tells."""

import re
from dataclasses import replace

import pyarrow as pa
import pytest
from tests.many_groups import hiring_audit, score_audit
from tests.report_pages import page_text
from tests.towns import ASKED, GRAPH, LARGE, table

import evenhand as eh
from evenhand.errors import QuestionError
from evenhand.report import report


def content(cells, asked=ASKED, graph=GRAPH, **options):
    """What the page shows, before it is HTML."""
    return report(eh.audit(table(cells), asked, graph=graph), share=True, **options).page


def shared(cells, *, released=False, **options):
    audit = eh.audit(table(cells), ASKED, graph=GRAPH)
    release = audit.release(seed=7) if released else None
    return report(
        audit,
        release,
        partition=audit.explain_partition([]),
        share=True,
        generated="today",
        title="towns",
        **options,
    ).html


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize(
    "hidden",
    [(9, 1, 3, 30), (0, 5, 200, 100), (1, 0, 0, 1), (7, 0, 0, 0), (1, 1, 1, 1), (9, 9, 9, 9)],
)
def test_a_shared_page_is_the_same_whatever_a_withheld_group_holds(hidden, released):
    plain = shared({**LARGE, "Z": (3, 4, 5, 6)}, released=released)
    assert shared({**LARGE, "Z": hidden}, released=released) == plain


def test_a_shared_page_does_not_tell_how_much_could_be_compared():
    plain = shared({**LARGE, "Z": (3, 4, 5, 6)})
    assert shared({**LARGE, "Z": (900, 900, 0, 0)}) == plain


def test_a_shared_page_is_about_the_groups_that_it_shows():
    said = page_text(shared({**LARGE, "Z": (3, 4, 5, 6)}))
    assert "so the groups here are a selection" in said
    for statistic in ("95%", "by chance", "adjusted", "On average", "Adjusted p"):
        assert statistic not in said


def test_where_nothing_may_be_shown_the_page_says_so():
    said = page_text(shared({"Z": (3, 4, 5, 6)}))
    assert "No group may be shown: each has a count under 10." in said
    assert "There is none." in said
    assert "0 people" not in said


def test_why_the_verdict_is_withheld_is_said():
    calm = {"A": (40, 60, 41, 59)}
    assert "in a group that is not shown is withheld" in page_text(shared(calm))
    graph = eh.PartialGraph.parse("sex -> hired; sex -> town; town - hired")
    open_page = report(eh.audit(table(LARGE), ASKED, graph=graph), share=True).html
    assert "The graph leaves open what causes the decision" in page_text(open_page)
    assert "one of 2 possible sets of causes" in page_text(open_page)


def test_the_page_on_a_release_is_about_the_released_rows():
    audit = eh.audit(table({**LARGE, "Z": (3, 4, 5, 6)}), ASKED, graph=GRAPH)
    release = audit.release(seed=7)
    said = page_text(report(audit, release, share=True).html)
    assert "The rows as released" in said
    assert "In no comparable group of the released rows, shown or not, do people with" in said
    assert "Decisions in these rows may have been changed" in said
    assert f"{release.changed_rows} of" not in said
    before = "70 of 100"  # men of town A, of whom some lost it
    assert before in page_text(report(audit).html)
    assert before not in said


def test_the_verdict_on_rows_is_not_certified_if_a_group_shows_it_and_else_withheld():
    calm = {"A": (40, 60, 41, 59)}
    for hidden in ({}, {"Z": (1, 9, 9, 1)}):
        assert "<title>not certified: " in shared({**LARGE, **hidden})
        assert "<title>withheld: " in shared({**calm, **hidden})
        assert "<title>certified: " in shared({**calm, **hidden}, released=True)


def test_others_read_nothing_of_the_groups_of_another_comparison():
    """Over all towns nothing differs; in each of them it does, and they are small."""
    graph = eh.CausalGraph.parse("sex -> hired; town")

    def page(four, *, share):
        cells = {"A": four, "B": tuple(20 - many for many in four)}
        audit = eh.audit(table(cells), ASKED, graph=graph, scope="all")
        assert not audit.certificate.partition.violating
        assert audit.verdict is eh.Verdict.NOT_CERTIFIED
        return report(audit, share=share).page

    full = page((8, 12, 10, 10), share=False)
    assert ("Same town", "2 of 2") in [(r.alike, r.reached) for r in full.comparisons.rows]
    first, second = (page(four, share=True) for four in ((8, 12, 10, 10), (5, 15, 10, 10)))
    assert "of 2" not in first.first_sentence[0]
    assert (first.title, first.verdict) == (second.title, second.verdict)


def test_a_withheld_group_is_not_named_in_the_evidence():
    told = shared({**LARGE, "Withheld": (1, 9, 90, 10)})
    assert "Withheld" not in told


def test_ids_of_a_shared_page_leave_no_gaps():
    found = re.findall(r'id="S(\d+)"', shared({**LARGE, "Z": (1, 200, 200, 1)}))
    assert found == ["1", "2", "3"]


def test_a_shared_page_carries_no_digest():
    audit = eh.audit(table(LARGE), ASKED, graph=GRAPH)
    assert audit.certificate.digest in report(audit).html
    assert audit.certificate.digest not in report(audit, share=True).html


def test_the_least_count_is_the_readers_choice():
    cells = {**LARGE, "Z": (7, 8, 9, 9)}
    assert "town = Z" not in shared(cells)
    assert "633 people are in these groups." in shared(cells, least_count=5)


def test_a_least_count_that_withholds_nothing_is_refused():
    with pytest.raises(QuestionError, match="at least 1"):
        shared(LARGE, least_count=0)


def rows_of(page):
    """The cells of each group in the table."""
    cells = re.findall(r'<tr id="S\d+">(.*?)</tr>', page, re.DOTALL)
    return [[*filter(None, map(str.strip, re.split(r"<[^>]*>", row)))] for row in cells]


def test_groups_that_differ_most_come_first_and_of_those_the_largest():
    cells = {"A": (40, 60, 50, 50), "B": (400, 600, 500, 500), "C": (50, 50, 20, 80)}
    cells["D"] = (50, 50, 51, 49)
    assert rows_of(shared(cells)) == [
        ["S1", "town = C", "50 of 100", "20 of 100", "−30.0", "sex = f higher"],
        ["S2", "town = B", "400 of 1,000", "500 of 1,000", "10.0", "sex = m higher"],
        ["S3", "town = A", "40 of 100", "50 of 100", "10.0", "sex = m higher"],
        ["S4", "town = D", "50 of 100", "51 of 100", "1.0", "sex = m higher"],
    ]
    dots = content(cells).funnel.dots
    assert len(dots) == 4
    assert not any(dot.shown or dot.id for dot in dots)


def test_without_causes_everybody_is_one_group():
    audit = eh.audit(table(LARGE), ASKED, graph=eh.CausalGraph.parse("sex -> hired; town"))
    (row,) = rows_of(report(audit, share=True).html)
    assert row[:2] == ["S1", "everybody"]


@pytest.mark.parametrize("more", [0, 1, 2])
def test_of_very_many_groups_the_first_five_hundred_are_listed(more):
    page = shared({f"T{at:03}": (10, 10, 10 + at, 10) for at in range(500 + more)})
    assert len(rows_of(page)) == 500
    assert (f"{more} more groups are in the certificate." in page) == bool(more)


def test_the_first_sentences_are_whole():
    page = content({**LARGE, "Z": (3, 4, 5, 6)})
    assert "".join(page.first_sentence) == (
        "Of the groups in which every count is at least 10: "
        "in 2 of 3 comparable groups people with “sex = f” and people with “sex = m” differ by "
        "5 points or more."
    )
    assert "".join(page.lead) == (
        "600 people are in these groups. People with “sex = f” are compared with people with "
        "“sex = m” who are alike in town. People with the same values of all of "
        "them form a comparable group. The rate is the share who had “hired = yes”."
    )
    assert page.verdict.about == "In these rows"
    assert page.verdict.sentence == (
        "There are groups, shown here, in which people with “sex = f” and people with "
        "“sex = m” differ by 5 points or more."
    )


def test_the_page_on_a_release_says_what_was_not_released():
    people = [
        {"sex": "fm"[at // 2], "hired": ("yes", "no")[at % 2], "note": str(number)}
        for at, many in enumerate(LARGE["A"])
        for number in range(many)
    ]
    columns = eh.Codings.of(columns=["sex", "hired"])
    graph = eh.CausalGraph.parse("sex -> hired")
    audit = eh.audit(pa.Table.from_pylist(people), ASKED, codings=columns, graph=graph)
    dropped = audit.release(seed=7, drop=["note"])
    page = report(audit, dropped, share=True).page
    assert page.verdict.about == "As released"
    assert "Not released: note." in [one.what for one in page.premises]
    page = report(audit, audit.release(seed=7), share=True).page
    assert not any(one.what.startswith("Not released") for one in page.premises)


def test_a_declared_rule_is_named_and_what_it_gives_is_withheld():
    asked = replace(ASKED, rule=("town",))
    page = content({"A": (40, 0, 41, 0), "B": (0, 40, 0, 40)}, asked)
    assert page.verdict.sentence == (
        "Some columns fully determine the decision; the result is withheld."
    )
    declared = [one.what for one in page.premises if one.status == "Declared"]
    assert declared == ["town fully determines the decision."]
    assert "Declared" not in [one.status for one in content(LARGE).premises]


def test_where_the_graph_comes_from_is_said():
    def of(graph):
        premise, *_ = content(LARGE, graph=graph).premises
        return premise.status, premise.why.partition(", ")[0]

    assert of(GRAPH) == ("Given", "It has 3 arrows")
    half = eh.PartialGraph.parse("sex -> hired; sex -> town; town - hired")
    assert of(half) == ("Given", "It has 2 arrows and 1 link of open direction")
    status, links = of(None)
    assert status == "Learned, not given"
    assert links.startswith("It has ")


def test_the_commands_name_the_files_that_are_there(tmp_path):
    assert content(LARGE).files == ("CERTIFICATE.json", "DATA.csv")
    assert content(LARGE, certificate_file="a/b.json").files == ("b.json", "DATA.csv")
    audit = eh.audit(table(LARGE), ASKED, graph=GRAPH)
    release = audit.release(seed=7)
    release.write(tmp_path / "o.csv", share=True)
    page = report(audit, release, share=True)
    assert page.page.files == ("o.shared.certificate.json", "o.csv")
    assert "<code>evenhand verify o.shared.certificate.json o.csv</code>" in page.html


def shared_groups(towns, **question):
    audit = hiring_audit(towns, **question)
    return report(audit, share=True, generated="today", title="towns").html


MANY = {
    "A": {"red": (400, 600), "green": (420, 580), "blue": (200, 800)},
    "B": {"red": (30, 20), "green": (30, 30), "blue": (11, 12)},
}


@pytest.mark.parametrize(
    "hidden",
    [
        {"red": (9, 1), "green": (3, 30), "blue": (50, 50)},
        {"red": (500, 1), "green": (3, 30)},
        {"blue": (1, 0)},
    ],
)
@pytest.mark.parametrize("question", [{}, {"other": "green"}])
def test_a_shared_page_of_many_groups_tells_nothing_of_a_withheld_one(hidden, question):
    plain = shared_groups({**MANY, "Z": {"red": (3, 4), "blue": (5, 6)}}, **question)
    assert shared_groups({**MANY, "Z": hidden}, **question) == plain


def test_a_shared_page_has_the_counts_of_all_groups_and_exact_differences():
    page = shared_groups(MANY)
    said = page_text(page)
    for told in ("Blue: 200 of 1,000", "Green: 420 of 1,000", "Red: 400 of 1,000"):
        assert told in said
    assert re.search("Widest: green ahead of blue ?22.0", said)
    assert re.search("Widest: red ahead of blue ?12.2", said)
    for statistic in ("95%", "by chance", "adjusted", "On average", "Adjusted p"):
        assert statistic not in said
    assert 'class="against"' not in page


def test_a_shared_page_of_several_values_counts_each():
    audit = score_audit(criterion="every")
    said = page_text(report(audit, share=True).html)
    assert "Blue: 400 high, 300 low, 300 medium" in said
    assert "Widest: blue more often than red, had “score = high”" in said
