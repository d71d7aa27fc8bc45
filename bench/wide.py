"""Tables of thousands of columns: until the first words and until the end of each command.

    python bench/wide.py [FOLDER]

Seconds by the clock, since that is what somebody waits, and of the processor; the first words
are the first line on standard error or output. Tables are written into FOLDER, by default a
temporary one.
"""

import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from pyarrow import parquet

SIZES = ((60, 10_000), (2_000, 10_000), (50_000, 3_000))
ASKED = ["--decision", "hired", "--protected", "sex"]
JUDGED = [*ASKED, "--group", "f", "--favorable", "y"]
CAUSES = ("c0", "c1", "c2", "c3")


def make_table(rows: int, columns: int) -> pa.Table:
    """Numbers, categories, copies with errors; the decision follows sex and four columns."""
    generator = np.random.default_rng(7)
    yes = np.array(["n", "y"])
    causes = generator.integers(0, 2, (4, rows))
    sex = generator.integers(0, 2, rows)
    table = {"sex": np.array(["f", "m"])[sex]}
    table |= {name: yes[codes] for name, codes in zip(CAUSES, causes, strict=True)}
    before = generator.integers(0, 5, rows)
    for at in range(columns - len(table) - 1):
        column = generator.integers(0, 2 + at % 4, rows)
        if at % 10 == 0:
            column = np.round(generator.normal(50, 10, rows), 1)
        elif at % 10 == 2:
            column = np.where(generator.random(rows) < 0.2, column, before)
        before = before if at % 10 == 0 else column
        table[f"x{at}"] = column
    score = causes.sum(axis=0) + 0.5 * sex + generator.normal(0, 1, rows)
    return pa.table(table | {"hired": yes[(score > 2.2).astype(int)]})


def run(words: list[str]) -> tuple[float, float, float, int]:
    """Seconds until the first words, until the end, of the processor, and the status."""
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    begin, spoken = perf_counter(), []
    command = [sys.executable, "-m", "evenhand", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    readers = [
        Thread(target=lambda s=stream: spoken.extend(perf_counter() - begin for _ in s))
        for stream in (process.stdout, process.stderr)
    ]
    for reader in readers:
        reader.start()
    status = process.wait()
    for reader in readers:
        reader.join()
    end, processor = perf_counter() - begin, getrusage(RUSAGE_CHILDREN).ru_utime - before
    return min(spoken, default=0.0), end, processor, status


def main() -> None:
    """Print a line for each table and command."""
    with TemporaryDirectory() as temporary:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else temporary)
        graph = folder / "graph.txt"
        graph.write_text("; ".join(f"{name} -> hired" for name in ("sex", *CAUSES)), "utf-8")
        for rows, columns in SIZES:
            table = make_table(rows, columns)
            for ending in ("csv", "parquet"):
                path = folder / f"{rows}x{columns}.{ending}"
                write = arrow_csv.write_csv if ending == "csv" else parquet.write_table
                write(table, path)
                drafted = path.with_suffix(f".{ending}.toml")
                drafted.unlink(missing_ok=True)
                for what, words in {
                    "inspect": ["inspect", *ASKED],
                    "init": ["init", *ASKED, "--output", str(drafted)],
                    "audit": ["audit", *JUDGED],
                    "discover --local": ["discover", "--local", "--decision", "hired"],
                    "audit --set local": ["audit", "--set", "local", *JUDGED],
                    "audit --question --set local": [
                        *("audit", "--set", "local"),
                        *("--question", str(drafted)),
                    ],
                    "audit --graph": ["audit", "--graph", str(graph), *JUDGED],
                    "audit --set columns": [
                        *("audit", "--set", "columns=" + ",".join(("sex", "hired", *CAUSES))),
                        *JUDGED,
                    ],
                }.items():
                    first, end, processor, status = run([words[0], str(path), *words[1:]])
                    print(
                        f"{rows:>6,} x {columns:,} {ending:<8} {what:<25} first words "
                        f"{first:5.1f} s   end {end:6.1f} s   processor {processor:5.1f} s   "
                        f"status {status}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
