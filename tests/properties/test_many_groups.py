"""Laws of many groups on random tables: what a window implies, and what plans leave."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests import naive_groups
from tests.repetitions import repetitions

from evenhand import CausalGraph, CountTable, Verdict, certify
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.removal import ModifyData, plan_removal

PLACES = CausalGraph.parse("race -> score; place -> score")
THRESHOLD = Fraction(1, 10)


def rates_by(counts, names, *, favorable):
    """Favorable decisions and rows by place and the values of some attributes."""
    cells = {}
    for labels, rows in counts:
        own = dict(zip(counts.names, labels, strict=True))
        cell = cells.setdefault((own["place"], *(own[name] for name in names)), [0, 0])
        cell[0] += rows * (own["score"] in favorable)
        cell[1] += rows
    return {key: (yes, rows) for key, (yes, rows) in cells.items() if rows}


def largest_difference(cells):
    """The largest difference within a place."""
    by_place = {}
    for (place, *_), (yes, rows) in cells.items():
        by_place.setdefault(place, []).append(Fraction(yes, rows))
    return max(max(rates) - min(rates) for rates in by_place.values())


def against_the_rest(cells):
    """The largest difference of a group's rate and that of everybody else in its place."""
    largest = Fraction(0)
    for (place, label), (yes, rows) in cells.items():
        rest = [c for (p, other), c in cells.items() if p == place and other != label]
        if rest:
            pooled = Fraction(sum(y for y, _ in rest), sum(n for _, n in rest))
            largest = max(largest, abs(Fraction(yes, rows) - pooled))
    return largest


@pytest.mark.parametrize("seed", range(repetitions(25)))
def test_a_certified_window_implies_each_group_against_its_pooled_rest(seed):
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(3, 6))
    cells = naive_groups.random_cells(
        rng, groups=groups, lines=5, most=int(rng.integers(4, 30))
    )
    question = naive_groups.question_of()
    found = certify(naive_groups.table_of(cells), PLACES, question, min_coverage=0)
    after = change_counts(found.examined.counts, plan_removal(found), rng)
    rates = rates_by(after, ["race"], favorable={"u"})
    assert largest_difference(rates) < THRESHOLD
    assert against_the_rest(rates) < THRESHOLD
    if len(after.values("score")) > 1:
        for label in naive_groups.GROUPS[:groups]:
            asked = naive_groups.question_of(group=label, other="rest")
            one = certify(after, PLACES, asked, min_coverage=0)
            assert one.partition.violating == 0


@pytest.mark.parametrize("seed", range(repetitions(25)))
def test_a_certified_window_of_intersections_implies_each_attribute_alone(seed):
    rng = np.random.default_rng(seed)
    most = int(rng.integers(4, 25))
    lines = [
        (*labels, int(rng.integers(1, most)))
        for labels in product(["p0", "p1", "p2"], "fm", "abc", "uv")
        if rng.random() < 0.8 or labels[0] == "p0"
    ]
    place, sex, race, score, rows = zip(*lines, strict=True)
    columns = {"place": [*place], "sex": [*sex], "race": [*race], "score": [*score]}
    graph = CausalGraph.parse("race -> score; sex -> score; place -> score")
    question = naive_groups.question_of(protected=("sex", "race"))
    found = certify(CountTable.of(columns, [*rows]), graph, question, min_coverage=0)
    after = change_counts(found.examined.counts, plan_removal(found), rng)
    for names in (["sex", "race"], ["sex"], ["race"]):
        assert largest_difference(rates_by(after, names, favorable={"u"})) < THRESHOLD


@pytest.mark.parametrize("seed", range(repetitions(8)))
@pytest.mark.parametrize(
    "method",
    [
        ModifyData(),
        ModifyData(policy="raise"),
        ModifyData(margin="1/20"),
        ModifyData(only=("a", "c")),
        ModifyData(policy="raise", only=("b", "c")),
        ModifyData(policy="rows"),
    ],
    ids=["minimal", "raise", "margin", "only", "raise only", "rows"],
)
def test_a_plan_that_reaches_the_criterion_is_certified_when_it_was_applied(seed, method):
    """Pairs and references, one value, sets of values, every value and cuts of their order."""
    applied = 0
    for cells, question, groups, values in naive_groups.cases(seed, 12):
        many = question.criterion != "favorable"
        if (method.policy == "rows") != many and method != ModifyData():
            continue
        found = certify(naive_groups.table_of(cells), PLACES, question, min_coverage=0)
        plan = plan_removal(found, method=method)
        before = found.examined.counts
        after = change_counts(before, plan, np.random.default_rng(seed))
        assert after.marginal(["place", "race"]) == before.marginal(["place", "race"])
        cells_after = {
            (labels[0], labels[1], labels[2]): rows
            for labels, rows in after.marginal(["place", "race", "score"])
        }
        assert moved(cells, cells_after) == plan.changed_rows
        own = naive_groups.naive_comparisons(
            cells_after, question, groups=groups, values=values
        )
        threshold = THRESHOLD - method.margin
        left = {key[-1] for key, d in own.items() if abs(d) >= threshold}
        assert plan.after.violating == len(
            {key[-1] for key, d in own.items() if abs(d) >= THRESHOLD}
        )
        if not method.only:
            assert not left
        check_who_changed(cells, cells_after, method, question)
        applied += plan.changed_rows
        if plan.reaches_criterion and len(after.values("score")) == values:
            again = certify(after, PLACES, found.question, min_coverage=0)
            assert again.partition.violating == 0
            assert again.verdict is not Verdict.NOT_CERTIFIED
    assert applied


def moved(before, after):
    """How many rows have another decision: half the sum of all differences of cells."""
    keys = {*before, *after}
    return sum(abs(before.get(key, 0) - after.get(key, 0)) for key in keys) // 2


def check_who_changed(before, after, method, question):
    """Only named groups change, upward only if raised, and nobody with too few rows."""
    for place, race, score in {*before, *after}:
        key = place, race, score
        change = after.get(key, 0) - before.get(key, 0)
        if method.only and race not in method.only:
            assert not change
        if naive_groups.rows_of(before, place, race) < question.min_rows:
            assert not change
        if method.policy == "raise" and score not in question.favorable_values:
            assert change <= 0
