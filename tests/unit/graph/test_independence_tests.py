"""Tests of independence against published values, scipy and the definition."""

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

from evenhand import CountTable
from evenhand.errors import ColumnError, QuestionError
from evenhand.graph.cached_tests import IndependenceTester
from evenhand.graph.independence_tests import TESTS


def counted(table):
    """Counts of x, y and, where there is a third axis, z, from an array."""
    cells = list(np.ndenumerate(np.asarray(table)))
    names = "xyz"[: len(cells[0][0])]
    columns = {name: [str(at[i]) for at, _ in cells] for i, name in enumerate(names)}
    return CountTable.of(columns, [int(n) for _, n in cells])


def by_scipy(table, *, log=False):
    """Statistic and degrees of freedom added up over strata, by scipy."""
    statistic, degrees = 0.0, 0
    for stratum in np.moveaxis(np.asarray(table), -1, 0):
        live = stratum[stratum.sum(axis=1) > 0][:, stratum.sum(axis=0) > 0]
        if min(live.shape) > 1:
            kind = "log-likelihood" if log else "pearson"
            found = chi2_contingency(live, correction=False, lambda_=kind)
            statistic, degrees = statistic + found.statistic, degrees + found.dof
    return statistic, degrees


@pytest.mark.parametrize(
    ("test", "statistic", "p"),
    [("chi-square", 0.7936508, 0.372998), ("g-square", 0.8043486, 0.369796)],
)
def test_the_published_values_of_one_table(test, statistic, p):
    found = IndependenceTester(counted([[10, 20], [30, 40]]), test=test).test("x", "y")
    assert found.statistic == pytest.approx(statistic, abs=1e-7)
    assert found.degrees_of_freedom == 1
    assert found.p == pytest.approx(p, abs=1e-6)
    assert found.independent


@pytest.mark.parametrize("seed", range(6))
def test_strata_add_up_as_scipy_counts_each(seed):
    table = np.random.default_rng(seed).poisson(1.2, (3, 4, 5))
    for test, log in (("chi-square", False), ("g-square", True)):
        found = IndependenceTester(counted(table), test=test).test("x", "y", ["z"])
        statistic, degrees = by_scipy(table, log=log)
        assert found.statistic == pytest.approx(statistic)
        assert found.degrees_of_freedom == degrees
        assert found.p == pytest.approx(chi2.sf(statistic, degrees))


def test_the_adjusted_test_takes_the_thin_strata_bias_from_each_stratum():
    table = np.random.default_rng(1).poisson(1.5, (2, 3, 4))
    expected = 0.0
    for stratum in np.moveaxis(table, -1, 0):
        n = stratum.sum()
        expected += by_scipy(stratum[..., None])[0] * (n - 1) / n
    found = IndependenceTester(counted(table), test="chi-square-adjusted").test("x", "y", ["z"])
    assert found.statistic == pytest.approx(expected)


def test_without_a_degree_of_freedom_nothing_speaks_against_independence():
    found = IndependenceTester(counted([[5, 7], [0, 0]])).test("x", "y")
    assert (found.is_testable, found.p, found.independent) == (False, 1.0, True)
    assert (found.statistic, found.degrees_of_freedom) == (0.0, 0)


def test_tiny_p_values_keep_their_order():
    p = [
        IndependenceTester(counted([[k, 1], [1, k]])).test("x", "y").p for k in (100, 200, 400)
    ]
    assert p[0] > p[1] > p[2] > 0


def test_the_order_of_names_does_not_matter():
    tester = IndependenceTester(counted(np.arange(1, 9).reshape(2, 2, 2)))
    assert tester.test("x", "y", ["z"]) == tester.test("y", "x", iter(["z"]))


@pytest.mark.parametrize("significance", [0, 1, -0.1, float("nan"), "1%", None, float("inf")])
def test_a_significance_that_is_no_level_is_refused(significance):
    with pytest.raises(QuestionError, match="between 0 and 1"):
        IndependenceTester(counted([[1, 2], [3, 4]]), significance=significance)


def test_a_column_named_twice_or_not_there_is_refused():
    tester = IndependenceTester(counted(np.ones((2, 2, 2), int)))
    for x, y, given in (("x", "x", ()), ("x", "y", ("y",))):
        with pytest.raises(QuestionError, match="twice"):
            tester.test(x, y, given)
    with pytest.raises(ColumnError, match="no column 'w'"):
        tester.test("x", "w")


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 3, 2), (3, 1, 2)])
def test_attributes_of_one_value_are_independent_of_everything(test, shape):
    found = IndependenceTester(counted(np.ones(shape, int)), test=test).test("x", "y", "z")
    assert (found.p, found.is_testable) == (1.0, False)
