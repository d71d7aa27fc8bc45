"""Which columns are counted of tables of any width."""

import pytest

import evenhand as eh
from evenhand.errors import QuestionError, ResourceError
from evenhand.graph import CausalGraph, width_limit
from evenhand.graph.column_choice import choose_columns

ASKED = ("s", "e")
COUNTS = eh.CountTable.of({name: ["a", "b"] for name in "sexyz"})
GRAPH = CausalGraph.parse("s -> e; x -> e")


class Near:
    near = ("e", "y")


def find(table):
    assert table is COUNTS
    return Near()


def test_of_a_table_that_is_not_too_wide_all_columns_are_counted():
    assert choose_columns(ASKED, "e", COUNTS, graph=None, find=None) == {*"sexyz"}
    assert choose_columns(ASKED, "e", COUNTS, graph=GRAPH, find=None) == {*"sexyz"}


def test_of_a_wide_table_the_columns_of_the_graph_are_counted(monkeypatch):
    monkeypatch.setattr(width_limit, "MOST_COLUMNS", 4)
    assert choose_columns(ASKED, "e", COUNTS, graph=GRAPH, find=None) == {*"sex"}
    with pytest.raises(ResourceError, match="5 columns"):
        choose_columns(ASKED, "e", COUNTS, graph=None, find=None)


def test_a_search_chooses_what_is_near_the_decision_and_what_is_asked_about():
    assert choose_columns(ASKED, "e", COUNTS, graph=None, find=find) == {*"sey"}


def test_a_graph_and_a_search_are_not_asked_for_together():
    with pytest.raises(QuestionError, match="the graph is given"):
        choose_columns(ASKED, "e", COUNTS, graph=GRAPH, find=find)
