"""Rows read, dropped, left out and examined."""

import json

import pytest
from tests.admission import GRAPH, QUESTION
from tests.certificate_records import CERTIFICATE, csv_of, forged, sealed, verify

from evenhand import datasets
from evenhand.checker.digest_claims import digest
from evenhand.checker.row_claims import sum_tables
from evenhand.checker.subpopulation_claims import judge, read_table
from evenhand.evidence import certify


def fewer_than_no_rows(document):
    document["rows"]["dropped"] -= 5
    document["rows"]["read"] -= 5


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
        document["question"][name] = value
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
            entry.update(judge(read_table(entry), document["question"]), verdict="certified")
            entry["digest"] = digest(document["question"], entry["names"], read_table(entry))
            chance = {"expected": "0", "rows": "0", "p": "1", "lower": 0, "upper": 0}
            if entry["subpopulations"]["measured"]:
                entry["subpopulations"]["by_chance"] = {**chance, "at_threshold": "0"}

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


@pytest.mark.parametrize("forgery", [fewer_than_no_rows])
def test_a_forgery_is_found_though_sealed(forgery):
    text = certify(datasets.admissions(1), GRAPH, QUESTION, scope="all").to_json()
    assert verify(text) == (0, [])
    status, notes = forged(forgery, text)
    assert status == 1
    assert notes


def test_the_rows_read_are_those_examined_dropped_and_left_out():
    tables = [{("a",): [1, 2, 3, 4]}, {("b",): [3, 3, 3, 3]}]
    rows = {"dropped": 5, "left_out": 7}
    assert sum_tables(rows, tables[:1]) == rows | {"read": 22, "examined": 10}
    assert sum_tables(rows, tables) == rows | {"read": 22, "examined": [10, 12]}


@pytest.mark.parametrize("place", ["question", "pooled"])
def test_a_shared_copy_that_names_an_unfavorable_decision_is_found(place):
    text = certify(datasets.admissions(1), GRAPH, QUESTION).to_shared_json(least_count=1)
    assert verify(text)[0] == 3

    def named(document):
        document[place]["unfavorable"] = "rejected" if place == "question" else False

    status, notes = forged(named, text)
    assert status == 1
    assert any("in a shared copy it is 'not admitted'" in note for note in notes)
