"""Every record that certify writes is true, of its own numbers and of its data."""

from itertools import permutations

from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.certificate_records import wrong
from tests.repetitions import repetitions
from tests.strategies import asked_dags

from evenhand import CausalGraph, CountTable, Question, checker
from evenhand.errors import GraphError
from evenhand.evidence import certify
from evenhand.graph import DiscoveryRecord, PartialGraph


@st.composite
def asked_counts(draw):
    """A graph, a question, and counts of binary attributes named like its nodes."""
    graph, question = draw(asked_dags(max_nodes=5))
    size = draw(st.integers(4, 40))
    binary = st.lists(st.sampled_from("01"), min_size=size, max_size=size)
    columns = {node: draw(binary) for node in graph.nodes}
    for name in (question.protected, question.decision):
        columns[name][:2] = "01"
    weights = draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    return graph, question, columns, weights


@given(asked_counts(), st.sampled_from(["causes", "minimal", "all"]))
def test_every_record_is_true(drawn, scope):
    graph, question, columns, weights = drawn
    certificate = certify(CountTable.of(columns, weights), graph, question, scope=scope)
    assert checker.verify(certificate.to_json())[:2] == (0, [])
    assert checker.verify(certificate.to_shared_json())[0] == 3


@given(
    asked_counts(), st.sampled_from(["causes", "minimal", "all"]), st.integers(0, 3), st.data()
)
def test_every_record_would_be_written_again(drawn, scope, limit, data):
    graph, question, columns, weights = drawn
    counts = CountTable.of(columns, weights)
    direct = (question.protected, question.decision)
    arrows = sorted(graph.arrows - {direct})
    opened = data.draw(st.sets(st.sampled_from(arrows), max_size=3)) if arrows else set()
    triples = [(a, b, c) for a, b, c in permutations(graph.nodes, 3) if a < c]
    doubts = data.draw(st.sets(st.sampled_from(triples), max_size=3)) if triples else set()
    partial = PartialGraph(
        graph.nodes,
        graph.arrows - opened,
        opened,
        DiscoveryRecord(
            algorithm="original", test="chi-square", significance=0.01, ambiguous=tuple(doubts)
        ),
    )
    try:
        certificate = certify(counts, partial, question, scope=scope, limit=limit, dropped=2)
    except GraphError:  # the open edges can be directed so that the decision comes first
        reject()
    for text in (certificate.to_json(), certificate.to_shared_json()):
        assert wrong(text, counts, dropped=2) == []


@given(asked_counts())
def test_every_record_is_true_of_its_data(tmp_path_factory, drawn):
    graph, question, columns, weights = drawn
    certificate = certify(CountTable.of(columns, weights), graph, question)
    path = tmp_path_factory.mktemp("checker") / "data.csv"
    rows = [
        ",".join(line)
        for line, weight in zip(zip(*columns.values(), strict=True), weights, strict=True)
        for _ in range(weight)
    ]
    path.write_text("\n".join([",".join(columns), *rows]))
    assert checker.verify(certificate.to_json(), str(path))[:2] == (0, [])
    assert checker.verify(certificate.to_shared_json(), str(path))[:2] == (0, [])


@given(asked_counts(), st.data())
def test_one_altered_decision_is_found_in_the_data(tmp_path_factory, drawn, data):
    graph, question, columns, weights = drawn
    certificate = certify(CountTable.of(columns, weights), graph, question)
    at = data.draw(st.integers(0, len(weights) - 1))
    columns[question.decision][at] = "10"[int(columns[question.decision][at])]
    path = tmp_path_factory.mktemp("checker") / "data.csv"
    lines = zip(*columns.values(), strict=True)
    rows = [",".join(line) for line, n in zip(lines, weights, strict=True) for _ in range(n)]
    path.write_text("\n".join([",".join(columns), *rows]))
    status, notes, *_ = checker.verify(certificate.to_json(), str(path))
    assert status == 1
    assert any(note.startswith("partitions[0].table") for note in notes)


@st.composite
def several_groups(draw):
    """Counts of groups by two attributes and three scores, and a question about all of them."""
    size = draw(st.integers(6, 30))
    values = {"race": "abcd", "sex": "fm", "town": "xy", "score": "123"}
    columns = {
        name: draw(st.lists(st.sampled_from(marks), min_size=size, max_size=size))
        for name, marks in values.items()
    }
    columns["race"][:4], columns["sex"][:2], columns["score"][:3] = "abca", "fm", "123"
    weights = draw(st.lists(st.integers(1, 30), min_size=size, max_size=size))
    protected = draw(st.sampled_from(["race", ("sex", "race")]))
    single = isinstance(protected, str)
    fields = draw(
        st.sampled_from(
            [
                {"favorable": "1"},
                {"favorable": ("1", "3")},
                {"criterion": "every"},
                {"criterion": "cumulative", "order": draw(st.permutations("123"))},
            ]
        )
    )
    other = draw(st.sampled_from([None, "b" if single else "m & b"]))
    least = draw(st.sampled_from([1, 2, 25]))
    threshold = draw(st.sampled_from(["1/20", "1/3", "99/100"]))
    if not single:
        columns["sex"][1], columns["race"][1] = "m", "b"
    question = Question(
        protected=protected, decision="score", other=other, min_rows=least,
        threshold=threshold, **fields,
    )  # fmt: skip
    return question, columns, weights


@settings(max_examples=repetitions(25))
@given(several_groups(), st.sampled_from(["causes", "minimal", "all"]))
def test_every_record_of_several_groups_is_true_for_both_programs(
    tmp_path_factory, drawn, scope
):
    question, columns, weights = drawn
    counts = CountTable.of(columns, weights)
    graph = CausalGraph.parse("race -> town -> score; race -> score; sex -> score")
    certificate = certify(counts, graph, question, scope=scope)
    full, shared = certificate.to_json(), certificate.to_shared_json(least_count=1)
    path = tmp_path_factory.mktemp("checker") / "data.csv"
    lines = zip(*columns.values(), strict=True)
    rows = [",".join(line) for line, n in zip(lines, weights, strict=True) for _ in range(n)]
    path.write_text("\n".join([",".join(columns), *rows]))
    assert checker.verify(full)[:2] == checker.verify(full, str(path))[:2] == (0, [])
    assert checker.verify(shared)[0] == 3
    assert checker.verify(shared, str(path))[:2] == (0, [])
    for text in (full, shared):
        assert wrong(text, counts) == []
