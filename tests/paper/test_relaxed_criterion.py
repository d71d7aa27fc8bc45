"""The relaxed criterion on the paper's data: mean, spread and Chebyshev's bound."""

from fractions import Fraction

import pytest
from tests.admission import GRAPH, QUESTION

from evenhand import datasets
from evenhand.evidence import certify_relaxed
from evenhand.graph import CausalGraph


@pytest.mark.paper("thm:rnd")
def test_the_bound_is_chebyshevs_by_hand():
    relaxed = certify_relaxed(datasets.admissions(2), GRAPH, QUESTION, threshold="0.1")
    # 600 and 800 rows at 3/50 and 1/20, twice 400 at -1/10.
    mean = (600 * Fraction(3, 50) + 800 * Fraction(1, 20) - 800 * Fraction(1, 10)) / 2200
    square = (600 * Fraction(9, 2500) + 800 * Fraction(1, 400) + 800 * Fraction(1, 100)) / 2200
    assert relaxed.mean == mean
    assert relaxed.mean_square == square
    assert relaxed.bound == 1 - square / Fraction(1, 100)


@pytest.mark.paper("def:rnd")
@pytest.mark.parametrize(("assurance", "claimed"), [("0.44", True), ("0.45", False)])
def test_the_assurance_decides_the_claim(assurance, claimed):
    relaxed = certify_relaxed(
        datasets.admissions(2), GRAPH, QUESTION, threshold="0.1", assurance=assurance
    )
    assert relaxed.claimed is claimed


@pytest.mark.paper("thm:srnd")
def test_adult_at_15_points_has_a_small_bound(paper_adult):
    causes = [name for name in paper_adult.names if name != "income"]
    graph = CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    question = datasets.question("adult").question
    relaxed = certify_relaxed(paper_adult, graph, question, threshold="0.15")
    # The paper prints 25.97 %, from a spread of .129 for which no recipe is known.
    assert round(float(relaxed.bound), 4) == 0.2275
    assert round(float(relaxed.bound_of_all_rows), 4) == 0.2223
    assert not relaxed.claimed
