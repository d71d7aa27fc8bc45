"""The claims about the graph before its edits: its links, and the verdict that it gives."""

from .graph_claims import RecordedGraph, reachable
from .group_comparisons import GroupComparisons, Table
from .record_fields import Record
from .row_claims import people_by
from .rule_claims import columns_of, right_rules
from .subpopulation_claims import OPEN, judge

_EDGES = ("arrows", "undirected", "doubtful")
_OUTCOME = ("verdict", "population", "measured", "violating")


def check_edits(
    record: Record, people: list[tuple[list[str], Table]], compared: GroupComparisons
) -> tuple[Record, list[str], dict[str, str]]:
    """The graph before the edits as it should be, errors, and what is stated of it.

    What it gives is not told of a release, nor in a copy for others.
    """
    before, stated = record["graph"]["origin"]["unedited"], "that this is the graph before"
    right = {name: before[name] for name in _EDGES}
    errors = ["graph.origin.unedited: with the edits it has other links than the graph"]
    errors *= edited_links(record) != links(record["graph"])
    if record["copy"] == "full" and "release" not in record and "verdict" in before:
        derived = right_outcome(record, people, compared)
        right |= {name: before[name] for name in _OUTCOME} | derived
        stated += ", and what it tells of the population" if derived else ", and what it gives"
    return right, errors, {"graph.origin.unedited": stated}


def links(graph: Record) -> set[frozenset[str]]:
    """The pairs of names that are joined, in whatever direction."""
    return {frozenset(pair) for pair in (*graph["arrows"], *graph["undirected"])}


def edited_links(record: Record) -> set[frozenset[str]]:
    """The links that the edits make of those before."""
    origin = record["graph"]["origin"]
    joined = links(origin["unedited"])
    for edit in origin.get("edits", ()):
        pair = {frozenset(edit["arrow"])}
        joined = joined - pair if edit["kind"] == "remove" else joined | pair
    return joined


def right_outcome(
    record: Record, people: list[tuple[list[str], Table]], compared: GroupComparisons
) -> Record:
    """The verdict and the numbers of the graph before, from the people at hand.

    Nothing where its causes are open, or some of them were not counted.
    """
    before = record["graph"]["origin"]["unedited"]
    edges = {name: before[name] for name in _EDGES}
    graph = RecordedGraph.of({**record, "graph": {**record["graph"], **edges}})
    causes, by_column = graph.causes, columns_of(people)
    for names, table in people:
        if causes is not None and {*causes} <= {*names}:
            entry = judge(people_by(table, names, causes), compared)
            rules = right_rules(record, graph, by_column)
            is_open = rules["declared"] or rules["determining"]
            # A column that was not counted may determine the decision.
            others = {*graph.nodes} - reachable({graph.decision}, graph.arrows) - graph.ends
            is_open = is_open or (before["verdict"] == OPEN and not others <= {*by_column})
            numbers = {name: entry["subpopulations"][name] for name in _OUTCOME[2:]}
            return {"verdict": OPEN if is_open else entry["verdict"], **numbers}
    return {}
