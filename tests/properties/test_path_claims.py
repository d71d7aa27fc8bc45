"""What the engine certifies of effects along paths the stand-alone checker finds to be true."""

from dataclasses import replace
from itertools import combinations

from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.certificate_records import wrong
from tests.repetitions import repetitions
from tests.strategies import LETTERS, partial_graphs

from evenhand import CausalGraph, Codings, CountTable, Question, checker
from evenhand.errors import GraphError
from evenhand.evidence import certify
from evenhand.recheck import RecordedCertificate

_FREQUENCY = Codings.of(frequency="n")


@st.composite
def asked_paths(draw, graph, question, chosen=None):
    """The question with effects through some attributes, and a table with empty cells."""
    between = [node for node in graph.nodes if node not in question.columns]
    chosen = chosen or draw(st.sets(st.sampled_from(between), min_size=1, max_size=2))
    further = [node for node in between if node not in chosen]
    explained = draw(st.sets(st.sampled_from(further), max_size=2)) if further else set()
    question = replace(
        question,
        redlining=sorted(chosen),
        explained=sorted(explained),
        redlining_threshold=draw(st.sampled_from([None, "1/20", "1/3"])),
        basis=draw(st.sampled_from(["group", "all"])),
    )
    size = draw(st.integers(4, 60))
    columns = {
        node: draw(
            st.lists(
                st.sampled_from("01" if node in question.columns else "012"),
                min_size=size,
                max_size=size,
            )
        )
        for node in graph.nodes
    }
    for name in question.columns:
        columns[name][:2] = "01"
    weights = draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    return question, columns, weights


@st.composite
def directed(draw):
    """A graph of few missing arrows, and a question about every second node of its paths.

    So many nodes are witnesses, and some cause what causes another one.
    """
    size, start = draw(st.integers(4, 6)), draw(st.integers(0, 1))
    pairs = [*combinations(LETTERS[:size], 2)]
    missing = draw(st.sets(st.sampled_from(pairs), max_size=4))
    graph = CausalGraph(tuple(LETTERS[:size]), frozenset(pairs) - missing)
    protected, *between, decision = graph.nodes[start:]
    question = Question(protected=protected, group="0", decision=decision, favorable="1")
    chosen = draw(st.sampled_from([between[1::2], between[-1:]])) or between
    return graph, *draw(asked_paths(graph, question, chosen))


@st.composite
def undirected(draw):
    """A graph with open edges, and a question about paths in it."""
    graph = draw(partial_graphs(max_nodes=5))
    protected, decision, *_ = draw(st.permutations(graph.nodes))
    question = Question(protected=protected, group="0", decision=decision, favorable="1")
    return graph, *draw(asked_paths(graph, question))


def check(folder, drawn):
    graph, question, columns, weights = drawn
    counts = CountTable.of(columns, weights)
    try:
        certificate = certify(counts, graph, question, codings=_FREQUENCY)
    except GraphError:  # the decision comes before the protected attribute
        reject()
    text = certificate.to_json()
    assert wrong(text, counts) == []
    shared = certificate.to_shared_json()
    assert RecordedCertificate.parse(shared).differences(counts) == ()
    path = folder.mktemp("paths") / "data.csv"
    lines = [*zip(*columns.values(), map(str, weights), strict=True)]
    path.write_text("\n".join(map(",".join, [(*columns, "n"), *lines])))
    status, notes, *_ = checker.verify(text, str(path))
    alone = checker.verify(text)
    is_open = certificate.graph.neighbors(question.decision)
    expected = (3, ["possible_decision_causes"]) if is_open else (0, [])
    assert (status, [note.split(":")[0] for note in notes]) == expected
    assert (alone.status, [note.split(":")[0] for note in alone.notes]) == expected
    return certificate.indirect


@given(directed())
@settings(max_examples=repetitions(20))
def test_a_record_of_effects_in_a_graph_is_true_for_both_programs(tmp_path_factory, drawn):
    check(tmp_path_factory, drawn)


@given(undirected())
@settings(max_examples=15)
def test_a_record_of_effects_in_every_graph_that_can_be_is_true(tmp_path_factory, drawn):
    check(tmp_path_factory, drawn)
