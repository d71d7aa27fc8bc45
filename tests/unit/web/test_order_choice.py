"""An order is given value by value, and changed by moving one."""

import json

from evenhand.web.order_choice import OrderChoice


def after(request):
    return json.loads(request)["change"]["question"]["order"]


def choice(*order):
    return OrderChoice(order=order, values=("a", "b", "c"), words=str.upper)


def test_values_come_one_after_the_other_and_the_last_by_itself():
    assert {words: after(body) for words, body in choice().rest} == {
        "A": ["a"],
        "B": ["b"],
        "C": ["c"],
    }
    assert {words: after(body) for words, body in choice("b").rest} == {
        "A": ["b", "a", "c"],
        "C": ["b", "c", "a"],
    }
    assert choice("b", "c", "a").rest == ()


def test_a_value_moves_up_and_down_but_not_beyond_the_ends():
    first, second, third = choice("b", "c", "a").moves
    assert first[:2] == ("B", "")
    assert after(first[2]) == after(second[1]) == ["c", "b", "a"]
    assert after(third[1]) == ["b", "a", "c"]
    assert third[2] == ""
