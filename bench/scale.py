"""Passes over millions of rows, wide tables and engines, beside DuckDB.

    python bench/scale.py [MILLIONS ...] [--spark] [--data FOLDER] [--write]

Without sizes: 1 and 10 million rows. Each measurement runs in a process of its own; beside ours
stand DuckDB's own GROUP BY and COPY of the same file. Figures are processor seconds, and the
highest memory of the process. With ``--write`` they go to docs/scale.json, from which
``python bench/scale_pictures.py`` draws the pictures of docs/scale.md.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import evenhand as eh
from release import write_many

HERE = Path(__file__).parent
RECORD = HERE.parent / "docs" / "scale.json"
MEMORY = "2GB"
QUESTION = eh.Question(protected="a0", group="v0", decision="e", favorable="v1")
CAUSES = ("a2", "a5")
WIDTHS = (50, 100, 200)
MILLION = 1_000_000


class Stopwatch:
    """Processor seconds of the steps of a process, and its memory after each."""

    def __init__(self) -> None:
        self.figures: dict[str, Any] = {}

    def run(self, step: str, work: Callable[[], Any]) -> Any:  # noqa: ANN401  # its result
        """Do some work and note what it took."""
        begin = time.process_time()
        result = work()
        self.figures[step] = round(time.process_time() - begin, 3)
        self.figures[f"{step} MB"] = highest_memory()
        return result


def highest_memory() -> int:
    """The most memory that this process had, in megabytes.

    On Linux what ``getrusage`` says begins with the memory of the process that started it.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text("ascii").splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def laptop(path: Path) -> dict[str, Any]:
    """Count, learn, certify, plan and release a file, within a given memory."""
    watch = Stopwatch()
    rows = eh.read(path, memory=MEMORY)
    counts = watch.run("count", rows.count)
    tiers = eh.Tiers(..., ["e"])
    watch.run("discover", lambda: eh.discover(counts, knowledge=tiers))
    arrows = frozenset((name, "e") for name in (*CAUSES, "a0"))
    graph = eh.CausalGraph(counts.names, arrows)
    found = watch.run("certify", lambda: eh.audit(rows, QUESTION, graph=graph))
    watch.run("plan", found.plan)
    with tempfile.TemporaryDirectory() as folder:
        release = found.release(seed=1)
        watch.run("release", lambda: release.write(Path(folder) / "released.parquet"))
    return {**watch.figures, "distinct": len(counts), "changed": release.changed_rows}


def duckdb_alone(path: Path) -> dict[str, Any]:
    """The same file, grouped and copied by DuckDB within the same memory."""
    import duckdb  # noqa: PLC0415  # not measured with ours

    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute(f"set temp_directory = '{folder}'")
        source = connection.read_parquet(str(path))
        lines = source.aggregate(", ".join([*source.columns, "count(*) as n"]))
        watch.run("group by", lambda: lines.aggregate("count(*), sum(n)").fetchall())
        copied = f"{folder}/copy.parquet"
        watch.run("copy", lambda: source.write_parquet(copied))
    return watch.figures


def on_demand(path: Path) -> dict[str, Any]:
    """The causes of a decision in a wide table, counting small sets of columns."""
    watch = Stopwatch()
    found = watch.run(
        "causes",
        lambda: eh.find_causes(eh.read(path), "e", knowledge=eh.Tiers(..., ["e"])),
    )
    return {**watch.figures, "tests": found.tests, "found": len(found.parents)}


def all_at_once(path: Path) -> dict[str, Any]:
    """The same from one GROUP BY over all columns."""
    watch = Stopwatch()
    counts = watch.run("count", eh.read(path).count)
    found = watch.run(
        "causes", lambda: eh.find_causes(counts, "e", knowledge=eh.Tiers(..., ["e"]))
    )
    return {**watch.figures, "tests": found.tests, "found": len(found.parents)}


def engine(path: Path, *, spark: bool) -> dict[str, Any]:
    """Audit and release in an engine, through Ibis."""
    import ibis  # noqa: PLC0415  # an extra

    wall = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if spark:
            from pyspark.sql import SparkSession  # noqa: PLC0415  # an extra

            session = (
                SparkSession.builder.master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
                .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
                .getOrCreate()
            )
            session.sparkContext.setLogLevel("OFF")
            connection = ibis.pyspark.connect(session)
            from pyspark.sql.functions import monotonically_increasing_id  # noqa: PLC0415

            numbered = session.read.parquet(str(path)).coalesce(1)
            numbered = numbered.withColumn("id", monotonically_increasing_id())
            numbered.write.saveAsTable("people")
        else:
            connection = ibis.duckdb.connect()
            connection.con.execute(f"set memory_limit = '{MEMORY}'")
            source = connection.con.read_parquet(str(path))
            source.project("*, row_number() over () - 1 as id").create("people")
        ready = time.perf_counter()
        table = connection.table("people")
        names = [name for name in table.columns if name != "id"]
        arrows = frozenset((name, "e") for name in (*CAUSES, "a0"))
        graph = eh.CausalGraph(tuple(names), arrows)
        codings = eh.Codings.of(columns=names)
        found = eh.audit(table, QUESTION, graph=graph, codings=codings)
        counted = time.perf_counter()
        found.release(seed=1, key="id").write(Path(folder) / "released")
        done = time.perf_counter()
    figures = {"start s": ready - wall, "audit s": counted - ready, "release s": done - counted}
    return {name: round(seconds, 2) for name, seconds in figures.items()}


def write_wide(path: Path, width: int, rows: int = MILLION) -> None:
    """Chains of ten attributes each; the decision follows the first of six chains."""
    generator = np.random.default_rng(0)
    cards = generator.integers(2, 6, width)
    steps = [
        generator.dirichlet(np.ones(cards[at]), cards[at - 1] if at % 10 else 1).cumsum(axis=1)
        for at in range(width)
    ]
    names = [*(f"x{at:03d}" for at in range(width)), "e"]
    schema = pa.schema([(name, pa.string()) for name in names])
    labels = pa.array([f"v{code}" for code in range(8)])
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, MILLION // 4):
            size = min(rows - begin, MILLION // 4)
            codes: list[Any] = []
            for at in range(width):
                before = codes[-1] if at % 10 else np.zeros(size, int)
                below = steps[at][before] <= generator.random((size, 1))
                codes.append(np.minimum(below.sum(axis=1), cards[at] - 1))
            rate = 0.5 + sum(0.06 * (-1) ** at * (codes[10 * at] - 1) for at in range(5))
            codes.append((generator.random(size) < rate.clip(0.05, 0.95)).astype(int))
            columns = [
                pa.DictionaryArray.from_arrays(pa.array(code.astype(np.int8)), labels)
                for code in codes
            ]
            writer.write_table(pa.table([c.cast(pa.string()) for c in columns], schema=schema))


WORK: dict[str, Callable[[Path], dict[str, Any]]] = {
    "laptop": laptop,
    "duckdb": duckdb_alone,
    "on demand": on_demand,
    "all at once": all_at_once,
    "engine duckdb": lambda path: engine(path, spark=False),
    "engine spark": lambda path: engine(path, spark=True),
}


def measure(what: str, path: Path) -> dict[str, Any]:
    """Run one piece of work in a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, "--measure", what, str(path)]
    text = subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL)
    figures: dict[str, Any] = json.loads(text.splitlines()[-1])
    print(f"{what:14} {path.stem:8} {figures}", flush=True)
    return figures


def made(path: Path, write: Callable[[Path], None]) -> Path:
    """A file of data, written if it is not there."""
    if not path.exists():
        write(path)
    return path


def main(folder: Path, sizes: list[int]) -> dict[str, Any]:
    record: dict[str, Any] = {"rows": {}, "wide": {}}
    for size in sizes:
        path = made(folder / f"d{size}.parquet", lambda p, n=size: write_many(p, n * MILLION))
        ours, alone = measure("laptop", path), measure("duckdb", path)
        record["rows"][size] = {"ours": ours, "duckdb": alone}
        for step, other in (("count", "group by"), ("release", "copy")):
            print(
                f"  {size} M rows: {step} {size / ours[step]:.1f} M rows per CPU second, "
                f"{ours[f'{step} MB']} MB; DuckDB's {other} {size / alone[other]:.1f}, "
                f"{alone[f'{other} MB']} MB"
            )
    smallest = folder / f"d{sizes[0]}.parquet"
    for width in WIDTHS:
        path = made(folder / f"w{width}.parquet", lambda p, n=width: write_wide(p, n))
        both = {what: measure(what, path) for what in ("on demand", "all at once")}
        record["wide"][width] = both
    engines = ["duckdb", *(["spark"] if "--spark" in sys.argv else [])]
    record["engines"] = {name: measure(f"engine {name}", smallest) for name in engines}
    return record


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(WORK[sys.argv[2]](Path(sys.argv[3]))))
    else:
        numbers = [int(text) for text in sys.argv[1:] if text.isdigit()] or [1, 10]
        with tempfile.TemporaryDirectory() as name:
            given = sys.argv[sys.argv.index("--data") + 1] if "--data" in sys.argv else name
            figures = main(Path(given), numbers)
        if "--write" in sys.argv:
            RECORD.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
