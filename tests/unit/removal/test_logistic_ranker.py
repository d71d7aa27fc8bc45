"""The logistic ranker against a general minimiser on the spelt-out design."""

import numpy as np
import pytest

from evenhand import CountTable
from evenhand.removal.logistic_ranker import favorable_scores


def people(rng, lines=40):
    columns = {"a": rng.integers(0, 2, lines), "b": rng.integers(0, 4, lines)}
    table = CountTable.of({name: [str(c) for c in codes] for name, codes in columns.items()})
    rows = rng.integers(1, 30, len(table))
    return table, rng.binomial(rows, 0.3 + 0.4 * (table.codes[0] == 1)), rows


@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_the_penalised_maximum_likelihood(seed):
    from scipy.optimize import minimize  # noqa: PLC0415

    table, yes, rows = people(np.random.default_rng(seed))
    lines = [
        [1.0, *(float(a == v) for v in range(table.cards[0]))]
        + [float(b == v) for v in range(table.cards[1])]
        for a, b in zip(*table.codes, strict=True)
    ]
    design = np.array(lines)

    def loss(weights):
        odds = design @ weights
        likelihood = (yes * odds - rows * np.log1p(np.exp(odds))).sum()
        return (weights[1:] ** 2).sum() / 2 - likelihood

    best = minimize(loss, np.zeros(design.shape[1]), tol=1e-12, options={"gtol": 1e-7})
    assert favorable_scores(table, yes, rows) == pytest.approx(design @ best.x, abs=1e-4)


def test_an_attribute_that_settles_the_decision_leaves_the_scores_finite():
    table = CountTable.of({"a": ["0", "1"]})
    scores = favorable_scores(table, np.array([0, 1000]), np.array([1000, 1000]))
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


@pytest.mark.parametrize("yes", [0, 7])
def test_decisions_that_are_all_alike_rank_nobody(yes):
    table = CountTable.of({"a": ["0", "1"]})
    scores = favorable_scores(table, np.array([yes, yes]), np.array([7, 7]))
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(scores[1])


def test_more_rows_of_the_same_shares_give_nearly_the_same_order():
    table, yes, rows = people(np.random.default_rng(7))
    once = favorable_scores(table, yes, rows)
    often = favorable_scores(table, 1000 * yes, 1000 * rows)
    assert np.corrcoef(once, often)[0, 1] > 0.99
