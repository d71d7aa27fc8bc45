"""The groups of a report, in their order."""

from tests.towns import ASKED, GRAPH, LARGE, table

import evenhand as eh
from evenhand.report.shown_groups import select_cases


def test_at_most_so_many_groups_are_read_the_shown_ones_first_then_the_largest():
    cells = {**LARGE, "Y": (1, 29, 29, 1), "Z": (500, 500, 500, 500)}
    certificate = eh.certify(table(cells), GRAPH, ASKED)
    every = select_cases(certificate)
    shown = {case.people.where["town"] for case in every if case.shown}
    assert shown == {"A", "Y"}
    chosen = select_cases(certificate, most=3)
    assert {case.people.where["town"] for case in chosen} == {"A", "Y", "Z"}
    assert [case for case in every if case in chosen] == list(chosen)
