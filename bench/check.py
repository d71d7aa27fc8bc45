"""Whether we are still as fast beside other programs as we were.

    python bench/check.py

Runs a short selection of the benchmarks. Each ratio is our processor time over that of another
program in the same run, so it holds on any machine. Fails if one of them is more than 1.5 times
that in ratios.json. What misses its limit is measured again, up to three times in all: on a
busy machine a few milliseconds say little.
"""

import json
import sys
from pathlib import Path

import counting
import discovery
import release

STORED = Path(__file__).with_name("ratios.json")
ALLOWED = 1.5
ATTEMPTS = 3
ROWS = 1_000_000


BENCHMARKS = (
    lambda: counting.main(ROWS),
    lambda: discovery.main(discovery.QUICK, discovery.DATA, ("stored",)),
    lambda: release.main(ROWS, repeats=3),
)


def main() -> None:
    stored = json.loads(STORED.read_text("utf-8"))
    best: dict[str, float] = {}
    for benchmark in BENCHMARKS:
        for _ in range(ATTEMPTS):
            ratios = benchmark()
            best |= {name: min(ratio, best.get(name, ratio)) for name, ratio in ratios.items()}
            if all(best[name] <= ALLOWED * stored[name] for name in ratios):
                break
    print(f"\n{'our time / theirs':56}{'stored':>8}{'now':>8}{'limit':>8}")
    for name, ratio in best.items():
        limit = ALLOWED * stored[name]
        missed = "  missed" if ratio > limit else ""
        print(f"{name:56}{stored[name]:8.2g}{ratio:8.2g}{limit:8.2g}{missed}")
    sys.exit(any(ratio > ALLOWED * stored[name] for name, ratio in best.items()))


if __name__ == "__main__":
    main()
