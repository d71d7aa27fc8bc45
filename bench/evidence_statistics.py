"""How long statistics take, and how often they are wrong where the truth is known.

python -m bench.evidence_statistics             # times
python -m bench.evidence_statistics --campaign  # error rates, some minutes
"""

import sys
import time
from fractions import Fraction

import numpy as np

from evenhand import datasets
from evenhand.evidence.bootstrap import bootstrap
from evenhand.evidence.by_chance import by_chance
from evenhand.evidence.graph_doubt import doubt
from evenhand.evidence.statistics import statistics
from evenhand.graph import discover

MILLION = 10**6
# So many rows in a group at most, and how far the rates are apart.
WORKLOADS = ((20, 0.0), (200, 0.0), (5000, 0.0), (100, 0.3))
# Rows of the two groups, and thresholds, at which nothing may be shown in more than 5 of 100.
PAIRS = (
    *((5, 5), (5, 50), (5, 500), (5, 5000), (11, 11), (11, 100), (11, 1000), (11, 5000)),
    *((30, 30), (30, 31), (30, 300), (30, 3000), (40, 41), (100, 100), (100, 111), (100, 1000)),
    *((100, 5000), (300, 300), (300, 3000), (1000, 1000), (1000, 5000), (5000, 5000)),
)
# Places, rows of the two groups, their rates: where the common interval has to cover.
COMMON = (
    *((100, (2, 1000), [0.001], [0.001]), (1, (200, 100_000), [0.001], [0.001])),
    *((3, (1, 1), [0.5], [0.5]), (3, (1, 1), [0.2], [0.9]), (20, (3, 50), [0.05], [0.3])),
    *((3, (5, 1000), [0.5], [0, 1]), (10, (5, 1000), [0.5], [0, 1])),
    *((40, (5, 1000), [0.5], [0, 1]), (10, (5, 5), [0.1, 0.9], [0.5])),
)
THRESHOLDS = (0.001, 0.01, 0.05, 0.1, 0.2)


def million_subpopulations() -> None:
    generator = np.random.default_rng(0)
    for most, apart in WORKLOADS:
        group, other = generator.integers(1, most, (2, MILLION))
        rate = generator.beta(2, 3, MILLION)
        group_yes = generator.binomial(group, rate)
        other_yes = generator.binomial(other, np.minimum(rate + apart, 1))
        begin, used = time.perf_counter(), time.process_time()
        found = statistics(
            group_yes=group_yes, group=group, other_yes=other_yes, other=other, threshold=0.05
        )
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


def campaign() -> None:
    # Run from the root of the project: the populations are the tests' own.
    from tests import populations  # noqa: PLC0415

    generator, sizes = np.random.default_rng(20170613), populations.adult_sizes()
    for least in (1, 5, 20):
        coverage = populations.interval_coverage(generator, least=least)
        low, middle = np.quantile(coverage, (0.01, 0.5))
        print(
            f"intervals, groups of {least} to 500: mean {coverage.mean():.4f}, median "
            f"{middle:.4f}, 1 % point {low:.4f}, least {coverage.min():.4f}"
        )
    for difference in (0.0, 0.05):
        shares = populations.verdict_shares(generator, sizes, difference, draws=4000)
        told = ", ".join(f"{verdict} {share:.4f}" for verdict, share in shares.items())
        print(f"Adult's groups, all differences {difference}: {told}")
        over = populations.overall_shares(generator, sizes, difference, draws=2000)
        print(f"  over all: {', '.join(f'{name} {share:.4f}' for name, share in over.items())}")
    for sizes in PAIRS:
        errors = [populations.shown_error(*sizes, threshold) for threshold in THRESHOLDS]
        print(f"shown in one of ten, {sizes}: {', '.join(f'{error:.4f}' for error in errors)}")
    for places, rows, *rates in COMMON:
        groups = (np.full(places, size) for size in rows)
        share = populations.common_coverage(generator, *groups, *rates, draws=300)
        print(f"common interval, {places} of {rows}, rates {rates}: covers {share:.3f}")
    for places, rate in ((1, 0.3), (4, 0.3), (4, 0.02), (20, 0.9)):
        share = populations.within_share(
            generator, places=places, rows=3000, rate=rate, draws=4000
        )
        print(f"within, {places} of 2 × 3,000 rows, rate {rate}, one at τ: {share:.4f}")


if __name__ == "__main__":
    if "--campaign" in sys.argv:
        campaign()
    else:
        million_subpopulations()
        bootstraps()
        doubts()
