"""Populations whose truth is known, and how often statements about them are wrong."""

from fractions import Fraction

import numpy as np

from evenhand import CountTable, Question, datasets
from evenhand.counts import examined_counts
from evenhand.evidence.common_difference import common_difference, heterogeneity
from evenhand.evidence.partition import Partition
from evenhand.evidence.population import StatisticalVerdict, statistical_verdict
from evenhand.evidence.statistics import newcombe_interval

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
    return Partition(whole.question, counts.marginal(["place"]), *columns)


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
    a, n, b, m = partition_of_adult(datasets.adult()).measured_counts
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


def overall_shares(generator, sizes, difference, *, draws, level=0.05):
    """How often the common interval covers, and how often each overall test rejects."""
    covered, counts = 0, np.zeros(3)
    for _ in range(draws):
        partition = partition_of(*sample(generator, sizes, difference))
        common = common_difference(partition)
        varying = heterogeneity(partition, common.difference)
        covered += common.low <= difference <= common.high
        counts += np.array([common.p_zero, varying.p, varying.p_opposite]) < level
    names = ("p_zero", "heterogeneity", "opposite")
    return {"coverage": covered / draws, **dict(zip(names, counts / draws, strict=True))}
