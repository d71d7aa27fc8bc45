"""Who against whom: each pair by each kind of decision, counted from fractions."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests import naive_groups
from tests.several_groups import GRAPH, QUESTIONS, counted

from evenhand import certify
from evenhand.display import points
from evenhand.evidence.population import pair_differences, pair_tables


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


@pytest.mark.parametrize("name", ["pairs", "reference"])
def test_the_tables_have_the_difference_of_each_pair(name):
    partition = certify(counted(), GRAPH, QUESTIONS[name]).partition
    found = pair_differences(partition)
    tables = [*pair_tables(found, Fraction(1, 20))]
    assert len(tables) == len(partition.favorable)
    for table, decision in zip(tables, {one.decision: None for one in found}, strict=True):
        cells = {
            (line[0], other): text
            for line in table.lines
            for other, text in zip(table.columns[1:], line[1:], strict=True)
            if text
        }
        own = [one for one in found if one.decision == decision]
        assert cells.keys() == {(one.group, one.other) for one in own}
        for one in own:
            text = points(one.common.difference, threshold=Fraction(1, 20))
            assert cells[one.group, one.other] == text + " *" * one.common.shown
        assert bool(table.notes) == any(one.common.shown for one in own)


def test_too_many_groups_have_no_table_and_a_pair_that_never_meets_says_so():
    first, *_ = pair_differences(certify(counted(), GRAPH, QUESTIONS["pairs"]).partition)
    apart = replace(first, common=None)
    (table,) = pair_tables([apart], Fraction(1, 20))
    assert table.lines == ((apart.group, "not compared"),)
    assert not table.notes
    many = [replace(first, group=str(at)) for at in range(9)]
    assert not [*pair_tables(many, Fraction(1, 20))]
    values = [replace(first, decision=str(at)) for at in range(5)]
    assert not [*pair_tables(values, Fraction(1, 20))]
