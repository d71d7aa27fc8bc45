"""Remedies as buttons: what a button changes; addresses of screens, and pages of long lists."""

from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from evenhand.errors import Problem, Remedy
from evenhand.web.jobs import request_again
from evenhand.web.pages import (
    Pager,
    address,
    query_number,
    query_values,
    render_problems,
    shown_problem,
)


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


def test_what_no_question_file_says_goes_with_the_request_that_is_sent_again():
    remedies = Remedy("allow it", "overwrite", value=True), Remedy("drop", "missing", "drop")
    shown = [shown_problem(Problem("What.", remedy=remedies))]
    assert [(one.body, one.repeats) for one in shown[0].remedies] == [
        ({"overwrite": True}, True),
        ({"change": {"data": {"missing": "drop"}}}, False),
    ]
    again = request_again("POST", "api/report", {"name": "r.html", "revision": 3})
    assert again == {"method": "POST", "path": "api/report", "body": {"name": "r.html"}}
    html = render_problems((Problem("What.", remedy=remedies),), again)
    sent = '{"name": "r.html", "overwrite": true}'.replace('"', "&#34;")
    assert f"data-path=\"api/report\" data-body='{sent}'>Allow it</button>" in html
    assert 'data-method="PATCH" data-path="api/question"' in html
    html = render_problems((Problem("What.", remedy=remedies),))  # of what, nobody knows
    assert '<span class="way">Allow it.</span>' in html


def test_another_way_to_release_is_a_link():
    remedies = (
        Remedy("change all", "policy", "minimal"),
        Remedy("raise", "policy", "raise"),
        Remedy("use modify-data", "method", "modify-data"),
        Remedy("another", "policy"),
    )
    shown = shown_problem(Problem("What.", remedy=remedies)).remedies
    assert [one.address for one in shown] == [
        "release?way=modify-data%3Aminimal",
        "release?way=modify-data%3Araise",
        "release",
        "",
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


def test_a_name_may_have_several_values_and_empty_ones_are_none():
    query = QueryParams("where=shown&where=&where=age%3D%3E37&sort=size")
    assert query_values(query, "where") == ["shown", "age=>37"]
    assert query_values({"where": "shown"}, "where") == ["shown"]
    assert query_values({}, "where") == []


def test_a_number_that_is_none_is_left_alone():
    numbers = {"7": 7, "-1": None, "x": None, "": None, "1e3": None, "9" * 40: None}
    assert {text: query_number({"page": text}, "page") for text in numbers} == numbers


def test_another_address_keeps_what_is_not_changed():
    query = QueryParams("where=a&where=b%26c&sort=size&page=3")
    changed = QueryParams(address(query, sort="name", page="")[1:])
    assert changed.multi_items() == [("where", "a"), ("where", "b&c"), ("sort", "name")]
    assert address({}, page="") == "?"


@given(st.integers(0, 500), st.integers(1, 40))
def test_every_thing_is_on_exactly_one_page(many, size):
    first = Pager.of({}, "page", many, size)
    pages = [Pager.of({"page": str(n)}, "page", many, size) for n in range(1, first.pages + 1)]
    assert [one for page in pages for one in range(many)[page.slice]] == [*range(many)]
    assert pages[0].before == ""
    assert pages[-1].after == ""
    assert all(page.last - page.first + bool(many) <= size for page in pages)


@given(st.text())
def test_an_address_that_names_no_page_leads_to_one_that_there_is(text):
    pager = Pager.of({"page": text}, "page", 90, 25)
    assert 1 <= pager.page <= 4


def test_other_parts_of_the_address_stay():
    pager = Pager.of({"page": "2", "find": "a&b"}, "page", 90, 25)
    assert pager.after == "?find=a%26b&page=3"
    assert (pager.first, pager.last) == (26, 50)
    assert address({"column": "x", "page": "2"}, column="") == "?page=2"
