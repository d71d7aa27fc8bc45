"""What a copy for others must not tell."""

import re

import pytest

import evenhand as eh
from evenhand.errors import QuestionError
from evenhand.report import report
from evenhand.report.shown_groups import select_cases

GRAPH = eh.CausalGraph.parse("sex -> hired; town -> hired; sex -> town")
ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
LARGE = {"A": (40, 60, 70, 30), "B": (50, 50, 52, 48), "C": (20, 80, 30, 70)}


def table(cells):
    """Counts of towns: women hired and not, men hired and not."""
    columns = {"sex": [], "town": [], "hired": []}
    counts = []
    for town, four in cells.items():
        for (sex, hired), many in zip(
            (("f", "yes"), ("f", "no"), ("m", "yes"), ("m", "no")), four, strict=True
        ):
            if many:
                for column, value in zip(columns.values(), (sex, town, hired), strict=True):
                    column.append(value)
                counts.append(many)
    return eh.CountTable.of(columns, counts)


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
    page = shared({**LARGE, "Z": (3, 4, 5, 6)})
    assert "Every number on this page is computed from 3 groups with at least 10 people" in page
    assert "600 people are in the groups that are shown." in page
    assert "chance alone would make" in page
    assert "● shown" in page


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
    assert "Alike in town: 2 of 2" in full.first_sentence[0]
    assert "Same town: 2 of 2" in full.chance.by_chance[0][0]
    first, second = (page(four, share=True) for four in ((8, 12, 10, 10), (5, 15, 10, 10)))
    assert "of 2" not in first.first_sentence[0]
    assert first.first_sentence == second.first_sentence
    assert first.verdicts == second.verdicts
    assert first.chance == second.chance


def test_a_withheld_group_is_not_named_in_the_evidence():
    told = shared({**LARGE, "Withheld": (1, 9, 90, 10)})
    assert "Withheld" not in told


def test_ids_of_a_shared_page_leave_no_gaps():
    found = re.findall(r'id="S(\d+)"', shared({**LARGE, "Z": (1, 200, 200, 1)}))
    assert found == ["1", "2"]


def test_a_shared_page_carries_no_digest():
    audit = eh.audit(table(LARGE), ASKED, graph=GRAPH)
    assert audit.certificate.digest in report(audit).html
    assert audit.certificate.digest not in report(audit, share=True).html


def test_the_least_count_is_the_readers_choice():
    cells = {**LARGE, "Z": (7, 8, 9, 9)}
    assert "town Z" not in shared(cells)
    assert "633 people are in the groups that are shown." in shared(cells, least_count=5)


def test_a_least_count_that_withholds_nothing_is_refused():
    with pytest.raises(QuestionError, match="at least 1"):
        shared(LARGE, least_count=0)


def test_at_most_so_many_groups_are_read_the_shown_ones_first_then_the_largest():
    cells = {**LARGE, "Y": (1, 29, 29, 1), "Z": (500, 500, 500, 500)}
    certificate = eh.certify(table(cells), GRAPH, ASKED)
    every = select_cases(certificate)
    shown = {case.people.where["town"] for case in every if case.shown}
    assert shown == {"A", "Y"}
    chosen = select_cases(certificate, most=3)
    assert {case.people.where["town"] for case in chosen} == {"A", "Y", "Z"}
    assert [case for case in every if case in chosen] == list(chosen)
