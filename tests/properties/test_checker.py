"""Every record that certify writes is true; every altered one is false."""

import copy
import json
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from tests.admission import GRAPH, QUESTION
from tests.strategies import asked_dags

from evenhand import CountTable, datasets
from evenhand.checker import checker
from evenhand.errors import GraphError, InputError
from evenhand.evidence import RecordedCertificate, certify
from evenhand.evidence.certificate_encoding import with_seal
from evenhand.graph.partial_graph import DiscoveryRecord, PartialGraph


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
    assert checker.verify(certificate.to_json()) == (0, [])
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
            algorithm="stable", test="chi-square", significance=0.01, ambiguous=tuple(doubts)
        ),
    )
    try:
        certificate = certify(counts, partial, question, scope=scope, limit=limit, dropped=2)
    except GraphError:  # the open edges can be directed so that the decision comes first
        reject()
    record = RecordedCertificate.parse(certificate.to_json())
    assert record.own_differences() == ()
    assert record.differences(counts, dropped=2) == ()
    shared = RecordedCertificate.parse(certificate.to_shared_json())
    assert shared.differences(counts, dropped=2) == ()
    assert checker.verify(certificate.to_json())[0] in (0, 3)


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
    assert checker.verify(certificate.to_json(), str(path)) == (0, [])
    assert checker.verify(certificate.to_shared_json(), str(path)) == (0, [])


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
    status, notes = checker.verify(certificate.to_json(), str(path))
    assert status == 1
    assert any(note.startswith("partitions[0].table") for note in notes)


def paths(value, path=()):
    """Every place of a document that holds a number, a truth value, a fraction or a verdict."""
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from paths(value[key], (*path, key))
    elif isinstance(value, int) or path[-1] == "verdict" or is_fraction(value):
        yield path


def is_fraction(text):
    try:
        return Fraction(text) is not None
    except (ValueError, TypeError):
        return False


def altered(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, 10 * value + 7]
    if is_fraction(value):
        exact = Fraction(value)
        return [str(exact + Fraction(1, 1000)), str(-exact - 1), str(exact / 2 + 2)]
    return [v for v in ("certified", "not certified", "cannot decide") if v != value]


def at_path(document, path):
    for key in path:
        document = document[key]
    return document


def with_new_seal(document):
    return json.dumps(with_seal({n: v for n, v in document.items() if n != "seal"}))


def records():
    for example in (1, 2):
        counts = datasets.admissions(example)
        certificate = certify(counts, GRAPH, QUESTION, scope="all", dropped=4)
        document = json.loads(certificate.to_json())
        for path in paths(document):
            yield pytest.param(document, path, id=f"{example}-" + ".".join(map(str, path)))


@pytest.mark.parametrize(("document", "path"), list(records()))
def test_every_altered_number_and_verdict_is_found(document, path):
    for value in altered(at_path(document, path)):
        changed = copy.deepcopy(document)
        at_path(changed, path[:-1])[path[-1]] = value
        assert checker.verify(json.dumps(changed))[0] == 1
        status, notes = checker.verify(with_new_seal(changed))
        # Sealed again, a record of another threshold or pooling may be true as well; estimates
        # of the population are not certified, and the record says so.
        if path[0] not in {"question", "pooled", "population"}:
            assert status == 1, (path, value)
            assert notes[0].split(":")[0], "it says where"
        if path[0] != "question":
            assert is_found_by_the_engine(with_new_seal(changed)), (path, value)


def is_found_by_the_engine(text):
    try:
        return bool(RecordedCertificate.parse(text).own_differences())
    except InputError:
        return True


@pytest.mark.parametrize("at", range(4))
def test_every_dropped_row_is_found(at):
    document = json.loads(certify(datasets.admissions(1), GRAPH, QUESTION).to_json())
    del document["partitions"][0]["table"][at]
    status, notes = checker.verify(with_new_seal(document))
    assert status == 1
    assert any(note.startswith("rows.examined") for note in notes)
