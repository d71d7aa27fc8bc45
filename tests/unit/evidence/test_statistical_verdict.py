"""The statistical verdict with three values, and what carries it."""

import json
from itertools import product

import pytest
from tests import naive_groups
from tests.admission import GRAPH, QUESTION
from tests.populations import LEAST, partition_of, partition_of_dutch

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.evidence.statistical_verdict import exit_status, in_words, population
from evenhand.verdict import StatisticalVerdict, Verdict, Word
from evenhand.wording.certificate_words import population_summary


def headline(found):
    return population_summary(found).title.partition(": ")[2]


def test_one_sided_differences_are_not_called_opposite(dutch):
    found = population([partition_of_dutch(dutch)], min_coverage=LEAST)
    assert found.heterogeneity.p_opposite == 1
    assert found.verdict is StatisticalVerdict.SHOWN
    assert found.shown == 10


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
    assert any("different statistical verdicts" in note for note in found.notes)


def test_nothing_measured_is_inconclusive_and_prints():
    found = population([partition_of([3], [5], [0], [0])], min_coverage=LEAST)
    assert found.verdict is StatisticalVerdict.INCONCLUSIVE
    assert (found.common, found.heterogeneity) == (None, None)
    assert "0 of 0 groups" in str(population_summary(found))


def test_a_verdict_is_neither_true_nor_false():
    with pytest.raises(TypeError, match="there are three"):
        bool(StatisticalVerdict.SHOWN)


def test_it_stands_beside_the_exact_verdict_in_every_form():
    certificate = certify(datasets.admissions(2), GRAPH, QUESTION)
    assert certificate.population.verdict is StatisticalVerdict.INCONCLUSIVE
    assert certificate.summary().facts[1][0] == "in the population"
    assert certificate.to_dict()["population"]["verdict"] == "inconclusive"
    assert '"population":{' in certificate.to_json()
    assert "population" not in json.loads(certificate.to_shared_json())


# Twenty places in which 40 % of 60 women and 50 % of 60 men were favored: too few in each.
TWENTY = [24] * 20, [60] * 20, [31] * 20, [60] * 20


def test_the_common_difference_alone_can_carry_the_verdict():
    found = population([partition_of(*TWENTY)], min_coverage=LEAST)
    assert found.verdict is StatisticalVerdict.SHOWN
    assert (found.shown, found.common.shown) == (0, True)
    assert found.shown_on_average_only
    assert headline(found).startswith(
        "difference shown on average, in no single group; 0 of 20"
    )
    assert "after Holm's correction for 21" in str(population_summary(found))
    assert found.to_dict()["common_difference"]["shown"] is True


def test_a_group_that_is_shown_carries_it_without_the_words_for_the_average():
    a, n, b, m = ([*column, one] for column, one in zip(TWENTY, (10, 60, 55, 60), strict=True))
    found = population([partition_of(a, n, b, m)], min_coverage=LEAST)
    assert found.shown == 1
    assert not found.shown_on_average_only
    assert headline(found).startswith("difference shown; 1 of 21")


def test_of_one_subpopulation_the_mean_is_no_second_comparison():
    found = population([partition_of([1000], [5000], [2000], [5000])], min_coverage=LEAST)
    assert found.comparisons == 1
    assert "against τ" not in str(population_summary(found))


def of_three(*rates, rows=5000, **changes):
    """Three groups of so many rows in one place each, with these shares of favorable ones."""
    cells = {
        ("p0", group, value): many
        for group, rate in zip("abc", rates, strict=True)
        for value, many in (("u", rate), ("v", rows - rate))
    }
    question = naive_groups.question_of(threshold="1/20", **changes)
    partition = naive_groups.partition_of(cells, question)
    return population([partition], min_coverage=LEAST)


@pytest.mark.parametrize(
    ("rates", "verdict", "shown", "within"),
    [
        ((1000, 2000, 2000), StatisticalVerdict.SHOWN, 2, 1),
        ((1000, 1010, 1020), StatisticalVerdict.WITHIN, 0, 3),
        ((1000, 1010, 1300), StatisticalVerdict.INCONCLUSIVE, 0, 1),
    ],
)
def test_the_verdict_on_many_groups_is_that_of_all_pairs(rates, verdict, shown, within):
    found = of_three(*rates)
    assert found.verdict is verdict
    assert (found.shown, found.within, found.measured) == (shown, within, 3)
    assert [(one.group, one.other) for one in found.pairs] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert f"{shown} of 3 comparisons significantly" in headline(found)
    assert "in favor of the group" not in headline(found)
    assert found.to_dict()["pairs"] == [one.to_dict() for one in found.pairs]


def test_against_a_reference_the_others_are_not_compared_with_each_other():
    """a and c differ by 6 points, and by 3 from b each: only a and c are not shown within."""
    rates, rows = (10_000, 11_500, 13_000), 50_000
    assert of_three(*rates, rows=rows).verdict is not StatisticalVerdict.WITHIN
    found = of_three(*rates, rows=rows, other="b")
    assert found.verdict is StatisticalVerdict.WITHIN
    assert found.measured == 2


def test_the_strongest_pairs_are_told_first():
    facts = dict(population_summary(of_three(1000, 2000, 1200)).facts)
    assert [*facts][:4] == ["pooled differences", "a → b", "b → c", "a → c"]
    assert "20.0 points" in facts["a → b"]
    assert ", significantly beyond the threshold" in facts["a → b"]
    assert "beyond" not in facts["a → c"]


STATUS = {
    Verdict.CERTIFIED: 0,
    Verdict.NOT_CERTIFIED: 1,
    Verdict.CANNOT_DECIDE: 3,
    Word.NO: 0,
    Word.NOT_SHOWN: 0,
    Word.YES: 1,
    Word.CANNOT_TELL: 3,
}


@pytest.mark.parametrize("direct", STATUS)
def test_any_claim_that_is_not_met_gives_1_and_else_any_that_is_open_3(direct):
    assert exit_status({"": direct}) == STATUS[direct]
    for through, status in STATUS.items():
        both = sorted([STATUS[direct], status])
        expected = 1 if 1 in both else max(both)
        assert exit_status({"": direct, "through zip": through}) == expected


def test_what_is_not_shown_passes_unless_that_is_strict():
    assert [exit_status({"": Word.NOT_SHOWN}, strict=one) for one in (False, True)] == [0, 3]
    for word in Word:
        if word is not Word.NOT_SHOWN:
            assert exit_status({"": word}, strict=True) == word.status
    both = {"": Word.NOT_SHOWN, "through zip": Verdict.NOT_CERTIFIED}
    assert exit_status(both, strict=True) == 1


def test_claims_are_told_by_name():
    for direct, through in product(STATUS, STATUS):
        assert in_words({"": direct}) == [str(direct)]
        both = {"": direct, "through zip": through}
        assert in_words(both) == [str(direct), f"through zip: {through}"]
