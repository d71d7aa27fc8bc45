"""The verdict module: integers only, three verdicts, in their order."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from evenhand import verdict
from evenhand.verdict import (
    Coverage,
    StatisticalVerdict,
    Verdict,
    Word,
    all_must_agree,
    all_must_hold,
    judge,
    sides,
)

YES, NO, OPEN = Verdict.CERTIFIED, Verdict.NOT_CERTIFIED, Verdict.CANNOT_DECIDE


def side(group_yes, group, other_yes, other, threshold):
    columns = (np.array([n], np.int64) for n in (group_yes, group, other_yes, other))
    return int(sides(*columns, Fraction(threshold))[0])


def test_no_float_enters_the_verdict():
    tree = ast.parse(Path(verdict.__file__).read_text("utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Div), "true division"
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float), node.value
        name = getattr(node, "id", getattr(node, "attr", ""))
        assert "float" not in name, name


def test_a_difference_just_at_the_threshold_reaches_it():
    assert side(240, 600, 90, 200, "1/20") == 1
    assert side(90, 200, 240, 600, "1/20") == -1


def test_a_difference_just_under_the_threshold_does_not():
    assert side(240, 600, 90, 200, "50000000000000001/1000000000000000000") == 0


def test_one_person_beside_one_other_is_measured():
    assert side(0, 1, 1, 1, "1/20") == 1
    assert side(1, 1, 0, 1, "1/20") == -1
    assert side(1, 1, 1, 1, "1/20") == side(0, 1, 0, 1, "1/20") == 0


def test_where_a_group_is_absent_nothing_reaches():
    assert side(0, 0, 5, 5, "1/20") == side(5, 5, 0, 0, "1/20") == side(0, 0, 0, 0, "1/20") == 0


@pytest.mark.parametrize("scale", [1, 10**4, 10**9, 10**16])
def test_products_beyond_64_bits_are_exact(scale):
    assert side(240 * scale, 600 * scale, 90 * scale, 200 * scale, "1/20") == 1
    assert side(240 * scale, 600 * scale, 90 * scale - 1, 200 * scale, "1/20") == 0


@pytest.mark.parametrize(
    ("group", "other", "denominator"),
    # The product of the three is 2⁶³, or between it and 2⁶⁴: in 64 bits it has the wrong sign.
    [
        (2**31, 2**31, 2),
        (2**30, 2**30, 8),
        (3 * 10**9, 3 * 10**9, 2),
        (2**21, 2**21, 3 * 2**20),
    ],
)
def test_products_just_beyond_64_bits_are_exact(group, other, denominator):
    threshold = Fraction(1, denominator)
    assert side(0, group, other, other, threshold) == 1
    assert side(group, group, 0, other, threshold) == -1
    just = other // denominator  # a rate of this many is the threshold, or just under it
    assert side(0, group, just, other, threshold) == int(other % denominator == 0)
    assert side(0, group, just + 1, other, threshold) == 1
    assert side(0, group, max(just - 1, 0), other, threshold) == 0


def test_a_violation_counts_whatever_the_coverage():
    none = Coverage(overall=Fraction(1, 100), groups=(Fraction(1, 100), Fraction(1, 100)))
    assert judge(violating=1, coverage=none, min_coverage=Fraction(9, 10)) is NO


@pytest.mark.parametrize(
    ("group", "other", "expected"),
    [("9/10", "9/10", YES), ("89/100", "1", OPEN), ("1", "89/100", OPEN)],
)
def test_each_group_must_be_covered(group, other, expected):
    cover = Coverage(overall=Fraction(95, 100), groups=(Fraction(group), Fraction(other)))
    assert judge(violating=0, coverage=cover, min_coverage=Fraction(9, 10)) is expected


def test_a_coverage_as_plain_values_is_exact():
    cover = Coverage(overall=Fraction(2, 3), groups=(Fraction(1), Fraction(1, 2)))
    assert cover.to_dict() == {"rows": "2/3", "groups": ["1", "1/2"]}


def test_with_nothing_measured_nothing_can_be_decided_even_at_coverage_zero():
    none = Coverage(overall=Fraction(0), groups=(Fraction(0), Fraction(0)))
    assert judge(violating=0, coverage=none, min_coverage=Fraction(0)) is OPEN


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([YES, YES], YES), ([YES, OPEN], OPEN), ([OPEN, NO], NO), ([YES, NO], NO)],
)
def test_of_several_block_sets_the_worst_counts(verdicts, expected):
    assert all_must_hold(verdicts) is expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [([YES, YES], YES), ([NO, NO], NO), ([YES, NO], OPEN), ([NO, OPEN], OPEN)],
)
def test_of_several_graphs_all_must_agree(verdicts, expected):
    assert all_must_agree(verdicts) is expected


def test_a_verdict_is_neither_true_nor_false():
    with pytest.raises(TypeError, match="Verdict.CERTIFIED"):
        bool(Verdict.CERTIFIED)


def test_a_verdict_is_written_in_words():
    assert [str(one) for one in (YES, NO, OPEN)] == [
        "certified",
        "not certified",
        "cannot decide",
    ]


def test_shares_have_the_names_of_the_two_groups_or_of_all():
    shares = (Fraction(1), Fraction(1, 2))
    named = Coverage(overall=Fraction(2, 3), groups=shares)
    assert named.by_name(float) == {"rows": 2 / 3, "group": 1.0, "other": 0.5}
    many = Coverage(overall=Fraction(2, 3), groups=shares, labels=("a", "b"))
    assert many.by_name(str) == {"rows": "2/3", "groups": {"a": "1", "b": "1/2"}}


def test_a_process_ends_with_0_1_or_3():
    assert [one.status for one in Verdict] == [0, 1, 3, 3]
    assert [one.status for one in StatisticalVerdict] == [1, 0, 3]
    assert {one: one.status for one in Word} == {
        Word.YES: 1,
        Word.NO: 0,
        Word.NOT_SHOWN: 0,
        Word.CANNOT_TELL: 3,
    }
