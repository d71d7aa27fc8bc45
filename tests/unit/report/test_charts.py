from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.many_groups import TOWNS, hiring_audit
from tests.towns import ASKED, GRAPH, LARGE, table

import evenhand as eh
from evenhand.counts import CountTable, examined_counts
from evenhand.evidence import Partition
from evenhand.question import Question
from evenhand.question.display_labels import Labels
from evenhand.report.differences import group_dots
from evenhand.report.pictures.charts import (
    Scale,
    count_by_step,
    funnel,
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
    words = Words.of(audit.certificate, None)
    axis = Scale.over([30.0], words)
    assert axis.band[0] == axis.at(0.0)
    assert axis.ticks[0] == (axis.at(0.0), "0")
    assert (axis.left, axis.right) == ("", "farther apart")


def test_every_comparison_of_many_groups_is_a_dot_once():
    certificate = hiring_audit().certificate
    words = Words.of(certificate, Labels())
    chart = group_dots(certificate, words)
    assert len({(dot.x, dot.y) for dot in chart.dots}) == len(chart.dots) == 7
    gaps = [
        (abs(100 * (a / (a + b) - c / (c + d))), a + b + c + d)
        for groups in TOWNS.values()
        for (a, b), (c, d) in combinations(groups.values(), 2)
    ]
    places = sorted(round(dot.x, 9) for dot in chart.dots)
    assert places == sorted(round(chart.axis.at(float(points)), 9) for points, _ in gaps)
    for points, kind in ((5, "group"), (0, "none")):
        beyond = chart.axis.at(points)
        found = {dot.kind for dot in chart.dots if (dot.x >= chart.axis.at(5)) == (points == 5)}
        assert found == {kind}, beyond


def test_gaps_are_counted_by_step_without_sign():
    certificate = hiring_audit().certificate
    steps = count_by_step(certificate.partition)
    assert min(steps) == 0
    assert steps.total() == 7


def test_one_dot_is_not_one_of_several():
    certificate = hiring_audit().certificate
    words = Words.of(certificate, Labels())
    partition = certificate.partition
    alone = funnel(partition, np.arange(1), words)
    assert alone.subtitle.startswith("The dot is the one comparable group. Horizontal")
    several = funnel(partition, np.arange(7), words)
    assert several.subtitle.startswith("Each dot is one of the 7 comparable groups")


def test_of_many_the_shown_ones_are_drawn_first_then_the_largest():
    cells = {**LARGE, "Y": (1, 29, 29, 1), "Z": (500, 500, 500, 500)}
    certificate = eh.certify(table(cells), GRAPH, ASKED)
    words, every = Words.of(certificate, None), np.arange(len(cells))
    whole = funnel(certificate.partition, every, words, named=True)
    largest = min(dot.y for dot in whole.dots)
    three = funnel(certificate.partition, every, words, most=3, named=True)
    assert [dot.shown for dot in three.dots] == [False, True, True]
    assert {dot.id for dot in three.dots if dot.shown} == {"E1", "E2"}
    assert three.dots[0].y == largest
