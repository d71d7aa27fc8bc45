"""Who against whom: each pair by each kind of decision, counted from fractions."""

from fractions import Fraction

import pytest
from tests import naive_groups
from tests.several_groups import GRAPH, QUESTIONS, counted

from evenhand import certify
from evenhand.evidence.statistical_verdict import pair_differences


@pytest.mark.parametrize("seed", range(3))
def test_each_pair_counts_its_comparisons(seed):
    for cells, question, groups, values in naive_groups.cases(seed, 8):
        partition = naive_groups.partition_of(cells, question)
        differences = naive_groups.naive_comparisons(
            cells, question, groups=groups, values=values
        )
        found = pair_differences(partition)
        sets = naive_groups.favorable_sets(question, values)
        labels = [(partition.groups[a], partition.groups[b]) for a, b in partition.pairs]
        assert [(one.group, one.other) for one in found] == labels * len(sets)
        for at, one in enumerate(found):
            cut = at // len(labels)
            own = [
                d for key, d in differences.items() if key[:3] == (cut, one.group, one.other)
            ]
            assert {*one.decision.split(" or ")} == sets[cut]
            assert one.comparisons == len(own)
            assert one.reaching == sum(abs(d) >= Fraction(1, 10) for d in own)
            assert (one.common is None) == (not own)
            assert one.coverage == partition.pair_coverage[at % len(labels)]
            if len(own) == 1:
                assert one.common.difference == pytest.approx(float(own[0]))
        shown = partition.statistics.shown
        assert sum(one.shown for one in found) == int(shown.sum())


@pytest.mark.parametrize("name", QUESTIONS)
def test_plain_values_of_a_pair_are_texts_and_numbers(name):
    partition = certify(counted(), GRAPH, QUESTIONS[name]).partition
    for one in pair_differences(partition):
        plain = one.to_dict()
        assert plain["coverage"] == str(one.coverage)
        assert plain["common_difference"]["difference"] == one.common.difference
        assert {type(value) for value in plain.values()} <= {str, int, dict}
