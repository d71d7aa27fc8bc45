"""The rows that would settle what is open."""

import numpy as np
import pytest
from tests.many_groups import hiring_audit
from tests.populations import LEAST, partition_of

from evenhand.evidence.needed_rows import needed_rows
from evenhand.evidence.population import StatisticalVerdict, population


@pytest.mark.parametrize("counts", [(60, 400, 100, 400), (40, 400, 44, 400), (3, 90, 12, 80)])
def test_with_the_rows_it_names_the_matter_is_settled_as_it_says(counts):
    a, n, b, m = counts
    needed = needed_rows(partition_of([a], [n], [b], [m]))
    # Well beyond them, as they only settle it with a probability of 80 %.
    many = round(2 * needed.times) + 1
    grown = partition_of([a * many], [n * many], [b * many], [m * many])
    expected = {"shown": StatisticalVerdict.SHOWN, "within": StatisticalVerdict.WITHIN}
    verdict = population([grown], min_coverage=LEAST).verdict
    assert verdict is expected[needed.toward]


def test_a_difference_of_just_the_threshold_is_settled_by_no_number_of_rows():
    assert needed_rows(partition_of([240], [600], [90], [200])) is None


def test_the_average_of_many_may_be_nearest_to_being_shown():
    tables = np.array([[22] * 20, [60] * 20, [27] * 20, [60] * 20])
    needed = needed_rows(partition_of(*tables))
    assert (needed.toward, needed.where, needed.row_count) == ("shown on average", {}, 2400)
    assert "in all measured subpopulations, to show the difference on average" in needed.text
    many = round(2 * needed.times) + 1
    grown = population([partition_of(*(tables * many))], min_coverage=LEAST)
    assert grown.verdict is StatisticalVerdict.SHOWN
    assert grown.common.shown


def test_a_group_may_be_nearer_than_the_average():
    needed = needed_rows(partition_of([10, 300], [60, 900], [24, 290], [60, 900]))
    assert needed.toward == "shown"
    assert needed.where == {"place": "000000"}


def test_of_several_groups_the_rows_are_those_of_one_pair():
    audit = hiring_audit({"A": {"red": (3, 3), "green": (4, 2), "blue": (2, 4)}})
    needed = audit.certificate.population.needed
    assert needed.pair == ("blue", "green")
    assert needed.row_count == 12
    assert " of blue and green in all measured subpopulations, " in needed.text
    assert needed.text.endswith(" of this one pair")
    assert "pair" not in needed.to_dict()
