"""Remedies as buttons: what a button changes, and what only the user can choose."""

from evenhand.errors import Problem, Remedy
from evenhand.web.remedies import shown_problem


def bodies(*remedies):
    return [one.body for one in shown_problem(Problem("What.", remedy=remedies)).remedies]


def test_a_remedy_with_a_value_is_a_change_of_the_question_file():
    assert bodies(
        Remedy("leave these rows out", "missing", "drop"),
        Remedy("count them in classes", "bins", {"age": [37]}),
        Remedy("pool", "other", "rest"),
    ) == [
        {"change": {"data": {"missing": "drop"}}},
        {"change": {"data": {"bins": {"age": [37]}}}},
        {"change": {"question": {"other": "rest"}}},
    ]


def test_lists_are_added_to():
    assert bodies(
        Remedy("leave it out", "exclude", ["id"]), Remedy("declare", "na", ["?"])
    ) == [
        {"add": {"data": {"exclude": ["id"]}}},
        {"add": {"data": {"na": ["?"]}}},
    ]


def test_a_choice_that_is_open_has_no_button():
    assert bodies(
        Remedy("merge rare ones", "merge"), Remedy("allow more", "memory", "2GB")
    ) == [
        None,
        None,
    ]
    assert shown_problem(Problem("What.", remedy="Mend it.")).remedies[0].words == "Mend it"


def test_a_remedy_that_is_chosen_already_is_marked():
    remedies = (Remedy("drop", "missing", "drop"), Remedy("keep", "missing", "level"))
    found = shown_problem(Problem("What.", remedy=remedies), {"data": {"missing": "drop"}})
    assert [one.chosen for one in found.remedies] == [True, False]
