"""Which partitions are meaningful, and what the examined ones show."""

from tests.admission import OPEN_GRAPH

from evenhand import CausalGraph, CountTable, PartialGraph, certify, datasets
from evenhand.evidence.partition_explanation import MOST_BLOCK_SETS, survey_partitions

COUNTS, QUESTION = datasets.admissions(2), datasets.question("admissions").question
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; test_score -> admission; gender -> admission"
)


def survey(graph, counts=COUNTS, **options):
    return survey_partitions(certify(counts, graph, QUESTION, **options))


def test_all_block_sets_are_counted_and_the_examined_ones_judged():
    found = survey(GRAPH, scope="all")
    assert (found.attributes, found.block_sets, found.possible_block_sets) == (2, 2, 2)
    examined = found.to_dict()["examined"]
    assert [(one["names"], one["verdict"], one["violating"]) for one in examined] == [
        (["major", "test_score"], "not certified", 4),
        (["major"], "certified", 0),
    ]


def test_everybody_is_explained_unless_nothing_else_causes_the_decision():
    found = survey(GRAPH)
    assert not found.everybody.is_meaningful
    assert found.to_dict()["everybody"]["names"] == []
    alone = CausalGraph(GRAPH.nodes, frozenset({("gender", "admission")}))
    assert survey(alone).everybody is None


def test_very_many_block_sets_are_not_counted_to_the_end():
    names = [f"n{number:02}" for number in range(12)]
    columns = {
        "gender": ["female", "female", "male", "male"],
        "admission": ["admitted", "rejected"] * 2,
        **dict.fromkeys(names, ["x"] * 4),
    }
    graph = CausalGraph(tuple(columns), frozenset({("gender", "admission")}))
    found = survey(graph, CountTable.of(columns, [10, 20, 10, 20]))
    assert found.block_sets == MOST_BLOCK_SETS + 1
    assert repr(found) == "<PartitionSurvey: more than 1,000 block sets among 12 attributes>"


def test_where_open_edges_cannot_all_be_directed_nothing_is_counted():
    circle = [("admission", "major"), ("gender", "major"), ("gender", "test_score")]
    edges = frozenset({*circle, ("admission", "test_score")})
    found = survey(PartialGraph(GRAPH.nodes, frozenset(), edges))
    assert found.block_sets is found.possible_block_sets is None
    assert {one.is_meaningful for one in found.examined} == {None}
    assert found.everybody is None
    assert "an unknown number of block sets" in str(found)


def test_where_an_edge_is_open_block_sets_of_all_graphs_and_of_some_are_counted():
    found = survey(OPEN_GRAPH, scope="all")
    assert (found.block_sets, found.possible_block_sets) == (0, 2)
    assert [(one["names"], one["is_meaningful"]) for one in found.to_dict()["examined"]] == [
        (["major", "test_score"], None),
        (["major"], None),
    ]
    assert (
        repr(found) == "<PartitionSurvey: 0 (in some graphs 2) block sets among 2 attributes>"
    )
