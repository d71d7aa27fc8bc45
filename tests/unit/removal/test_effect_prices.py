"""Prices of effects: their bounds are never above the optimum, and none is better."""

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize
from tests.joint_brute_force import fewest_changes, random_problem

from evenhand.removal.effect_prices import EffectPrices


def searches(seed, number):
    rng = np.random.default_rng(seed)
    while number:
        problem = random_problem(rng)
        known, possible = problem.without_effects()
        if possible.all() and not problem.is_met(known):
            number -= 1
            yield rng, problem, EffectPrices(problem, known)


def test_no_price_gives_a_bound_above_the_optimum():
    for rng, problem, search in searches(1, 15):
        optimum = fewest_changes(problem)
        for prices in rng.normal(0, 5, (40, 2)):
            bound = search.at(prices).bound
            assert optimum is None or bound <= optimum
        assert optimum is None or search.best()[1] <= optimum


def test_no_search_finds_better_prices():
    for rng, problem, search in searches(2, 6):
        if fewest_changes(problem) is None:
            continue
        _, bound = search.best()
        starts = rng.normal(0, 10, (4, 2))
        others = [
            -minimize(lambda p, s=search: -s.at(p).bound, start, method="Nelder-Mead").fun
            for start in starts
        ]
        assert bound >= max(others) - 0.26  # it stops where less than a quarter is to be had


def test_the_counts_at_prices_meet_the_criterion_in_each_line():
    for rng, problem, search in searches(3, 10):
        for prices in rng.normal(0, 20, (10, 2)):
            here = search.at(prices)
            assert here.changed == problem.changed(here.counts)
            assert replace(problem, effects=()).is_met(here.counts)


def test_lines_in_doubt_come_first():
    for _, _, search in searches(4, 5):
        prices, _ = search.best()
        order = search.by_doubt(prices)
        assert sorted(order) == list(range(search.problem.rows.shape[1]))
        here = search.at(prices).counts
        there = search.at(prices * (1 + 1e-6)).counts
        changed = np.flatnonzero((here != there).any(axis=0))
        assert set(changed) <= set(order[: len(changed) or None])
