"""Addresses say what a screen shows, and lead to its other parts."""

from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from evenhand.web.pages import Pager, address, query_number, query_values


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
