"""How long planning and carrying out take on counts, method by method.

    .venv/bin/python bench/removal.py [--data DIR]

Adult comes with evenhand; the Dutch census is read from DIR (or $EVENHAND_DATA, or
../shared/data) if it is there. Times are processor seconds, the best of five.
"""

import argparse
import os
from pathlib import Path

from evenhand import CountTable, datasets
from evenhand.evidence import certify
from evenhand.graph import discover
from evenhand.releasing.compare import compare

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def report(name: str, counts: CountTable) -> None:
    asked = datasets.question(name)
    graph = discover(counts, knowledge=asked.knowledge)
    certificate = certify(counts, graph, asked.question, knowledge=asked.knowledge)
    print(f"{name}: {counts.row_count:,} rows, {len(counts):,} distinct assignments")
    runs = [compare(certificate).outcomes for _ in range(5)]
    for same in zip(*runs, strict=True):
        best, first = min(one.seconds for one in same), same[0]
        print(
            f"  {first.method:28}{first.policy:22}{best:8.3f} s"
            f"{first.utility.cell_changes:10,} n_T{first.violating:6,} violating"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("EVENHAND_DATA", BESIDE))
    census = Path(parser.parse_args().data) / "dutch" / "dutch_census_2001.arff"
    report("adult", datasets.adult(paper=True))
    if census.is_file():
        report("dutch", datasets.dutch(census))
    else:
        print(f"dutch: no file at {census}")


if __name__ == "__main__":
    main()
