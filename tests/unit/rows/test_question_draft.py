"""What a question file should say: each suggestion follows a stated rule."""

import tomllib

import pyarrow as pa
import pytest
from tests import several_groups
from tests.staff import staff_csv

from evenhand import Codings, Question, QuestionFile, read
from evenhand.errors import QuestionError
from evenhand.rows.inspect import question_draft
from evenhand.rows.inspect.question_draft import QuestionDraft, template

ROWS = 240
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


def draft(columns, codings=None, **given):
    codings = codings or Codings()
    rows = read(
        columns if isinstance(columns, pa.Table) else pa.table(columns), codings=codings
    )
    named = {role: given.get(role) for role in ("decision", "protected")}
    return QuestionDraft(rows.inspect(**named), given, codings)


def table(**columns):
    return {
        "sex": ["f", "m", "m"] * 80,
        "town": ["a", "b", "c", "d", "e"] * 48,
        "hired": ["yes", "no", "no", "yes", "no", "no", "yes", "no"] * 30,
        **columns,
    }


def asked(columns, **given):
    made = draft(columns, protected="sex", decision="hired", **given)
    return {role: value for role, (value, _) in made.asked.items()}


@pytest.fixture
def staff(tmp_path):
    (tmp_path / "staff.csv").write_text(staff_csv())
    rows = read(tmp_path / "staff.csv")
    given = {"protected": "sex", "decision": "promoted"}
    return QuestionDraft(rows.inspect(**given), given, Codings())


def test_columns_are_left_out_with_their_reasons(staff):
    days = staff.inspection.column("hired_on").distinct
    assert staff.excluded == {
        "employee_id": "an identifier: 600 values in 600 rows",
        "name": "an identifier: 90 values in 600 rows",
        "hired_on": f"a date: {days} values in 600 rows",
        "comment": "free text: 599 values in 600 rows",
        "country": "has one value only",
        "promotion_letter": "says the same as 'promoted'",
        "gender_code": "is determined by 'sex'",
        "dept_code": "says the same as 'department'",
    }
    assert not staff.doubtful


def test_no_number_is_dropped_but_put_in_classes(staff):
    assert staff.bins == {
        "age": [25, 35, 45, 55],
        "salary": [51842, 54879, "58356.9", "62575.1"],
    }
    assert staff.na == ("n/a",)
    assert staff.missing == "drop"
    assert staff.merges == {"sex": {"male": ["male", "Male"]}}


def test_a_column_that_decides_stays_until_somebody_says_otherwise():
    score = [str(at % 4 + (4 if h == "yes" else 0)) for at, h in enumerate(table()["hired"])]
    made = draft(table(score=score), decision="hired", protected="sex")
    assert made.doubtful == {"score": "alone determines 'hired'"}
    assert "score" not in made.excluded


@pytest.mark.parametrize(
    ("sexes", "groups"),
    [
        ("fmm", {"group": "f"}),
        ("fmmxfm", {}),
        ("fmm??m", {"group": "f", "other": "m"}),
        (["f", "m", "m", "Unknown"], {"group": "f", "other": "m"}),
    ],
    ids=["the second most frequent of two", "none of three", "no marker", "no unknown"],
)
def test_the_group_that_is_asked_about(sexes, groups):
    found = asked(table(sex=[*sexes] * (ROWS // len(sexes))))
    assert {role: found[role] for role in ("group", "other") if role in found} == groups


@pytest.mark.parametrize(
    ("decision", "labels", "favorable", "sure"),
    [
        ("hired", "no,yes", "yes", True),
        ("hired", "refused,granted,later", "granted", True),
        ("two_year_recid", "0,1,1", "0", True),
        ("y", "0,1,1", "1", False),
        ("result", "a,b,b", "a", False),
    ],
)
def test_the_guess_of_the_favorable_value_says_how_sure_it_is(
    decision, labels, favorable, sure
):
    labels = labels.split(",") * (ROWS // len(labels.split(",")))
    made = draft({"sex": table()["sex"], decision: labels}, protected="sex", decision=decision)
    guess = made.guesses[0]
    assert (guess.argument, guess.value, guess.sure) == ("favorable", favorable, sure)
    others = {*labels} - {favorable}
    assert guess.instead == (others.pop() if len(others) == 1 else None)


def test_every_part_that_was_not_given_is_a_guess():
    columns = table(id=[*range(ROWS)], pay=[1000 + 7 * (at % 40) for at in range(ROWS)])
    columns["town"] = [None, *columns["town"][1:]]
    rows = read(pa.table(columns))
    asked = {"protected": "sex", "decision": "hired"}
    made = question_draft.draft(rows.inspect, asked, Codings())
    guessed = {one.argument: one.value for one in made.guesses}
    assert [*guessed] == ["favorable", "group", "exclude", "bins", "missing", "tiers"]
    assert guessed["exclude"] == ["id"]
    assert guessed["missing"] == "drop"
    assert [one.argument for one in made.guesses if not one.sure] == ["tiers"]
    given = {"protected": "sex", "decision": "hired", "favorable": "no", "group": "m"}
    codings = Codings.of(exclude=["id", "pay"], missing="drop")
    look = read(pa.table(columns), codings=codings).inspect
    rest = question_draft.draft(look, given, codings).guesses
    assert [one.argument for one in rest] == ["tiers"]


def test_numbers_that_are_asked_about_get_two_classes():
    pay = [str(1000 + 7 * (at % 40)) for at in range(ROWS)]
    age = [str(20 + at % 31) for at in range(ROWS)]
    made = draft(table(pay=pay, age=age), decision="pay", protected="age")
    assert {name: len(cuts) for name, cuts in made.bins.items()} == {"pay": 1, "age": 1}
    assert made.asked["favorable"][0] == f"{made.bins['pay'][0] + 1} or more"
    cut = made.bins["age"][0]
    assert made.asked["group"][0] in {f"up to {cut}", f"{cut + 1} or more"}
    assert made.question() is None


@pytest.mark.parametrize(("lacking", "rule"), [(0, "error"), (24, "drop"), (25, "level")])
def test_few_rows_that_lack_a_value_are_dropped(lacking, rule):
    town = [None if at < lacking else "ab"[at % 2] for at in range(ROWS)]
    assert draft(table(town=town)).missing == rule
    twice = draft(table(town=town, street=town[::-1], house=town))
    assert twice.missing_rows == (
        2 * lacking if lacking else 0
    )  # town and house lack it together
    stated = draft(table(town=town), Codings.of(missing="level"))
    assert stated.missing == "level"


def test_what_nobody_chooses_comes_first():
    columns = table(native_country=["x", "y"] * 120, language=["x", "y", "z"] * 80)
    made = draft(columns, decision="hired", protected="town")
    assert made.tiers == [["sex", "town", "native_country"], ["*"], ["hired"]]
    assert draft(columns).tiers == [["sex", "native_country"], ["*"]]


def test_a_category_of_many_values_is_left_out_with_the_reason():
    made = draft(table(home=[f"t{at % 60}" for at in range(ROWS)]))
    assert made.excluded == {"home": "has 60 values; merge them into fewer to use it"}


def test_numbers_with_a_comma_are_left_out_with_that_reason():
    rate = [f"{at % 9},{at % 7}" for at in range(ROWS)]
    pay = [f"{at},{at % 7}" for at in range(ROWS)]  # hardly repeats
    made = draft(table(rate=rate, pay=pay), decision="hired", protected="sex")
    assert "decimal point" in made.excluded["rate"]
    assert made.excluded["rate"] == made.excluded["pay"]
    kinds = [str(one.kind) for one in made.inspection.findings]
    assert "forms no groups" not in kinds


def test_a_column_that_divides_one_group_only_is_doubtful():
    part = ["a" if sex == "m" else "ab"[at % 2] for at, sex in enumerate(table()["sex"])]
    made = draft(table(part=part), decision="hired", protected="sex")
    assert made.doubtful == {"part": "is tied to 'sex'"}


def test_a_protected_number_of_which_each_value_hardly_occurs_gets_two_classes():
    columns = {
        "age": [str(20 + 35 * at % 60) for at in range(12)],
        "hired": ["no"] * 10 + ["yes"] * 2,
    }
    made = draft(columns, protected="age", decision="hired")
    assert [len(cuts) for cuts in made.bins.values()] == [1]
    many = {name: 20 * values for name, values in columns.items()}
    assert draft(many, protected="age", decision="hired").bins == {}  # codes, perhaps
    assert draft(columns, protected="hired", decision="age").bins == {}


@pytest.mark.parametrize(
    ("column", "rule"), [("town", "level"), ("sex", "drop"), ("hired", "drop")]
)
def test_a_missing_group_or_decision_is_never_a_value_of_its_own(column, rule):
    lacking = [None if at % 3 == 0 else v for at, v in enumerate(table()[column])]
    made = draft(table(**{column: lacking}), protected="sex", decision="hired")
    assert made.missing_rows == 80
    assert made.missing == rule


def text(codings=None, **given):
    codings = codings or Codings()
    inspection = read(TABLE, codings=codings).inspect(
        decision=given.get("decision"), protected=given.get("protected")
    )
    return template(QuestionDraft(inspection, given, codings), data="people.csv")


def test_a_template_lacks_only_what_a_question_needs():
    with pytest.raises(QuestionError) as caught:
        QuestionFile.parse(text())
    lacking = [problem.remedies[0].argument for problem in caught.value.problems]
    assert lacking == ["protected", "decision", "favorable"]


def test_with_two_columns_named_it_is_complete():
    asked = QuestionFile.parse(text(protected="sex", decision="hired"))
    assert asked.question.to_dict() == {
        "protected": "sex",
        "group": "f",
        "decision": "hired",
        "favorable": "yes",
        "threshold": "1/20",
    }
    assert asked.codings == Codings.of(exclude=["id"], bins={"age": [25, 30, 36, 42]})
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
    said = made_from(
        one=gone,
        two=["x", *gone[1:]],
        three=["?", "yes", "no"] * 40,
        four=["Unknown", "x", "y", "z", "x"] * 24,
    )
    assert 'missing = "level"  # up to 70 rows lack a value; makes that a value' in said
    assert 'na = ["?"]  # texts that mean a missing value' in said
    assert '# na = ["?", "Unknown"]  # if these fields are empty: "Unknown" (24)' in said
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
