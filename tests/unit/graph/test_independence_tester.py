"""Tests in batches give what tests one at a time give, and a search through them the same."""

import numpy as np
import pytest
from scipy.stats import chi2
from tests.brute_force import independence
from tests.single_tests import SingleTests

import evenhand as eh
from evenhand.display import ProgressReporter
from evenhand.graph.independence_tester import IndependenceTester
from evenhand.graph.independence_tests import TESTS
from evenhand.graph.local_discovery import LocalSearch
from evenhand.graph.neighborhood import CachedTests
from evenhand.question import Knowledge

ADULT, ASKED = eh.datasets.adult(), eh.datasets.question("adult")


def table(seed, rows=2000):
    """Attributes of two to four values, each following some of those before it."""
    random = np.random.default_rng(seed)
    columns = {}
    for at in range(7):
        values = int(random.integers(2, 5))
        chosen = random.permutation([*columns])[: int(random.integers(0, 3))]
        told = sum((columns[name] for name in chosen), np.zeros(rows, int))
        noise = random.integers(0, values, rows)
        columns[f"v{at}"] = np.where(random.random(rows) < 0.5, told % values, noise)
    columns["copy"] = columns["v1"]  # a set with it leaves nothing of v1 to test
    return eh.CountTable.of({name: list(map(str, x)) for name, x in columns.items()})


@pytest.mark.parametrize("kind", TESTS)
def test_batches_give_what_single_tests_give(kind):
    tests = [
        ("income", "sex", ()),
        ("age", "income", ("sex",)),
        ("income", "race", ("education", "hours", "sex")),
        ("hours", "workclass", ("age", "marital_status", "relationship", "sex")),
    ]
    names = [*ADULT.names]
    lines = [*zip(*(codes.tolist() for codes in ADULT.codes), strict=True)]
    for one, (x, y, given) in zip(
        IndependenceTester(ADULT, test=kind).test_all(tests), tests, strict=True
    ):
        places = names.index(x), names.index(y), [names.index(name) for name in given]
        statistic, degrees = independence(lines, ADULT.counts, *places, test=kind)
        p = float(chi2.sf(statistic, degrees))
        assert one.statistic == pytest.approx(statistic, rel=1e-9)
        assert one.p == pytest.approx(p, rel=1e-7, abs=1e-300)
        assert (one.degrees_of_freedom, one.status) == (degrees, "tested")
        assert one.independent == (p > 0.01)


def searched(counts, decision, knowledge, tester, method):
    """A search that looks at the results of a tester; and how often it reported."""
    told = []
    order = Knowledge.of(knowledge).about(counts.names)
    tests = CachedTests(tester, ProgressReporter(told.append))
    search = LocalSearch(decision, order, tests, method=method, max_given=6, max_given_peers=3)
    plain = search.causes().to_dict()
    p = {
        (kind, name): plain[kind][name].pop("p")
        for kind in ("separated", "strength")
        for name in plain[kind]
    }
    return plain, p, [*tests.results]


@pytest.mark.parametrize("method", ["hiton", "pc-select", "union"])
@pytest.mark.parametrize("seed", [None, *range(6)])
def test_a_search_in_batches_is_the_search_one_test_at_a_time(method, seed):
    counts = ADULT if seed is None else table(seed)
    decision = "income" if seed is None else "v6"
    knowledge = ASKED.knowledge if seed is None else (None, eh.Tiers(..., ["v6"]))[seed % 2]
    batched, p, order = searched(
        counts, decision, knowledge, IndependenceTester(counts), method
    )
    single, right, one_by_one = searched(
        counts, decision, knowledge, SingleTests(counts), method
    )
    assert batched == single  # the number of tests among it
    assert order == one_by_one  # the same tests, looked at in the same order
    assert p == pytest.approx(right, rel=1e-6, abs=1e-300)


def test_results_that_nobody_looked_at_do_not_count():
    tests = CachedTests(IndependenceTester(ADULT))
    others = [name for name in ADULT.names if name not in ("age", "native_country")]
    separation = tests.find_separation("age", "native_country", others, sizes=range(5))
    assert [*tests.results][-1] == (("age", "native_country"), separation.given)
    assert tests._prefetched.keys().isdisjoint(tests.results)
    assert tests._prefetched
