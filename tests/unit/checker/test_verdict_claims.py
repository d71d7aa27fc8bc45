"""The verdict that follows from those on the partitions."""

import pytest

from evenhand.checker.graph_claims import RecordedGraph
from evenhand.checker.partition_claims import overall_verdict, shared_verdict

YES, OPEN, NO = "certified", "cannot decide", "not certified"
CLOSED = RecordedGraph(["c", "e"], {("c", "e")}, [], ["c"], "e")
UNDIRECTED = RecordedGraph(["c", "e", "x"], {("c", "e")}, [["e", "x"]], ["c"], "e")


def verdict(graph, verdicts, *, causes=1, complete=True, asked="causes", written=NO):
    record = {"scope": {"asked": asked}, "verdict": written}
    entries = [{"verdict": one} for one in verdicts]
    return overall_verdict(record, graph, entries, causes=causes, complete=complete)


@pytest.mark.parametrize(
    ("verdicts", "right"),
    [([YES], YES), ([OPEN], OPEN), ([NO], NO), ([YES, OPEN], OPEN), ([OPEN, NO, YES], NO)],
)
def test_the_worst_one_counts(verdicts, right):
    assert verdict(CLOSED, verdicts) == right


def test_where_sets_are_missing_nothing_is_certified():
    assert verdict(CLOSED, [YES], complete=False) == OPEN
    assert verdict(CLOSED, [NO], complete=False) == NO


def test_possible_causes_that_disagree_leave_it_open():
    assert verdict(UNDIRECTED, [NO, YES], causes=2) == OPEN
    assert verdict(UNDIRECTED, [NO, NO], causes=2) == NO


def test_with_open_edges_a_block_set_that_differs_may_leave_it_open():
    """It need not be a block set in every graph, so both verdicts can be true."""
    assert verdict(UNDIRECTED, [YES, NO], asked="all", written=OPEN) == OPEN
    assert verdict(UNDIRECTED, [YES, NO], asked="all", written=NO) == NO


@pytest.mark.parametrize(
    ("lines", "sets", "rule", "release", "right"),
    [
        (NO, [["a"]], [], False, NO),
        (NO, [["a"], ["b"]], [], False, "withheld"),
        (NO, [["a"]], ["a"], False, "withheld"),
        (YES, [["a"]], [], False, "withheld"),
        (YES, [["a"], ["b"]], [], True, OPEN),
        (YES, [["a"]], ["a"], True, OPEN),
    ],
)
def test_a_shared_copy_says_what_its_lines_show_where_the_causes_are_known(
    lines, sets, rule, release, right
):
    record = {"rules": {"declared": rule}} | ({"release": {}} if release else {})
    assert shared_verdict(record, {"verdict": lines}, sets, OPEN) == right
