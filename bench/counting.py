"""How fast rows become counts: Adult beside pandas, ten million rows beside DuckDB, the import.

    python bench/counting.py [ROWS]

Every figure is the best of three fresh processes, ours and theirs by turns: CPU seconds of all
threads and seconds by the clock for the work alone, imports apart, and the highest memory of
the process. On a busy machine the clock says little; compare it within one line.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from evenhand import datasets
from release import write_many

REPEATS = 3
ROWS_AT_ONCE = 1_000_000
SOME = 1_000_000
CARDS = (2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6)  # 25,920,000 cells
MEASURED = r"""
import json, re, sys, time
path = sys.argv[1]
begin = time.process_time()
{imports}
middle, clock = time.process_time(), time.perf_counter()
lines = {work}
wall, end = time.perf_counter() - clock, time.process_time()
memory = int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]) / 1024
took = dict(load=middle - begin, work=end - middle, wall=wall, memory=memory, lines=lines)
print(json.dumps(took))
"""
EVENHAND = ("from evenhand.rows import read", "len(read(path).count())")
PANDAS = "import pandas"
GROUPED = "len((frame := pandas.read_{kind}(path)).groupby(list(frame), observed=True).size())"
DUCKDB = (
    "import duckdb; table = duckdb.read_parquet(path); names = ', '.join(table.columns)",
    "len(table.query('t', f'select {names}, count(*) from t group by all').to_arrow_table())",
)
Figures = dict[str, float]


def measured(path: Path | str, *works: tuple[str, str]) -> list[Figures]:
    """For each piece of work the least of some fresh processes, figure by figure."""
    runs: list[list[Figures]] = [[] for _ in works]
    for _ in range(REPEATS):
        for (imports, work), done in zip(works, runs, strict=True):
            code = MEASURED.format(imports=imports, work=work)
            output = subprocess.check_output([sys.executable, "-c", code, str(path)])
            done.append(json.loads(output.splitlines()[-1]))  # after DuckDB's progress bar
    return [{figure: min(run[figure] for run in done) for figure in done[0]} for done in runs]


def show(name: str, ours: Figures, theirs: Figures, other: str) -> None:
    """Print two measurements of the same work, and the ratio of their times."""
    if ours["lines"] != theirs["lines"]:
        sys.exit(f"{name}: {ours['lines']} assignments, but {theirs['lines']} by {other}")
    ratio, clocks = (ours[figure] / theirs[figure] for figure in ("work", "wall"))
    print(
        f"{name:30} {_told(ours)}   {other:>7} {_told(theirs)}   "
        f"ratio {ratio:.2f}, by the clock {clocks:.2f}"
    )


def _told(figures: Figures) -> str:
    work, wall, memory = (figures[name] for name in ("work", "wall", "memory"))
    return f"{work:6.3f} s CPU {wall:6.3f} s {memory:5.0f} MB"


def adult() -> pa.Table:
    """The paper's 65,123 rows, in random order."""
    counts = datasets.adult(paper=True)
    lines = np.random.default_rng(0).permutation(
        np.repeat(np.arange(len(counts)), counts.counts)
    )
    return pa.table(
        {
            attribute.name: np.array(attribute.values)[codes[lines]]
            for attribute, codes in zip(counts.attributes, counts.codes, strict=True)
        }
    )


def write_network(path: Path, rows: int) -> None:
    """Rows drawn from a network in which each attribute has up to two causes before it."""
    generator = np.random.default_rng(1)
    causes = [generator.permutation(node)[:2] for node in range(len(CARDS))]
    shares = [
        generator.dirichlet([0.7] * card, [CARDS[cause] for cause in chosen]).cumsum(-1)
        for card, chosen in zip(CARDS, causes, strict=True)
    ]
    writer = None
    for begin in range(0, rows, ROWS_AT_ONCE):
        size, codes = min(ROWS_AT_ONCE, rows - begin), []
        for card, chosen, share in zip(CARDS, causes, shares, strict=True):
            given = share[tuple(codes[cause] for cause in chosen)]
            drawn = (generator.random((size, 1)) > given).sum(-1)
            codes.append(np.minimum(drawn, card - 1))
        table = pa.table(
            {
                f"attribute_{node}": pa.DictionaryArray.from_arrays(
                    column.astype(np.int8), [f"value {code}" for code in range(card)]
                )
                for node, (column, card) in enumerate(zip(codes, CARDS, strict=True))
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer:
        writer.close()


def main(rows: int) -> None:
    """Print all figures."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        table = adult()
        pa.csv.write_csv(table, folder / "adult.csv")
        pq.write_table(table, folder / "adult.parquet")
        for kind in ("csv", "parquet"):
            path = folder / f"adult.{kind}"
            grouped = (PANDAS, GROUPED.format(kind=kind))
            show(f"Adult, {kind}", *measured(path, EVENHAND, grouped), "pandas")
        many = folder / "many.parquet"
        write_many(many, SOME)
        ours, theirs = measured(many, EVENHAND, DUCKDB)
        show(f"{SOME:,} x 12, {ours['lines']:,} distinct", ours, theirs, "DuckDB")
        network = folder / "network.parquet"
        write_network(network, rows)
        ours, theirs = measured(network, EVENHAND, DUCKDB)
        show(f"{rows:,} x {len(CARDS)}", ours, theirs, "DuckDB")
        print(
            f"{'':30} {rows / ours['work'] / 1e6:.1f} million rows a CPU second, "
            f"{ours['lines']:,} distinct assignments (goals: 4 million, 1,200 MB)"
        )
        (door,) = measured("", ("import evenhand", "0"))
        print(f"import evenhand {door['load']:.3f} s (goal 0.25 s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000_000)
