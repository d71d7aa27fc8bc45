"""Feldman's repair, against a sort of single rows."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import floor
from statistics import median_low

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.admission import GRAPH, QUESTION
from tests.many_groups import hiring_audit

from evenhand import (
    CausalGraph,
    CountTable,
    Question,
    RepairAttributes,
    audit,
    datasets,
    plan_removal,
)
from evenhand.errors import CannotReleaseError, ColumnError, QuestionError
from evenhand.evidence import certify
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.removal.baselines import repairs


@pytest.fixture
def example_1():
    return certify(datasets.admissions(1), GRAPH, QUESTION)


def repaired(certificate, method=None, seed=0):
    plan = plan_removal(certificate, method=method or RepairAttributes(), seed=seed)
    return plan, change_counts(certificate.examined.counts, plan, np.random.default_rng(seed))


def by_sorting(sizes):
    """The repair of each single row, by its quantile in every group's sorted values."""
    rows = [[value for value, many in enumerate(group) for _ in range(many)] for group in sizes]
    changed = Counter()
    for group, values in enumerate(rows):
        for rank, old in enumerate(values):
            quantile = (rank + Fraction(1, 2)) / len(values)
            new = median_low([some[floor(quantile * len(some))] for some in rows if some])
            if new != old:
                changed[group, old, new] += 1
    return changed


@given(
    sizes=st.integers(1, 4).flatmap(
        lambda values: st.lists(
            st.lists(st.integers(0, 7), min_size=values, max_size=values),
            min_size=2,
            max_size=4,
        )
    )
)
def test_the_numbers_are_those_of_single_rows(sizes):
    found = Counter()
    for group, old, new, rows in repairs(sizes):
        assert rows > 0
        found[group, old, new] += rows
    assert found == by_sorting(sizes)


@given(
    sizes=st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=2, max_size=2)
)
def test_a_plan_changes_as_many_rows_as_a_sort_of_single_rows(sizes):
    """Half of each group's rows are hired."""
    sizes = [[first + 1, *others] for first, *others in sizes]
    cells = [*product("fm", "123", ("no", "yes"))]
    numbers = [many for group in sizes for many in group for _ in range(2)]
    columns = dict(zip(("sex", "grade", "hired"), zip(*cells, strict=True), strict=True))
    asked = Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = CausalGraph.parse("sex -> hired; grade -> hired")
    certificate = certify(CountTable.of(columns, numbers), graph, asked)
    changed = Counter()
    for move in plan_removal(certificate, method=RepairAttributes(), seed=1).moves:
        grades = move.where["grade"], move.becomes["grade"]
        changed["fm".index(move.where["sex"]), *map("123".index, grades)] += move.row_count
    assert changed == by_sorting([[2 * many for many in group] for group in sizes])


def test_decisions_and_groups_stay(example_1):
    plan, after = repaired(example_1)
    before = example_1.examined.counts
    assert after.marginal(["gender", "admission"]) == before.marginal(["gender", "admission"])
    assert {name for move in plan.moves for name in move.becomes} <= {"major", "test_score"}
    assert plan.changed_decisions is None


def test_patterns_name_every_column_and_no_more_rows_than_there_are(example_1):
    plan, _ = repaired(example_1)
    counts, wanted = example_1.examined.counts, Counter()
    for move in plan.moves:
        assert {*move.where} == {*counts.names}
        assert all(move.where[name] != value for name, value in move.becomes.items())
        wanted[tuple(move.where.items())] += move.row_count
    assert all(counts.count(**dict(where)) >= rows for where, rows in wanted.items())
    assert sum(wanted.values()) == plan.changed_rows


def test_chosen_attributes_alone_change(example_1):
    method = RepairAttributes(attributes=("major",))
    plan, _ = repaired(example_1, method)
    assert {name for move in plan.moves for name in move.becomes} == {"major"}
    assert method.policy == "major"
    with pytest.raises(ColumnError, match="'majr'"):
        RepairAttributes(attributes=("majr",)).plan(example_1)
    with pytest.raises(ColumnError, match="'admission'"):
        RepairAttributes(attributes=("admission",)).plan(example_1)


def test_the_same_seed_gives_the_same_plan(example_1):
    method = RepairAttributes()
    assert method.plan(example_1, seed=5) == method.plan(example_1, seed=5)
    assert method.plan(example_1) == method.plan(example_1)
    assert method.plan(example_1, seed=5) != method.plan(example_1, seed=6)
    by_counts = method.plan(example_1, seed=example_1.examined.counts.seed)
    assert method.plan(example_1) == by_counts != method.plan(example_1, seed=0)


def test_it_promises_nothing(example_1):
    plan, _ = repaired(example_1)
    assert not RepairAttributes.guaranteed
    assert not plan.reaches_criterion
    assert "no guarantee" in str(plan)


def test_many_groups_are_repaired_together():
    certificate = hiring_audit().certificate
    _, after = repaired(certificate)
    question = certificate.question
    others = [name for name in after.names if name not in question.columns]
    for name in others:
        groups = after.cube([*question.protected_names, name]).astype(float)
        shares = np.cumsum(groups, axis=1) / groups.sum(axis=1, keepdims=True)
        assert np.ptp(shares, axis=0).max() <= 2 / groups.sum(axis=1).min()


@pytest.mark.parametrize("uncertified", [False, True])
def test_no_rows_are_released(uncertified):
    found = audit(datasets.admissions(1), QUESTION, graph=GRAPH)
    with pytest.raises(CannotReleaseError, match="changes 'major', and no decision"):
        found.release(method=RepairAttributes(), seed=7, uncertified=uncertified)


@pytest.mark.parametrize("attributes", [5, "major", None, {"major": 1}, ["major", 5]])
def test_attributes_are_a_list_of_names(attributes):
    with pytest.raises(QuestionError, match="`attributes` is .*no list of texts"):
        RepairAttributes(attributes=attributes)


def test_an_attribute_that_is_named_twice_is_repaired_once():
    assert RepairAttributes(attributes=["major", "major"]).policy == "major"
