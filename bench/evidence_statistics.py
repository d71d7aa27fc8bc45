"""How long statistics, resampled graphs and doubt about a graph take.

python bench/evidence_statistics.py
"""

import time
from fractions import Fraction

import numpy as np

from evenhand import datasets
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.implied_independences import doubt
from evenhand.evidence.statistics.comparison_statistics import statistics
from evenhand.evidence.statistics.expected_by_chance import by_chance
from evenhand.evidence.variations.bootstrap import bootstrap
from evenhand.graph import discover

MILLION = 10**6
# So many rows in a group at most, and how far the rates are apart.
WORKLOADS = ((20, 0.0), (200, 0.0), (5000, 0.0), (100, 0.3))


def million_subpopulations() -> None:
    generator = np.random.default_rng(0)
    for most, apart in WORKLOADS:
        group, other = generator.integers(1, most, (2, MILLION))
        rate = generator.beta(2, 3, MILLION)
        group_yes = generator.binomial(group, rate)
        other_yes = generator.binomial(other, np.minimum(rate + apart, 1))
        begin, used = time.perf_counter(), time.process_time()
        favorable, rows = np.stack([group_yes, other_yes])[None], np.stack([group, other])
        compared = Comparisons.of(
            favorable, rows, [(0, 1)], least_rows=1, threshold=Fraction(1, 20)
        )
        found = statistics(compared, 0.05)
        seconds, processor = time.perf_counter() - begin, time.process_time() - used
        used = time.process_time()
        chance = by_chance(
            group_yes=group_yes,
            group=group,
            other_yes=other_yes,
            other=other,
            threshold=Fraction(1, 20),
            violating=0,
        )
        by_chance_seconds = time.process_time() - used
        print(
            f"10⁶ subpopulations, groups up to {most:,}, rates {apart} apart: {seconds:.1f} s "
            f"({processor:.1f} s of processor), {found.shown.sum():,} shown; "
            f"by chance alone {chance}, {by_chance_seconds:.1f} s of processor"
        )


def bootstraps() -> None:
    counts, asked = datasets.adult(paper=True), datasets.question("adult")
    begin, used = time.perf_counter(), time.process_time()
    found = bootstrap(counts, asked.question, knowledge=asked.knowledge, resamples=200, seed=7)
    seconds, processor = time.perf_counter() - begin, time.process_time() - used
    print(f"200 graphs of the paper's Adult: {seconds:.1f} s ({processor:.1f} s of processor)")
    print(found)


def doubts() -> None:
    counts, asked = datasets.adult(paper=True), datasets.question("adult")
    graph = discover(counts, knowledge=asked.knowledge)
    begin = time.perf_counter()
    found = doubt(counts, graph, asked.question, knowledge=asked.knowledge)
    print(f"doubt about the paper's Adult: {time.perf_counter() - begin:.2f} s")
    print(found)


if __name__ == "__main__":
    million_subpopulations()
    bootstraps()
    doubts()
