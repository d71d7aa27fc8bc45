"""An order is given value by value, and changed by moving one."""

import json

from evenhand.web.order_choice import OrderChoice


def after(request):
    ((way, change),) = json.loads(request).items()
    return way, change["question"]["order"]


def choice(*order):
    return OrderChoice(order=order, values=("a", "b", "c"), words=str.upper)


def test_values_come_one_after_the_other_and_the_last_by_itself():
    assert {words: after(body) for words, body in choice().rest} == {
        "A": ("add", ["a"]),
        "B": ("add", ["b"]),
        "C": ("add", ["c"]),
    }
    assert {words: after(body) for words, body in choice("b").rest} == {
        "A": ("add", ["a", "c"]),
        "C": ("add", ["c", "a"]),
    }
    assert choice("b", "c", "a").rest == ()


def test_a_value_moves_up_and_down_but_not_beyond_the_ends():
    first, second, third = choice("b", "c", "a").moves
    assert first[:2] == ("B", "")
    assert (after(first[2]), after(second[1])) == (("later", ["b"]), ("earlier", ["c"]))
    assert after(third[1]) == ("earlier", ["a"])
    assert third[2] == ""
