"""The paper's discovery on Adult and on the Dutch census, given its causes of the decision."""

from dataclasses import replace
from fractions import Fraction

import pytest

from evenhand import datasets
from evenhand.evidence import Verdict, certify
from evenhand.graph import CausalGraph

DUTCH_GRAPH = CausalGraph.parse("sex -> occupation; age -> occupation; edu_level -> occupation")


@pytest.fixture(scope="module")
def adult_certificate(paper_adult):
    question = datasets.question("adult").question
    causes = [name for name in paper_adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    return certify(paper_adult, graph, question)


@pytest.fixture(scope="module")
def dutch_certificate(dutch):
    return certify(dutch, DUTCH_GRAPH, datasets.question("dutch").question)


@pytest.mark.paper("sec:ee")
def test_adult_has_376_subpopulations_of_which_268_are_measured(adult_certificate):
    assert len(adult_certificate.subpopulations) == 376
    assert len(adult_certificate.unmeasured) == 376 - 268
    assert round(float(adult_certificate.coverage.overall), 3) == 0.977


@pytest.mark.paper("sec:ee")
def test_adult_has_148_violations(adult_certificate):
    assert adult_certificate.verdict is Verdict.NOT_CERTIFIED
    differences = [found.risk_difference for found in adult_certificate.evidence]
    assert len(differences) == 148
    assert sum(d >= Fraction(1, 20) for d in differences) == 96
    assert sum(d > Fraction(1, 20) for d in differences) == 94
    assert sum(d <= Fraction(-1, 20) for d in differences) == 52


@pytest.mark.paper("sec:ee")
def test_adult_differences_have_mean_and_spread(adult_certificate):
    spread = adult_certificate.to_dict()["risk_difference"]
    assert (round(spread["mean"], 3), round(spread["sd"], 3)) == (0.004, 0.132)
    assert (spread["min"], spread["max"]) == (-1, 1)


@pytest.mark.paper("sec:ee")
def test_dutch_has_12_subpopulations_and_all_violate(dutch_certificate):
    assert dutch_certificate.verdict is Verdict.NOT_CERTIFIED
    assert len(dutch_certificate.subpopulations) == len(dutch_certificate.evidence) == 12
    assert all(found.risk_difference >= Fraction(1, 20) for found in dutch_certificate.evidence)


@pytest.mark.paper("sec:ee")
def test_dutch_differences_are_the_printed_ones(dutch_certificate):
    spread = dutch_certificate.to_dict()["risk_difference"]
    assert (round(spread["min"], 4), round(spread["max"], 4)) == (0.0620, 0.4349)
    assert (round(spread["mean"], 3), round(spread["sd"], 3)) == (0.222, 0.125)


@pytest.mark.paper("thm:srnd")
def test_dutch_chebyshev_bound_is_the_printed_one(dutch_certificate):
    relaxed = dutch_certificate.relaxed(threshold="0.30", assurance="0.5")
    assert round(float(relaxed.bound), 4) == 0.2794
    assert not relaxed.claimed


def test_ten_of_the_dutch_differences_are_shown(dutch_certificate):
    assert sum(found.shown for found in dutch_certificate.evidence) == 10


def test_a_group_of_one_person_is_never_the_headline(adult_certificate):
    first = adult_certificate.evidence[0]
    assert min(first.group, first.other) > 10
    alone = [e for e in adult_certificate.evidence if 1 in (e.group, e.other)]
    assert alone
    assert all(e.p_threshold > 0.04 and not e.shown for e in alone)


def test_the_true_adult_rows_give_154_violations(adult):
    question = datasets.question("adult").question
    causes = [name for name in adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    assert len(certify(adult, graph, question).evidence) == 154
    assert len(certify(adult, graph, replace(question, threshold="0.1")).evidence) < 154


def test_chance_would_make_one_of_the_twelve_dutch_differences(dutch_certificate):
    chance = dutch_certificate.by_chance
    assert round(chance.expected, 1) == 1.1
    assert (chance.lower, chance.upper) == (0, 3)
