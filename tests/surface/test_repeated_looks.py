"""What the how-to on nightly tables says of repeated looking is what a simulation gives."""

import re
from pathlib import Path

import numpy as np
import pytest

from evenhand.evidence.statistics.p_values import newcombe_interval, threshold_p

PAGE = Path(__file__).parents[2] / "docs/how-to/watch-a-nightly-table.md"
LINE = re.compile(r"\| (each|all) .*?\| (\d+) \| (\d+) % \| (\d+) % \| (\d+) % \|")
STATED = [[one[0], *map(int, one[1:])] for one in LINE.findall(PAGE.read_text("utf-8"))]
PEOPLE, THRESHOLD, JOBS = 500, 0.05, 1000


def looks(nights, difference, *, grows, jobs=JOBS):
    """p of each look of each job, 1 where the interval does not lie beyond the threshold."""
    rng = np.random.default_rng(1)
    rates = 0.5 - difference / 2, 0.5 + difference / 2
    yes = [rng.binomial(PEOPLE, rate, (jobs, nights)) for rate in rates]
    people = np.full((jobs, nights), PEOPLE)
    if grows:
        *yes, people = (np.cumsum(counts, axis=1) for counts in (*yes, people))
    one, other, of = (counts.ravel() for counts in (*yes, people))
    low, high = newcombe_interval(one, of, other, of)
    p = threshold_p(one, of, other, of, THRESHOLD)
    beyond = (low > THRESHOLD) | (high < -THRESHOLD)
    return np.where(beyond, p, 1).reshape(jobs, nights)


def levels(nights):
    night = np.arange(1, nights + 1)
    return 0.05, 0.05 / nights, 0.05 / (night * (night + 1))


@pytest.mark.parametrize(("table", "nights", "stated"), [(a, n, s) for a, n, *s in STATED])
def test_the_share_of_jobs_that_stop_by_mistake(table, nights, stated):
    jobs = JOBS if nights < 100 else 300
    p = looks(nights, THRESHOLD, grows=table == "all", jobs=jobs)
    shares = [float((p < level).any(axis=1).mean()) for level in levels(nights)]
    # Three standard errors of the simulation, and the rounding of the page.
    for share, percent in zip(shares, stated, strict=True):
        assert share == pytest.approx(percent / 100, abs=0.005 + 3 * (share / jobs) ** 0.5)
    assert max(shares[1:]) <= 0.05 + 3 * (0.05 * 0.95 / jobs) ** 0.5


def test_how_soon_true_differences_are_found():
    for difference, (first, last) in ((0.10, (25, 45)), (0.15, (1, 3))):
        p = looks(150, difference, grows=False, jobs=200)
        found = p < 0.05 / 365
        assert found.any(axis=1).mean() > 0.9
        assert first <= np.median(found.argmax(axis=1) + 1) <= last
