"""Level, power and graph error of the independence tests on networks with known truth.

    python -m bench.campaign_independence --write docs/independence-tests.md

Samples are drawn from published networks. On each, every test is asked the same questions:
those that PC asks when d-separation in the true graph answers it, with up to three attributes
given, and as many with larger sets, where strata are thin. A true null that is rejected counts
against the level, a true edge that is not rejected against the power. Then PC is run with each
test, and its graph is compared with the best that any test could reach. All seeds are fixed.
"""

import argparse
import platform
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.networks import Network, network

from evenhand import CountTable, Tiers
from evenhand.graph import Orientation, PartialGraph, discover, orient
from evenhand.graph.cached_tests import IndependenceTester
from evenhand.graph.d_separation import BitsetGraph
from evenhand.graph.independence_tests import TESTS
from evenhand.question import Knowledge, KnownOrder

NETWORKS = (
    "asia", "cancer", "earthquake", "survey", "sachs", "child",
    "insurance", "alarm", "water", "win95pts", "hepar2",
)  # fmt: skip
SIGNIFICANCE = 0.01
ASKED = 400
DEEPEST = 3
CLASSES = (2, 5, 10, 50, float("inf"))
BEGIN, END = "<!-- campaign: begin -->", "<!-- campaign: end -->"

Question = tuple[str, str, tuple[str, ...]]


@dataclass
class Tally:
    """Rejections of true nulls and of true edges, and errors of graphs, all as they come."""

    nulls: list[bool] = field(default_factory=list)
    edges: list[bool] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    distance: list[int] = field(default_factory=list)


def true_graph(truth: Network, order: KnownOrder) -> Orientation:
    """All that data and knowledge can tell of the graph, were there endless data."""
    joined = {frozenset(arrow) for arrow in truth.arrows}
    colliders = [
        (x, node, y)
        for node in truth.nodes
        for x, y in combinations(sorted(truth.parents[node]), 2)
        if frozenset((x, y)) not in joined
    ]
    return orient(
        truth.nodes, sorted(map(edge, truth.arrows)), colliders=colliders, order=order
    )


def questions(truth: Network, order: KnownOrder) -> tuple[list[Question], list[Question]]:
    """What stable PC asks when the truth answers: true nulls, and tests of true edges."""
    diagram = BitsetGraph.of(truth.nodes, truth.arrows)
    true_edges = set(map(edge, truth.arrows))
    around = {x: set(truth.nodes) - {x} for x in truth.nodes}
    nulls, of_edges = [], []
    for depth in range(DEEPEST + 1):
        gone = []
        for x, y in combinations(sorted(truth.nodes), 2):
            if y not in around[x]:
                continue
            pools = (
                sorted(z for z in around[a] - {b} if order.may_cause(z, a))
                for a, b in ((x, y), (y, x))
            )
            for given in sorted({s for pool in pools for s in combinations(pool, depth)}):
                reached = diagram.connected(diagram.bits(x), diagram.bits(*given))
                if not reached & diagram.bits(y):
                    nulls.append((x, y, given))
                    gone.append((x, y))
                elif (x, y) in true_edges:
                    of_edges.append((x, y, given))
        for x, y in gone:
            around[x].discard(y)
            around[y].discard(x)
    return nulls, of_edges


def padded_questions(truth: Network, seed: int) -> tuple[list[Question], list[Question]]:
    """True nulls and true edges given a node's other parents and up to seven nodes more."""
    generator = np.random.default_rng(seed)
    diagram = BitsetGraph.of(truth.nodes, truth.arrows)
    true_edges = set(map(edge, truth.arrows))
    nulls: list[Question] = []
    of_edges: list[Question] = []
    for _ in range(100 * ASKED):
        x, y = sorted(generator.choice(truth.nodes, 2, replace=False), key=truth.order.index)
        of_edge = edge((x, y)) in true_edges
        kind = of_edges if of_edge else nulls
        if len(kind) == ASKED:
            continue
        # The parents of the later node separate it from every node that is before it.
        given = set(truth.parents[y]) - {x}
        wanted = len(given) + generator.integers(0, 8)
        for z in generator.permutation([n for n in truth.nodes if n not in {x, y} | given]):
            reached = diagram.connected(diagram.bits(x), diagram.bits(*given, z))
            if len(given) < wanted and (of_edge or not reached & diagram.bits(y)):
                given.add(str(z))
        kind.append((str(x), str(y), tuple(sorted(given))))
    return nulls, of_edges


def compare(found: PartialGraph, best: Orientation) -> tuple[int, int, int]:
    """Extra edges, missing edges, and these together with wrong or absent directions."""
    marks = [
        {edge(arrow): arrow for arrow in graph.arrows} | dict.fromkeys(graph.undirected)
        for graph in (found, best)
    ]
    extra, missing = len(marks[0].keys() - marks[1]), len(marks[1].keys() - marks[0])
    turned = sum(marks[0][pair] != marks[1][pair] for pair in marks[0].keys() & marks[1])
    return extra, missing, extra + missing + turned


def edge(arrow: tuple[str, str]) -> tuple[str, str]:
    return (arrow[0], arrow[1]) if arrow[0] < arrow[1] else (arrow[1], arrow[0])


def chosen(asked: list[Question], seed: int) -> list[Question]:
    if len(asked) <= ASKED:
        return asked
    places = np.random.default_rng(seed).choice(len(asked), ASKED, replace=False)
    return [asked[place] for place in sorted(places)]


def size_class(counts: CountTable, given: tuple[str, ...]) -> float:
    """The class of the mean number of rows in a stratum."""
    _, first = counts.groups(given)
    return next(bound for bound in CLASSES if counts.row_count / len(first) < bound)


class Campaign:
    """Runs everything and keeps one tally for each setting and test."""

    def __init__(self, seeds: int) -> None:
        self.seeds = seeds
        self.tallies: dict[tuple[str, int, bool, str], Tally] = defaultdict(Tally)
        self.by_size: dict[tuple[float, str], Tally] = defaultdict(Tally)

    def run(self, name: str, rows: int, *, tiered: bool) -> None:
        """Ask all tests on some samples of one network, and let PC ask."""
        truth = network(name)
        knowledge = Tiers(*truth.tiers()) if tiered else None
        order = Knowledge.of(knowledge).about(truth.nodes)
        best = true_graph(truth, order)
        met = questions(truth, order)
        for seed in range(self.seeds):
            counts = truth.sample(rows, seed)
            asked = [chosen(those, seed) for those in met]
            for test in TESTS:
                tester = IndependenceTester(counts, test=test, significance=SIGNIFICANCE)
                tally = self.tallies[name, rows, tiered, test]
                tally.nulls += [not found.independent for found in tester.test_all(asked[0])]
                tally.edges += [not found.independent for found in tester.test_all(asked[1])]
                if not tiered:  # with tiers PC meets nearly the same nulls
                    self.sort_by_size(tester, asked, padded_questions(truth, seed))
                graph = discover(
                    counts, knowledge=knowledge, test=test, significance=SIGNIFICANCE
                )
                extra, missing, distance = compare(graph, best)
                tally.extra.append(extra)
                tally.missing.append(missing)
                tally.distance.append(distance)

    def sort_by_size(
        self,
        tester: IndependenceTester,
        asked: list[list[Question]],
        padded: tuple[list[Question], ...],
    ) -> None:
        """Ask again, apart for each mean number of rows in a stratum."""
        for kind, *questions_asked in zip(("nulls", "edges"), asked, padded, strict=True):
            for found in tester.test_all([*{*chain(*questions_asked)}]):
                sized = self.by_size[size_class(tester.counts, found.given), tester.kind]
                getattr(sized, kind).append(not found.independent)

    def size_table(self) -> Iterator[str]:
        """Level and power by the mean number of rows in a stratum."""
        yield (
            "| rows per stratum | nulls | " + heads("level %") + " edges | " + heads("power %")
        )
        yield "|---|--:|" + "--:|" * len(TESTS) + "--:|" + "--:|" * len(TESTS)
        lower = 0.0
        for bound in CLASSES:
            tallies = [self.by_size[bound, test] for test in TESTS]
            label = f"{lower:g} and more" if bound == CLASSES[-1] else f"{lower:g} to {bound:g}"
            yield row(
                [label, f"{len(tallies[0].nulls):,}"]
                + [share(tally.nulls) for tally in tallies]
                + [f"{len(tallies[0].edges):,}"]
                + [share(tally.edges) for tally in tallies]
            )
            lower = bound

    def distance_table(self) -> Iterator[str]:
        """On how many samples a test led to a better or a worse graph than chi-square."""
        yield "| test | SHD lower | equal | higher | mean difference |"
        yield "|---|--:|--:|--:|--:|"
        plain = self.distances(TESTS[0])
        for test in TESTS[1:]:
            change = self.distances(test) - plain
            cells = [(change < 0).sum(), (change == 0).sum(), (change > 0).sum()]
            yield row([test, *map(str, cells), f"{change.mean():+.2f}"])

    def distances(self, test: str) -> NDArray[np.int64]:
        """The SHD on every sample, in one order for all tests."""
        settings = sorted(key for key in self.tallies if key[3] == test)
        return np.array([d for key in settings for d in self.tallies[key].distance])

    def network_table(self) -> Iterator[str]:
        """All measures for each setting, the three tests side by side."""
        yield "| network | rows | tiers | level % | power % | extra | missing | SHD |"
        yield "|---|--:|---|--:|--:|--:|--:|--:|"
        settings = list(dict.fromkeys(key[:3] for key in self.tallies))
        for name, rows, tiered in settings:
            tallies = [self.tallies[name, rows, tiered, test] for test in TESTS]
            yield setting_row(name, rows, tiered, tallies)
        for rows, tiered in sorted({key[1:3] for key in self.tallies}):
            of = [
                [t for k, t in self.tallies.items() if k[1:] == (rows, tiered, test)]
                for test in TESTS
            ]
            yield setting_row("**mean**", rows, tiered, [pooled(tallies) for tallies in of])


def pooled(tallies: list[Tally]) -> Tally:
    """All networks as one."""
    names = ("nulls", "edges", "extra", "missing", "distance")
    return Tally(*([x for t in tallies for x in getattr(t, name)] for name in names))


def setting_row(name: str, rows: int, tiered: bool, tallies: list[Tally]) -> str:  # noqa: FBT001
    def together(show: Callable[[list], str], field_name: str) -> str:
        return " / ".join(show(getattr(tally, field_name)) for tally in tallies)

    return row(
        [name, f"{rows:,}", "3" if tiered else "none"]
        + [together(share, "nulls"), together(share, "edges")]
        + [together(mean, measure) for measure in ("extra", "missing", "distance")]
    )


def heads(measure: str) -> str:
    return " | ".join(f"{measure} {test}" for test in TESTS) + " |"


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def share(hits: list[bool]) -> str:
    return f"{100 * np.mean(hits):.1f}" if hits else "-"


def mean(numbers: list[int]) -> str:
    return f"{np.mean(numbers):.1f}" if numbers else "-"


def processor() -> str:
    lines = (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    )
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(models)} cores of {models[0]}" if models else platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--rows", nargs="+", type=int, default=(1_000, 10_000))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", type=Path, help="put the tables into this Markdown file")
    options = parser.parse_args()
    campaign, began = Campaign(options.seeds), time.process_time()
    for name in options.networks:
        for rows in options.rows:
            for tiered in (False, True):
                campaign.run(name, rows, tiered=tiered)
        print(f"{name}: {time.process_time() - began:.0f} s CPU so far", flush=True)
    measured = (
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {processor()}, "
        f"Python {platform.python_version()}, numpy {np.__version__}: "
        f"{options.seeds} samples of each setting, {time.process_time() - began:.0f} s of CPU."
    )
    sections = (
        measured,
        "### By rows per stratum, all networks together",
        "\n".join(campaign.size_table()),
        "### Graphs, sample by sample, against chi-square",
        "\n".join(campaign.distance_table()),
        "### By network",
        f"Each cell: {' / '.join(TESTS)}.",
        "\n".join(campaign.network_table()),
    )
    report = "\n\n".join(sections)
    if options.write:
        before, _, rest = options.write.read_text().partition(BEGIN)
        after = rest.partition(END)[2]
        options.write.write_text(f"{before}{BEGIN}\n\n{report}\n\n{END}{after}")
    else:
        print(report)


if __name__ == "__main__":
    main()
