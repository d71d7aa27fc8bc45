"""Where graphs come from, as data and in words."""

import json
from itertools import product

import numpy as np
import pytest
from tests.admission import GRAPH, OPEN_GRAPH

import evenhand as eh
from evenhand import checker, datasets
from evenhand.evidence.graph_origin import GraphOrigin, no_tiers, saved_graph


def test_a_graph_that_was_given_says_so():
    for graph in (GRAPH, OPEN_GRAPH):
        origin = GraphOrigin.of(graph, decision_last=True)
        assert (str(origin), origin.to_dict()) == ("given", {"kind": "given"})
        assert origin.before_release.to_dict() == {"kind": "given"}


def test_a_graph_that_was_learned_says_how():
    origin = eh.audit(datasets.admissions(1), datasets.question("admissions")).certificate
    origin = origin.graph_origin
    assert (
        str(origin) == "learned from the same rows by PC-stable, chi-square, significance 0.01"
    )
    assert str(origin.before_release).startswith("learned from the rows before release by PC")
    assert GraphOrigin(**origin.to_dict()) == origin


def test_without_tiers_the_decision_is_assumed_to_come_last():
    asked = datasets.question("admissions")
    for knowledge, is_last in ((eh.Knowledge(), True), (eh.Tiers(..., ["admission"]), False)):
        certificate = eh.audit(datasets.admissions(1), asked, knowledge=knowledge).certificate
        document = json.loads(certificate.to_json())
        assert document["graph"]["origin"]["decision_last"] is is_last
        assert (no_tiers("admission") in document["assumptions"]) is is_last


def test_a_search_that_ended_early_is_told_wherever_the_graph_goes(tmp_path):
    asked, counts = datasets.question("admissions").question, datasets.admissions(1)
    certificate = eh.audit(counts, asked, max_depth=0).certificate
    document = json.loads(certificate.to_json())
    said = document["graph"]["origin"]["ended_early"]
    assert said == "Sets of more than 0 attributes were not tried."
    assert any(sentence.startswith(said) for sentence in document["assumptions"])
    assert any(str(note).startswith(said) for note in certificate.summary().notes)
    certificate.write(tmp_path / "early.json")
    again = eh.audit(counts, asked, graph=eh.load_graph(tmp_path / "early.json")).certificate
    assert again.graph_origin.ended_early == said
    assert str(again.graph_origin).endswith("0.01, sets no larger than 0, ended early")
    assert checker.verify(certificate.to_json()).stated["graph.origin"].endswith("ended early")
    whole = eh.audit(counts, asked, max_depth=9).certificate
    assert "ended_early" not in whole.graph_origin.to_dict()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_depth": 0}, "sets no larger than 0"),
        ({"max_tests": 8}, "no more than 8 tests"),
        (
            {"max_depth": 0, "max_tests": 2000},
            "sets no larger than 0 and no more than 2,000 tests",
        ),
    ],
)
def test_a_copy_for_others_tells_the_limit_that_was_set_not_whether_it_was_reached(
    tmp_path, limits, words
):
    """At which size of sets a search ended, and whether it did, depends on all rows."""
    question = datasets.question("admissions").question
    told, endings = [], set()
    related = datasets.admissions(2)
    values = {one.name: one.values for one in related.attributes}
    lines = [*product(*values.values())]
    unrelated = eh.CountTable.of(
        dict(zip(values, zip(*lines, strict=True), strict=True)), [50] * len(lines)
    )
    for counts in (related, unrelated):
        learned = eh.discover(counts, **limits)
        endings.add(learned.record.ended_early)
        path = tmp_path / "graph.json"
        path.write_text(json.dumps(saved_graph(learned)))
        for graph in (learned, eh.load_graph(path)):
            certificate = eh.audit(counts, question, graph=graph).certificate
            document = json.loads(certificate.to_shared_json(least_count=1))
            told.append((document["graph"]["origin"], document["assumptions"][-1]))
            checked = checker.verify(certificate.to_shared_json(least_count=1))
            assert checked.stated["graph.origin"].endswith(f"significance 0.01, {words}")
            assert str(certificate.graph_origin.for_others).endswith(words)
    assert len(endings) > 1
    assert all(one == told[0] for one in told)
    assert told[0][0]["limits"] == words
    assert told[0][1].startswith(f"The search of the graph was limited to {words}.")


def test_a_search_that_ended_early_is_repeated_with_the_same_limit():
    generator = np.random.default_rng(5)
    a, b, c, d = generator.integers(0, 2, (4, 4000))
    q = np.where(generator.uniform(size=4000) < 0.8, a, b)
    e = np.where(generator.uniform(size=4000) < 0.3, q, d)
    columns = {"a": a, "q": q, "e": e, "c": c}
    counts = eh.CountTable.of({name: list(map(str, of)) for name, of in columns.items()})
    question = eh.Question(protected="c", group="0", decision="e", favorable="1")
    for limit, causes in ((0, {"a", "q"}), (None, {"q"})):
        audit = eh.audit(counts, question, max_depth=limit)
        assert {*audit.decision_causes} == causes
        again = audit.release(seed=1).relearned
        assert {*again.decision_causes} == causes
        assert again.graph.record.complete is (limit is None)
        resampled = audit.bootstrap(3, seed=3).causes
        assert {name for name, many in resampled.items() if many == 3} == causes
        assert audit.doubt().complete is (limit is None)
        assert {len(one.given) for one in audit.doubt().arrows} <= {0, limit or 1}
