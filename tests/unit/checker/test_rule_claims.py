"""What the checker makes of rules: from tables alone, and against the data."""

import csv
import json
from collections import defaultdict

import numpy as np
import pytest
from tests.certificate_records import forged, sealed
from tests.determined import question, scored

import evenhand as eh
from evenhand import checker
from evenhand.checker.rule_claims import check_without, determines, is_protected, people_by

TABLE = scored()
GRAPH = eh.CausalGraph.parse("sex -> risk; education -> risk; education -> score")
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
    content = record(GRAPH, data)
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


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda rules: rules.update(declared=["education"]), "rules.declared"),
        (lambda rules: rules.update(declared=[]), "verdict"),
        (lambda rules: rules.update(determining=[]), "rules.determining"),
        (lambda rules: rules["without"].update(left_out=[]), "rules.without.left_out"),
        (lambda rules: rules["without"].update(verdict="certified"), "rules.without.verdict"),
        (
            lambda rules: rules["without"]["record"]["question"].update(threshold="1/2"),
            "rules.without.record.question",
        ),
        (
            lambda rules: rules["without"]["record"].update(verdict="certified"),
            "rules.without.record: verdict",
        ),
        (lambda rules: rules.update(surprise=1), "rules.surprise"),
    ],
)
def test_altered_rules_are_found(data, change, where):
    content = record(RULED, data, rule=["score"])
    assert answer(content) == (0, "")
    change(content["rules"])
    # Whoever declares nothing must say that something else leaves nothing to compare.
    if where == "verdict":
        content["verdict"] = "certified"
    status, notes = answer(content)
    assert status == 1
    assert where in notes


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


def test_a_column_that_is_the_two_groups_is_the_protected_attribute():
    assert is_protected(table_of(f=[2, 2, 0, 0], m=[0, 0, 3, 3]))
    assert not is_protected(table_of(f=[2, 2, 0, 1], m=[0, 0, 3, 3]))
    assert not is_protected(table_of(f=[2, 2, 0, 0], g=[1, 0, 0, 0], m=[0, 0, 3, 3]))


def test_the_record_without_a_rule_has_no_column_that_was_left_out():
    same = dict.fromkeys(("format", "copy", "question", "pooled", "codings", "scope"), "x")
    record = same | {"rules": {"without": {"left_out": ["score"]}}}
    assert check_without(record, same | {"graph": {"nodes": ["sex", "town"]}}) == []
    assert check_without(record, same | {"graph": {"nodes": ["sex", "score"]}}) == [
        "rules.without.record.graph: it has what was left out"
    ]


@pytest.mark.parametrize("number", [-1, "1", None, True])
@pytest.mark.parametrize("name", ["arrows", "classes"])
def test_a_number_of_variants_is_a_count(name, number):
    status, notes = forged(lambda document: document["variants"].update({name: number}))
    assert status == 1
    assert "are no counts" in notes[0]
