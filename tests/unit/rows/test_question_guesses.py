import json

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import ColumnError
from evenhand.question.fields import parse_setting, with_typed
from evenhand.rows.question_guesses import completed

TABLE = pd.DataFrame(
    {
        "id": range(400),
        "sex": ["f", "m"] * 200,
        "pay": [at * 7 % 97 for at in range(400)],
        "grade": ["low", "mid", "high", "mid"] * 100,
        "hired": ["yes", "no", "no", "yes"] * 100,
    }
)


def test_a_draft_is_a_question_file_that_an_audit_takes_and_records():
    asked = eh.draft(TABLE, protected="sex", decision="hired")
    assert (asked.question.group, asked.question.favorable) == ("m", "yes")
    assert [one.argument for one in asked.guesses] == [
        "favorable",
        "group",
        "exclude",
        "bins",
        "tiers",
    ]
    audit = eh.audit(TABLE, asked)
    assert audit.rows.left_out == ("id",)
    guesses = json.loads(audit.certificate.to_json())["guesses"]
    assert {*guesses} == {"group", "favorable", "exclude", "bins"}
    shared = json.loads(audit.certificate.to_shared_json())
    assert shared["guesses"] == guesses
    released = audit.release(seed=1, uncertified=True)
    assert json.loads(released.certificate.to_json())["guesses"] == guesses


def test_the_values_of_guesses_typed_again_give_the_same_file():
    asked = eh.draft(TABLE, protected="sex", decision="hired")
    typed = [
        (field, value)
        for one in asked.guesses
        if one.is_taken
        for text in one.texts
        for mark in ["." if one.argument == "bins" else "="]
        for field, value in [parse_setting(f"{one.argument}{mark}{text}")]
    ]
    said = {"question": {"protected": "sex", "decision": "hired"}}
    again = eh.QuestionFile.from_tables(with_typed(said, typed))
    assert again.codings == asked.codings
    assert again.question == asked.question


def test_what_is_said_is_not_guessed_and_what_is_named_is_kept():
    asked = eh.draft(
        TABLE,
        protected="sex",
        decision="hired",
        group="f",
        rule=("id",),
        codings=eh.Codings.of(bins={"pay": [50]}),
    )
    assert {one.argument for one in asked.guesses} == {"favorable", "tiers"}
    assert asked.codings.to_dict()["bins"] == {"pay": ["50"]}


@pytest.mark.parametrize("rule", ["error", "drop", "level"])
def test_a_rule_for_missing_values_that_was_given_is_kept(rule):
    table = TABLE.assign(grade=["", *TABLE["grade"][1:]])
    said = {"protected": "sex", "decision": "hired"}
    filled, guesses = completed(eh.read(table), {"question": said, "data": {"missing": rule}})
    assert filled["data"]["missing"] == rule
    assert "missing" not in {one.argument for one in guesses}


@pytest.mark.parametrize("other", ["1.0", "2"])
def test_another_group_that_was_given_is_not_compared_with_itself(other):
    table = TABLE[:-1]  # so that one of the two is less frequent
    table = table.assign(sex=table["sex"].map({"f": "1.0", "m": "2"}))
    asked = eh.draft(table, protected="sex", decision="hired", other=other)
    assert (asked.question.group, asked.question.other) == (None, other.removesuffix(".0"))


def test_a_copy_of_a_column_that_is_left_out_does_not_take_its_place():
    table = TABLE.assign(twice=2 * TABLE["pay"])
    for left_out, copy in (("pay", "twice"), ("twice", "pay")):
        codings = eh.Codings.of(exclude=[left_out])
        asked = eh.draft(table, protected="sex", decision="hired", codings=codings)
        (guess,) = [one for one in asked.guesses if one.argument == "exclude"]
        assert guess.value == ["id", copy]
        assert f"{copy!r} (says the same as {left_out!r}, which is left out)" in guess.why


def test_a_number_that_an_order_names_is_kept_and_put_into_classes():
    tables = {
        "question": {"protected": "sex", "decision": "hired"},
        "knowledge": {"tiers": [["sex"], ["id", "pay"], ["hired"]]},
    }
    filled, guesses = completed(eh.read(TABLE), tables)
    assert "pay" in filled["data"]["bins"]
    assert "exclude" not in {one.argument for one in guesses}


def test_nobody_guesses_which_of_many_values_is_good():
    asked = eh.draft(
        TABLE.assign(grade=["x", "q", "z", "q"] * 100), protected="sex", decision="grade"
    )
    assert asked.question.criterion == "every"
    assert "nothing speaks for any" in str(asked.guesses)


def test_a_column_that_may_count_people_is_asked_about_and_not_taken():
    lines = [(s, a, h) for s in "fm" for a in "abcd" for h in ("yes", "no")]
    table = pd.DataFrame(lines, columns=["sex", "town", "hired"])
    table["many"] = [3 + at * at for at in range(len(lines))]
    asked = eh.draft(table, protected="sex", decision="hired")
    (guess,) = [one for one in asked.guesses if one.argument == "frequency"]
    assert asked.codings.frequency is None
    assert guess.asked(asked.question).remedies[0].value == "many"
    counted = eh.Codings.of(frequency="many")
    again = eh.draft(table, protected="sex", decision="hired", codings=counted)
    assert again.codings.frequency == "many"
    assert "frequency" not in {one.argument for one in again.guesses}


def test_columns_that_are_not_there_are_refused():
    with pytest.raises(ColumnError, match="Did you mean 'sex'"):
        eh.draft(TABLE, protected="sx", decision="hired")


@pytest.mark.parametrize("judge", ["rows"])
def test_a_question_that_is_complete_in_python_is_not_changed(judge):
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    audit = eh.audit(TABLE[["sex", "grade", "hired"]], asked, judge=judge)
    assert audit.to_dict()["guesses"] == []
    assert "guesses" not in json.loads(audit.certificate.to_json())
