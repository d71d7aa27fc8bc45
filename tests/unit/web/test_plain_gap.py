"""The plain gap equals a recount of the file, and what an audit's known measures say."""

import csv
from collections import Counter

import pytest
from tests.web_sessions import open_session

import evenhand as eh
from evenhand.evidence.known_measures import known_measures
from evenhand.question import QuestionFile
from evenhand.web.question_parts import value_rows
from evenhand.web.question_screen import plain_gap

HEADER = ["group", "job", "hired"]
ROWS = [
    *([["a", "x", "yes"]] * 30 + [["a", "y", "no"]] * 20 + [["a", "", "yes"]] * 5),
    *([["b", "x", "yes"]] * 10 + [["b", "y", "no"]] * 40 + [["b", "", "no"]] * 3),
    *([["c", "x", "yes"]] * 25 + [["c", "y", "no"]] * 25),
]


@pytest.fixture
def people(tmp_path):
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *ROWS])
    return tmp_path


def asked(**question):
    return {"question": {"protected": "group", "decision": "hired", **question}}


def gap_of(folder, tables):
    session = open_session(folder, "people.csv")
    session.replace_tables(tables)
    return plain_gap(session.rows, QuestionFile.from_tables(tables))


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_shares_equal_a_recount_of_the_file(people, missing):
    tables = asked(favorable="yes", group="b", other="a") | {"data": {"missing": missing}}
    gap = gap_of(people, tables)
    rows = [row for row in ROWS if row[1] or missing == "level"]
    counted = Counter((row[0], row[2] == "yes") for row in rows)
    assert [tuple(of) for _, _, *of in gap.bars] == [
        (counted[who, True], counted[who, True] + counted[who, False]) for who in "ba"
    ]
    rates = {
        who: counted[who, True] / (counted[who, True] + counted[who, False]) for who in "ab"
    }
    assert float(gap.gap) == pytest.approx(100 * (rates["a"] - rates["b"]), abs=0.051)
    assert gap.left_out == len(ROWS) - sum(row[0] in "ab" for row in rows)


def test_the_gap_is_that_of_an_audit(people):
    tables = asked(favorable="yes") | {"data": {"missing": "drop"}}
    file = QuestionFile.from_tables(tables)
    audit = eh.audit(
        people / "people.csv", file, knowledge=eh.Tiers(["group"], ["job"], ["hired"])
    )
    known = known_measures(audit.certificate.examined, (), causes=())
    gap = gap_of(people, tables)
    assert float(gap.gap) == pytest.approx(abs(100 * float(known["gap"].value)), abs=0.051)
    assert gap.pair == "group = a minus group = b"
    assert [who for who, *_ in gap.bars] == ["group = b", "group = c", "group = a"]


def test_every_value_is_compared_and_the_leading_one_shown(people):
    gap = gap_of(people, asked(criterion="every") | {"data": {"missing": "level"}})
    assert gap.rates == 0  # of two values one rate says all
    gap = gap_of(
        people,
        {
            "question": {"protected": "group", "decision": "job", "criterion": "every"},
            "data": {"missing": "level"},
        },
    )
    assert gap.rates == 2


def test_values_come_with_their_rows_what_is_missing_last(people):
    session = open_session(people, "people.csv")
    session.replace_tables({"data": {"missing": "level"}})
    assert value_rows(session.rows, "job") == {"y": 85, "x": 65, "(missing)": 8}


def test_a_gap_is_never_negative(people):
    one = gap_of(people, asked(favorable="yes", group="b", other="a"))
    other = gap_of(people, asked(favorable="yes", group="a", other="b"))
    assert (one.gap, one.pair) == (other.gap, other.pair)
    assert not one.gap.startswith("−")
    assert one.title == "Share who had “hired = yes”"
