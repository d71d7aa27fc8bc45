"""Whole claims about effects through other attributes: true ones, forged ones, other data."""

import json
from dataclasses import replace

import pytest
from tests.certificate_records import compared, csv_of, forged, verify, wrong
from tests.determined import question as scored_question
from tests.determined import scored
from tests.loans import APART, CELLS, INCOME_FIRST, QUESTION, ZIP_FIRST, asking, loans
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

import evenhand as eh
from evenhand import checker
from evenhand.checker import graph_claims, path_claims
from evenhand.checker.graph_claims import RecordedGraph
from evenhand.evidence import certify
from evenhand.graph import PartialGraph

OPEN = PartialGraph(APART.nodes, APART.arrows, [("income", "zip")])
GRAPHS = {"zip first": ZIP_FIRST, "apart": APART, "income first": INCOME_FIRST, "open": OPEN}
EACH = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def text_of(graph, counts=None, **fields):
    return certify(counts or loans(), graph, asking(**fields)).to_json()


@EACH
@pytest.mark.parametrize("basis", ["group", "all"])
def test_true_claims_are_true_of_their_tables_and_of_the_data(tmp_path, graph, basis):
    path = csv_of(loans(), tmp_path / "loans.csv")
    text = text_of(graph, basis=basis)
    assert verify(text) == verify(text, path) == (0, [])


@EACH
def test_one_altered_decision_in_the_data_is_found(tmp_path, graph):
    path = csv_of(loans(), tmp_path / "loans.csv")
    path.write_text(path.read_text().replace("b,1,lo,yes", "b,1,lo,no", 1))
    status, notes = verify(text_of(graph), path)
    assert status == 1
    for field in ("tables", "graphs", "gap"):
        assert any(note.startswith(f"indirect.{field}") for note in notes)


def test_a_value_in_the_data_that_no_table_has_is_found(tmp_path):
    path = csv_of(loans(), tmp_path / "loans.csv")
    path.write_text(path.read_text().replace("b,1,lo,yes", "b,3,lo,yes", 1))
    status, notes = verify(text_of(ZIP_FIRST), path)
    assert status == 1
    assert any(note.startswith("indirect.tables") for note in notes)


def test_pooled_groups_are_counted_alike(tmp_path):
    lines = [(*labels, n) for labels, n in loans()] + [("x", "2", "hi", "no", 6)]
    *columns, counts = zip(*lines, strict=True)
    table = eh.CountTable.of(dict(zip(loans().names, columns, strict=True)), counts)
    path = csv_of(table, tmp_path / "loans.csv")
    for other in ("w", "rest"):
        text = text_of(INCOME_FIRST, table, other=other)
        assert verify(text) == verify(text, path) == (0, [])


def test_other_block_sets_need_not_agree_with_each_other_again(monkeypatch):
    """There can be a thousand of them; each is compared with the rows by its sum."""
    compared_with = []

    def remember(tables):
        compared_with.extend(names for names, _ in tables)
        return iter(())

    monkeypatch.setattr(path_claims, "disagreements", remember)
    graph = eh.CausalGraph.parse("race -> zip -> income -> loan; race -> loan")
    certificate = certify(loans(), graph, QUESTION, scope="all")
    assert len(certificate.partitions) == 3
    assert verify(certificate.to_json()) == (0, [])
    # That by the causes of the decision, and the table of the decision.
    assert [{*names} for names in compared_with if names[-1:] == ("loan",)] == [
        {"income", "race", "loan"}
    ] * 2


def test_an_effect_without_a_standard_error_is_named():
    """That through income, which is no witness then, is one number and has an error."""
    status, notes = forged(
        lambda document: document["question"].update(redlining=["income"]),
        text_of(INCOME_FIRST),
    )
    assert status == 1
    assert "indirect.standard_errors.forward.through: None is no estimate" in notes
    assert not any("malformed" in note for note in notes)


def test_a_graph_that_an_open_edge_allows_is_missed():
    status, notes = forged(lambda d: d["indirect"]["graphs"].pop(), text_of(OPEN))
    assert status == 1
    assert any("is missing or not allowed" in note for note in notes)


def test_with_very_many_open_edges_it_is_left_open_whether_all_are_there(monkeypatch):
    for most in (1, 0):
        assert verify(text_of(OPEN)) == (0, [])
        for module in (graph_claims, path_claims):
            monkeypatch.setattr(module, "MOST_OPEN", most)
    status, notes = verify(text_of(OPEN))
    assert status == 3
    assert [note.split(":")[0] for note in notes] == ["indirect.graphs"]
    assert "indirect.graphs" in checker.verify(text_of(OPEN)).stated


def test_that_nothing_was_measured_is_left_open():
    claim = {"verdict": "cannot decide", "reasons": ["Too many cells."]}
    status, notes = forged(lambda document: document.update(indirect=claim), text_of(APART))
    assert status == 3
    assert notes == ["indirect.graphs: that there was too much to be measured"]


def test_where_only_causes_near_the_decision_were_learned_nothing_is_measured():
    certificate = eh.audit(loans(), QUESTION, local=True).certificate
    text = certificate.to_json()
    record = json.loads(text)
    assert record["graph"]["origin"]["chosen_from"] == 4
    assert {*record["indirect"]} == {"verdict", "reasons"}
    claims = path_claims.PathClaims(
        record, RecordedGraph.of(record), compared(**record["question"])
    )
    assert claims.right([], record["rules"], with_data=False) == record["indirect"]
    assert claims.open == {}
    assert wrong(text) == []


def test_between_several_groups_nothing_is_measured():
    question = replace(QUESTIONS["pairs"], redlining=["town"])
    text = certify(counted(), GROUPS, question).to_json()
    assert verify(text) == (0, [])
    assert {*json.loads(text)["indirect"]} == {"verdict", "reasons"}


def test_where_a_column_determines_the_decision_the_claim_is_open():
    counts = loans(
        {where: (rows, rows * (where[1] == "1")) for where, (rows, _) in CELLS.items()}
    )
    text = text_of(ZIP_FIRST, counts)
    assert verify(text) == (0, [])
    assert json.loads(text)["indirect"]["verdict"] == "cannot decide"
    status, notes = forged(another_verdict_to_certified, text)
    assert status == 1
    assert notes == ["indirect.verdict: it says 'certified', but should say 'cannot decide'"]


def another_verdict_to_certified(document):
    document["indirect"]["verdict"] = "certified"


def test_without_a_declared_rule_only_the_direct_claim_is_made():
    graph = eh.CausalGraph.parse("score -> risk; education -> score; sex -> score")
    asked = replace(scored_question(rule=["score"]), redlining=["education"])
    text = eh.audit(eh.CountTable.of(scored()), asked, graph=graph).certificate.to_json()
    beside = json.loads(text)["rules"]["without"]["record"]
    assert "redlining" not in beside["question"]
    assert verify(text)[0] == 0
    assert wrong(text) == []


def test_a_copy_for_others_tells_that_the_verdict_is_withheld(tmp_path):
    path = csv_of(loans(), tmp_path / "loans.csv")
    text = certify(loans(), ZIP_FIRST, QUESTION).to_shared_json()
    assert json.loads(text)["indirect"] == {"verdict": "withheld"}
    assert verify(text)[0] == 3
    assert verify(text, path) == (0, [])
    status, notes = forged(another_verdict_to_certified, text)
    assert status == 1
    assert notes == ["indirect.verdict: it says 'certified', but should say 'withheld'"]


@pytest.mark.parametrize("graph", [ZIP_FIRST, APART])
def test_a_release_is_true_and_has_no_standard_errors(tmp_path, graph):
    question = asking(redlining_threshold="1/10")
    release = eh.audit(loans(), question, graph=graph).release(seed=1)
    path = csv_of(release.rows, tmp_path / "released.csv")
    text, shared = release.certificate.to_json(), release.certificate.to_shared_json()
    assert verify(text) == verify(text, path) == verify(shared, path) == (0, [])
    assert "standard_errors" not in json.loads(text)["indirect"]
    assert json.loads(shared)["indirect"] == {"verdict": "certified"}
    errors = {at: {"total": "0.1"} for at in ("forward", "backward")}
    status, _ = forged(lambda d: d["indirect"].update(standard_errors=errors), text)
    assert status == 1
    path.write_text(path.read_text().replace("b,1,lo,yes", "b,1,lo,no", 1))
    assert verify(text, path)[0] == 1


def test_what_is_left_to_the_engine_is_stated():
    stated = checker.verify(text_of(INCOME_FIRST)).stated
    fields = {name for name in stated if name.startswith("indirect")}
    assert fields == {
        f"indirect.{name}"
        for name in ("reasons", "standard_errors", "graphs.potentials", "values")
    }
    fields = asking(explained=["income"], redlining_threshold="1/4", basis="all")
    text = certify(loans(), APART, fields).to_json()
    words = "basis all, explained income, min coverage 9/10, "
    assert words in checker.verify(text).stated["question"]
