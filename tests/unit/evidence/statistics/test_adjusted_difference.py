"""A regression within strata: beside statsmodels on single rows."""

import numpy as np
import pytest

from evenhand.evidence.variations.classes import adjusted_difference

api = pytest.importorskip("statsmodels.api")


def cells(seed, many=40):
    generator = np.random.default_rng(seed)
    stratum, is_other = generator.integers(0, 3, many), generator.random(many) < 0.5
    x, z = generator.normal(size=many) + is_other, generator.normal(size=many)
    rows = generator.integers(1, 9, many)
    return stratum, is_other, generator.binomial(rows, 0.4), rows, [x, z]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_least_squares_with_a_dummy_for_each_stratum(seed):
    stratum, is_other, yes, rows, columns = cells(seed)
    dummies = (stratum[:, None] == np.unique(stratum)).astype(float)
    design = np.column_stack([is_other, *columns, dummies])
    decisions = np.concatenate(
        [[1] * a + [0] * (n - a) for a, n in zip(yes, rows, strict=True)]
    )
    fit = api.OLS(decisions, np.repeat(design, rows, axis=0)).fit(cov_type="HC1")
    difference, interval = adjusted_difference(stratum, is_other, yes, rows, columns)
    assert difference == pytest.approx(fit.params[0])
    assert interval == pytest.approx(tuple(fit.conf_int()[0]))


def test_a_column_that_tells_the_groups_leaves_nothing():
    stratum, is_other, yes, rows, _ = cells(1)
    assert adjusted_difference(stratum, is_other, yes, rows, [is_other * 2.0]) is None
    assert adjusted_difference(is_other.astype(int), is_other, yes, rows, []) is None


def test_a_constant_column_changes_nothing():
    stratum, is_other, yes, rows, columns = cells(2)
    constant = np.ones(len(rows))
    alone, _ = adjusted_difference(stratum, is_other, yes, rows, columns)
    beside, _ = adjusted_difference(stratum, is_other, yes, rows, [*columns, constant])
    assert beside == pytest.approx(alone)


@pytest.mark.parametrize("unit", [1e-200, 1e300])
def test_the_unit_of_a_column_is_no_matter(unit):
    stratum, is_other, yes, rows, (x, z) = cells(0)
    found = adjusted_difference(stratum, is_other, yes, rows, [x, z])
    in_unit = adjusted_difference(stratum, is_other, yes, rows, [unit * x, z])
    assert in_unit[1] == pytest.approx(found[1])
