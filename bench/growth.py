"""How cost grows: with rows, distinct lines, columns, values and subpopulations.

    python bench/growth.py [--write]

Each law changes one size and holds the others fixed. Seconds are processor seconds, the least
of three runs. The exponent is the slope of a line through the logarithms of the larger sizes,
where fixed costs matter least: 1 is linear, 0 does not grow. With ``--write`` the figures go to
docs/growth.json and their pictures to docs/growth-*.svg, which docs/scale.md shows.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa

import evenhand as eh
from evenhand.recheck import RecordedCertificate
from groups import random_table
from release import write_many
from scale_pictures import chart

DOCS = Path(__file__).parents[1] / "docs"
REPEATS = 3
ENOUGH = 2.0  # seconds; what takes longer is run once
Steps: TypeAlias = dict[str, Callable[[], object]]
Law: TypeAlias = dict[str, list[tuple[int, float]]]


def rows() -> Iterator[tuple[int, Steps]]:
    """Twelve columns of labels in Parquet; the causes are two of them."""
    question = eh.Question(protected="a0", group="v0", decision="e", favorable="v1")
    with tempfile.TemporaryDirectory() as name:
        for size in (100_000, 300_000, 1_000_000, 3_000_000):
            path, released = Path(name) / f"{size}.parquet", Path(name) / "released.parquet"
            write_many(path, size)
            graph = eh.CausalGraph.parse("a0 -> e; a2 -> e; a5 -> e")
            audit = eh.audit(path, question, graph=graph)

            def release(audit: eh.Audit = audit, to: Path = released) -> None:
                audit.release(seed=1).write(to, overwrite=True)

            yield size, {"count": lambda path=path: eh.read(path).count(), "release": release}


def distinct_lines() -> Iterator[tuple[int, Steps]]:
    """Twelve columns of four values, drawn along a chain."""
    for size in (3_000, 10_000, 30_000, 100_000, 300_000):
        counts = eh.read(_chain(size, columns=12, values=4)).count()
        yield len(counts), {"learn the graph": _discover(counts)}


def columns() -> Iterator[tuple[int, Steps]]:
    """Columns of two values along a chain, 20,000 rows."""
    for size in (25, 50, 100, 200, 400):
        yield size, _count_and_learn(_chain(20_000, columns=size, values=2))


def values() -> Iterator[tuple[int, Steps]]:
    """Six columns, 300,000 rows."""
    for size in (2, 4, 8, 16, 32):
        yield size, _count_and_learn(_chain(300_000, columns=6, values=size))


def subpopulations() -> Iterator[tuple[int, Steps]]:
    """Two groups, ten people of them in each subpopulation."""
    graph = eh.CausalGraph.parse("group -> hired; place -> hired")
    question = eh.Question(protected="group", decision="hired", favorable="yes")
    for size in (1_000, 10_000, 100_000, 1_000_000):
        counts = random_table(size, 2, 10 * size)
        found = eh.certify(counts, graph, question)
        text = found.to_json()
        yield (
            size,
            {
                "certify": lambda counts=counts: eh.certify(counts, graph, question),
                "plan": lambda found=found: eh.plan_removal(found),
                "write": lambda counts=counts: eh.certify(counts, graph, question).to_json(),
                "verify": lambda text=text, counts=counts: RecordedCertificate.parse(
                    text
                ).differences(counts),
            },
        )


LAWS = (rows, distinct_lines, columns, values, subpopulations)


def _chain(rows: int, *, columns: int, values: int) -> pa.Table:
    """Rows of a chain in which each column is like the one before in three cases of four."""
    generator = np.random.default_rng(0)
    codes = [generator.integers(0, values, rows)]
    for _ in range(columns - 1):
        other = generator.integers(0, values, rows)
        codes.append(np.where(generator.random(rows) < 0.75, codes[-1], other))
    return pa.table({f"x{at:03}": code for at, code in enumerate(codes)})


def _count_and_learn(table: pa.Table) -> Steps:
    return {
        "count": lambda: eh.read(table).count(),
        "learn the graph": _discover(eh.read(table).count()),
    }


def _discover(counts: eh.CountTable) -> Callable[[], object]:
    return lambda: eh.discover(counts, kernel="numpy")


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds, the least of some runs."""
    taken = []
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
        if taken[-1] > ENOUGH:
            break
    return min(taken)


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """The slope through the logarithms of the larger half of the sizes, at least three.

    >>> round(exponent([(1, 5.0), (10, 5.1), (100, 10.0), (1000, 100.0), (10_000, 1000.0)]), 3)
    1.0
    """
    largest = points[-max(3, len(points) // 2) :]
    sizes, times = np.log(np.array(largest, float).T)
    return float(np.polyfit(sizes, times, 1)[0])


def main(*, write: bool) -> None:
    record: dict[str, Law] = {}
    for law in LAWS:
        name, measured = law.__name__.replace("_", " "), Law()
        for size, steps in law():
            for step, work in steps.items():
                measured.setdefault(step, []).append((size, round(seconds(work), 5)))
        record[name] = measured
        for step, points in measured.items():
            told = "  ".join(f"{size:,}: {time:.3g} s" for size, time in points)
            print(f"{name:16} {step:22} {name}^{exponent(points):.2f}   {told}", flush=True)
        if write:
            lines = {
                f"{step}: n^{exponent(points):.2f}": points for step, points in measured.items()
            }
            picture = chart(f"Growth with {name}", name, "CPU seconds", lines)
            (DOCS / f"growth-{name.replace(' ', '-')}.svg").write_text(picture, "utf-8")
    if write:
        (DOCS / "growth.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(write="--write" in sys.argv)
