"""The paper's Tables 4 and 5: how many decisions each rule changes, and what it leaves."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.graph import CausalGraph
from evenhand.removal import ModifyData, plan_removal

THRESHOLDS = [Fraction(1, 40), Fraction(1, 20), Fraction(3, 40), Fraction(1, 10)]


def adult_graph(counts):
    causes = [name for name in counts.names if name != "income"]
    return CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))


DUTCH_GRAPH = CausalGraph.parse("sex -> occupation; age -> occupation; edu_level -> occupation")


def plans(counts, graph, name, policy):
    question = datasets.question(name).question
    for threshold in THRESHOLDS:
        certificate = certify(counts, graph, replace(question, threshold=threshold))
        yield plan_removal(certificate, method=ModifyData(policy=policy))


@pytest.mark.paper("table:setting")
@pytest.mark.parametrize(
    ("policy", "cell_changes", "left"),
    [
        ("paper", [1134, 790, 584, 420], [86, 59, 43, 36]),
        ("printed", [1508, 1056, 782, 554], [77, 54, 40, 34]),
        ("minimal", [2 * rows for rows in (907, 643, 488, 371)], [0, 0, 0, 0]),
    ],
)
def test_adult(paper_adult, policy, cell_changes, left):
    found = list(plans(paper_adult, adult_graph(paper_adult), "adult", policy))
    assert [2 * plan.changed_rows for plan in found] == cell_changes
    assert [plan.after.violating for plan in found] == left


@pytest.mark.paper("table:setting")
@pytest.mark.parametrize(
    ("policy", "cell_changes", "left"),
    [
        ("paper", [10114, 8838, 7702, 6800], 1),
        ("printed", [12350, 10840, 9476, 8336], 1),
        ("minimal", [2 * rows for rows in (5058, 4420, 3852, 3401)], 0),
    ],
)
def test_dutch(dutch, policy, cell_changes, left):
    found = list(plans(dutch, DUTCH_GRAPH, "dutch", policy))
    assert [2 * plan.changed_rows for plan in found] == cell_changes
    assert [plan.after.violating for plan in found] == [left] * 4


@pytest.mark.paper("alg:md")
def test_changing_only_women_cannot_repair_54_of_adults_148(paper_adult):
    question = datasets.question("adult").question
    certificate = certify(paper_adult, adult_graph(paper_adult), question)
    plan = plan_removal(certificate, method=ModifyData(policy="group"))
    assert certificate.partition.violating == 148
    assert plan.after.violating == 54


@pytest.mark.paper("alg:md")
def test_what_the_papers_rule_leaves_strictly_beyond_the_threshold(paper_adult):
    def strictly(plan):
        differences = map(plan.after.risk_difference, range(len(plan.after)))
        threshold = plan.question.threshold
        return sum(d is not None and abs(d) > threshold for d in differences)

    found = plans(paper_adult, adult_graph(paper_adult), "adult", "paper")
    assert [strictly(plan) for plan in found] == [85, 56, 43, 32]


@pytest.mark.paper("alg:md")
def test_the_papers_rule_leaves_one_of_dutch_exactly_on_the_threshold(dutch):
    for plan in plans(dutch, DUTCH_GRAPH, "dutch", "paper"):
        left = [abs(plan.after.risk_difference(at)) for at in np.flatnonzero(plan.after.side)]
        assert left == [plan.question.threshold]
