"""How long a release takes: Adult from end to end, ten million rows of Parquet and of CSV.

    python bench/release.py [ROWS]

Every measurement runs in a process of its own; CPU seconds are those after the import. The
stand-alone checker, which confirms the certificate before the files get their names, is another
process where it reads more than 2 MB: its seconds have a line of their own. Beside
the large ones stand plain copies of the same files, by DuckDB and by polars' sink. The whole
command reads the question and the graph from files, audits and releases; its seconds, and those
of the copy beside it, are of new processes, imports included.
"""

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from evenhand import Question, datasets
from evenhand.evidence import Certificate, certify
from evenhand.graph import CausalGraph
from evenhand.releasing.release import release
from evenhand.removal import ModifyData
from evenhand.rows import Rows, read
from works import peak_memory, process

CARDS = (2, 4, 3, 4, 4, 5, 6, 8, 9, 3, 5)  # with two decisions 25 million cells
GROUP = 1_000_000


def write_adult(path: Path) -> None:
    """Adult as one line for each person."""
    counts = datasets.adult()
    people = [labels for labels, count in counts for _ in range(count)]
    order = np.random.default_rng(0).permutation(len(people))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(counts.names)
        writer.writerows(people[at] for at in order)


def write_many(path: Path, rows: int) -> None:
    """Twelve columns of labels, each but the first drawn by a table given the one before."""
    generator = np.random.default_rng(0)
    tables = [
        np.cumsum(generator.dirichlet([0.7] * card, size=before), axis=1)
        for before, card in pairwise((1, *CARDS))
    ]
    names = [f"a{at}" for at in range(len(CARDS))]
    schema = pa.schema([(name, pa.string()) for name in (*names, "e")])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, GROUP):
            size = min(GROUP, rows - begin)
            codes = [np.zeros(size, int)]
            for table in tables:
                below = table[codes[-1]] <= generator.random((size, 1))
                codes.append(np.minimum(below.sum(axis=1), table.shape[1] - 1))
            rate = 0.3 + 0.1 * codes[1] + 0.05 * codes[3] + 0.02 * codes[6]
            codes.append((generator.random(size) < rate).astype(int))
            columns = [
                pa.DictionaryArray.from_arrays(
                    pa.array(code.astype(np.int32)), [f"v{at}" for at in range(12)]
                ).cast(pa.string())
                for code in codes[1:]
            ]
            writer.write_table(pa.table(columns, schema=schema))


def write_text(source: Path, target: Path) -> None:
    """The same rows as text, without quotes but in the header."""
    with pq.ParquetFile(source) as file:
        options = arrow_csv.WriteOptions(quoting_style="none")
        with arrow_csv.CSVWriter(target, file.schema_arrow, write_options=options) as writer:
            for batch in file.iter_batches(GROUP):
                writer.write(batch)


def audited(rows: Rows, question: Question, causes: tuple[str, ...]) -> Certificate:
    counts = rows.count()
    arrows = {(name, question.decision) for name in (*causes, question.protected)}
    graph = CausalGraph(counts.names, frozenset(arrows))
    return certify(counts, graph, question, codings=rows.codings)


def adult(folder: Path) -> None:
    question = datasets.question("adult").question
    causes = ("age", "education", "marital_status", "occupation", "hours_per_week")
    rows = read(folder / "adult.csv")
    found = audited(rows, question, tuple(n for n in causes if n in rows.columns))
    made = release(rows, ModifyData().plan(found), seed=1)
    made.write(folder / "adult-released.csv", overwrite=True)


def many(folder: Path, kind: str) -> Callable[[], object]:
    question = Question(protected="a0", group="v0", decision="e", favorable="v1")
    rows = read(folder / f"many.{kind}")
    found = audited(rows, question, ("a2", "a5"))
    plan = ModifyData().plan(found)

    def run() -> None:
        made = release(rows, plan, seed=1)
        made.write(folder / f"many-{kind}.{kind}", overwrite=True)

    return run


def copy(folder: Path) -> None:
    import duckdb  # noqa: PLC0415  # measured with the copy, not with the release

    source, target = folder / "many.parquet", folder / "many-copy.parquet"
    duckdb.read_parquet(str(source)).write_parquet(str(target))


def sink(folder: Path) -> None:
    import polars as pl  # noqa: PLC0415  # measured with the copy

    lines = pl.scan_csv(folder / "many.csv", infer_schema=False)
    lines.sink_csv(folder / "many-copy.csv")


def parquet_sink(folder: Path) -> None:
    import polars as pl  # noqa: PLC0415  # measured with the copy

    pl.scan_parquet(folder / "many.parquet").sink_parquet(folder / "many-polars.parquet")


def whole_command(folder: Path, kind: str) -> float:
    """Processor seconds of ``evenhand release``."""
    question, graph = folder / "question.toml", folder / "graph.txt"
    question.write_text(
        '[question]\nprotected = "a0"\ngroup = "v0"\nother = "rest"\ndecision = "e"\n'
        'favorable = "v1"\n'
    )
    graph.write_text("a0 -> e\na2 -> e\na5 -> e\n")
    asked = ("--question", question, "--graph", graph, "--seed", 1, "--overwrite")
    output = ("--output", folder / f"command-{kind}.{kind}")
    return process("-m", "evenhand", "release", folder / f"many.{kind}", *asked, *output)["cpu"]


def measured(what: str, folder: Path) -> None:
    """Run in a process of its own and print what it took."""
    run: Callable[[], object]
    if what in ("parquet", "csv"):
        run = many(folder, what)
    else:
        copies = {"copy": copy, "sink": sink, "parquet-sink": parquet_sink}
        run = partial({"adult": adult, **copies}[what], folder)
    cpu, wall = time.process_time(), time.perf_counter()
    run()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = {
        "cpu": time.process_time() - cpu,
        "wall": time.perf_counter() - wall,
        "peak": peak_memory(),
        "checker": children.ru_utime + children.ru_stime,
    }
    print(json.dumps(took))


def main(rows: int) -> None:
    """Print what each step took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_adult(folder / "adult.csv")
        write_many(folder / "many.parquet", rows)
        write_text(folder / "many.parquet", folder / "many.csv")
        for what, title in (
            ("adult", "Adult, CSV to certified CSV, all steps (limit 1 s CPU)"),
            ("parquet", f"{rows:,} rows of Parquet, audited, to a certified file"),
            ("copy", "the same file copied by DuckDB"),
            ("parquet-sink", "the same file copied by polars' sink"),
            ("csv", f"{rows:,} rows of CSV, audited, to a certified file"),
            ("sink", "the same file copied by polars' sink"),
        ):
            command = [sys.executable, __file__, "--measure", what, name]
            took = json.loads(subprocess.check_output(command))
            speed = (
                f", {rows / took['cpu'] / 1e6:.1f} M rows per CPU s" if what != "adult" else ""
            )
            print(
                f"{title}: {took['cpu']:.2f} s CPU, {took['wall']:.2f} s, "
                f"{took['peak']:.0f} MB{speed}"
            )
            if took["checker"]:
                print(f"  confirmed by the stand-alone checker: {took['checker']:.2f} s CPU")
        for kind, copied in (("parquet", "parquet-sink"), ("csv", "sink")):
            whole, peer = (
                whole_command(folder, kind),
                process(__file__, "--measure", copied, name)["cpu"],
            )
            print(
                f"the whole command, {kind}: {whole:.2f} s CPU, {whole / peer:.2f} times the "
                f"copy by polars ({peer:.2f} s; goals 1.5 and 1.3)"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measured(sys.argv[2], Path(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 10_000_000)
