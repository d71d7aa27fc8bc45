"""The graph learned anew from released counts."""

import numpy as np
import pytest

from evenhand import CountTable, Question, Tiers, datasets
from evenhand.evidence import Verdict, certify
from evenhand.graph.dag import CausalGraph
from evenhand.releasing.counted import change_counts
from evenhand.releasing.relearned import relearn
from evenhand.removal import plan_removal

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
    assert not found.gained
    assert not found.lost
    assert found.verdict is Verdict.NOT_CERTIFIED
    assert "the same" in str(found)


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
    assert "job" in str(found)


def test_after_a_release_the_relearned_verdict_is_reported():
    counts = people(by_job=True)
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), ASKED)
    after = change_counts(counts, plan_removal(certificate), np.random.default_rng(0))
    found = relearn(after, certificate, knowledge=TIERS)
    assert found.verdict is Verdict.CERTIFIED
    assert found.decision_causes == ("job",)


def test_causes_that_stay_open_are_named():
    """With all three joined, nothing but knowledge could tell job -> hired from its reverse."""
    counts = people(by_job=True, jobs_differ=True)
    certificate = certify(counts, CausalGraph.parse("sex -> hired; job -> hired"), ASKED)
    found = relearn(counts, certificate, knowledge=Tiers(["sex"], ["job", "hired"]))
    assert found.possible_decision_causes == (("job",), ())
    assert not found.lost
    assert "open: job" in str(found)


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
