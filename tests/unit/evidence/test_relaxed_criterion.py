"""When the relaxed criterion is claimed, and which numbers it refuses."""

from collections import Counter
from fractions import Fraction

import pytest
from tests import naive_groups
from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, Question, datasets
from evenhand.errors import QuestionError
from evenhand.evidence import certify, certify_relaxed
from evenhand.evidence.relaxed_criterion import relax
from evenhand.graph import CausalGraph


@pytest.mark.paper("def:rnd")
def test_the_relaxed_criterion_is_claimed_where_nothing_differs():
    relaxed = certify_relaxed(datasets.admissions(1), GRAPH, QUESTION, assurance="0.99")
    assert relaxed.claimed
    assert relaxed.bound == 1
    assert "claimed" in str(relaxed)


def test_unmeasured_rows_weaken_the_relaxed_claim():
    counts = CountTable.of(
        {
            "sex": ["f", "f", "m", "m", "m", "m"],
            "job": ["cook"] * 4 + ["guard"] * 2,
            "hired": ["yes", "no"] * 3,
        },
        [10, 10, 10, 10, 5, 5],
    )
    question = Question(protected="sex", group="f", decision="hired", favorable="yes")
    jobs = CausalGraph.parse("sex -> hired; job -> hired; sex -> job")
    relaxed = certify(counts, jobs, question).relaxed(assurance="0.9")
    assert relaxed.bound == 1
    assert relaxed.bound_of_all_rows == Fraction(40, 50)
    assert not relaxed.claimed


def test_every_examined_block_set_bounds_the_claim():
    """Over all people nothing differs; in each half of x the groups differ by a tenth."""
    lines = [(x, s, d) for x in "01" for s in "fm" for d in ("yes", "no")]
    counts = CountTable.of(
        dict(zip("xsd", zip(*lines, strict=True), strict=True)), [8, 12, 10, 10, 12, 8, 10, 10]
    )
    question = Question(protected="s", group="f", decision="d", favorable="yes")
    graph = CausalGraph.parse("s -> d; x")
    assert certify(counts, graph, question).relaxed(threshold="0.2").bound == 1
    relaxed = certify(counts, graph, question, scope="all").relaxed(threshold="0.2")
    assert relaxed.bound == 1 - Fraction(1, 10) ** 2 / Fraction(1, 5) ** 2
    assert (relaxed.role, relaxed.names) == ("block set", ("x",))
    strict = certify(counts, graph, question, scope="all").relaxed()
    assert strict.bound < 0
    assert not strict.claimed


@pytest.mark.parametrize("assurance", ["1.2", "-0.1", "most", float("nan")])
def test_an_assurance_that_is_no_share_is_refused(assurance):
    with pytest.raises(QuestionError, match="assurance"):
        certify_relaxed(datasets.admissions(2), GRAPH, QUESTION, assurance=assurance)


@pytest.mark.parametrize("threshold", ["0", "1", "5%", float("inf")])
def test_a_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(QuestionError, match="threshold"):
        certify_relaxed(datasets.admissions(2), GRAPH, QUESTION, threshold=threshold)


@pytest.mark.parametrize("seed", range(4))
def test_of_many_groups_the_largest_difference_of_each_place_counts(seed):
    """Its mean square bounds the rows that lie where no two groups reach the threshold."""
    for cells, question, groups, values in naive_groups.cases(seed, 8):
        partition = naive_groups.partition_of(cells, question)
        widest = {}
        for key, d in naive_groups.naive_comparisons(
            cells, question, groups=groups, values=values
        ).items():
            widest[key[-1]] = max(widest.get(key[-1], Fraction(0)), abs(d))
        rows = Counter()
        for (place, _, _), many in cells.items():
            rows[place] += many
        relaxed = relax([partition], assurance="0.8", threshold=question.threshold)
        measured = sum(rows[place] for place in widest)
        assert relaxed.coverage == Fraction(measured, sum(rows.values()))
        if not widest:
            assert relaxed.mean_square is None
            continue
        square = sum(rows[place] * d**2 for place, d in widest.items()) / measured
        assert relaxed.mean_square == square
        if not partition.two_groups:
            mean = sum(rows[place] * d for place, d in widest.items()) / measured
            assert relaxed.mean == mean
        within = sum(rows[place] for place, d in widest.items() if d < question.threshold)
        assert Fraction(within, measured) >= relaxed.bound
