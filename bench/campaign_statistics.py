"""How often the statistics are wrong where the truth is known.

From the root of the project, as the populations are the tests' own:

python -m bench.campaign_statistics         # error rates, all parts, an hour
python -m bench.campaign_statistics family  # a part: the names of CAMPAIGNS
"""

import sys

import numpy as np
from tests import measured_models, populations

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
# Places, rows of each group in each of them, rates of the group and of the others.
POWER = (
    *(
        (41, 18, 0.35, 0.45),
        (41, 18, 0.35, 0.47),
        (5, 200, 0.3, 0.4),
        (20, 60, 0.4, 0.5),
        (20, 60, 0.3, 0.42),
        (50, 30, 0.3, 0.42),
    ),
    *((100, 20, 0.4, 0.5), (100, 100, 0.4, 0.48), (300, 10, 0.4, 0.5), (20, 500, 0.3, 0.38)),
)


def intervals(generator: np.random.Generator) -> None:
    for least in (1, 5, 20):
        coverage = populations.interval_coverage(generator, least=least)
        low, middle = np.quantile(coverage, (0.01, 0.5))
        print(
            f"intervals, groups of {least} to 500: mean {coverage.mean():.4f}, median "
            f"{middle:.4f}, 1 % point {low:.4f}, least {coverage.min():.4f}"
        )


def adult(generator: np.random.Generator) -> None:
    sizes = populations.adult_sizes()
    for difference in (0.0, 0.05):
        shares = populations.verdict_shares(generator, sizes, difference, draws=4000)
        told = ", ".join(f"{verdict} {share:.4f}" for verdict, share in shares.items())
        print(f"Adult's groups, all differences {difference}: {told}", flush=True)
        over = populations.overall_shares(generator, sizes, difference, draws=2000)
        print(f"  over all: {', '.join(f'{name} {share:.4f}' for name, share in over.items())}")


def shown(_: np.random.Generator) -> None:
    for sizes in PAIRS:
        errors = [populations.shown_error(*sizes, threshold) for threshold in THRESHOLDS]
        print(f"shown in one of ten, {sizes}: {', '.join(f'{error:.4f}' for error in errors)}")


def common(generator: np.random.Generator) -> None:
    for places, rows, *rates in COMMON:
        groups = (np.full(places, size) for size in rows)
        share = populations.common_coverage(generator, *groups, *rates, draws=3000)
        print(f"common interval, {places} of {rows}, rates {rates}: covers {share:.3f}")


def within(generator: np.random.Generator) -> None:
    for places, rate in ((1, 0.3), (4, 0.3), (4, 0.02), (20, 0.9)):
        share = populations.within_share(
            generator, places=places, rows=3000, rate=rate, draws=4000
        )
        print(f"within, {places} of 2 × 3,000 rows, rate {rate}, one at τ: {share:.4f}")


def family(generator: np.random.Generator) -> None:
    """How often one is shown, the mean among them, if all differences are τ or -τ."""
    for name, sizes, lows in populations.families():
        for threshold in (0.01, 0.05, 0.2):
            found = [
                (populations.family_error(generator, sizes, rates, threshold), case)
                for case, rates in populations.boundary_rates(lows, threshold)
            ]
            (share, upper, draws), case = max(found)
            print(
                f"family, {name}, τ {threshold}: {share:.4f}, upper limit {upper:.4f} "
                f"({draws:,} tables, {case})",
                flush=True,
            )


def power(generator: np.random.Generator) -> None:
    """How often a difference is shown by groups alone, with their mean, with half for it."""
    for places, rows, low, high in POWER:
        sizes = np.full(places, rows), np.full(places, rows)
        rates = np.full(places, low), np.full(places, high)
        alone, together, half = populations.shown_shares(
            generator, sizes, rates, 0.05, draws=2000
        )
        print(
            f"power, {places} of 2 × {rows} rows, {low} against {high}: {alone:.3f}, with the "
            f"mean {together:.3f}, with half of the level for it {half:.3f}",
            flush=True,
        )
    sizes = populations.adult_sizes()
    for difference in (0.06, 0.08, 0.1):
        rates = np.clip(sizes[2], 0, 1 - difference)
        alone, together, half = populations.shown_shares(
            generator, sizes[:2], (rates, rates + difference), 0.05, draws=1000
        )
        found = f"{alone:.3f}, {together:.3f}, {half:.3f}"
        print(f"power, Adult's sizes, all {difference}: {found}", flush=True)


def paths(_: np.random.Generator) -> None:
    """How often intervals of effects along paths cover, in models of five attributes."""
    for ternary in (0.0, 0.3):
        for rows in (300, 1000, 5000):
            coverage = measured_models.interval_coverage(rows, ternary=ternary)
            told = ", ".join(f"{name} {share:.3f}" for name, share in coverage.items())
            print(f"paths, {rows:,} rows, three values {ternary}: {told}", flush=True)


CAMPAIGNS = {
    part.__name__: part
    for part in (intervals, adult, shown, common, within, family, power, paths)
}


if __name__ == "__main__":
    for one in sys.argv[1:] or CAMPAIGNS:
        CAMPAIGNS[one](np.random.default_rng(20170613))
