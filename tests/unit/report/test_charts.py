from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many_groups import TOWNS, hiring_audit

from evenhand.counts import CountTable, examined_counts
from evenhand.evidence import Partition
from evenhand.question import Question
from evenhand.question.question_file import Labels
from evenhand.report.groups import select_cases
from evenhand.report.pictures.charts import (
    Scale,
    case_spots,
    count_by_step,
    funnel,
    further_spots,
)
from evenhand.wording import Words

WORDS = Words(
    question=Question(
        protected="sex",
        group="f",
        other="m",
        decision="hired",
        favorable="yes",
        threshold="0.05",
    ),
    labels=Labels(),
)


def test_a_scale_holds_all_values_and_the_band():
    scale = Scale.over([30.0], WORDS)
    places = [scale.at(points) for points in (-5.0, 0.0, 5.0, 30.0)]
    assert places == sorted(places)
    assert places[0] > 0
    assert places[-1] < 100


@pytest.mark.parametrize("values", [[0.0], [-100.0, 100.0], [3.0], [-40.0, 2.0]])
def test_an_axis_has_a_few_ticks_within_its_ends(values):
    axis = Scale.over(values, WORDS)
    assert 2 <= len(axis.ticks) <= 8
    assert all(0 <= place <= 100 for place, _ in axis.ticks)
    assert axis.band[0] < axis.at(0.0) < axis.band[1]


def test_minus_signs_on_an_axis_are_minus_signs():
    texts = [number for _, number in Scale.over([-40.0, 40.0], WORDS).ticks]
    assert texts == ["−40", "−20", "0", "20", "40"]


def partition_of(cells):
    """Groups with these favorable and unfavorable decisions of the group and of the others."""
    places = [f"place {at:03}" for at in range(len(cells)) for _ in range(4)]
    columns = {
        "place": places,
        "sex": ["f", "f", "m", "m"] * len(cells),
        "hired": ["yes", "no"] * 2 * len(cells),
    }
    counts = CountTable.of(columns, [number for cell in cells for number in cell])
    return Partition.of(examined_counts(counts, WORDS.question), ["place"])


def test_a_difference_of_just_the_threshold_is_not_counted_under_it():
    others_yes = (450, 550, 549, 451)  # of 1,000, where 500 of 1,000 of the group have it
    cells = [(500, 500, yes, 1000 - yes) for yes in others_yes]
    assert dict(count_by_step(partition_of(cells))) == {1: 1, -2: 1, 0: 1, -1: 1}


COUNT = st.integers(0, 12)


@given(st.lists(st.tuples(COUNT, COUNT, COUNT, COUNT), min_size=1, max_size=30), st.booleans())
def test_steps_are_those_of_exact_fractions(cells, many):
    cells = [(*(10**9 * n for n in cell),) if many else cell for cell in [*cells, (1, 1, 1, 1)]]
    expected = Counter()
    for yes, no, other_yes, other_no in cells:
        if yes + no and other_yes + other_no:
            rates = Fraction(other_yes, other_yes + other_no), Fraction(yes, yes + no)
            step = floor(abs(rates[0] - rates[1]) / Fraction(1, 20))
            expected[step if rates[0] >= rates[1] else -1 - step] += 1
    assert count_by_step(partition_of(cells)) == expected


def test_gaps_begin_at_zero():
    audit = hiring_audit()
    words = Words.of(audit.certificate, None, audit.counts.names)
    axis = Scale.over([30.0], words)
    assert axis.band[0] == axis.at(0.0)
    assert axis.ticks[0] == (axis.at(0.0), "0")
    assert (axis.left, axis.right) == ("", "farther apart")


def test_every_comparison_of_many_groups_is_a_dot_once():
    certificate = hiring_audit().certificate
    drawn = [*case_spots(select_cases(certificate)), *further_spots(certificate.partition)]
    gaps = [
        (abs(100 * (a / (a + b) - c / (c + d))), a + b + c + d)
        for groups in TOWNS.values()
        for (a, b), (c, d) in combinations(groups.values(), 2)
    ]
    assert sorted((round(spot.points, 9), spot.rows) for spot in drawn) == sorted(
        (round(points, 9), rows) for points, rows in gaps
    )
    assert {spot.kind for spot in drawn if spot.points >= 5} == {"group"}
    assert {spot.kind for spot in drawn if spot.points < 5} == {"none"}


def test_gaps_are_counted_by_step_without_sign():
    certificate = hiring_audit().certificate
    steps = count_by_step(certificate.partition)
    assert min(steps) == 0
    assert steps.total() == 7


def test_one_dot_is_not_one_of_several():
    certificate = hiring_audit().certificate
    words = Words.of(certificate, Labels(), ())
    spots = case_spots(select_cases(certificate))
    alone = funnel(spots[:1], words, total=1)
    assert alone.subtitle.startswith("The dot is the one comparable group: its difference")
    several = funnel(spots, words, total=len(spots))
    assert several.subtitle.startswith(f"Each dot is one of the {len(spots)} comparable groups")
