"""The paper's measures on numbers small enough to check by hand; the graph learned anew."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand import CountTable, Question, Tiers, audit, datasets
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.releasing.cost import compare_counts, relearn
from evenhand.removal import ModifyData, plan_removal

VALUES = ["a", "b", "c"]


def table(counts):
    return CountTable.of({"x": VALUES}, counts)


@pytest.mark.paper("table:comparison")
def test_the_measures_are_those_of_the_definitions():
    found = compare_counts(table([60, 40, 10]), table([50, 60, 0]))
    assert "cell changes (n_T)" in str(found)
    assert found.to_dict()["cell_changes"] == found.cell_changes == 10 + 20 + 10
    assert found.distance == pytest.approx(sqrt(10**2 + 20**2 + 10**2) / 110)
    assert found.chi_square_kept_cells == pytest.approx(10**2 / 50 + 20**2 / 60)
    assert found.chi_square == pytest.approx(10**2 / 50 + 20**2 / 60 + 10)


@pytest.mark.parametrize("scale", [1, 10**9, 10**12, 2**60])
def test_the_measures_of_many_rows_are_those_of_the_same_shares(scale):
    """Squares of counts exceed 64 bits from 3·10⁹ rows on, twice the counts near 2⁶²."""
    found = compare_counts(table([4 * scale, 0, 0]), table([scale, 3 * scale, 0]))
    assert found.distance == pytest.approx(sqrt(9 + 9) / 4)
    assert found.chi_square == pytest.approx((9 / 1 + 9 / 3) * scale)
    assert found.cell_changes == 6 * scale


def test_cells_that_come_into_being_are_counted():
    before = CountTable.of({"x": ["a", "a"], "y": ["0", "0"]}, [3, 3])
    after = CountTable.of({"x": ["a", "b"], "y": ["0", "1"]}, [4, 2])
    assert compare_counts(before, after).cell_changes == 2 + 2


def test_the_order_of_values_and_columns_does_not_matter():
    before = CountTable.of({"x": ["a", "b"], "y": ["0", "1"]}, [3, 4])
    after = CountTable.of({"y": ["1", "0"], "x": ["b", "a"]}, [4, 3])
    assert compare_counts(before, after).cell_changes == 0


@given(
    st.lists(st.integers(1, 50), min_size=3, max_size=3),
    st.lists(st.integers(0, 50), min_size=3, max_size=3),
)
def test_nothing_changed_costs_nothing_and_anything_else_something(old, new):
    found = compare_counts(table(old), table(new))
    assert (found.cell_changes == 0) == (old == new)
    assert (found.distance == 0) == (old == new)
    assert found.chi_square >= found.chi_square_kept_cells >= 0


TIERS = Tiers(["sex"], ["job"], ["hired"])


def people(*, by_job, jobs_differ=False):
    """Men are hired more often; the job matters, and differs by sex, only if it is said to."""
    columns, counts = {"sex": [], "job": [], "hired": []}, []
    for sex, job, hired in np.ndindex(2, 2, 2):
        rate = 4 + 3 * sex + (2 * job if by_job else 0)
        for name, code in zip(columns, (sex, job, hired), strict=True):
            columns[name].append(str(code))
        share = 3 if jobs_differ and sex == job else 1
        counts.append(100 * share * (rate if hired else 10 - rate))
    return CountTable.of(columns, counts)


ASKED = Question(protected="sex", group="0", decision="hired", favorable="1")


def test_unchanged_counts_give_the_causes_that_the_graph_had():
    counts = people(by_job=True)
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), ASKED)
    found = relearn(counts, certificate, knowledge=TIERS)
    assert found.decision_causes == ("job",)
    assert found.sentence(certificate) == ""
    assert not found.gained
    assert not found.lost
    assert found.verdict is Verdict.NOT_CERTIFIED


@pytest.mark.parametrize(
    ("by_job", "graph", "gained", "lost"),
    [
        (True, "sex -> hired; sex -> job", ("job",), ()),
        (False, "sex -> hired; job -> hired", (), ("job",)),
    ],
)
def test_a_cause_that_comes_or_goes_is_named(by_job, graph, gained, lost):
    counts = people(by_job=by_job)
    certificate = certify(counts, CausalGraph.parse(graph), ASKED)
    found = relearn(counts, certificate, knowledge=TIERS)
    assert (found.gained, found.lost) == (gained, lost)
    assert found.to_dict()["gained"] == list(gained)
    said = f"{'also' if gained else 'no longer'} finds job as a cause; by that graph: "
    assert said in found.sentence(certificate)


def test_after_a_release_the_relearned_verdict_is_reported():
    counts = people(by_job=True)
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), ASKED)
    after = change_counts(counts, plan_removal(certificate), np.random.default_rng(0))
    found = relearn(after, certificate, knowledge=TIERS)
    assert found.verdict is Verdict.CERTIFIED
    assert found.decision_causes == ("job",)
    assert found.sentence(certificate).endswith(
        "finds the same causes; by that graph: certified."
    )


def test_causes_that_stay_open_are_named():
    """With all three joined, nothing but knowledge could tell job -> hired from its reverse."""
    counts = people(by_job=True, jobs_differ=True)
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), ASKED)
    found = relearn(counts, certificate, knowledge=Tiers(["sex"], ["job", "hired"]))
    assert found.possible_decision_causes == (("job",), ())
    assert not found.lost
    assert "leaves open job as a cause; by that graph: " in found.sentence(certificate)


def test_a_release_says_in_a_sentence_what_discovery_finds_otherwise():
    """The job matters to one group only, whose decisions become like the other's."""
    hired = {("0", "a"): 40, ("0", "b"): 120, ("1", "a"): 120, ("1", "b"): 120}
    lines = [
        (sex, job, decided, many)
        for (sex, job), yes in hired.items()
        for decided, many in (("0", 200 - yes), ("1", yes))
    ]
    *columns, counts = zip(*lines, strict=True)
    table = CountTable.of(dict(zip(("sex", "job", "hired"), columns, strict=True)), counts)
    made = audit(table, ASKED, knowledge=TIERS).release(
        method=ModifyData(policy="group"), seed=1
    )
    assert made.before.decision_causes == ("job",)
    assert made.summary().notes[-1] == (
        "Discovery on the released rows no longer finds job as a cause; by that graph: "
        "certified."
    )


def test_pooled_groups_are_pooled_again():
    counts = datasets.admissions(2)
    asked = Question(
        protected="gender",
        group="female",
        other="rest",
        decision="admission",
        favorable="admitted",
    )
    graph = CausalGraph.parse("gender -> admission; test_score -> admission")
    found = relearn(counts, certify(counts, graph, asked), knowledge=Tiers(..., ["admission"]))
    assert set(found.graph.nodes) == set(counts.names)
    assert found.verdict is Verdict.NOT_CERTIFIED
