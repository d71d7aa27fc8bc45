"""Edited graphs, and graphs with predictions in the decision's place."""

import json
from dataclasses import replace
from itertools import combinations, islice, product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.brute_force import all_dags, colliders, equivalent, is_acyclic
from tests.certificate_records import wrong

import evenhand as eh
from evenhand import GraphEdit, checker
from evenhand.errors import GraphError, KnowledgeError, QuestionError
from evenhand.graph import CausalGraph, PartialGraph
from evenhand.graph.edits import edited, fitting_edits, graph_of_predictions

GRAPH = eh.PartialGraph.parse("a -> d; b - d; c -> a")
FILE = """
[question]
protected = "gender"
group = "female"
decision = "admission"
favorable = "admitted"

[graph]
remove = ["major -> admission: the major was not known to the committee"]
"""


def edit(kind, text):
    return GraphEdit.parse(kind, f"{text}: because")


@pytest.mark.parametrize(
    ("kind", "arrow", "result"),
    [
        ("add", "c -> d", "a -> d; b - d; c -> a; c -> d"),
        ("add", "d -> b", "a -> d; d -> b; c -> a"),
        ("remove", "d -> b", "a -> d; b; c -> a"),
        ("remove", "c -> a", "a -> d; b - d; c"),
        ("reverse", "c -> a", "a -> d; b - d; a -> c"),
        ("open", "c -> a", "a -> d; b - d; a - c"),
        ("open", "a -> c", "a -> d; b - d; a - c"),
        ("open", "c -> d", "a -> d; b - d; c -> a; c - d"),
    ],
)
def test_an_edit_changes_one_edge(kind, arrow, result):
    assert edited(GRAPH, [edit(kind, arrow)]) == eh.PartialGraph.parse(result)


@pytest.mark.parametrize(
    ("kind", "arrow"),
    [
        ("add", "a -> d"),
        ("add", "d -> a"),
        ("remove", "c -> d"),
        ("reverse", "b -> d"),
        ("add", "d -> c"),
        ("add", "a -> x"),
        ("open", "b -> d"),
        ("open", "a -> x"),
    ],
)
def test_edits_that_do_not_fit_are_refused(kind, arrow):
    with pytest.raises(GraphError):
        edited(GRAPH, [edit(kind, arrow)])


def test_an_edit_needs_a_reason():
    with pytest.raises(KnowledgeError, match="no reason"):
        GraphEdit.parse("add", "a -> b")
    with pytest.raises(KnowledgeError, match="no reason, or is of no kind"):
        GraphEdit.parse("turn", "a -> b: because")
    with pytest.raises(QuestionError, match="has no reason"):
        eh.QuestionFile.parse(FILE.replace(": the major was not known to the committee", ""))


@pytest.mark.parametrize("cause", ["a", "sex:s", "a -> b", " a"])
@pytest.mark.parametrize("effect", ["b", "b:c", "-> b"])
@pytest.mark.parametrize("reason", ["because", "so: it follows, as b -> c does"])
def test_every_edit_can_be_written_in_a_question_file(cause, effect, reason):
    made = GraphEdit(kind="add", arrow=(cause, effect), reason=reason)
    asked = replace(eh.QuestionFile.parse(FILE), edits=(made,))
    assert eh.QuestionFile.parse(str(asked)).edits == (made,)
    if (cause, effect) == ("sex:s", "b"):
        assert made == GraphEdit.parse("add", f"sex:s -> b: {reason}")


def test_edits_are_told_in_audit_certificate_and_report(tmp_path):
    asked = eh.QuestionFile.parse(FILE)
    assert eh.QuestionFile.parse(str(asked)) == asked
    counts = eh.datasets.admissions(2)
    plain = eh.audit(counts, asked, edits=())
    found = eh.audit(counts, asked)
    assert {*plain.decision_causes} - {*found.decision_causes} == {"major"}
    reason = "removed major -> admission: the major was not known to the committee"
    assert f"then edited ({reason})" in str(found)
    assert "The reason given: the major was not known" in found.report().html
    text = found.certificate.to_json()
    (told,) = json.loads(text)["graph"]["origin"]["edits"]
    assert told["arrow"] == ["major", "admission"]
    assert wrong(text, counts) == []
    assert checker.verify(text).status == 0
    again = eh.audit(
        counts,
        asked,
        graph=eh.load_graph(found.certificate.write(tmp_path / "c.json")),
        edits=(),
    )
    assert again.certificate.graph_origin == found.certificate.graph_origin
    assert again.certificate.to_json() == text


@pytest.mark.parametrize("given", [None, "gender -> admission <- major; test_score -> major"])
def test_a_saved_graph_is_not_edited_twice(given, tmp_path):
    asked = eh.QuestionFile.parse(FILE)
    counts = eh.datasets.admissions(2)
    graph = given and eh.CausalGraph.parse(given)
    found = eh.audit(counts, asked, graph=graph)
    saved = eh.load_graph(found.certificate.write(tmp_path / "c.json"))
    again = eh.audit(counts, asked, graph=saved)
    assert again.graph == found.graph
    assert again.certificate.graph_origin.edits == asked.edits
    other = GraphEdit(kind="add", arrow=asked.edits[0].arrow, reason="it was known")
    both = eh.audit(counts, asked, graph=saved, edits=[*asked.edits, other])
    assert both.certificate.graph_origin.edits == (*asked.edits, other)
    assert ("major", "admission") in both.graph.arrows


def test_turning_an_arrow_at_a_decision_that_nobody_put_last_asks_for_tiers():
    asked = eh.datasets.question("admissions").question
    turned = [edit("reverse", "major -> admission")]
    with pytest.raises(GraphError, match="No tiers were given: 'admission' is taken") as caught:
        eh.audit(eh.datasets.admissions(2), asked, edits=turned)
    (problem,) = caught.value.problems
    assert "later tier" not in str(problem)
    assert problem.remedies[-1].argument == "tiers"


def test_of_edits_those_that_fit_are_made():
    some = [edit("remove", "a -> d"), edit("add", "a -> d"), edit("add", "c -> a")]
    graph = fitting_edits(GRAPH, [*some, edit("add", "d -> c"), edit("add", "x -> d")])
    assert (graph.arrows, graph.undirected) == (GRAPH.arrows, GRAPH.undirected)
    assert graph.edits == (some[0], some[1])


def ways(graph, opened):
    """Every way to direct the open edges without a cycle or a new collider.

    An edge that somebody left open may make any collider.
    """
    known = colliders(graph.arrows)
    for chosen in product(*(((a, b), (b, a)) for a, b in graph.undirected)):
        arrows = graph.arrows.union(chosen)
        new = colliders(arrows) - known
        if is_acyclic(arrows) and all(
            opened in ({a, centre}, {centre, b}) for a, centre, b in new
        ):
            yield arrows


def as_learned(arrows, names):
    """What data can tell of a graph: the directions that all equivalent graphs share."""
    every = equivalent(arrows, lambda _, __: True)
    certain = frozenset.intersection(*every)
    rest = {frozenset(arrow) for arrow in arrows - certain}
    return eh.PartialGraph(tuple(names), certain, frozenset(map(tuple, map(sorted, rest))))


@pytest.mark.parametrize("learn", [False, True], ids=["given", "learned"])
def test_an_open_link_is_directed_in_every_way_that_makes_no_cycle(learn):
    """All graphs of three attributes, and some of four, against trying every way."""
    graphs = [("abc", one) for one in all_dags("abc")]
    graphs += [("abcd", one) for one in islice(all_dags("abcd"), 0, None, 23)]
    both = 0
    for names, arrows in graphs:
        graph = as_learned(arrows, names) if learn else eh.CausalGraph(tuple(names), arrows)
        for pair in combinations(names, 2):
            if pair in graph.undirected:
                continue
            opened = edited(graph, [edit("open", " -> ".join(pair))])
            assert opened.undirected == graph.undirected | {pair}
            every = [*ways(opened, {*pair})]
            both += {arrow for one in every for arrow in one} >= {pair, pair[::-1]}
            for node in names:
                causes = {frozenset(a for a, b in one if b == node) for one in every}
                assert {*opened.parent_sets(node).sets} == causes
    assert both > 100


def test_a_link_that_would_close_a_cycle_has_one_direction_though_left_open():
    graph = edited(eh.CausalGraph.parse("a -> b -> c; a -> c"), [edit("open", "a -> c")])
    assert graph.undirected == {("a", "c")}
    assert graph.parent_sets("c").sets == (frozenset("ab"),)
    assert graph.with_knowledge(None).arrows == {("a", "b"), ("b", "c"), ("a", "c")}


@pytest.mark.parametrize(
    "edits",
    [
        [("open", "a -> d"), ("add", "a -> d")],
        [("remove", "a -> d"), ("add", "a -> d")],
        [("reverse", "c -> a"), ("reverse", "a -> c")],
        [("add", "b -> d"), ("open", "d -> b")],
        [("open", "b -> c"), ("remove", "c -> b")],
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_reverse_edits_undo_edits_and_the_graph_before_is_remembered(edits, at_once):
    made = [edit(*one) for one in edits]
    graph = edited(GRAPH, made) if at_once else edited(edited(GRAPH, made[:1]), made[1:])
    assert graph == graph.unedited == GRAPH
    assert graph.edits == tuple(made)
    assert graph.unedited.edits == ()
    again = edited(graph, made)
    assert again is graph
    renamed = graph.renamed("d", "e")
    assert renamed.unedited == GRAPH.renamed("d", "e")


def test_a_graph_without_edits_stays_as_it_is():
    graph = eh.discover(eh.datasets.admissions(2))
    assert edited(graph, ()) is graph
    assert graph.unedited is None


def test_a_report_tells_of_contradictions_in_a_search_that_nobody_edited():
    found = eh.audit(eh.datasets.adult(), eh.datasets.question("adult"))
    many = len(found.graph.record.conflicts)
    assert many
    assert f"Contradictory tests in {many:,} places gave no direction" in found.report().html


def test_a_given_graph_in_which_a_link_is_left_open_is_certified_and_read_back(tmp_path):
    """In both directions, though one makes a collider that the graph did not have."""
    graph = eh.CausalGraph.parse(
        "gender -> major -> admission; gender -> admission; test_score -> admission; "
        "gender -> test_score"
    )
    asked, counts = eh.datasets.question("admissions").question, eh.datasets.admissions(2)
    made = [edit("remove", "gender -> test_score"), edit("open", "test_score -> admission")]
    with pytest.raises(GraphError, match="contradicts what is known"):
        eh.audit(
            counts,
            asked,
            graph=graph,
            edits=[edit("reverse", "test_score -> admission")],
            knowledge=eh.Tiers(..., ["admission"]),
        )
    found = eh.audit(counts, asked, graph=graph, edits=made)
    causes = found.certificate.possible_decision_causes
    assert causes == (("major", "test_score"), ("major",))
    text = found.certificate.to_json()
    assert wrong(text, counts) == []
    assert json.loads(text)["graph"]["origin"]["kind"] == "given"
    loaded = eh.load_graph(found.certificate.write(tmp_path / "c.json"))
    assert loaded.unedited.arrows == graph.arrows
    assert eh.audit(counts, asked, graph=loaded).certificate.to_json() == text


DATA = CausalGraph.parse("sex -> hired; job -> hired -> pay; job -> pay -> town")
NAMES = [*"abcdef"]


def of_predictions(graph, kept=()):
    return graph_of_predictions(graph, "hired", "said", kept=kept)


def test_predictions_have_the_causes_of_the_decision_and_no_effect():
    assert str(of_predictions(DATA)) == "job -> said; sex -> said"
    assert of_predictions(DATA).unedited is None


@given(st.sets(st.sampled_from([(a, b) for a in NAMES for b in NAMES if a < b])))
def test_all_but_effects_stay_joined_as_networkx_has_them(arrows):
    graph = graph_of_predictions(CausalGraph((*NAMES,), frozenset(arrows)), "c", "said")
    whole = nx.DiGraph([*arrows])
    whole.add_nodes_from(NAMES)
    rest = whole.subgraph({*NAMES} - nx.descendants(whole, "c"))
    right = nx.relabel_nodes(rest, {"c": "said"})
    assert ({*graph.nodes}, {*graph.arrows}) == ({*right.nodes}, {*right.edges})


def test_a_graph_stays_whole_where_it_is_open_what_an_effect_is():
    text = "sex -> {0}; {0} -> pay; job -> {0}; {0} - town; pay - town"
    graph = of_predictions(PartialGraph.parse(text.format("hired")))
    assert graph == PartialGraph.parse(text.format("said"))


def test_an_open_edge_between_two_effects_leaves_nothing_open():
    graph = PartialGraph.parse("sex - job; sex -> hired; hired -> pay - town; hired -> town")
    assert str(of_predictions(graph)) == "sex -> said; job - sex"


def test_a_graph_stays_whole_where_an_effect_is_asked_about():
    graph = of_predictions(DATA, kept={"pay"})
    assert graph.children("said") == {"pay"}


def test_doubts_about_effects_go_with_them_and_others_stay():
    graph = PartialGraph.parse("sex -> hired; job -> hired -> pay; job -> pay; town -> job")
    doubts = frozenset({("job", "hired", "sex"), ("hired", "pay", "job")})
    graph = PartialGraph(graph.nodes, graph.arrows, graph.undirected, doubts=doubts)
    assert of_predictions(graph).doubtful == {("job", "said", "sex")}


def test_edits_of_effects_go_with_them_and_others_stay():
    edits = [
        GraphEdit.parse("remove", "job -> pay: it is not"),
        GraphEdit.parse("add", "sex -> job: it is"),
    ]
    graph = of_predictions(edited(DATA, edits))
    assert str(graph) == "job -> said; sex -> job; sex -> said"
    assert [str(edit) for edit in graph.edits] == [str(edits[1])]
    assert str(graph.unedited) == "job -> said; sex -> said"
    graph = of_predictions(edited(DATA, edits[:1]))
    assert (graph.edits, graph.unedited) == ((), None)


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        ("pay -> hired", ("reverse", "pay -> hired: later")),
        ("pay - hired", ("add", "hired -> pay: later")),
    ],
)
def test_an_edit_that_makes_an_effect_of_a_cause_is_told(before, edit):
    graph = edited(PartialGraph.parse(f"sex -> hired; {before}"), [GraphEdit.parse(*edit)])
    of_model = of_predictions(graph)
    assert str(of_model) == "said -> pay; sex -> said"
    assert len(of_model.edits) == 1
