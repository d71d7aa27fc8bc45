"""Rows: how many there are, and how a release was made."""

import json

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import (
    CERTIFICATE,
    CERTIFIED,
    compared,
    csv_of,
    forged,
    sealed,
    verify,
)
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted, csv_text

import evenhand as eh
from evenhand import datasets
from evenhand.checker.partition_claims import GroupComparisons, digest, judge, read_table
from evenhand.checker.row_claims import absent_values, count_people, row_errors, sum_tables
from evenhand.evidence import certify


def test_one_altered_decision_in_the_data_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    assert verify(CERTIFICATE.to_json(), str(path)) == (0, [])
    text = path.read_text().replace("male,EE,L,admitted", "male,EE,L,rejected", 1)
    path.write_text(text)
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert any(note.startswith("partitions[0].table[3][2]: it says 240") for note in notes)


def test_a_decision_nobody_knows_is_found_by_its_line(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    lines = path.read_text().splitlines()
    lines[-1] = lines[-1].replace("rejected", "refused")
    path.write_text("\n".join(lines))
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert f"line {len(lines)}" in notes[0]


def test_a_lost_line_of_the_data_is_found(tmp_path):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    path.write_text("\n".join(path.read_text().splitlines()[:-1]))
    status, notes = verify(CERTIFICATE.to_json(), str(path))
    assert status == 1
    assert any(note.startswith("rows.read: it says 2200") for note in notes)


def nobody_has(name, value):
    """A forgery that asks about a value that nobody has, and so certifies everything."""

    def forgery(document):
        question = document["question"]
        question[name] = value
        question["groups"] = [question["group"], question["other"]]
        question["decisions"][0] = question["favorable"]
        asked = GroupComparisons(question)
        document["pooled"]["unfavorable"] = name == "favorable"
        document.update(verdict="certified", reasons=[])
        for entry in document["partitions"]:
            for line in entry["table"]:
                a, b, c, d = line[-5:-1]
                line[-5:] = {
                    "favorable": [0, a + b, 0, c + d, "0"],
                    "group": [0, 0, a + c, b + d, None],
                    "other": [a + c, b + d, 0, 0, None],
                }[name]
            table = read_table(entry, asked)
            entry.update(judge(table, asked), verdict="certified")
            entry["digest"] = digest(asked, "admission", entry["names"], table)
            chance = {"expected": "0", "rows": "0", "p": "1", "lower": 0, "upper": 0}
            if entry["subpopulations"]["measured"]:
                entry["subpopulations"]["by_chance"] = chance

    return forgery


@pytest.mark.parametrize("name", ["group", "other", "favorable"])
def test_a_value_that_nobody_has_is_found_with_and_without_the_data(tmp_path, name):
    path = csv_of(datasets.admissions(2), tmp_path / "data.csv")
    document = json.loads(CERTIFICATE.to_json())
    nobody_has(name, "nosuch")(document)
    for data in (None, path):
        status, notes = verify(sealed(document), data)
        assert status == 1
        assert f"question.{name}: nobody has 'nosuch'" in notes


def test_groups_and_values_that_nobody_has_are_named_by_what_they_are():
    asked = {"group": None, "other": None, "groups": ["a", "b", "c"]}
    asked |= {"favorable": None, "criterion": "every", "decisions": ["x", "y", "z"]}
    table = {("p",): ((1, 0, 0), (0, 0, 0), (0, 0, 2)), ("q",): ((1, 0, 0), (0,) * 3, (0,) * 3)}
    assert absent_values(compared(**asked), table) == [
        "question.groups: nobody has 'b'",
        "question.decisions: nobody has 'y'",
    ]
    assert len(absent_values(compared(**asked), {})) == 6
    # Of an order some may occur in groups alone that are not compared.
    asked |= {"criterion": "cumulative", "order": ["x", "y", "z"]}
    assert absent_values(compared(**asked), table) == ["question.groups: nobody has 'b'"]
    # That all of two groups got the favorable decision is no error.
    assert absent_values(compared(), {("p",): ((1, 0), (2, 0))}) == []


@pytest.mark.parametrize("name", ["pairs", "reference", "crossed"])
def test_a_group_of_the_data_that_is_not_compared_is_found(tmp_path, name):
    path = tmp_path / "data.csv"
    codings = eh.Codings.of(frequency="n")
    text = certify(counted(), GROUPS, QUESTIONS[name], codings=codings).to_json()
    path.write_text(csv_text())
    assert verify(text, path) == (0, [])
    path.write_text(csv_text() + "f,d,x,Low,1\n")
    status, notes = verify(text, path)
    assert status == 1
    assert "line 44: the group '" in notes[0]
    assert "rows.left_out: it says 0, but should say 1" in notes


def test_the_rows_read_are_those_examined_dropped_and_left_out():
    tables = [{("a",): ((1, 2), (3, 4))}, {("b",): ((3, 3, 3), (3, 0, 0))}]
    rows = {"dropped": 5, "left_out": 7}
    assert count_people({("a",): ((1, 2), (3, 4)), ("b",): ((1, 2), (3, 4))}) == 20
    assert sum_tables(rows, tables[:1]) == rows | {"read": 22, "examined": 10}
    assert sum_tables(rows, tables) == rows | {"read": 22, "examined": [10, 12]}


COUNTS = datasets.admissions(2)


def test_a_release_forged_onto_original_rows_needs_more_than_the_block():
    plan = eh.ModifyData().plan(certify(datasets.admissions(2), GRAPH, QUESTION))
    made = eh.release(datasets.admissions(2), plan, seed=1).certificate
    block = json.loads(made.to_json())["release"]
    status, notes = forged(lambda document: document.update(release=block), CERTIFIED.to_json())
    assert status == 1
    assert {note.split(":")[0] for note in notes} == {
        "assumptions",
        "partitions[0].subpopulations.by_chance",
    }


@pytest.mark.parametrize(
    ("columns", "changed", "is_false"),
    [
        ([], 0, False),
        ([], 1, True),
        (["hired"], 0, True),
        (["hired"], 1, False),
        (["hired"], 10, False),
        (["hired"], 11, True),
    ],
)
def test_rows_change_where_columns_do_and_no_more_than_there_are(columns, changed, is_false):
    release = {"change": "edited", "changed_columns": columns, "changed_rows": changed}
    release |= {"dropped_before": 0, "left_out_before": 0}
    errors = row_errors(release, {"examined": 10, "dropped": 0, "left_out": 0})
    assert any(errors.values()) == is_false
