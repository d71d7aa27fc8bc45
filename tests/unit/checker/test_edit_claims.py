"""What the checker makes of the graph before edits."""

import json

import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import csv_of, forged, sealed, verify

import evenhand as eh
from evenhand import checker
from evenhand.checker.group_comparisons import GroupComparisons
from evenhand.checker.rule_claims import check_edits, edited_links, links, right_outcome
from evenhand.question import GraphEdit

COUNTS = eh.datasets.admissions(2)
SMALL = eh.CausalGraph.parse("gender -> major; gender -> admission; test_score -> admission")


def record(graph=SMALL, edit="add major -> admission: it was read", **settings):
    made = [GraphEdit.parse(*edit.split(maxsplit=1))]
    found = eh.audit(COUNTS, QUESTION, graph=graph, edits=made, **settings)
    return found.certificate


def edges(arrows, undirected=()):
    return {"arrows": arrows, "undirected": [*undirected], "doubtful": []}


def test_links_have_no_direction():
    assert links(edges([["a", "b"]], [["c", "b"]])) == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([], {"ab"}),
        ([("remove", "ba")], set()),
        ([("reverse", "ab")], {"ab"}),
        ([("add", "cb"), ("open", "ca")], {"ab", "bc", "ac"}),
        ([("add", "bc"), ("remove", "bc")], {"ab"}),
    ],
)
def test_edits_make_links_one_after_the_other(edits, after):
    made = [{"kind": kind, "arrow": [*arrow], "reason": "so"} for kind, arrow in edits]
    origin = {"unedited": edges([["a", "b"]]), **({"edits": made} if made else {})}
    assert edited_links({"graph": {"origin": origin}}) == {*map(frozenset, after)}


def parts(certificate):
    content = json.loads(certificate.to_json())
    return content, GroupComparisons(content["question"])


def test_the_verdict_before_follows_from_people_counted_by_more_columns(tmp_path):
    content, compared = parts(record())
    right = content["graph"]["origin"]["unedited"]
    plain = eh.audit(COUNTS, QUESTION, graph=SMALL).certificate
    assert right["verdict"] == str(plain.verdict)
    # By hand: of those with high scores 55 % of the women and 45 % of the men were admitted.
    high, low = ((330, 270), (90, 110)), ((375, 675), (144, 206))
    people = {("a", "H"): high, ("b", "L"): low}
    derived = right_outcome(content, [(["major", "test_score"], people)], compared)
    assert derived == {"verdict": "not certified", "measured": 2, "violating": 2}
    assert derived.items() <= right.items()
    people = {("a", "H"): ((330, 270), (55, 45)), ("b", "L"): ((3, 7), (30, 70))}
    derived = right_outcome(content, [(["major", "test_score"], people)], compared)
    assert derived == {"verdict": "certified", "measured": 2, "violating": 0}
    assert right_outcome(content, [(["major"], {})], compared) == {}
    data = csv_of(COUNTS, tmp_path / "data.csv")
    for given in (None, data):
        assert verify(json.dumps(content), given) == (0, [])


def test_open_causes_are_not_worked_out():
    certificate = record(OPEN_GRAPH, "remove test_score -> admission: it was not read")
    content, compared = parts(certificate)
    names = ["major", "test_score"]
    assert right_outcome(content, [(names, {})], compared) == {}
    right, errors, stated = check_edits(content, [(names, {})], compared)
    assert (right, errors) == (content["graph"]["origin"]["unedited"], [])
    assert stated["graph.origin.unedited"].endswith("and what it gives")
    assert verify(certificate.to_json()) == (0, [])


def test_a_column_that_was_not_counted_may_leave_it_open():
    content, compared = parts(record())
    before = content["graph"]["origin"]["unedited"]
    before["verdict"] = "cannot decide"
    people = {("H",): ((330, 270), (90, 110)), ("L",): ((375, 675), (144, 206))}
    alone = [(["test_score"], people)]
    assert right_outcome(content, alone, compared)["verdict"] == "cannot decide"
    wider = {("a", *line): counts for line, counts in people.items()}
    derived = right_outcome(content, [(["major", "test_score"], wider)], compared)
    assert derived["verdict"] == "not certified"
    # Nor can anything be decided where the causes determine the decision.
    sure = {("H",): ((600, 0), (200, 0)), ("L",): ((0, 1050), (0, 350))}
    before["verdict"] = "certified"
    assert right_outcome(content, [(["test_score"], sure)], compared)["verdict"] == (
        "cannot decide"
    )


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda one: one.update(verdict="certified"), "graph.origin.unedited.verdict"),
        (lambda one: one.update(measured=9), "graph.origin.unedited.measured"),
        (lambda one: one.update(violating=9), "graph.origin.unedited.violating"),
        (lambda one: one.pop("violating"), "violating"),
        (lambda one: one.pop("doubtful"), "doubtful"),
        (lambda one: one.update(surprise=1), "graph.origin.unedited.surprise"),
        (lambda one: one["arrows"].append(["major", "test_score"]), "other links"),
        (lambda one: one["arrows"].append(["admission", "gender"]), "malformed"),
    ],
)
def test_alterations_are_found(change, where):
    status, notes = forged(
        lambda document: change(document["graph"]["origin"]["unedited"]), record().to_json()
    )
    assert status == 1
    assert where in " ".join(notes)


OUTCOME = {
    "verdict": "certified",
    "population": "inconclusive",
    "measured": 2,
    "violating": 0,
}


def test_a_release_and_a_copy_for_others_do_not_tell_what_it_gives(tmp_path):
    found = eh.audit(
        COUNTS,
        QUESTION,
        graph=GRAPH,
        edits=[GraphEdit.parse("remove", "major -> admission: it was not known")],
    )
    release = found.release(seed=1)
    data = csv_of(release.rows, tmp_path / "data.csv")
    for text, given in (
        (release.certificate.to_json(), data),
        (release.certificate.to_shared_json(), data),
    ):
        assert verify(text, given) == (0, [])
        content = json.loads(text)
        assert "verdict" not in content["graph"]["origin"]["unedited"]
        stated = checker.verify(text).stated["graph.origin.unedited"]
        assert stated == "that this is the graph before"
        content["graph"]["origin"]["unedited"] |= OUTCOME
        status, notes = verify(sealed(content), given)
        assert (status, "unedited.verdict" in " ".join(notes)) == (1, True)


def test_how_many_graphs_were_judged_is_a_count_and_stated():
    text = record().to_json()
    assert forged(lambda d: d["variants"].update(graphs=5), text) == (0, [])
    content = json.loads(text)
    content["variants"]["graphs"] = 5
    stated = checker.verify(sealed(content)).stated
    assert stated["variants.graphs"] == "how many graphs were judged: 5"
    for graphs in (-1, "5", True, 0, None):
        status, _ = forged(lambda d, n=graphs: d["variants"].update(graphs=n), text)
        assert status == 1, graphs
