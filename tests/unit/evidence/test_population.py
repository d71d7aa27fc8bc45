"""What all subpopulations say together, and the verdict with three values."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chi2
from statsmodels.stats.contingency_tables import StratifiedTable
from tests.populations import LEAST, partition_of

from evenhand import datasets
from evenhand.counts import examined_counts
from evenhand.evidence import certify
from evenhand.evidence.common_difference import (
    _gail_simon,
    _kurtosis,
    common_difference,
    heterogeneity,
)
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import StatisticalVerdict, needed_rows, population
from evenhand.evidence.sampling_noise import spread
from evenhand.graph.dag import CausalGraph

# Women and men, favored and all, in four places of very different size.
TABLES = np.array([(3, 9, 8, 11), (40, 90, 61, 100), (0, 4, 1, 2), (120, 400, 160, 380)]).T


def of(counts, name, causes):
    return Partition.of(examined_counts(counts, datasets.question(name).question), causes)


def all_causes_of_adult(adult):
    causes = [name for name in adult.names if name not in {"sex", "income"}]
    return of(adult, "adult", causes)


def stratified(tables):
    return StratifiedTable(
        [np.array([[b, m - b], [a, n - a]], float) for a, n, b, m in tables.T]
    )


def test_the_common_test_is_statsmodels_of_cochran_mantel_and_haenszel():
    library = stratified(TABLES).test_null_odds(correction=False)
    assert common_difference(partition_of(*TABLES)).p_zero == pytest.approx(library.pvalue)


def test_the_common_difference_weighs_by_the_harmonic_mean_of_the_groups():
    weights = [Fraction(int(n) * int(m), int(n + m)) for _, n, _, m in TABLES.T]
    differences = [
        Fraction(int(b), int(m)) - Fraction(int(a), int(n)) for a, n, b, m in TABLES.T
    ]
    pairs = zip(weights, differences, strict=True)
    right = sum(w * d for w, d in pairs) / sum(weights)
    assert common_difference(partition_of(*TABLES)).difference == pytest.approx(float(right))


def test_satos_variance_is_the_plain_one_where_there_is_one_large_subpopulation():
    found = common_difference(partition_of([3000], [10000], [3600], [9000]))
    error = (0.3 * 0.7 / 10000 + 0.4 * 0.6 / 9000) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * error, rel=0.01)


def test_swapping_the_groups_turns_the_common_difference():
    a, n, b, m = TABLES
    found, turned = (common_difference(partition_of(*t)) for t in (TABLES, (b, m, a, n)))
    assert turned.difference == pytest.approx(-found.difference)
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert turned.p_zero == pytest.approx(found.p_zero)


def moments(group, other, yes):
    """Kurtosis of the favorable decisions in the group, from the distribution itself."""
    rows = group + other
    inside = range(max(0, yes - other), min(group, yes) + 1)
    chance = [comb(group, x) * comb(other, yes - x) / comb(rows, yes) for x in inside]
    mean = sum(p * x for p, x in zip(chance, inside, strict=True))
    second, fourth = (
        sum(p * (x - mean) ** k for p, x in zip(chance, inside, strict=True)) for k in (2, 4)
    )
    return fourth / second**2


def test_kurtosis_is_that_of_the_hypergeometric_distribution():
    for group, other in product(range(1, 6), repeat=2):
        for yes in range(1, group + other):
            found = _kurtosis(*(np.array([x]) for x in (group, other, yes)))
            assert found[0] == pytest.approx(moments(group, other, yes))


def test_large_tables_have_cochrans_q():
    tables = TABLES[:, [1, 3]] * 50
    found = heterogeneity(
        partition_of(*tables), common_difference(partition_of(*tables)).difference
    )
    a, n, b, m = tables
    difference = b / m - a / n
    variance = (a / n) * (1 - a / n) / n + (b / m) * (1 - b / m) / m
    mean = np.average(difference, weights=1 / variance)
    q = float(((difference - mean) ** 2 / variance).sum())
    assert found.statistic == pytest.approx(q, rel=0.05)
    assert found.p == pytest.approx(chi2.sf(q, 1), rel=0.2)


def test_gail_and_simons_test_is_their_sum_of_chi_squares():
    difference, p_zero = (
        np.array([0.2, -0.1, 0.3, -0.2, 0.1]),
        np.array([0.01, 0.2, 0.03, 0.002, 0.5]),
    )
    weaker = min(
        sum(chi2.isf(p, 1) for d, p in zip(difference, p_zero, strict=True) if d * side > 0)
        for side in (1, -1)
    )
    right = sum(binom.pmf(h, 4, 0.5) * chi2.sf(weaker, h) for h in range(1, 5))
    assert _gail_simon(difference, p_zero) == pytest.approx(right)


def test_opposite_signs_are_caught_where_the_average_is_nothing():
    partition = partition_of([300, 600], [1000, 1000], [600, 300], [1000, 1000])
    found = population([partition], min_coverage=LEAST)
    assert found.common.difference == pytest.approx(0)
    assert found.common.p_zero == pytest.approx(1)
    assert found.heterogeneity.p < 1e-6
    assert found.heterogeneity.p_opposite < 1e-6
    assert (found.heterogeneity.for_group, found.heterogeneity.for_other) == (1, 1)


def test_one_sided_differences_are_not_called_opposite(dutch):
    found = population([of(dutch, "dutch", ["age", "edu_level"])], min_coverage=LEAST)
    assert found.heterogeneity.p_opposite == 1
    assert found.verdict is StatisticalVerdict.SHOWN
    assert found.shown == 10


def test_few_large_opposite_differences_are_caught_among_many(adult):
    found = population([all_causes_of_adult(adult)], min_coverage=LEAST)
    assert found.heterogeneity.p_opposite < 0.01 < found.heterogeneity.p_gail_simon


def test_the_noise_in_adult_depends_on_how_it_is_estimated(adult):
    found = spread(all_causes_of_adult(adult))
    shares = {one.estimator: round(100 * one.share) for one in found.corrected}
    assert shares == {"plug-in": 26, "smoothed": 69}
    assert round(found.corrected[1].sd, 3) == 0.073
    assert not found.solid
    assert "not solid" in found.sentence()


def test_the_noise_in_dutch_is_negligible_either_way(dutch):
    found = spread(of(dutch, "dutch", ["age", "edu_level"]))
    assert max(one.share for one in found.corrected) < 0.01
    assert round(found.mean, 3) == 0.222
    assert found.solid


def test_the_plain_bound_is_the_relaxed_certificates(adult):
    asked = datasets.question("adult").question
    causes = [name for name in adult.names if name != asked.decision]
    graph = CausalGraph(adult.names, frozenset((name, asked.decision) for name in causes))
    certificate = certify(adult, graph, asked)
    assert certificate.population.spread.bound == pytest.approx(
        float(certificate.relaxed().bound)
    )


def test_differences_that_do_not_vary_have_no_share_of_noise():
    found = spread(partition_of([30, 300], [100, 1000], [30, 300], [100, 1000]))
    assert found.sentence() == "The differences do not vary."


VERDICTS = [
    ((1000, 5000, 2000, 5000), StatisticalVerdict.SHOWN),
    ((5000, 50000, 5010, 50000), StatisticalVerdict.WITHIN),
    ((10, 50, 12, 50), StatisticalVerdict.INCONCLUSIVE),
    ((25, 500, 50, 500), StatisticalVerdict.INCONCLUSIVE),
]


@pytest.mark.parametrize(("table", "verdict"), VERDICTS)
def test_the_verdict_has_three_values(table, verdict):
    partition = partition_of(*([count] for count in table))
    assert population([partition], min_coverage=LEAST).verdict is verdict


@pytest.mark.parametrize(("table", "verdict"), VERDICTS)
def test_swapping_groups_or_decisions_changes_no_verdict(table, verdict):
    a, n, b, m = table
    for other in ((b, m, a, n), (n - a, n, m - b, m)):
        partition = partition_of(*([count] for count in other))
        assert population([partition], min_coverage=LEAST).verdict is verdict


def test_one_unsettled_subpopulation_keeps_the_rest_from_being_called_within():
    partition = partition_of([5000, 10], [50000, 50], [5010, 12], [50000, 50])
    found = population([partition], min_coverage=LEAST)
    assert found.verdict is StatisticalVerdict.INCONCLUSIVE
    assert (found.within, found.measured) == (1, 2)


def test_where_too_few_are_measured_nothing_is_called_within():
    partition = partition_of([5000, 500], [50000, 20000], [5010, 0], [50000, 0])
    assert (
        population([partition], min_coverage=LEAST).verdict is StatisticalVerdict.INCONCLUSIVE
    )


def test_causes_that_disagree_leave_it_open():
    shown = partition_of([1000], [5000], [2000], [5000])
    within = partition_of([5000], [50000], [5010], [50000])
    found = population([shown, within], min_coverage=LEAST)
    assert found.verdict is StatisticalVerdict.INCONCLUSIVE
    assert found.needed is None
    assert any("different statistical verdicts" in note for note in found.notes)


def test_nothing_measured_is_inconclusive_and_prints():
    found = population([partition_of([3], [5], [0], [0])], min_coverage=LEAST)
    assert found.verdict is StatisticalVerdict.INCONCLUSIVE
    assert (found.common, found.heterogeneity, found.spread, found.needed) == (None,) * 4
    assert "of 0 measured" in str(found)


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


def test_what_is_settled_needs_no_rows():
    assert (
        population([partition_of([1000], [5000], [2000], [5000])], min_coverage=LEAST).needed
        is None
    )


def test_a_verdict_is_neither_true_nor_false():
    with pytest.raises(TypeError, match="there are three"):
        bool(StatisticalVerdict.SHOWN)


def test_it_stands_beside_the_exact_verdict_in_every_form():
    graph = CausalGraph.parse(
        "gender -> major -> admission; gender -> admission; test_score -> admission"
    )
    asked = datasets.question("admissions").question
    certificate = certify(datasets.admissions(2), graph, asked)
    assert certificate.population.verdict is StatisticalVerdict.INCONCLUSIVE
    assert certificate.summary().facts[0][0] == "in the population"
    assert certificate.to_dict()["population"]["verdict"] == "inconclusive"
    assert '"population":{' in certificate.to_json()
    assert "common_difference" not in certificate.to_shared_json()
    assert '"verdict":"inconclusive"' in certificate.to_shared_json()
