"""Tables 1 and 2 of the paper, number by number."""

from fractions import Fraction

import pytest

from evenhand import datasets

TABLE_1 = {
    ("L", "female", "CS"): (450, 20),
    ("L", "female", "EE"): (150, 40),
    ("L", "male", "CS"): (150, 20),
    ("L", "male", "EE"): (450, 40),
    ("H", "female", "CS"): (300, 50),
    ("H", "female", "EE"): (100, 70),
    ("H", "male", "CS"): (100, 50),
    ("H", "male", "EE"): (300, 70),
}
TABLE_2 = {
    ("L", "female", "CS"): (450, 30),
    ("H", "female", "CS"): (300, 50),
    ("L", "male", "CS"): (150, 36),
    ("H", "male", "CS"): (100, 40),
    ("L", "female", "EE"): (600, 40),
    ("H", "female", "EE"): (300, 60),
    ("L", "male", "EE"): (200, 45),
    ("H", "male", "EE"): (100, 50),
}


def rate(counts, **where):
    total = counts.count(**where)
    return Fraction(counts.count(admission="admitted", **where), total) if total else None


@pytest.mark.parametrize(
    ("example", "table"),
    [
        pytest.param(1, TABLE_1, marks=pytest.mark.paper("tab:toy1")),
        pytest.param(2, TABLE_2, marks=pytest.mark.paper("tab:toy2")),
    ],
)
def test_every_cell_has_its_applicants_and_rate(example, table):
    counts = datasets.admissions(example)
    for (score, gender, major), (applicants, percent) in table.items():
        where = {"test_score": score, "gender": gender, "major": major}
        assert counts.count(**where) == applicants
        assert rate(counts, **where) == Fraction(percent, 100)


@pytest.mark.paper("tab:toy1")
def test_the_averages_by_score_of_table_1():
    counts = datasets.admissions(1)
    assert rate(counts, gender="female", test_score="L") == Fraction(25, 100)
    assert rate(counts, gender="male", test_score="L") == Fraction(35, 100)
    assert rate(counts, gender="female", test_score="H") == Fraction(55, 100)
    assert rate(counts, gender="male", test_score="H") == Fraction(65, 100)


@pytest.mark.paper("tab:toy1")
def test_the_male_average_of_table_1_is_47_percent_not_the_printed_46():
    counts = datasets.admissions(1)
    assert rate(counts, gender="female") == Fraction(37, 100)
    assert rate(counts, gender="male") == Fraction(47, 100)


@pytest.mark.paper("tab:toy2")
def test_the_averages_of_table_2_are_equal_only_after_rounding():
    counts = datasets.admissions(2)
    by_major = {
        (gender, major): rate(counts, gender=gender, major=major)
        for gender in ("female", "male")
        for major in ("CS", "EE")
    }
    assert {key: round(100 * value) for key, value in by_major.items()} == {
        ("female", "CS"): 38,
        ("male", "CS"): 38,
        ("female", "EE"): 47,
        ("male", "EE"): 47,
    }
    assert by_major["female", "CS"] != by_major["male", "CS"]
    assert round(100 * rate(counts, gender="female")) == 43
    assert round(100 * rate(counts, gender="male")) == 43
    assert rate(counts, gender="female") != rate(counts, gender="male")
