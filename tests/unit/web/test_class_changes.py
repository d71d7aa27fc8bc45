"""Classes that are moved, added, removed; values merged; what is asked about follows."""

import pytest
from tests.people_table import HEADER, people_rows, people_session

from evenhand.errors import ColumnError, QuestionError
from evenhand.web.class_changes import change_classes, merge_values
from evenhand.web.question_screen import column_views, patch


@pytest.fixture
def session(tmp_path):
    return people_session(tmp_path)


def classes(session, name="age", **body):
    change_classes(session, column_views(session), {"column": name, **body})
    return session.tables.get("data", {}).get("bins", {}).get(name)


def merge(session, column, /, *values, **body):
    views = column_views(session)
    ticks = {f"value-{value}": True for value in values}
    merge_values(session, views, {"column": column, **ticks, **body})
    return session.tables.get("data", {}).get("merge", {}).get(column)


def test_cuts_are_set_moved_and_removed(session):
    assert classes(session, cuts=[30, 50]) == [30, 50]
    assert classes(session, at=0, cut="37") == [37, 50]
    assert classes(session, at=0, cut="63") == [49, 50]  # at most to its neighbour
    assert classes(session, at=1, cut="-5") == [49, 50]
    assert classes(session, remove=0) == [50]
    assert classes(session, cuts=[]) is None


def test_a_cut_is_known_by_its_place_or_by_where_it_cuts(session):
    """A page may show the cuts as they were before the last press."""
    shown = ["20", "30", "50"]
    assert classes(session, cuts=[20, 30, 50]) == [20, 30, 50]
    assert classes(session, at=1, of=shown, cut="33") == [20, 33, 50]
    assert classes(session, at=1, of=shown, cut="34") == [20, 34, 50]  # once more
    assert classes(session, remove=0, of=shown) == [34, 50]
    assert classes(session, remove=0, of=shown) == [34, 50]  # a double click
    assert classes(session, at=2, of=shown, cut="60") == [34, 60]
    with pytest.raises(QuestionError, match="was removed"):
        classes(session, at=0, of=shown, cut="21")
    assert [one.cut for one in column_views(session).detail("age").sliders] == ["34", "60"]


def test_a_cut_is_added_where_most_rows_are(session):
    ages = sorted(int(row[HEADER.index("age")]) for row in people_rows())
    cuts = classes(session, cuts=[25])
    above = [age for age in ages if age > 25]
    cuts = classes(session, add=True)
    assert cuts == [25, above[(len(above) - 1) // 2]]


def test_numbers_with_a_point_stay_exact(session):
    classes(session, "wage", cuts=["17.5"])
    assert classes(session, "wage", at=0, cut="18.25") == ["18.25"]
    assert classes(session, "wage", at=0, cut="19") == [19]


@pytest.mark.parametrize("body", [{"at": 5, "cut": "3"}, {"at": 0, "cut": "x"}, {"remove": 9}])
def test_what_makes_no_sense_is_refused(session, body):
    with pytest.raises(QuestionError):
        classes(session, **body)
    with pytest.raises(ColumnError):
        classes(session, "nobody", add=True)


def test_values_that_are_asked_about_follow_their_classes(session):
    classes(session, cuts=[40])
    patch(session, {"change": {"question": {"protected": "gender", "decision": "age"}}})
    assert session.tables["question"]["favorable"] == "41 or more"
    patch(session, {"change": {"labels": {"values": {"age": {"41 or more": "are older"}}}}})
    classes(session, at=0, cut="45")
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
    detail = column_views(session).detail("origin")
    rows = [row[HEADER.index("origin")] for row in people_rows()]
    assert {one.value: int(one.rows) for one in detail.values} == {
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
        (["clerk", "nurse"], {"name": "?"}),
    ):
        with pytest.raises(QuestionError):
            merge(session, "job", *values, **body)
