"""Addresses: what stands in a query, and addresses that ask for something else."""

from starlette.datastructures import QueryParams

from evenhand.web.addresses import changed_query, query_number, query_values


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
    changed = QueryParams(changed_query(query, sort="name", page=None)[1:])
    assert changed.multi_items() == [("where", "a"), ("where", "b&c"), ("sort", "name")]
    assert changed_query({}, page=None) == "?"
