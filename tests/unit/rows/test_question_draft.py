"""What a question file should say: each suggestion follows a stated rule."""

import pyarrow as pa
import pytest
from tests.staff import staff_csv

from evenhand import Codings, read
from evenhand.rows.question_draft import QuestionDraft

ROWS = 240


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
    assert staff.bins == {"age": [30, 50], "salary": [53000, 60000]}
    assert staff.na == ("n/a",)
    assert staff.missing == "drop"
    assert staff.merges == {"sex": {"male": ["male", "Male"]}}


def test_a_column_that_decides_stays_until_somebody_says_otherwise():
    score = [str(at % 4 + (4 if h == "yes" else 0)) for at, h in enumerate(table()["hired"])]
    made = draft(table(score=score), decision="hired", protected="sex")
    assert made.doubtful == {"score": "alone determines 'hired'"}
    assert "score" not in made.excluded


def test_the_group_is_the_second_most_frequent_value():
    assert asked(table())["group"] == "f"
    assert "other" not in asked(table())


def test_of_three_groups_none_is_the_one_asked_about():
    many = asked(table(sex=["f", "m", "m", "x", "f", "m"] * 40))
    assert not {"group", "other"} & {*many}


def test_a_text_that_looks_missing_is_no_group():
    many = asked(table(sex=["f", "m", "m", "?", "?", "m"] * 40))
    assert (many["group"], many["other"]) == ("f", "m")


@pytest.mark.parametrize(
    ("decisions", "favorable"),
    [
        ("no,yes", "yes"),
        ("0,1,0", "1"),
        ("<=50K.,>50K.,<=50K.", ">50K."),
        ("low,high,low", "high"),
        ("Denied,Granted,Granted", "Granted"),
        ("a,b,b", "a"),
        ("refused,granted,later", "granted"),
        ("a,b,b,c,c,c", None),
    ],
)
def test_the_favorable_value_sounds_so_or_is_the_rarer_of_two(decisions, favorable):
    labels = decisions.split(",") * (ROWS // len(decisions.split(",")))
    assert asked(table(hired=labels)).get("favorable") == favorable


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
