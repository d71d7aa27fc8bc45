"""Which columns are counted of tables of any width, and which tables are refused."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.counts import CountTable
from evenhand.errors import QuestionError, ResourceError
from evenhand.graph import CausalGraph, searched_columns
from evenhand.graph.searched_columns import MOST_COLUMNS, check_width, choose_columns

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
    monkeypatch.setattr(searched_columns, "MOST_COLUMNS", 4)
    assert choose_columns(ASKED, "e", COUNTS, graph=GRAPH, find=None) == {*"sex"}
    with pytest.raises(ResourceError, match="5 columns"):
        choose_columns(ASKED, "e", COUNTS, graph=None, find=None)


def test_a_search_chooses_what_is_near_the_decision_and_what_is_asked_about():
    assert choose_columns(ASKED, "e", COUNTS, graph=None, find=find) == {*"sey"}


def test_a_graph_and_a_search_are_not_asked_for_together():
    with pytest.raises(QuestionError, match="the graph is given"):
        choose_columns(ASKED, "e", COUNTS, graph=GRAPH, find=find)


class Wide:
    def __init__(self, table):
        self.table, self.names, self.reads = table, table.names, 0

    def first_rows(self):
        self.reads += 1
        return self.table


def table(columns, rows=200):
    """Two columns go with the decision, one of them less; the others do not."""
    generator = np.random.default_rng(3)
    values = generator.integers(0, 2, (columns, rows))
    values[1] = values[2] ^ (generator.random(rows) < 0.05)
    values[3] = values[2] ^ (generator.random(rows) < 0.2)
    names = ["sex", "hired", "grade", "score", *(f"c{at}" for at in range(columns - 4))]
    labels = np.array(["no", "yes"])
    return CountTable.of({n: list(labels[v]) for n, v in zip(names, values, strict=True)})


def test_a_narrow_table_is_not_even_read(monkeypatch):
    monkeypatch.setattr(searched_columns, "MOST_COLUMNS", 10)
    wide = Wide(table(10))
    check_width(wide, "hired")
    assert wide.reads == 0


@pytest.mark.parametrize("make", [Wide, lambda counts: counts])
def test_what_goes_with_the_decision_is_suggested_strongest_first(monkeypatch, make):
    monkeypatch.setattr(searched_columns, "MOST_COLUMNS", 29)
    with pytest.raises(ResourceError) as refused:
        check_width(make(table(30)), "hired", ["sex", "hired"])
    (problem,) = refused.value.problems
    assert "30 columns takes 435 tests or more" in problem.what
    local, columns, graph = problem.remedies
    assert (local.argument, local.value) == ("local", True)
    assert columns.argument == "columns"
    assert columns.value[:4] == ["sex", "hired", "grade", "score"]
    assert len(columns.value) < 10
    assert graph.argument == "graph"


def test_without_a_decision_columns_are_to_be_chosen():
    names = tuple(f"c{at}" for at in range(MOST_COLUMNS + 1))
    wide = Wide(CountTable.of({name: ["a"] for name in names}))
    with pytest.raises(ResourceError, match=r"2,001 columns takes 2,001,000 tests"):
        check_width(wide, None)
    assert wide.reads == 0
