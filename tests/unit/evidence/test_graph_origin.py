"""Where graphs come from, as data and in words."""

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import csv_of, sealed, wrong
from tests.determined import question, scored
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand import checker, datasets
from evenhand.evidence.graph_origin import GraphOrigin, edges, no_tiers, saved_graph
from evenhand.graph.edits import edited
from evenhand.question import GraphEdit


def test_a_graph_that_was_given_says_so():
    for graph in (GRAPH, OPEN_GRAPH):
        origin = GraphOrigin.of(graph)
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


def test_what_a_person_told_the_search_is_recorded(tmp_path):
    known = eh.Knowledge(
        tiers=eh.Tiers(["gender"], ..., ["admission"]),
        required=["gender -> admission"],
        forbidden=["gender -> test_score"],
    )
    told = {
        "tiers": [["gender"], ["*"], ["admission"]],
        "required": [["gender", "admission"]],
        "forbidden": [["gender", "test_score"]],
    }
    counts = datasets.admissions(2)
    certificate = eh.audit(counts, QUESTION, knowledge=known).certificate
    for text in (certificate.to_json(), certificate.to_shared_json()):
        assert origin_of(text)["knowledge"] == told
        assert wrong(text, counts) == []
    # Who judges by the graph of a certificate is told what it was learned with.
    path = certificate.write(tmp_path / "graph.json")
    again = eh.audit(counts, QUESTION, graph=eh.load_graph(path)).certificate
    assert again.graph_origin.knowledge == told
    untold = eh.audit(counts, QUESTION, knowledge=eh.Knowledge()).certificate
    assert "knowledge" not in origin_of(untold.to_json())
    assert untold.graph_origin.decision_last


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
    assert document["graph"]["origin"]["depth"] == again.graph_origin.depth == 0
    ended = "0.01, sets no larger than 0, ended early, tried sets of up to 0"
    assert str(again.graph_origin).endswith(ended)
    assert checker.verify(certificate.to_json()).stated["graph.origin"].endswith(ended)
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
        assert bool(again.graph.record.ended_early) is (limit is not None)
        resampled = audit.bootstrap(3, seed=3).causes
        assert {name for name, many in resampled.items() if many == 3} == causes


COUNTS = eh.datasets.admissions(2)
NOT_KNOWN = GraphEdit.parse("remove", "major -> admission: it was not known")
READ = GraphEdit.parse("add", "major -> admission: it was read")
SMALL = eh.CausalGraph.parse("gender -> major; gender -> admission; test_score -> admission")


def audited(graph=GRAPH, edits=(NOT_KNOWN,), counts=COUNTS, asked=QUESTION, **settings):
    return eh.audit(counts, asked, graph=graph, edits=edits, **settings)


def origin_of(text):
    return json.loads(text)["graph"]["origin"]


@pytest.mark.parametrize("graph", [GRAPH, None], ids=["given", "learned"])
def test_what_the_unedited_graph_gives_is_what_an_audit_without_edits_gives(graph):
    plain, found = (audited(graph, edits).certificate for edits in ((), (NOT_KNOWN,)))
    assert "unedited" not in origin_of(plain.to_json())
    assert plain.graph_origin.unedited is None
    assert origin_of(found.to_json())["unedited"] == {
        "arrows": sorted(map(list, plain.graph.arrows)),
        "undirected": sorted(map(list, plain.graph.undirected)),
        "doubtful": [],
        "verdict": str(plain.verdict),
        "population": str(plain.population.verdict),
        "measured": plain.to_dict()["subpopulations"]["measured"],
        "violating": plain.to_dict()["subpopulations"]["violating"],
    }
    assert GraphOrigin.parse(found.graph_origin.to_dict()) == found.graph_origin


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "edited groups"])
def test_it_is_told_and_checked_for_many_groups(name, tmp_path):
    made = GraphEdit.parse("remove", "town -> score: nobody asked for it")
    counts = counted()
    settings = {"counts": counts, "asked": QUESTIONS[name]}
    plain = audited(GROUPS, (), **settings).certificate
    found = audited(GROUPS, (made,), **settings).certificate
    assert found.graph_origin.unedited == plain.as_unedited
    text = found.to_json()
    assert wrong(text, counts) == []
    data = str(csv_of(counts, tmp_path / "data.csv"))
    assert checker.verify(text, data)[:2] == checker.verify(text)[:2] == (0, [])


def test_summary_json_and_report_tell_it():
    found = audited(None)
    (fact,) = [words for name, words in found.summary().facts if name == "as learned"]
    said = "not certified, 4 of 4 subpopulations violate; in the population: inconclusive"
    assert fact == said
    assert found.to_dict()["unedited"]["violating"] == 4
    assert f"As learned: {said}." in found.report().html
    given = audited()
    assert "as given" in dict(given.summary().facts)
    plain = audited(edits=())
    assert "unedited" not in plain.to_dict()
    assert "as given" not in dict(plain.summary().facts)
    assert "As given" not in plain.report().html


def test_a_release_keeps_the_graph_without_what_it_gave_on_other_rows():
    found = audited()
    certificate = found.release(seed=1).certificate
    before = certificate.graph_origin.unedited
    assert before == edges(GRAPH)
    text = certificate.to_json()
    assert wrong(text) == []
    assert checker.verify(text)[:2] == (0, [])
    content = json.loads(text)
    content["graph"]["origin"]["unedited"] |= {
        "verdict": "certified",
        "population": "inconclusive",
        "measured": 4,
        "violating": 0,
    }
    forged = sealed(content)
    assert wrong(forged) != []
    assert checker.verify(forged).status == 1


def test_a_copy_for_others_tells_nothing_of_rows_that_it_withholds():
    """The unedited graph is certified on one table and not on the other."""
    lines = [("f", "x", "yes", 30), ("f", "x", "no", 30), ("m", "x", "yes", 30)]
    lines += [("m", "x", "no", 30), ("f", "y", "yes", 5), ("f", "y", "no", 5)]
    outcomes, shared = [], []
    for hidden in (5, 1):
        rows = [*lines, ("m", "y", "yes", hidden), ("m", "y", "no", 10 - hidden)]
        sex, town, hired, n = zip(*rows, strict=True)
        counts = eh.CountTable.of({"sex": sex, "town": town, "hired": hired}, n)
        asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
        graph = eh.CausalGraph.parse("sex -> hired; town")
        made = (GraphEdit.parse("add", "town -> hired: it counts"),)
        found = audited(graph, made, counts, replace(asked, threshold="0.02")).certificate
        outcomes.append(found.graph_origin.unedited["verdict"])
        shared.append(found.to_shared_json())
    assert {*map(str, outcomes)} == {"certified", "not certified"}
    assert shared[0] == shared[1]
    assert origin_of(shared[0])["unedited"] == {
        "arrows": [["sex", "hired"]],
        "undirected": [],
        "doubtful": [],
    }
    assert "As given, before the edits." in audited().report(share=True).html


def alter(change, text):
    content = json.loads(text)
    change(content["graph"]["origin"]["unedited"])
    return sealed(content)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"verdict": "certified"}, "unedited.verdict"),
        ({"measured": 3}, "unedited.measured"),
        ({"violating": 1}, "unedited.violating"),
        ({"arrows": [["test_score", "admission"]]}, "other links than the graph"),
        ({"arrows": [["major", "admission"], ["test_score", "admission"]]}, "other links"),
    ],
)
def test_an_altered_unedited_graph_is_found_with_the_data_and_often_without(
    change, where, tmp_path
):
    """Here the causes before are among those now, so that the record alone shows it."""
    text = audited(SMALL, (READ,)).certificate.to_json()
    data = str(csv_of(COUNTS, tmp_path / "data.csv"))
    forged = alter(lambda unedited: unedited.update(change), text)
    for notes in (
        [*wrong(forged, COUNTS)],
        checker.verify(forged).notes,
        checker.verify(forged, data).notes,
    ):
        assert where in " ".join(notes)


def test_the_population_is_computed_again_by_the_engine():
    text = audited(SMALL, (READ,)).certificate.to_json()
    change = {"population": "difference shown"}
    forged = alter(lambda one: one.update(change), text)
    assert "unedited.population" in " ".join(wrong(forged, COUNTS))
    assert "of the population" in checker.verify(forged).stated["graph.origin.unedited"]


def test_what_no_partition_shows_needs_the_data():
    text = audited().certificate.to_json()
    forged = alter(lambda one: one.update(violating=1), text)
    assert wrong(forged) == []
    assert checker.verify(forged).stated["graph.origin.unedited"].endswith("and what it gives")
    assert "unedited.violating" in " ".join(wrong(forged, COUNTS))


def test_a_graph_that_only_its_edits_make_possible_is_told_without_a_verdict():
    graph = eh.CausalGraph.parse("admission -> gender; test_score -> admission")
    turned = GraphEdit.parse("reverse", "admission -> gender: nobody decides the gender")
    found = audited(edited(graph, [turned]), ()).certificate
    assert found.graph_origin.unedited == edges(graph)
    assert "as given" not in dict(found.summary().facts)
    assert wrong(found.to_json(), COUNTS) == []
    assert checker.verify(found.to_json())[:2] == (0, [])


def test_a_column_that_determines_the_decision_leaves_both_graphs_undecided(tmp_path):
    columns = scored()
    counts, made = eh.CountTable.of(columns), GraphEdit.parse("add", "score -> risk: it is so")
    graph = eh.CausalGraph.parse("sex -> risk; education -> risk; education -> score")
    found = audited(graph, (made,), counts, question()).certificate
    assert str(found.graph_origin.unedited["verdict"]) == "cannot decide"
    text = found.to_json()
    assert wrong(text, counts) == []
    data = str(csv_of(counts, tmp_path / "data.csv"))
    assert checker.verify(text)[:2] == checker.verify(text, data)[:2] == (0, [])
    # Where the column was an effect only before, no partition shows that it determines.
    turned = GraphEdit.parse("reverse", "score -> risk: it was made afterwards")
    graph = eh.CausalGraph.parse("sex -> risk; education -> risk; score -> risk")
    found = audited(graph, (turned,), counts, question()).certificate
    assert str(found.verdict) == "not certified"
    assert str(found.graph_origin.unedited["verdict"]) == "cannot decide"
    assert wrong(found.to_json(), counts) == []
    assert checker.verify(found.to_json())[:2] == (0, [])
    assert checker.verify(found.to_json(), data)[:2] == (0, [])


def test_a_declared_rule_has_it_beside():
    counts = eh.CountTable.of(scored() | {"town": list("ab" * 1000)})
    made = GraphEdit.parse("add", "town -> risk: it is on the form")
    asked = question(rule=["score"])
    found = eh.audit(counts, asked, edits=[made]).certificate
    plain = eh.audit(counts, asked).certificate
    before = found.without_rule.graph_origin.unedited
    assert before == plain.without_rule.as_unedited
    assert found.graph_origin.unedited == plain.as_unedited
    assert wrong(found.to_json(), counts) == []
    assert checker.verify(found.to_json())[:2] == (0, [])


def test_it_is_judged_by_its_causes_alone():
    causes, every = (
        audited(scope=scope).certificate.graph_origin.unedited for scope in ("causes", "all")
    )
    assert causes == every


def test_how_many_graphs_were_judged_is_stated_and_follows_a_release():
    asked = eh.QuestionFile(question=QUESTION, edits=(NOT_KNOWN,), graphs_judged=7)
    found = eh.audit(COUNTS, asked, graph=GRAPH)
    plain = eh.audit(COUNTS, replace(asked, graphs_judged=0), graph=GRAPH)
    assert "graphs" not in json.loads(plain.certificate.to_json())["variants"]
    for certificate in (found.certificate, found.release(seed=1).certificate):
        text = certificate.to_json()
        assert json.loads(text)["variants"]["graphs"] == 7
        said = "how many graphs were judged: 7"
        assert checker.verify(text).stated["variants.graphs"] == said
    assert found.to_dict()["variants"]["graphs"] == 7
    assert "7 graphs" in found.report().html
    assert "graphs" not in json.loads(found.certificate.to_shared_json()).get("variants", {})
    stated = found.stated_certificate.variants
    assert (stated["graphs"], stated["arrows"] > 0) == (7, True)
