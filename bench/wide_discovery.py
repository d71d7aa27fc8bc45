"""PC on many columns of few values, in tables whose lines are all different.

    python bench/wide_discovery.py [COLUMNS ...]

Each column follows up to two of the ten before it, with noise, so that edges, colliders and
sets of one, two and three columns occur. Every figure is CPU seconds of a fresh process
without numba: *first* is the first call of ``discover`` with all that it loads, *again* the
next. The goals are 1 s for 200 binary columns and 8 s for 500.
"""

import subprocess
import sys

COLUMNS = (200, 500)
LINES = 100_000

CODE = r"""
import re, sys, time
from pathlib import Path
import numpy as np
from evenhand import CountTable
from evenhand.counts import Attribute
columns, values, lines = map(int, sys.argv[1:4])

generator = np.random.default_rng(20)
codes = np.empty((columns, lines), np.uint8)
for at in range(columns):
    codes[at] = generator.integers(0, values, lines, np.uint8)
    causes = at - 1 - generator.choice(10, 2, replace=False)
    for cause in causes[causes >= 0][: generator.integers(0, 3)]:
        codes[at] = np.where(generator.random(lines) < 0.3, codes[cause], codes[at])
names = [Attribute(f"v{at:03}", tuple(map(str, range(values)))) for at in range(columns)]
counts = CountTable.build(names, codes, np.ones(lines, np.int64))

times = [time.process_time()]
from evenhand import discover
for _ in range(2):
    graph = discover(counts, kernel="numpy")
    times.append(time.process_time())
first, again = np.diff(times)
memory = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
edges, tests = len(graph.arrows) + len(graph.undirected), graph.record.tests
print(f"{columns:4} columns of {values} values x {len(counts):,} lines   first {first:6.2f} s"
      f"   again {again:6.2f} s   {memory:4.0f} MB   {edges:,} edges, {sum(tests):,} tests, "
      f"given up to {len(tests) - 1}")
"""


def main(sizes: tuple[int, ...]) -> None:
    """Print a line for each table."""
    for columns in sizes:
        for values in (2, 4):
            command = [sys.executable, "-c", CODE, str(columns), str(values), str(LINES)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or COLUMNS)
