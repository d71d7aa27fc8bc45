"""Places that differ."""

import pytest

from evenhand.checker.record_fields import differences


@pytest.mark.parametrize(
    ("written", "right", "places"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, []),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["a[1].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({}, {"a": None}, ["a"]),
    ],
)
def test_the_innermost_places_are_named(written, right, places):
    assert [place.split(":")[0] for place in differences("", written, right)] == places
