"""A pass mark in a number is never lost in classes; where the column is left out it is told."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.people_in_engines import in_duckdb, quiet

from evenhand import Codings, Question, Verdict, audit, read
from evenhand.rows.inspect.question_draft import draft

ROWS = 118
RANDOM = np.random.default_rng(5)
SCORES = RANDOM.normal(70, 10, ROWS).round(3)
TABLE = pa.table(
    {
        "race": RANDOM.choice(["B", "W"], ROWS),
        "oral": RANDOM.integers(50, 90, ROWS),
        "score": SCORES,
        "promoted": (SCORES >= 70).astype(int),
    }
)
ASKED = Question(protected="race", group="B", decision="promoted", favorable="1")
ORAL = {"oral": [65, 75]}


@pytest.mark.parametrize("classes", [[60, 80], 3, [60, ">=70", 80], ["up to 60", "over 60"]])
def test_what_a_mark_decides_is_not_decided_again_in_classes(classes):
    found = audit(TABLE, ASKED, bins={"score": classes, **ORAL})
    assert found.verdict is Verdict.CANNOT_DECIDE
    assert found.certificate.determined_by == ("score",)
    assert str(found.answer.word) == "Cannot tell"
    assert "'score' >= 70 alone determines 'promoted'" in str(found)
    cuts = found.rows.codings.bins["score"].boundaries
    assert cuts.count((Fraction(70), False)) == 1


@quiet
def test_a_table_in_an_engine_is_looked_at_too():
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    classes = {"score": [60, 80], **ORAL}
    found = audit(in_duckdb(ibis, TABLE), ASKED, bins=classes)
    assert found.certificate.determined_by == ("score",)


def test_a_mark_in_a_column_that_is_left_out_is_told():
    found = audit(TABLE, ASKED, bins=ORAL, exclude=["score"])
    assert found.certificate.determined_by == ()
    assert "'score' >= 70 alone determines 'promoted', without exception" in str(found)


def test_classes_of_other_numbers_and_of_what_is_asked_about_stay_as_they_are():
    one = read(TABLE.set_column(2, "score", pa.array(SCORES[::-1])), bins={"score": [60, 80]})
    assert one.with_pass_marks(ASKED).codings == one.codings
    paid = Question(protected="race", decision="score", favorable="over 70")
    same = read(TABLE, bins={"score": [70], "oral": [70]})
    assert same.with_pass_marks(paid).codings == same.codings


def test_few_numbers_need_no_classes_to_keep_a_mark():
    table = pa.table({"race": ["B", "W"] * 60, "action": [1, 2, 3] * 40, "no": [0, 0, 1] * 40})
    made = draft(read(table).inspect, {"protected": "race", "decision": "no"}, Codings())
    assert made.inspection.findings[0].numbers["marks"] == {"action": [">=3"]}
    assert not made.bins


def test_inspect_draft_and_audit_agree_about_the_mark():
    rows = read(TABLE)
    inspection = rows.inspect(ASKED)
    assert inspection.findings[0].numbers["marks"] == {"score": [">=70"]}
    made = draft(rows.inspect, {"protected": "race", "decision": "promoted"}, Codings())
    assert made.bins["score"] == [">=70"]
    assert "score" not in made.excluded
    bins = {guess.argument: guess.value for guess in made.guesses}["bins"]
    assert audit(TABLE, ASKED, bins=bins).verdict is Verdict.CANNOT_DECIDE
