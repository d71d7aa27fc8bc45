"""Who is compared with whom, against loops over people, and questions that cannot be."""

from fractions import Fraction

import numpy as np
import pytest
from tests.certificate_records import compared

from evenhand.checker.record_fields import INPUTS, taken_as

ALL = {"group": None, "other": None, "groups": ["a", "b", "c"]}
VALUES = {"favorable": None, "decisions": ["x", "y", "z"]}
EVERY = VALUES | {"criterion": "every"}
CUMULATIVE = VALUES | {"criterion": "cumulative", "order": ["x", "y", "z"]}


@pytest.mark.parametrize("seed", range(24))
def test_differences_are_those_of_a_loop_over_people(seed):
    rng = np.random.default_rng(seed)
    groups = [*"abcd"[: rng.integers(3, 5)]]
    values = [*"wxyz"[: rng.integers(2, 5)]]
    asked = {"group": None, "groups": groups, "favorable": None, "decisions": values}
    asked["other"] = other = [None, "b"][seed % 2]
    asked |= [{"criterion": "every"}, {"criterion": "cumulative", "order": values}][
        seed // 2 % 2
    ]
    least = asked["min_rows"] = int(rng.integers(2, 4))
    people = [
        (group, value)
        for group in groups
        for value in values
        for _ in range(rng.integers(0, 4))
    ]
    counts = [[people.count((group, value)) for value in values] for group in groups]
    if asked["criterion"] == "every":
        sets = [{value} for value in values] if len(values) > 2 else [{values[0]}]
    else:
        sets = [{*values[: at + 1]} for at in range(len(values) - 1)]

    def rate(group, favorable):
        own = [value for g, value in people if g == group]
        return Fraction(sum(value in favorable for value in own), len(own))

    expected = []
    for favorable in sets:
        for first in groups:
            for second in groups:
                if (second == other != first) if other else first < second:
                    rows = [sum(g == one for g, _ in people) for one in (first, second)]
                    difference = None
                    if min(rows) >= least:
                        difference = rate(second, favorable) - rate(first, favorable)
                    expected.append(difference)
    assert compared(**asked).differences(counts) == expected


def test_a_value_is_favorable_by_its_own_name_alone():
    asked = compared(favorable=["yes", "maybe"], decisions=["yes or maybe", "no"])
    values = ("yes", "maybe", "no", "yes or maybe", "later")
    assert [asked.kind(value) for value in values] == [0, 0, 1, None, None]
    assert [compared(**EVERY).kind(value) for value in ("z", "w")] == [2, None]


def test_groups_that_are_not_named_have_no_place_unless_they_are_pooled():
    places = [compared().place(group, pooled=False) for group in ("f", "m", "x")]
    assert places == [0, 1, None]
    asked = compared(other="not f", groups=["f", "not f"])
    assert [asked.place(group, pooled=True) for group in ("f", "m", "x")] == [0, 1, 1]
    assert [compared(**ALL).place(group, pooled=False) for group in ("c", "x")] == [2, None]


@pytest.mark.parametrize(
    ("asked", "wrong"),
    [
        ({"groups": ["m", "f"]}, "groups"),
        (
            ALL | {"protected": ["sex", "race"], "groups": ["f & a", "f & b", "m"]},
            "protected",
        ),
        ({"groups": ["f", "m", "x"]}, "groups"),
        (ALL | {"groups": ["a", "b"]}, "groups"),
        (ALL | {"other": "d"}, "other"),
        ({"protected": ["sex"]}, "a list"),
        ({"protected": ["sex", "race"]}, "protected"),
        ({"favorable": ["yes"]}, "a list"),
        ({"favorable": ["yes", "maybe"]}, "decisions"),
        ({"favorable": "no"}, "decisions"),
        ({"decisions": ["yes", "no", "maybe"]}, "decisions"),
        ({"favorable": None}, "favorable"),
        ({"criterion": "every"}, "favorable"),
        (EVERY | {"order": ["x", "y"]}, "order"),
        (CUMULATIVE | {"order": ["z", "y", "x"]}, "order"),
        (CUMULATIVE | {"order": None}, "order"),
        (EVERY | {"decisions": ["x"]}, "a list"),
    ],
)
def test_labels_that_the_question_cannot_be_about_are_refused(asked, wrong):
    with pytest.raises(ValueError, match=rf"question: .*\b{wrong}\b.* cannot be what it asks"):
        compared(**asked)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("min_rows", number) for number in (1, 0, -1, "5", True)),
        *(("groups", labels) for labels in (["a", "b", "b"], ["a", "b", 3], "abc")),
        *(("order", labels) for labels in ("xyz", ["yes", "yes"])),
        *(("decisions", ["yes", "yes"]), ("criterion", "each"), ("threshold", "0.05")),
        *(("protected", 3), ("favorable", None)),
    ],
)
def test_fields_of_another_form_are_refused(field, value):
    given = {"protected": "sex", "decision": "x", "groups": ["f", "m"], "decisions": ["y", "n"]}
    given |= {"threshold": "1/20", "min_coverage": "9/10", field: value}
    with pytest.raises(ValueError, match=rf"^question\.{field}: .* cannot stand there$"):
        taken_as(INPUTS["question"], given, "question")
