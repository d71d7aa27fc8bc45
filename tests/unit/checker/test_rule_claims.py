"""Declared rules, columns that determine the decision, and edits of the graph."""

import csv
import json
from collections import defaultdict

import numpy as np
import pytest
from tests.admission import GRAPH, OPEN_GRAPH, QUESTION
from tests.certificate_records import csv_of, forged, sealed, verify
from tests.determined import question, scored

import evenhand as eh
from evenhand import checker
from evenhand.checker.partition_claims import GroupComparisons
from evenhand.checker.rule_claims import (
    check_edits,
    check_without,
    determines,
    edited_links,
    is_protected,
    people_by,
    right_outcome,
)
from evenhand.question import GraphEdit

TABLE = scored()
SCORED = eh.CausalGraph.parse("sex -> risk; education -> risk; education -> score")
RULED = eh.CausalGraph.parse("score -> risk; education -> score; sex -> score")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "scored.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE)
        writer.writerows(zip(*TABLE.values(), strict=True))
    return str(path)


def record(graph, data, **more):
    return json.loads(eh.audit(data, question(**more), graph=graph).certificate.to_json())


def answer(content, data=None):
    found = checker.verify(sealed(content), data)
    return found.status, " ".join(found.notes)


@pytest.mark.parametrize("seed", range(20))
def test_what_determines_agrees_with_a_loop_over_people(seed):
    rng = np.random.default_rng(seed)
    groups = 2 + seed % 3
    people = {(str(at),): [[0, 0, 0] for _ in range(groups)] for at in range(4)}
    rows = defaultdict(list)
    for _ in range(rng.integers(3, 30)):
        value, group = rng.integers(0, 4), rng.integers(0, groups)
        decision = (int(value > 1) + int(value > 2) + int(rng.random() < 0.03)) % 3
        people[str(value),][group][decision] += 1
        rows[value].append(decision)
    often = [d for found in rows.values() for d in found if len(found) > 1]
    every = sum(map(len, rows.values()))
    expected = (
        all(len({*found}) == 1 for found in rows.values())
        and len(often) / every >= 0.9
        and len({*often}) > 1
    )
    table = {value: (*map(tuple, n),) for value, n in people.items() if any(map(any, n))}
    assert determines(table) is expected


def test_people_by_some_values_and_the_protected_attribute_in_other_words():
    table = {
        ("a", "x"): ((1, 2), (0, 0)),
        ("a", "y"): ((4, 0), (0, 0)),
        ("b", "x"): ((0, 0), (3, 1)),
    }
    by_first = people_by(table, ["a", "b"], ["a"])
    assert by_first == {("a",): ((5, 2), (0, 0)), ("b",): ((0, 0), (3, 1))}
    assert table["a", "x"] == ((1, 2), (0, 0))
    assert is_protected(by_first)
    assert not is_protected(people_by(table, ["a", "b"], ["b"]))
    two_in_one = {("x",): ((1, 0), (1, 0), (0, 0)), ("y",): ((0, 0), (0, 0), (1, 0))}
    assert not is_protected(two_in_one)


def test_a_column_outside_the_partitions_is_stated_or_counted(data):
    content = record(SCORED, data)
    assert content["rules"] == {"declared": [], "determining": ["score"]}
    assert answer(content) == (0, "")
    assert answer(content, data)[0] == 0
    content["rules"]["determining"] = []
    content |= {"verdict": "not certified"}
    assert "rules.determining" in checker.verify(sealed(content)).stated
    status, notes = answer(content, data)
    assert status == 1
    assert "rules.determining" in notes
    assert "verdict" in notes


def test_a_declared_rule_with_an_exception_in_the_data_is_found(data, tmp_path):
    content = record(RULED, data, rule=["score"])
    path = tmp_path / "data.csv"
    columns = scored(exceptions=1)
    lines = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(map(",".join, lines)))
    status, notes = answer(content, str(path))
    assert (status, "rules.declared: ['score'] do not determine" in notes) == (1, True)


def test_a_shared_copy_withholds_the_verdict_under_a_rule(data):
    audit = eh.audit(data, question(rule=["score"]), graph=RULED)
    text = audit.certificate.to_shared_json()
    assert [checker.verify(text, given)[0] for given in (None, data)] == [3, 0]
    content = json.loads(text)
    assert content["verdict"] == "withheld"
    content["verdict"] = "not certified"
    assert checker.verify(sealed(content), data)[0] == 1


def test_that_there_is_no_record_without_the_rule_is_stated(data):
    content = record(RULED, data, rule=["score"])
    del content["rules"]["without"]
    stated = checker.verify(sealed(content)).stated
    assert stated["rules.without"] == "that there is none: the graph leaves it open"


@pytest.fixture(scope="module")
def predicted(tmp_path_factory):
    """People whose predictions the score alone determines, in a file."""
    path = tmp_path_factory.mktemp("predicted") / "scored.csv"
    said = ["low" if int(score) < 5 else "high" for score in TABLE["score"]]
    columns = {**TABLE, "said": said}
    path.write_text("\n".join(map(",".join, [columns, *zip(*columns.values(), strict=True)])))
    return str(path)


@pytest.mark.parametrize("rule", [(), ("score",)])
def test_a_column_may_determine_predictions(predicted, rule):
    asked = question(rule=rule)
    found = eh.audit_predictions(predicted, "said", asked, graph=RULED).certificate
    content = json.loads(found.to_json())
    assert content["rules"]["determining"] == []
    assert str(found.verdict) == ("cannot decide" if rule else "certified")
    for data in (None, predicted):
        assert answer(content, data) == (0, "")
        assert "rules.determining" not in checker.verify(sealed(content), data).stated
    content["rules"]["determining"] = ["score"]
    status, notes = answer(content)
    assert (status, "rules.determining" in notes) == (1, True)


YES, NO = [1, 0, 0, 0], [0, 1, 0, 0]


def table_of(**counts):
    return {(name,): ((*four[:2],), (*four[2:],)) for name, four in counts.items()}


@pytest.mark.parametrize(
    ("table", "is_one"),
    [
        (table_of(a=[5, 0, 0, 0], b=[0, 2, 0, 2], c=YES), True),  # nine of ten are alike
        (table_of(a=[4, 0, 0, 0], b=[0, 2, 0, 2], c=YES), False),  # eight of nine
        (table_of(a=[9, 0, 0, 0], b=NO), False),  # of those alike nobody was refused
        (table_of(a=[0, 9, 0, 0], b=YES), False),
        (table_of(a=[4, 0, 1, 1], b=[0, 5, 0, 0]), False),  # an exception
        (table_of(a=[3, 0, 0, 0], b=[3, 0, 0, 0], c=[0, 3, 0, 0], d=YES), True),
        (
            table_of(a=[0, 8, 0, 0], b=[9, 0, 0, 0], c=YES, d=YES),
            False,
        ),  # seventeen of nineteen
    ],
)
def test_a_rule_has_no_exception_and_enough_people_alike(table, is_one):
    assert determines(table) == is_one


def test_the_record_without_a_rule_has_no_column_that_was_left_out():
    same = dict.fromkeys(("format", "copy", "question", "pooled", "codings", "scope"), "x")
    record = same | {"rules": {"without": {"left_out": ["score"]}}}
    assert check_without(record, same | {"graph": {"nodes": ["sex", "town"]}}) == []
    assert check_without(record, same | {"graph": {"nodes": ["sex", "score"]}}) == [
        "rules.without.record.graph: it has what was left out"
    ]


COUNTS = eh.datasets.admissions(2)
SMALL = eh.CausalGraph.parse("gender -> major; gender -> admission; test_score -> admission")


def edited_record(graph=SMALL, edit="add major -> admission: it was read", **settings):
    made = [GraphEdit.parse(*edit.split(maxsplit=1))]
    found = eh.audit(COUNTS, QUESTION, graph=graph, edits=made, **settings)
    return found.certificate


def edges(arrows, undirected=()):
    return {"arrows": arrows, "undirected": [*undirected], "doubtful": []}


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
    content, compared = parts(edited_record())
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
    certificate = edited_record(OPEN_GRAPH, "remove test_score -> admission: it was not read")
    content, compared = parts(certificate)
    names = ["major", "test_score"]
    assert right_outcome(content, [(names, {})], compared) == {}
    right, errors, stated = check_edits(content, [(names, {})], compared)
    assert (right, errors) == (content["graph"]["origin"]["unedited"], [])
    assert stated["graph.origin.unedited"].endswith("and what it gives")
    assert verify(certificate.to_json()) == (0, [])


def test_a_column_that_was_not_counted_may_leave_it_open():
    content, compared = parts(edited_record())
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
    text = edited_record().to_json()
    assert forged(lambda d: d["variants"].update(graphs=5), text) == (0, [])
    content = json.loads(text)
    content["variants"]["graphs"] = 5
    stated = checker.verify(sealed(content)).stated
    assert stated["variants.graphs"] == "how many graphs were judged: 5"
