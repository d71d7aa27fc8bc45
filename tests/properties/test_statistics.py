"""Laws of the statistics, whatever the counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.populations import LEAST, partition_of

from evenhand.evidence.statistical_verdict import population

SIZES = st.integers(1, 12) | st.integers(1, 400)


@st.composite
def tables(draw, *, most=6):
    """Favorable decisions and rows of both groups in a few subpopulations."""
    lines = []
    for _ in range(draw(st.integers(1, most))):
        n, m = draw(SIZES), draw(SIZES)
        lines.append((draw(st.integers(0, n)), n, draw(st.integers(0, m)), m))
    return tuple(np.array(column, np.int64) for column in zip(*lines, strict=True))


def swapped_groups(table):
    a, n, b, m = table
    return b, m, a, n


def swapped_decisions(table):
    a, n, b, m = table
    return n - a, n, m - b, m


def statistics_of(table):
    return partition_of(*table).statistics


@given(tables())
def test_p_values_are_probabilities_and_intervals_hold_the_difference(table):
    found = statistics_of(table)
    for name in ("p_zero", "p_threshold", "p_adjusted", "discovery_rate"):
        p = getattr(found, name)
        assert ((p >= 0) & (p <= 1)).all(), name
    assert (found.low <= found.difference + 1e-12).all()
    assert (found.high >= found.difference - 1e-12).all()


@given(tables())
def test_nothing_is_shown_both_beyond_and_within(table):
    found = statistics_of(table)
    assert not (found.shown & found.within).any()
    assert (np.abs(found.difference[found.shown]) > 0.05).all()
    assert (np.abs(found.difference[found.within]) < 0.05).all()


@given(tables())
def test_corrections_only_make_evidence_weaker(table):
    found = statistics_of(table)
    assert (found.p_adjusted >= found.discovery_rate - 1e-15).all()
    assert (found.discovery_rate >= found.p_threshold - 1e-15).all()


@given(tables(), st.sampled_from([swapped_groups, swapped_decisions]))
def test_swapping_groups_or_decisions_turns_intervals_and_keeps_the_rest(table, swap):
    here, there = statistics_of(table), statistics_of(swap(table))
    assert there.difference == pytest.approx(-here.difference)
    assert there.low == pytest.approx(-here.high)
    assert there.high == pytest.approx(-here.low)
    for name in ("p_zero", "p_threshold", "p_adjusted", "discovery_rate"):
        assert getattr(there, name) == pytest.approx(getattr(here, name), rel=1e-6, abs=1e-12)
    assert (there.shown == here.shown).all()
    assert (there.within == here.within).all()


@given(tables(), st.sampled_from([swapped_groups, swapped_decisions]))
def test_swapping_groups_or_decisions_keeps_what_all_say_together(table, swap):
    here, there = (
        population([partition_of(*t)], min_coverage=LEAST) for t in (table, swap(table))
    )
    assert there.verdict is here.verdict
    assert there.common.difference == pytest.approx(-here.common.difference, abs=1e-12)
    assert there.common.p_zero == pytest.approx(here.common.p_zero)
    assert there.heterogeneity.p == pytest.approx(here.heterogeneity.p, abs=1e-9)
    assert there.heterogeneity.p_opposite == pytest.approx(here.heterogeneity.p_opposite)
    assert there.heterogeneity.for_group == here.heterogeneity.for_other


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_subpopulations_is_no_matter(table, shuffler):
    order = list(range(len(table[0])))
    shuffler.shuffle(order)
    here, there = (partition_of(*t) for t in (table, [column[order] for column in table]))
    assert there.statistics.p_adjusted == pytest.approx(here.statistics.p_adjusted[order])
    common = here.statistics.common, there.statistics.common
    for name in ("p_zero", "p_threshold", "p_adjusted"):
        one, other = (getattr(found, name) for found in common)
        assert other == pytest.approx(one, rel=1e-6), name


@given(tables())
def test_the_common_difference_lies_among_the_differences(table):
    found, differences = statistics_of(table).common, statistics_of(table).difference
    assert differences.min() - 1e-12 <= found.difference <= differences.max() + 1e-12
    assert found.low <= found.difference <= found.high
