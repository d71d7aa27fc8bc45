"""How fast PC finds a graph: beside causal-learn on the same counts, with the same skeleton.

    python bench/discovery.py

``EVENHAND_DATA`` names the folder of ``adult/`` and ``dutch/`` as the UCI and the census office
give them, by default ../shared/data. Every figure is CPU seconds of a fresh process that has
one core: *first* is the first call with all that it loads, with compiled code on disk, *cold*
the same with nothing on disk; *again* is the best of further calls, as causal-learn's is the
better of two. *edges* is the search for edges alone, as the paper poses it, and *no tiers* the
same without tiers, which is what causal-learn searches: there the skeletons must be equal. The
ratios are causal-learn's time over ours: as it comes over *again* and over *edges*, and with
its rule for colliders that tests all sets of neighbors (max-p), as our vote does, over *again*.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

BENCH = Path(__file__).parent
NAMES = ("adult", "hepar2", "dutch", "recorded")
RULES = ("stored", "max-p")  # of causal-learn, for colliders

COMMON = r"""
import json, os, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
sys.path.insert(0, sys.argv[2])
name = sys.argv[1]
from evenhand import CountTable
from works import DATA, pc_table, peak_memory as memory

def recorded():
    kept = {0: "age", 1: "workclass", 3: "education", 5: "marital_status", 6: "occupation",
            7: "relationship", 8: "race", 9: "sex", 12: "hours", 13: "native_country",
            14: "income"}
    lines = []
    for file, times in (("adult.data", 1), ("adult.test", 2)):
        text = (DATA / "adult" / file).read_text().splitlines()
        rows = [line.rstrip(".").split(", ") for line in text if line.count(",") == 14]
        lines += rows * times
    return CountTable.of({to: [line[at] for line in lines] for at, to in kept.items()})

counts, tiers, significance = pc_table("adult" if name == "recorded" else name)
if name == "recorded":
    counts = recorded()
"""

OURS = (
    COMMON
    + r"""
kernel, repeats = sys.argv[3], int(sys.argv[4])
before = time.process_time()
from evenhand import discover
graph = discover(counts, knowledge=tiers, significance=significance, kernel=kernel)
first = time.process_time() - before

from evenhand import Knowledge
from evenhand.graph.cached_tests import Evaluator
from evenhand.graph.discovery import initial_skeleton, names_by_tier
from evenhand.graph.skeleton import Limits

def edges(knowledge):
    order = Knowledge.of(knowledge).about(counts.names)
    names = names_by_tier(order)
    evaluator = Evaluator(counts, names, kernel=kernel)
    skeleton = initial_skeleton(names, order, significance)
    skeleton.search(lambda batch: evaluator.p_values(batch, "chi-square"), Limits())
    return [(names[x], names[y]) for x in range(len(names)) for y in range(x)
            if skeleton.adjacent[x, y]]

def best(work):
    times = []
    for _ in range(repeats):
        before = time.process_time()
        work()
        times.append(time.process_time() - before)
    return min(times)

again = best(
    lambda: discover(counts, knowledge=tiers, significance=significance, kernel=kernel))
print(json.dumps(dict(
    first=first, again=again, memory=memory(), tests=sum(graph.record.tests),
    skeleton=best(lambda: edges(tiers)),
    untiered=best(lambda: edges(None)) if tiers and name != "recorded" else None,
    edges=sorted(map(sorted, edges(None))) if name != "recorded" else [],
)))
"""
)

PEER = (
    COMMON
    + r"""
import warnings
import numpy as np
warnings.simplefilter("ignore")
from causallearn.search.ConstraintBased.PC import pc
rows = np.stack([np.repeat(code, counts.counts) for code in counts.codes], axis=1).astype(int)
rule, times = {"stored": 0, "max-p": 1}[sys.argv[3]], []
for _ in range(2):
    before = time.process_time()
    graph = pc(rows, significance, "chisq", uc_rule=rule, show_progress=False).G.graph
    times.append(time.process_time() - before)
edges = sorted(sorted((counts.names[i], counts.names[j]))
               for i, j in np.argwhere(np.triu(graph != 0)))
print(json.dumps(dict(again=min(times), memory=memory(), edges=edges)))
"""
)

# What is compared with what: causal-learn's rule for colliders, and our figure.
PAIRS = (("stored", "again"), ("stored", "skeleton"), ("max-p", "again"))


def measured(code: str, *arguments: object, cache: str | None = None) -> dict[str, object]:
    """What one fresh process says of itself."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    if cache:
        environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-c", code, *map(str, arguments)]
    output = subprocess.check_output(command, env=environment)
    found: dict[str, object] = json.loads(output.splitlines()[-1])
    return found


def main() -> None:
    """Print all figures."""
    print(
        f"{'':10}{'kernel':8}{'first':>8}{'cold':>8}{'again':>8}{'edges':>8}"
        f"{'no tiers':>9}{'MB':>6}{'tests':>8}{'ratio':>7}{'edges':>7}{'max-p':>7}"
    )
    for name in NAMES:
        peers = {}
        for rule in RULES if name != "recorded" else ():
            peers[rule] = peer = measured(PEER, name, BENCH, rule)
            print(
                f"{name:10}{f'(causal-learn, {rule})':24}{peer['again']:8.3f}"
                f"{'':19}{peer['memory']:6.0f}"
            )
        for kernel in ("numpy", "numba"):
            arguments = (name, BENCH, kernel)
            repeats = 2 if name == "recorded" else 5
            cold = 0.0
            with TemporaryDirectory() as folder:
                if kernel == "numba":
                    cold = measured(OURS, *arguments, 1, cache=folder)["first"]
                ours = measured(OURS, *arguments, repeats, cache=folder if cold else None)
            if any(ours["edges"] != peer["edges"] for peer in peers.values()):
                sys.exit(f"{name}: the skeleton differs from causal-learn's")
            compared = [(ours[figure], peers[rule]) for rule, figure in PAIRS if rule in peers]
            shown = "".join(f"{peer['again'] / seconds:7.0f}" for seconds, peer in compared)
            print(
                f"{name:10}{kernel:8}{ours['first']:8.3f}{cold or ours['first']:8.3f}"
                f"{ours['again']:8.3f}{ours['skeleton']:8.3f}"
                f"{ours['untiered'] or ours['skeleton']:9.3f}{ours['memory']:6.0f}"
                f"{ours['tests']:8,}{shown}",
                flush=True,
            )


if __name__ == "__main__":
    main()
