"""How long verdicts and plans take with many groups and very many subpopulations.

    python bench/groups.py

Processor seconds; the tables are made here, Adult comes with the package. A million
subpopulations: bench/million.py.
"""

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from evenhand import CausalGraph, CountTable, ModifyData, Question, datasets
from evenhand.counts import Attribute
from evenhand.evidence import certify

_T = TypeVar("_T")
MILLION = 1_000_000


def timed(what: str, work: Callable[[], _T]) -> _T:
    begin = time.process_time()
    result = work()
    print(f"{what:60} {time.process_time() - begin:8.3f} s")
    return result


def random_table(lines: int, groups: int, rows: int) -> CountTable:
    """So many subpopulations and groups, with about so many rows in all."""
    generator = np.random.default_rng(0)
    cells = lines * groups
    sizes = generator.poisson(rows / cells, cells)
    rate = np.repeat(generator.beta(2, 3, lines), groups)
    yes = generator.binomial(sizes, rate)
    place, group = np.divmod(np.arange(cells), groups)
    attributes = [
        Attribute("place", tuple(f"{at:07}" for at in range(lines))),
        Attribute("group", tuple("abcdefghij"[:groups])),
        Attribute("hired", ("no", "yes")),
    ]
    codes = [np.tile(place, 2), np.tile(group, 2), np.repeat([0, 1], cells)]
    return CountTable.build(attributes, codes, np.concatenate([sizes - yes, yes])).pruned()


def adult() -> None:
    counts = datasets.adult(race="five")
    for protected in ("sex", "race", ("sex", "race")):
        names = {protected} if isinstance(protected, str) else {*protected}
        arrows = "; ".join(f"{name} -> income" for name in counts.names if name != "income")
        question = Question(protected=protected, decision="income", favorable=">50K")
        graph = CausalGraph.parse(arrows)
        certify(counts, graph, question)
        label = f"Adult, {' and '.join(sorted(names))}"
        found = timed(f"{label}: certify", lambda q=question, g=graph: certify(counts, g, q))
        timed(f"{label}: plan", lambda f=found: ModifyData().plan(f))


def large(lines: int, groups: int, rows: int) -> None:
    counts = random_table(lines, groups, rows)
    graph = CausalGraph.parse("group -> hired; place -> hired")
    question = Question(protected="group", decision="hired", favorable="yes")
    label = f"{lines:,} subpopulations, {groups} groups, {counts.row_count:,} rows"
    found = timed(f"{label}: certify", lambda: certify(counts, graph, question))
    timed(f"{label}: plan", lambda: ModifyData().plan(found))


if __name__ == "__main__":
    adult()
    large(300, 6, MILLION)
    large(10_000, 6, MILLION)
    large(100_000, 6, MILLION)
