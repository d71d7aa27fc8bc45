"""Populations whose truth is known, and how often statements about them are wrong."""

from fractions import Fraction

import numpy as np
from scipy.stats import binom

from evenhand import CountTable, Question, datasets
from evenhand.counts import examined_counts
from evenhand.evidence.comparisons import Comparisons
from evenhand.evidence.partition import Partition
from evenhand.evidence.statistical_verdict import statistical_verdict
from evenhand.evidence.statistics.comparison_statistics import heterogeneity
from evenhand.evidence.statistics.p_values import newcombe_interval, threshold_p
from evenhand.evidence.statistics.pooled_difference import pooled_difference
from evenhand.verdict import StatisticalVerdict

QUESTION = Question(protected="sex", group="f", other="m", decision="hired", favorable="yes")
LEAST = Fraction(9, 10)


def partition_of(group_yes, group, other_yes, other, *, threshold="0.05"):
    """A partition with these counts, one subpopulation for each place."""
    a, n, b, m = (
        np.asarray(column, np.int64) for column in (group_yes, group, other_yes, other)
    )
    columns = (a, n - a, b, m - b)
    places = len(a)
    counts = CountTable.of(
        {
            "place": [f"{i:06}" for i in range(places)] * 4,
            "sex": ["f"] * 2 * places + ["m"] * 2 * places,
            "hired": (["yes"] * places + ["no"] * places) * 2,
        },
        np.concatenate(columns).tolist(),
    )
    asked = Question(**(QUESTION.to_dict() | {"threshold": threshold}))
    whole = examined_counts(CountTable.of({"sex": ["f", "m"], "hired": ["yes", "no"]}), asked)
    table = np.stack(columns).reshape(2, 2, -1).transpose(1, 0, 2)
    groups, decisions = whole.groups, whole.decisions
    return Partition(whole.question, counts.marginal(["place"]), groups, decisions, table)


def compared(group_yes, group, other_yes, other, *, threshold="0.05"):
    """Comparisons of two groups with these counts, one in each place."""
    favorable, rows = np.stack([group_yes, other_yes]), np.stack([group, other])
    return Comparisons.of(
        favorable[None], rows, [(0, 1)], least_rows=1, threshold=Fraction(threshold)
    )


def partition_of_adult(counts):
    """Adult divided by all attributes but the protected one and the decision."""
    names = [name for name in counts.names if name not in {"sex", "income"}]
    return Partition.of(examined_counts(counts, datasets.question("adult").question), names)


def partition_of_dutch(counts):
    """The Dutch census divided by the causes that the paper finds."""
    asked = datasets.question("dutch").question
    return Partition.of(examined_counts(counts, asked), ["age", "edu_level"])


def adult_sizes():
    """The 268 comparable groups of Adult: rows of women and men, and the rate of both."""
    a, n, b, m = partition_of_adult(datasets.adult()).comparisons.tables
    return n, m, (a + b) / (n + m)


def sample(generator, sizes, difference):
    """A table from a population in which the groups differ by this, everywhere."""
    n, m, rate = sizes
    low = np.clip(rate, 0, 1 - difference)
    return generator.binomial(n, low), n, generator.binomial(m, low + difference), m


def interval_coverage(generator, *, places=2000, draws=2000, least=5):
    """How often intervals cover the true difference, for each of many pairs of rates."""
    n, m = np.exp(generator.uniform(np.log(least), np.log(500), (2, places))).astype(np.int64)
    p, q = generator.uniform(0.02, 0.98, (2, places))
    a, b = generator.binomial(n, p, (draws, places)), generator.binomial(m, q, (draws, places))
    low, high = newcombe_interval(a, n, b, m)
    return ((low <= q - p) & (q - p <= high)).mean(axis=0)


def verdict_shares(generator, sizes, difference, *, draws):
    """How often each statistical verdict comes out."""
    found = [
        statistical_verdict(
            partition_of(*sample(generator, sizes, difference)), min_coverage=LEAST
        )
        for _ in range(draws)
    ]
    return {verdict: found.count(verdict) / draws for verdict in StatisticalVerdict}


def shown_error(group, other, threshold, *, groups=10, steps=13):
    """At most so often a difference is shown in one of ten alike, though none exceeds τ.

    Goes through all tables (in large groups those within seven deviations) at rates that differ
    by τ to either side or not at all, and returns the worst. A difference is shown if its
    interval lies beyond τ and its p is under .05 / 10; or under .05, if another one of small p,
    whose interval does not, makes Holm's correction weaker.
    """
    edges = np.geomspace(1e-4, 0.1, steps // 2)
    worst = 0.0
    for difference in (threshold, -threshold, 0.0):
        end = 1 - abs(difference)
        for low in np.unique(np.concatenate([np.linspace(0, end, steps), edges, end - edges])):
            if not 0 <= low <= end:
                continue
            rates = (low + max(-difference, 0), low + max(difference, 0))
            a, b = (_likely(*side) for side in zip((group, other), rates, strict=True))
            chance = np.outer(binom.pmf(a, group, rates[0]), binom.pmf(b, other, rates[1]))
            far = np.abs(b[None, :] / other - a[:, None] / group) > threshold
            x, y = (side[far] for side in np.meshgrid(a, b, indexing="ij"))
            table = x, np.full_like(x, group), y, np.full_like(y, other)
            p, chance = threshold_p(*table, threshold), chance[far]
            ends = newcombe_interval(*table)
            beyond = (ends[0] > threshold) | (ends[1] < -threshold)
            small = p < 0.05 / groups
            alone = 1 - (1 - chance[small & beyond].sum()) ** groups
            helped = chance[small & ~beyond].sum() * chance[(p < 0.05) & beyond].sum()
            worst = max(worst, float(alone + groups**2 * helped))
    return worst


def shown_shares(generator, sizes, rates, threshold, *, draws):
    """How often a difference is shown: by subpopulations alone, or with their mean in two ways.

    Sizes and rates of the group and of the others, one for each subpopulation; the family is
    that of all subpopulations, or these and their mean, which is one more or has half of the
    level.
    """
    group, other = (np.asarray(side, np.int64) for side in sizes)
    tables = [
        column.ravel()
        for total, rate in zip((group, other), rates, strict=True)
        for column in (
            generator.binomial(total, rate, (draws, len(total))),
            np.tile(total, (draws, 1)),
        )
    ]
    low, high = newcombe_interval(*tables)
    beyond = ((low > threshold) | (high < -threshold)).reshape(draws, -1)
    p = threshold_p(*tables, threshold).reshape(draws, -1)
    of_mean, mean_beyond = np.ones((draws, 1)), np.zeros((draws, 1), np.bool_)
    a, n, b, m = (column.reshape(draws, -1) for column in tables)
    for line in np.flatnonzero(_mean_deviates(a, n, b, m, threshold) > 1):
        one = pooled_difference(a[line], n[line], b[line], m[line], threshold)
        of_mean[line] = one.p_threshold
        mean_beyond[line] = one.low > threshold or one.high < -threshold
    return (
        _any_shown(p, beyond).mean(),
        _any_shown(np.hstack([p, of_mean]), np.hstack([beyond, mean_beyond])).mean(),
        _any_shown_divided(p, beyond, of_mean, mean_beyond).mean(),
    )


def _mean_deviates(a, n, b, m, threshold):
    """How far the mean lies beyond τ, in standard errors of rates as seen: not too few."""
    share = n * m / (n + m)
    share = share / share.sum(axis=1, keepdims=True)
    p, q = a / n, b / m
    variance = (share**2 * (p * (1 - p) / n + q * (1 - q) / m)).sum(axis=1)
    excess = np.abs((share * (q - p)).sum(axis=1)) - threshold
    return np.divide(excess, variance**0.5, out=np.full(len(a), 9.0), where=variance > 0)


def _any_shown_divided(p, beyond, of_mean, mean_beyond):
    """Holm's rule with weights: a mean that is rejected leaves its half to the others."""
    rejects_mean = of_mean < 0.025
    level = np.where(rejects_mean, 0.05, 0.025)
    return (rejects_mean & mean_beyond)[:, 0] | _any_shown(p, beyond, level)


def _any_shown(p, beyond, level=0.05):
    """Holm's step-down rule, for each line: reject the smallest p while it is small enough."""
    order = np.argsort(p, axis=1)
    small = np.take_along_axis(p, order, 1) < level / np.arange(p.shape[1], 0, -1)
    rejected = np.logical_and.accumulate(small, axis=1)
    return (rejected & np.take_along_axis(beyond, order, 1)).any(axis=1)


# Places, rows of the group and of the others.
FAMILIES = (
    *((2, 5, 1000), (2, 30, 300), (2, 1000, 1000), (5, 100, 100)),
    *((10, 11, 1000), (50, 2, 1000), (50, 300, 300)),
)


def families():
    """Names, sizes of both groups, and lower rates of many kinds of families."""
    for places, *rows in FAMILIES:
        sizes = [np.full(places, row) for row in rows]
        lows = [np.full(places, rate) for rate in (0.01, 0.5)]
        yield f"{places} of {rows[0]:,} against {rows[1]:,}", sizes, lows
    generator = np.random.default_rng(1)
    sizes = np.exp(generator.uniform(np.log(2), np.log(3000), (2, 30))).astype(np.int64)
    yield "30 of 2 to 3,000 against 2 to 3,000", sizes, [generator.beta(2, 3, 30)]
    n, m, rate = adult_sizes()
    yield "Adult's 268", (n, m), [rate]


def boundary_rates(lows, threshold):
    """Names and rates of group and others that differ by τ, to one side or by turns."""
    for rate in lows:
        low = np.clip(rate, 0, 1 - threshold)
        name = f"{low[0]:.3g}" if np.ptp(low) == 0 else "various"
        turns = {"others ahead": 1, "group ahead": 0, "by turns": np.arange(len(low)) % 2}
        for side, up in turns.items():
            rates = low + threshold * (1 - up), low + threshold * up
            yield f"lower rate {name}, {side}", rates


def family_error(generator, sizes, rates, threshold, *, draws=2000):
    """How often one of the family is shown: share, upper 99.9 % limit, number of draws.

    Where the limit is not under 5 %, ten times as many tables are drawn anew, and if it is not
    under 5.5 % then, fifty times as many.
    """
    for times, enough in ((1, 0.05), (10, 0.055), (50, 1)):
        shares = [
            shown_shares(generator, sizes, rates, threshold, draws=draws)[1]
            for _ in range(times)
        ]
        share = float(np.mean(shares))
        upper = upper_limit(share, times * draws)
        if upper < enough:
            break
    return share, upper, times * draws


def upper_limit(share, draws, z=3.09):
    """The upper 99.9 % limit of a simulated share: Wilson's."""
    weight = z**2 / draws
    half = (weight * (share * (1 - share) + weight / 4)) ** 0.5
    return (share + weight / 2 + half) / (1 + weight)


def _likely(rows, rate):
    reach = 7 * (rows * rate * (1 - rate)) ** 0.5 + 8
    return np.arange(max(0, int(rows * rate - reach)), min(rows, int(rows * rate + reach)) + 1)


def within_share(generator, *, places, rows, rate, draws):
    """How often all are called within, when one of them differs by just the threshold."""
    sizes = np.full(places, rows), np.full(places, rows), np.full(places, rate)
    within = 0
    for _ in range(draws):
        a, n, b, m = sample(generator, sizes, 0.0)
        b[0] = generator.binomial(rows, rate + 0.05)
        verdict = statistical_verdict(partition_of(a, n, b, m), min_coverage=LEAST)
        within += verdict is StatisticalVerdict.WITHIN
    return within / draws


def common_coverage(generator, group, other, group_rates, other_rates, *, draws):
    """How often the common interval covers the weighted mean; rates repeat over places."""
    p, q = (np.resize(np.asarray(r, float), len(group)) for r in (group_rates, other_rates))
    truth = float(np.average(q - p, weights=group * other / (group + other)))
    covered = 0
    for _ in range(draws):
        a, b = generator.binomial(group, p), generator.binomial(other, q)
        found = pooled_difference(a, group, b, other, 0.05)
        covered += found.low - 1e-12 <= truth <= found.high + 1e-12
    return covered / draws


def overall_shares(generator, sizes, difference, *, draws, level=0.05):
    """How often the common interval covers, and how often each overall test rejects."""
    covered, counts = 0, np.zeros(3)
    for _ in range(draws):
        partition = partition_of(*sample(generator, sizes, difference))
        common = partition.statistics.common
        varying = heterogeneity(partition.leading, common.difference)
        covered += common.low <= difference <= common.high
        counts += np.array([common.p_zero, varying.p, varying.p_opposite]) < level
    names = ("p_zero", "heterogeneity", "opposite")
    return {"coverage": covered / draws, **dict(zip(names, counts / draws, strict=True))}
