"""The question screen: lists are added to, classes change, the gap is a recount."""

import csv
from collections import Counter
from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from tests.people_table import HEADER, people_rows, people_session
from tests.web_sessions import Choices, adult_session, learn_now, open_session

import evenhand as eh
from evenhand.errors import ColumnError, EvenhandError, QuestionError
from evenhand.evidence.known_measures import known_measures
from evenhand.graph.independence_tests import TESTS
from evenhand.question import QuestionFile
from evenhand.web.pages import render, shown_problem, static_file
from evenhand.web.question_parts import value_rows
from evenhand.web.question_screen import (
    CHANGES,
    change_classes,
    column_views,
    merge_values,
    patch,
    plain_gap,
    view,
)
from evenhand.web.table_screen import view as table_view

HANDLERS = {path: handler for _, path, handler in CHANGES}


@pytest.fixture
def session(tmp_path):
    return people_session(tmp_path)


def shown(session, **query):
    return render(session, "question", view(session, query))


def test_lists_are_added_to_and_removed_from(session):
    assert session.tables["data"]["exclude"] == ["id"]
    patch(session, {"add": {"data": {"exclude": ["wage"]}}})
    assert session.tables["data"]["exclude"] == ["id", "wage"]
    patch(session, {"add": {"data": {"exclude": ["wage"]}}})
    assert session.tables["data"]["exclude"] == ["id", "wage"]
    patch(session, {"remove": {"data": {"exclude": ["id", "wage"]}}})
    assert "exclude" not in session.tables.get("data", {})


def test_a_column_is_used_also_where_columns_are_chosen_by_name(session):
    session.replace_tables({"data": {"columns": ["origin", "hired"]}})
    patch(session, {"change": {"question": {"protected": "gender"}}})
    assert session.tables["data"]["columns"] == ["origin", "hired", "gender"]
    patch(session, {"add": {"data": {"exclude": ["age"]}}})
    patch(session, {"remove": {"data": {"exclude": ["age"]}}})
    assert session.tables["data"]["columns"][-1] == "age"


def test_an_emptied_field_is_left_out(session):
    patch(session, {"change": {"labels": {"columns": {"age": "years"}}}})
    assert "years" in shown(session)
    patch(session, {"change": {"labels": {"columns": {"age": ""}}}})
    assert "labels" not in session.tables


def test_a_new_part_of_a_column_ends_its_old_one(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    patch(session, {"add": {"question": {"redlining": ["origin", "job"]}}})
    patch(session, {"change": {"question": {"protected": "origin"}}})
    assert session.tables["question"]["redlining"] == ["job"]


def test_the_smallest_groups_are_whole_numbers(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    patch(session, {"change": {"question": {"min_rows": "5"}}})
    assert session.tables["question"]["min_rows"] == 5
    patch(session, {"change": {"question": {"min_rows": ""}}})
    assert "min_rows" not in session.tables["question"]
    with pytest.raises(QuestionError, match="whole number"):
        patch(session, {"change": {"question": {"min_rows": "a few"}}})


def test_numbers_that_are_asked_about_are_put_into_classes(session):
    patch(session, {"change": {"data": {"bins": None}}})
    patch(session, {"change": {"question": {"protected": "wage", "decision": "hired"}}})
    assert len(session.tables["data"]["bins"]["wage"]) == 1
    assert "minus" in shown(session)


def test_a_question_that_does_not_fit_is_told_with_its_remedy(session):
    patch(session, {"change": {"question": {"protected": "origin", "decision": "hired"}}})
    patch(session, {"change": {"question": {"group": "A"}}})
    problems = view(session, {})["problems"]
    assert any("has 5 values" in problem.what for problem in problems)
    assert "Pool all others" in shown(session)


def test_what_is_known_of_a_column_is_forgotten_once_it_is_left_out(tmp_path):
    session = adult_session(tmp_path, learned=False)
    patch(session, {"change": {"knowledge": {"forbid": ["race -> hours", "age -> race"]}}})
    patch(session, {"add": {"data": {"exclude": ["education", "hours"]}}})
    assert session.tables["knowledge"] == {
        "tiers": [["sex", "age", "native_country", "race"], ["*"]],
        "forbid": ["age -> race"],
    }
    learn_now(session)
    assert session.learned is not None


def test_a_wide_table_is_listed_in_pages(tmp_path):
    names = [f"c{number}" for number in range(300)]
    values = np.random.default_rng(2).choice([*"ab"], (50, 300)).tolist()
    lines = [names, *values]
    (tmp_path / "wide.csv").write_text("\n".join(",".join(line) for line in lines) + "\n")
    session = open_session(tmp_path, "wide.csv")
    found = view(session, {"page": "2", "find": "c1"})
    assert found["pager"].many == 111
    assert found["columns"][0].name == "c114"
    assert len(shown(session)) < 150_000


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_choices_leads_to_a_page(session, seed):
    """Whatever is refused is refused in words; whatever is not can be shown."""
    draw = np.random.default_rng(seed)
    names = session.reading.stored.columns

    def one_of(things):
        return things[draw.integers(len(things))]

    for _ in range(25):
        name = one_of(names)
        bodies = [body for of in Choices.of(session).offered.values() for body in of.values()]
        values = [*column_views(session).column(name).counted][:2]
        ticked = {f"value-{value}": True for value in values}
        ways = [
            ("question", one_of(bodies)),
            ("classes", {"column": name, "cuts": str(draw.integers(60))}),
            ("classes", {"column": name, "cuts": ""}),
            ("merge", {"column": name, **ticked}),
            ("merge", {"column": name, **ticked, "others": True}),
            ("question", {one_of(["add", "remove"]): {"data": {"exclude": [name]}}}),
        ]
        path, body = one_of(ways)
        with suppress(EvenhandError):
            HANDLERS[path](session, body)
        assert "</html>" in shown(session, column=name)


def test_a_column_of_the_question_that_is_left_out_is_told(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    patch(session, {"add": {"data": {"exclude": ["gender"]}}})
    assert "in the table, but left out" in view(session, {})["problems"][0].what
    assert "Use the column" in shown(session, column="gender")


def classes(session, name="age", **body):
    change_classes(session, {"column": name, **body})
    return session.tables.get("data", {}).get("bins", {}).get(name)


def merge(session, column, /, *values, **body):
    ticks = {f"value-{value}": True for value in values}
    merge_values(session, {"column": column, **ticks, **body})
    return session.tables.get("data", {}).get("merge", {}).get(column)


def test_cuts_are_listed_or_typed(session):
    assert classes(session, cuts=[30, 50]) == [30, 50]
    assert classes(session, cuts=" 37, >=50 ") == [37, ">=50"]
    assert classes(session, "wage", cuts="17.5,19") == ["17.5", 19]
    assert classes(session, cuts="") is None
    assert classes(session, "wage", cuts=[]) is None


@pytest.mark.parametrize("cuts", ["x", "50,30", {"a": 1}, 5, [[3]]])
def test_what_makes_no_sense_is_refused(session, cuts):
    with pytest.raises(QuestionError):
        classes(session, cuts=cuts)
    with pytest.raises(ColumnError):
        classes(session, "nobody", cuts="3")


def test_values_that_are_asked_about_follow_their_classes(session):
    classes(session, cuts=[40])
    patch(session, {"change": {"question": {"protected": "gender", "decision": "age"}}})
    assert session.tables["question"]["favorable"] == "41 or more"
    patch(session, {"change": {"labels": {"values": {"age": {"41 or more": "are older"}}}}})
    classes(session, cuts="45")
    assert session.tables["question"]["favorable"] == "46 or more"
    assert "labels" not in session.tables  # the words spoke of other people
    classes(session, cuts=[30, 50])
    assert session.tables["question"]["favorable"] == "51 or more"


def test_values_are_merged_and_separated(session):
    assert merge(session, "job", "clerk", "nurse", name="office") == {
        "office": ["clerk", "nurse"]
    }
    both = merge(session, "job", "driver", "office", name="work")
    assert {new: {*olds} for new, olds in both.items()} == {
        "work": {"clerk", "nurse", "driver"}
    }
    assert merge(session, "job", separate="work") is None


def test_all_others_are_counted_as_one(session):
    assert merge(session, "origin", "A", others=True) == {"A": ["A"], "all others": ["*"]}
    rows = [row[HEADER.index("origin")] for row in people_rows()]
    assert column_views(session).column("origin").counted == {
        "A": rows.count("A"),
        "all others": len(rows) - rows.count("A"),
    }
    assert merge(session, "origin", separate="all others") is None


def test_groups_that_are_asked_about_follow_a_merge(session):
    patch(session, {"change": {"question": {"protected": "origin", "decision": "hired"}}})
    patch(session, {"change": {"question": {"group": "B", "other": "A"}}})
    merge(session, "origin", "B", "C", name="BC")
    assert session.tables["question"]["group"] == "BC"
    assert session.tables["question"]["other"] == "A"


def test_nothing_to_merge_is_refused(session):
    for values, body in (
        (["clerk"], {}),
        ([], {"others": True}),
        (["clerk", "nurse"], {"name": "driver"}),
    ):
        with pytest.raises(QuestionError):
            merge(session, "job", *values, **body)


def test_a_number_for_missing_values_is_told_although_classes_hide_it(tmp_path):
    ages = [20 + at % 40 for at in range(380)] + [-999] * 20
    rows = [f"{'fm'[at % 2]},{age},{'yn'[at % 3 > 0]}" for at, age in enumerate(ages)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,age,hired", *rows]))
    session = open_session(tmp_path, "t.csv")
    assert "age" in session.tables["data"]["bins"]
    for screen, shown in (("table", table_view), ("question", view)):
        assert "-999&#39; is taken as a value" in render(session, screen, shown(session, {}))
    patch(session, {"add": {"data": {"na": ["-999"]}}})
    assert session.reading.hidden_findings == []


def test_of_five_hundred_columns_the_page_with_its_files_weighs_little(tmp_path):
    names = [f"x{at}" for at in range(498)]
    rows = [
        ",".join(["fm"[at % 2], "yn"[at % 3 > 0], *(f"v{at * k % 7 % 4}" for k in range(498))])
        for at in range(200)
    ]
    (tmp_path / "t.csv").write_text("\n".join([",".join(["sex", "hired", *names]), *rows]))
    session = open_session(tmp_path, "t.csv")
    patch(session, {"change": {"question": {"protected": "sex", "decision": "hired"}}})
    page = render(session, "question", view(session, {}))
    parts = [static_file(name) for name in ("app.css", "app.js", "icon.svg")]
    assert len(page.encode()) + sum(len(part[0]) for part in parts) <= 150_000
    assert 'id="predictions" list="column-names"' in page


def test_settings_with_few_values_are_chosen_and_not_typed(session):
    patch(session, {"change": {"question": {"protected": "gender", "decision": "hired"}}})
    page = render(session, "question", view(session, {}))
    tests = page.split('id="set-test"')[1].split("</select>")[0]
    assert [name in tests for name in TESTS] == [True] * len(TESTS)
    patch(session, {"change": {"learning": {"test": TESTS[-1]}}})
    page = render(session, "question", view(session, {}))
    assert f"<option selected>{TESTS[-1]}</option>" in page


HEADS = ["group", "job", "hired"]
PEOPLE = [
    *([["a", "x", "yes"]] * 30 + [["a", "y", "no"]] * 20 + [["a", "", "yes"]] * 5),
    *([["b", "x", "yes"]] * 10 + [["b", "y", "no"]] * 40 + [["b", "", "no"]] * 3),
    *([["c", "x", "yes"]] * 25 + [["c", "y", "no"]] * 25),
]


@pytest.fixture
def people(tmp_path):
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADS, *PEOPLE])
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
    rows = [row for row in PEOPLE if row[1] or missing == "level"]
    counted = Counter((row[0], row[2] == "yes") for row in rows)
    assert [tuple(of) for _, _, *of in gap.bars] == [
        (counted[who, True], counted[who, True] + counted[who, False]) for who in "ba"
    ]
    rates = {
        who: counted[who, True] / (counted[who, True] + counted[who, False]) for who in "ab"
    }
    assert float(gap.gap) == pytest.approx(100 * (rates["a"] - rates["b"]), abs=0.051)
    assert gap.left_out == len(PEOPLE) - sum(row[0] in "ab" for row in rows)


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


ROWS = [
    ("f" if at % 2 else "m", "abc"[at % 3], "yes" if at % 5 == 0 else "no") for at in range(300)
]


def lacking_session(folder, *, lacking, every=4):
    """Rows of which each n-th lacks a value in one column."""
    place = ("sex", "town", "hired").index(lacking)
    lines = [
        ",".join("" if n == place and at % every == 0 else v for n, v in enumerate(row))
        for at, row in enumerate(ROWS)
    ]
    (folder / "t.csv").write_text("\n".join(["sex,town,hired", *lines]))
    return open_session(folder, "t.csv")


def choose(of):
    patch(of, {"change": {"question": {"protected": "sex", "decision": "hired"}}})


@pytest.mark.parametrize("lacking", ["sex", "town", "hired"])
def test_opening_makes_no_missing_value_a_value_of_its_own(tmp_path, lacking):
    assert "missing" not in lacking_session(tmp_path, lacking=lacking).tables.get("data", {})


@pytest.mark.parametrize(
    ("lacking", "rule"), [("sex", "drop"), ("town", "level"), ("hired", "drop")]
)
def test_rows_without_group_or_decision_are_left_out_and_it_is_said(tmp_path, lacking, rule):
    of = lacking_session(tmp_path, lacking=lacking)
    choose(of)
    assert of.tables["data"]["missing"] == rule
    told = [one.what for one in view(of, {})["problems"]]
    assert any("75 of 300 rows" in what for what in told)


def test_a_value_of_its_own_does_not_outlive_a_question_that_it_did_no_harm_to(tmp_path):
    of = lacking_session(tmp_path, lacking="town")
    choose(of)
    patch(of, {"change": {"question": {"decision": "town"}}})
    assert of.tables["data"]["missing"] == "drop"


def test_a_column_that_counts_is_noticed_and_loses_its_classes(tmp_path):
    lines = [
        f"{s},{t},{h},{11 * at}" for at, (s, t, h) in enumerate(product("fm", "abcd", "yn"))
    ]
    (tmp_path / "t.csv").write_text("\n".join(["sex,town,hired,people", *lines]))
    of = open_session(tmp_path, "t.csv")
    assert "bins" not in of.tables.get("data", {})
    (told,) = (one for one in table_view(of, {})["table"].problems if "stand for" in one.what)
    patch(of, {"change": {"data": {"bins": {"people": [50]}}}})
    (button,) = (one.body for one in shown_problem(told).remedies)
    patch(of, button)
    assert of.tables["data"] == {"frequency": "people"}
    assert of.reading.inspection.rows == 11 * sum(range(16))
