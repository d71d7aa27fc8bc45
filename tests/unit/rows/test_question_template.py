"""The text of a question file: what is drafted stands in it, the rest is comment."""

import tomllib

import pyarrow as pa
import pytest
from tests import several_groups

from evenhand import Codings, Question, QuestionFile, read
from evenhand.errors import QuestionError
from evenhand.rows.question_draft import QuestionDraft
from evenhand.rows.question_template import template

ORDER = [*several_groups.ORDER]
ODD = 'odd"\n[x]'
TABLE = pa.table(
    {
        "sex": ["f", "m", "m"] * 40,
        "age": [str(20 + at % 31) for at in range(120)],
        "id": [f"p{at}" for at in range(120)],
        ODD: ["]\n[question]", "y"] * 60,
        "hired": ["no", "yes", "no", "no", "yes"] * 24,
    }
)


def text(codings=None, **given):
    codings = codings or Codings()
    inspection = read(TABLE, codings=codings).inspect(
        decision=given.get("decision"), protected=given.get("protected")
    )
    return template(QuestionDraft(inspection, given, codings), data="people.csv")


def test_a_template_lacks_only_what_a_question_needs():
    with pytest.raises(QuestionError) as caught:
        QuestionFile.parse(text())
    assert len(caught.value.problems) == 1
    assert "'protected', 'decision', 'favorable'" in str(caught.value)


def test_with_two_columns_named_it_is_complete():
    asked = QuestionFile.parse(text(protected="sex", decision="hired"))
    assert asked.question.to_dict() == {
        "protected": "sex",
        "group": "f",
        "decision": "hired",
        "favorable": "yes",
        "threshold": "1/20",
    }
    assert asked.codings == Codings.of(exclude=["id"], bins={"age": [30, 40]})
    assert asked.knowledge.tiers is None


def test_comments_can_be_taken_away():
    whole = text(protected="sex", decision="hired")
    assert '\n# tiers = [["sex", "age"], ["*"], ["hired"]]\n' in whole
    head, _, labels = whole.partition("[labels.columns]\n")
    head = head.replace("# tiers", "tiers").replace("# require", "require")
    content = tomllib.loads(f"{head}[labels.columns]\n{labels.replace('# ', '')}")
    assert content["knowledge"]["tiers"] == [["sex", "age"], ["*"], ["hired"]]
    assert content["labels"]["columns"] == {"sex": "words for sex", ODD: f"words for {ODD}"}
    assert content["labels"]["values"] == {"sex": {"m": "words for m", "f": "words for f"}}


def test_odd_names_and_values_stay_inside_their_comments():
    whole = text(protected="sex", decision="hired")
    assert [*tomllib.loads(whole)] == ["question", "knowledge", "data", "labels"]


def test_what_was_given_is_written_down():
    codings = Codings.of(
        columns=["sex", "age", "hired"],
        bins={"age": [37]},
        merge={"hired": {"maybe": ["no"]}},
        missing="level",
        na=["-"],
        delimiter=";",
    )
    whole = text(codings, protected="sex", group="m", decision="hired", threshold="0.1")
    asked = QuestionFile.parse(whole)
    assert asked.codings == codings
    without = QuestionFile.parse(
        text(Codings.of(exclude=["age"]), protected="sex", decision="hired")
    )
    assert without.codings.exclude == ("age", "id")
    assert asked.question.group == "m"
    assert asked.question.threshold.denominator == 10


def test_the_reasons_stand_beside_what_is_left_out():
    assert '  "id",  # an identifier: 120 values in 120 rows\n' in text()


def made_from(**columns):
    people = {name: TABLE[name] for name in ("sex", "hired")}
    given = {"protected": "sex", "decision": "hired"}
    inspection = read(pa.table({**people, **columns})).inspect(**given)
    return template(QuestionDraft(inspection, given, Codings()), data="people.csv")


def test_rows_and_fields_that_lack_a_value_are_not_mixed_up():
    gone = [None, "a", "b", "c"] * 30
    said = made_from(one=gone, two=["x", *gone[1:]], three=["?", "yes", "no"] * 40)
    assert 'missing = "level"  # up to 30 rows lack a value; makes that a value' in said
    assert '# na = ["?"]  # if these fields are empty: "?" (40)' in said
    assert "lack a value" not in made_from()


def test_other_classes_are_announced_only_where_there_are_some():
    said = made_from(gift=[0] * 100 + [*range(1, 21)], age=[*range(20, 80)] * 2)
    gift, _, age = said.partition("gift = [0]\n")[2].partition("age = ")
    assert gift == "# 21 values.\n"
    assert "60 values. Also:\n#   [" in age


def test_blanks_around_names_do_not_reach_sentences():
    table = pa.table(
        {
            " sex": [" f", " m", " m"] * 40,
            "town ": ["a ", "b"] * 60,
            " plain": ["x", "y", "y", "z"] * 30,
            "plain": ["x", "y", "z"] * 40,
            "hired": ["no", "yes", "no", "no", "yes"] * 24,
        }
    )
    given = {"protected": " sex", "decision": "hired"}
    draft = QuestionDraft(read(table).inspect(**given), given, Codings())
    labels = QuestionFile.parse(template(draft, data="people.csv")).labels
    assert labels.columns == {" sex": "sex", "town ": "town"}  # two columns would be "plain"
    assert not labels.values  # such a label would stand for the whole group: "f are ahead"


@pytest.mark.parametrize(
    "given",
    [
        {"protected": "race", "favorable": "Low"},
        {"protected": "race", "favorable": ["Low", "Medium"], "order": ORDER},
        {"protected": "race", "criterion": "every", "min_rows": 7},
        {"protected": ["sex", "race"], "criterion": "cumulative", "order": ORDER},
        {"protected": ["sex", "race"], "favorable": "Low", "other": "f & a", "rule": ["town"]},
    ],
)
def test_groups_and_values_that_were_given_are_asked_about(given):
    rows = read(pa.table(several_groups.people()), codings=several_groups.CODINGS)
    given = given | {"decision": "score"}
    protected = given["protected"]
    inspection = rows.inspect(
        decision="score", protected=protected if isinstance(protected, str) else protected[0]
    )
    draft = QuestionDraft(inspection, given, several_groups.CODINGS)
    asked = QuestionFile.parse(template(draft, data="people.csv")).question
    assert asked == Question(**given) == draft.question()


def test_of_three_groups_no_group_is_written_and_of_two_one():
    table = pa.table(several_groups.people())
    for protected, two in (("race", False), ("sex", True), ("town", True)):
        inspection = read(table, codings=several_groups.CODINGS).inspect(
            decision="score", protected=protected
        )
        given = {"protected": protected, "decision": "score", "favorable": "1"}
        draft = QuestionDraft(inspection, given, several_groups.CODINGS)
        asked = QuestionFile.parse(template(draft, data="people.csv")).question
        column = table[protected].to_pylist()
        assert asked.group == (min({*column}, key=column.count) if two else None)
        assert asked.other is None
