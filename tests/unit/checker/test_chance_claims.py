"""What chance alone would make, against enumeration and the engine."""

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.certificate_records import CERTIFICATE, compared, forged
from tests.several_groups import GRAPH, QUESTIONS, counted

from evenhand import checker
from evenhand.checker import partition_claims
from evenhand.checker.partition_claims import chance_numbers, reach_probability
from evenhand.evidence import certify
from evenhand.evidence.statistics.by_chance import reach_probabilities

SIZES = st.integers(1, 40)
THRESHOLDS = st.fractions(Fraction(1, 1000), Fraction(99, 100), max_denominator=1000)


@given(SIZES, SIZES, st.data(), THRESHOLDS)
def test_the_probability_is_that_of_all_tables_with_these_totals(group, other, data, threshold):
    favorable = data.draw(st.integers(0, group + other))
    ways = {
        yes: comb(group, yes) * comb(other, favorable - yes)
        for yes in range(max(0, favorable - other), min(group, favorable) + 1)
    }
    reaching = sum(
        number
        for yes, number in ways.items()
        if abs(Fraction(favorable - yes, other) - Fraction(yes, group)) >= threshold
    )
    right = float(Fraction(reaching, comb(group + other, favorable)))
    assert reach_probability(group, other, favorable, threshold) == pytest.approx(
        right, rel=1e-13, abs=0
    )


@pytest.mark.parametrize("rows", [(40_000, 60_000, 5_000), (300, 9_000_000, 4_000_000)])
def test_of_many_rows_it_is_what_the_engine_says(rows):
    group, other, favorable = rows
    threshold = Fraction(1, 150)
    engine = reach_probabilities(*map(np.array, ([favorable], [group], [other])), threshold)
    found = reach_probability(group, other, favorable, threshold)
    assert found == pytest.approx(engine[0], rel=1e-9)
    assert found > 0


def test_as_many_rows_as_are_allowed_are_worked_out(monkeypatch):
    table = {("x",): ((1, 1), (1, 1))}
    monkeypatch.setattr(partition_claims, "MOST_ROWS", 4)
    assert chance_numbers(table, Fraction(1, 20)) is not None
    monkeypatch.setattr(partition_claims, "MOST_ROWS", 3)
    assert chance_numbers(table, Fraction(1, 20)) is None


def test_a_table_in_which_nobody_can_be_compared_adds_nothing():
    table = {("x",): ((1, 1), (1, 1)), ("y",): ((2, 3), (0, 0)), ("z",): ((0, 0), (1, 0))}
    assert chance_numbers(table, Fraction(1, 20)) == {"expected": 1 / 3, "rows": 4 / 3}
    assert chance_numbers(table, Fraction(1, 20), 2) == {"expected": 1 / 3, "rows": 4 / 3}
    assert chance_numbers(table, Fraction(1, 20), 3) == {"expected": 0, "rows": 0}


def test_lines_of_the_same_totals_count_each():
    table = {("x",): ((1, 1), (1, 1)), ("y",): ((1, 1), (1, 1)), ("z",): ((2, 0), (0, 2))}
    assert chance_numbers(table, Fraction(1, 20)) == {"expected": 1, "rows": 4}


def test_one_person_against_one_counts_unless_more_are_asked_for():
    table = {("x",): ((1, 0), (0, 1))}
    assert chance_numbers(table, Fraction(1, 20)) == {"expected": 1, "rows": 2}
    assert chance_numbers(table, Fraction(1, 20), 2) == {"expected": 0, "rows": 0}


@pytest.mark.parametrize("name", ["expected", "rows"])
@pytest.mark.parametrize("factor", [1 + 1e-6, 0.5, -1])
def test_altered_numbers_are_false(name, factor):
    def change(document):
        chance = document["partitions"][0]["subpopulations"]["by_chance"]
        chance[name] = f"{float(chance[name]) * factor:.12g}"

    status, notes = forged(change)
    assert status == 1
    assert notes[0].startswith(f"partitions[0].subpopulations.by_chance.{name}: it says")


@pytest.mark.parametrize("value", [35, None, [], "about 35"])
def test_what_is_no_estimate_is_false(value):
    def change(document):
        document["partitions"][0]["subpopulations"]["by_chance"]["expected"] = value

    assert forged(change)[0] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("p", "nan"), ("p", "-1"), ("at_threshold", "inf"), ("lower", "1"), ("upper", -1)],
)
def test_what_no_estimate_can_be_is_refused(name, value):
    def change(document):
        document["partitions"][0]["subpopulations"]["by_chance"][name] = value

    assert forged(change)[0] == 1


@pytest.mark.parametrize("name", ["expected", "rows", "p", "at_threshold"])
@pytest.mark.parametrize("spelling", [" {}", "{}0", "+{}", "{}e0", "٠{}"])
def test_a_decimal_has_one_spelling(name, spelling):
    def change(document):
        chance = document["partitions"][0]["subpopulations"]["by_chance"]
        chance[name] = spelling.format(chance[name])

    status, notes = forged(change)
    assert status == 1
    assert notes[0].startswith(f"partitions[0].subpopulations.by_chance.{name}: it says")


def test_a_chance_too_small_to_be_written_is_not_false():
    written = {"expected": "0", "rows": "0", "p": "1", "at_threshold": "0"}
    written |= {"lower": 0, "upper": 0}
    table = {("x",): ((50_000, 50_000), (50_000, 50_000))}
    numbers = chance_numbers(table, Fraction(1, 20))
    assert 0 < numbers["expected"] < numbers["rows"] < 1e-15
    assert partition_claims.right_chance(written, table, compared()) == written


@pytest.mark.parametrize(("people", "is_written"), [(27, True), (28, False)])
def test_a_chance_is_too_small_to_be_written_under_a_thousand_million_millionth(
    people, is_written
):
    """All women are hired and no man, or the reverse: two of C(2n, n) ways."""
    written = {"expected": "0", "rows": "0", "p": "1", "at_threshold": "0"}
    written |= {"lower": 0, "upper": 0}
    right = partition_claims.right_chance(
        written, {("x",): ((people, 0), (0, people))}, compared(threshold="99/100")
    )
    chance = 2 / comb(2 * people, people)
    assert (chance > 1.01e-15) == is_written
    expected = {"expected": f"{chance:.12g}", "rows": f"{2 * people * chance:.12g}"}
    assert right == written | (expected if is_written else {})


def test_ten_million_rows_are_worked_out_and_not_one_more():
    assert not partition_claims.has_too_many_rows({("x",): ((10**7 - 1, 0), (0, 1))})
    assert partition_claims.has_too_many_rows({("x",): ((10**7, 0), (0, 1))})


def test_with_too_many_rows_the_numbers_are_taken_as_they_are(monkeypatch):
    monkeypatch.setattr(partition_claims, "MOST_ROWS", 400)
    expected = json.loads(CERTIFICATE.to_json())["partitions"][0]["subpopulations"]["by_chance"]

    def change(document):
        assert document["partitions"][0]["subpopulations"]["by_chance"] == expected
        document["partitions"][0]["subpopulations"]["by_chance"]["expected"] = "1"

    assert forged(change) == (0, [])
    assert checker.verify(CERTIFICATE.to_json()).stated["by_chance"].startswith("all of it")


PAIRS = certify(counted(), GRAPH, QUESTIONS["pairs"]).to_json()


@pytest.mark.parametrize("name", ["expected", "rows", "p", "error"])
def test_what_was_simulated_is_stated_and_spelled_in_one_way(name):
    def change(new):
        def forgery(document):
            chance = document["partitions"][0]["subpopulations"]["by_chance"]
            chance[name] = new.format(chance[name])

        return forgery

    stated = checker.verify(PAIRS).stated["by_chance"]
    assert stated == "all of it, as it was simulated"
    assert forged(change("0.25"), PAIRS) == (0, [])
    for spelling in ("+{}", "nan", "-1", "inf", "much"):
        assert forged(change(spelling), PAIRS)[0] == 1


@pytest.mark.parametrize("change", [{"at_threshold": "1"}, {"lower": -1}, {"upper": "2"}])
def test_of_what_was_simulated_nothing_else_is_said(change):
    def forgery(document):
        document["partitions"][0]["subpopulations"]["by_chance"].update(change)

    assert forged(forgery, PAIRS)[0] == 1


def test_what_was_simulated_has_a_standard_error():
    def forgery(document):
        del document["partitions"][0]["subpopulations"]["by_chance"]["error"]

    assert forged(forgery, PAIRS) == (1, ["malformed: it has no 'error'"])


def test_groups_with_few_rows_take_no_part_in_what_chance_makes():
    """Two of a kind in each group: one third of all ways puts a difference there."""
    written = {"expected": "0", "rows": "0", "p": "1", "at_threshold": "0"}
    written |= {"lower": 0, "upper": 0}
    table = {("x",): ((1, 1), (1, 1)), ("y",): ((1, 0), (4, 4))}
    right = partition_claims.right_chance(written, table, compared(min_rows=2))
    assert right == written | {"expected": "0.333333333333", "rows": "1.33333333333"}
