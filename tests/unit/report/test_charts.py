from fractions import Fraction

import pytest

from evenhand.question import Question
from evenhand.question.question_file import Labels
from evenhand.report.charts import Scale, count_by_step
from evenhand.report.phrases import Words

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
    scale = Scale.over([30.0], 5.0)
    places = [scale.at(points) for points in (-5.0, 0.0, 5.0, 30.0)]
    assert places == sorted(places)
    assert places[0] > 0
    assert places[-1] < 100


@pytest.mark.parametrize("values", [[0.0], [-100.0, 100.0], [3.0], [-40.0, 2.0]])
def test_an_axis_has_a_few_ticks_within_its_ends(values):
    axis = Scale.over(values, 5.0).axis(WORDS)
    assert 2 <= len(axis.ticks) <= 8
    assert all(0 <= place <= 100 for place, _ in axis.ticks)
    assert axis.band[0] < axis.zero < axis.band[1]


def test_minus_signs_on_an_axis_are_minus_signs():
    texts = [number for _, number in Scale.over([-40.0, 40.0], 5.0).axis(WORDS).ticks]
    assert texts == ["−40", "−20", "0", "20", "40"]


def test_a_difference_of_just_the_threshold_is_not_counted_under_it():
    fractions = [Fraction(1, 20), Fraction(-1, 20), Fraction(49, 1000), Fraction(-49, 1000)]
    assert dict(count_by_step(fractions, WORDS)) == {1: 1, -2: 1, 0: 1, -1: 1}
