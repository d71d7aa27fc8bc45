"""A cache that forgets what was not asked for longest."""

from evenhand.web.results import Recent, key_of


def test_what_was_not_asked_for_longest_is_forgotten():
    recent = Recent[int](2)
    made = []

    def make(number):
        made.append(number)
        return number

    for number in (1, 2, 1, 3, 1, 2):
        assert recent.get(str(number), lambda number=number: make(number)) == number
    assert made == [1, 2, 3, 2]
    assert recent.find("3") is None


def test_equal_values_have_one_key():
    assert key_of({"a": [1], "b": None}) == key_of({"b": None, "a": [1]})
    assert key_of({"a": "1"}) != key_of({"a": 1})
