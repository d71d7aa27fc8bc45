"""How strong an unmeasured cause would have to be."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from tests.populations import partition_of

from evenhand import datasets
from evenhand.counts import examined_counts
from evenhand.evidence.partition import Partition
from evenhand.evidence.variations.sensitivity import (
    Benchmark,
    Sensitivity,
    benchmark,
    sensitivity,
    sensitivity_of_findings,
)


def admissions(example):
    asked = datasets.question("admissions").question
    return Partition.of(
        examined_counts(datasets.admissions(example), asked), ["major", "test_score"]
    )


def found(difference, *, benchmarks=()):
    return Sensitivity(
        where={},
        risk_difference=Fraction(difference),
        threshold=Fraction(1, 20),
        rate_ratio=2.0,
        benchmarks=benchmarks,
    )


def test_an_unmeasured_cause_moves_the_difference_by_no_more_than_its_strength():
    generator = np.random.default_rng(5)
    for _ in range(500):
        values = int(generator.integers(2, 5))
        group, other = generator.dirichlet(np.ones(values), 2)
        of_group, of_other = generator.uniform(size=(2, values))
        seen = other @ of_other - group @ of_group
        true = group @ (of_other - of_group)
        strength = np.abs(other - group).sum() / 2 * np.ptp(of_other)
        assert abs(seen - true) <= strength + 1e-12


def test_the_robustness_value_is_the_root_of_the_excess():
    assert found("0.3").robustness == pytest.approx(sqrt(0.25))
    assert found("-0.3").robustness == pytest.approx(sqrt(0.25))


def test_the_e_value_is_vanderweele_and_dings():
    assert found("0.3").e_value == pytest.approx(2 + sqrt(2))


def test_a_measured_cause_has_the_imbalance_and_effect_that_its_counts_say():
    told = benchmark(admissions(1), 0, "major")
    # High scores: 300 and 100 women, 100 and 300 men, in CS and EE; rates .5 and .7 for both.
    assert told.imbalance == pytest.approx(0.5)
    assert told.effect == pytest.approx(0.2)
    assert told.shift == pytest.approx(0.1)


def test_what_leaving_a_cause_out_does_is_no_more_than_its_strength():
    for example in (1, 2):
        partition = admissions(example)
        for line in range(4):
            for one in sensitivity(partition, line).benchmarks:
                assert one.shift <= one.strength + 0.05


def test_values_with_few_rows_are_no_benchmark():
    assert benchmark(partition_of([3, 1], [9, 9], [2, 8], [9, 9]), 0, "place") is None


def test_swapping_the_groups_changes_no_strength():
    a, n, b, m = [30, 60], [100, 90], [80, 20], [150, 50]
    here = benchmark(partition_of(a, n, b, m), 0, "place")
    there = benchmark(partition_of(b, m, a, n), 0, "place")
    assert (there.imbalance, there.effect) == pytest.approx((here.imbalance, here.effect))


def test_measured_causes_are_named_with_how_many_times_as_strong_it_must_be():
    schooling = Benchmark(name="education", imbalance=0.5, effect=0.294, shift=0.1)
    told = found("0.3", benchmarks=(schooling,))
    assert told.summary().notes[1] == ("It would have to matter more than 1.7 times education.")


def test_of_a_certified_subpopulation_only_the_average_is_said_to_be_bounded():
    told = sensitivity(admissions(1), 0)
    assert not told.is_finding
    said = " ".join(told.summary().notes)
    assert "Only the average over an unmeasured cause is bounded" in said
    assert "stands" not in said


def test_the_papers_example_2_hides_opposite_signs_under_a_difference_of_nothing():
    asked = datasets.question("admissions").question
    unmeasured = Partition.of(examined_counts(datasets.admissions(2), asked), ["major"])
    told = [sensitivity(unmeasured, line) for line in range(2)]
    assert not any(one.is_finding for one in told)
    assert {side for side in admissions(2).side.tolist() if side} == {1, -1}


def test_where_a_group_is_absent_there_is_nothing_to_overturn():
    assert sensitivity(partition_of([3], [5], [0], [0]), 0) is None


def test_it_prints_and_becomes_plain_values():
    told = sensitivity(admissions(2), 0)
    assert "robustness value" in str(told)
    assert told.to_dict()["benchmarks"][0].keys() >= {"name", "imbalance", "effect", "times"}


def test_findings_are_tried_in_the_order_of_their_strength():
    partition = admissions(2)
    tried = sensitivity_of_findings(partition)
    assert [one.where for one in tried] == [*map(partition.where, partition.by_strength)]
    assert all(one.is_finding for one in tried)
    assert sensitivity_of_findings(admissions(1)) == ()


def test_of_many_findings_the_hundred_strongest_are_tried():
    many = 120
    partition = partition_of([9] * many, [10] * many, [1] * many, [10] * many)
    assert len(sensitivity_of_findings(partition)) == 100


@pytest.mark.parametrize(
    ("imbalance", "survives"), [(0.0, None), (0.1, True), (0.5, True), (0.9, False)]
)
def test_a_finding_survives_a_cause_that_could_move_less_than_is_needed(imbalance, survives):
    weak = Benchmark(name="town", imbalance=0.0, effect=0.5, shift=0.0)
    strong = Benchmark(name="education", imbalance=imbalance, effect=0.5, shift=0.0)
    told = found("0.35", benchmarks=(strong, weak))
    assert told.survives is survives
    assert told.to_dict()["survives"] is survives


def test_all_findings_together_are_told_as_each_alone():
    partition = admissions(2)
    alone = [sensitivity(partition, line) for line in partition.by_strength.tolist()]
    assert [*sensitivity_of_findings(partition)] == alone
    assert alone
