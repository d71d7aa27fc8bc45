"""What an audit and a release cost in PostgreSQL and in Spark, beside a copy of the table.

    python bench/engines.py [--postgres URL] [--spark] [--rows ROWS]

Needs the extra ``ibis``, and for Spark ``spark`` and Java. What is absent is skipped and named.
A PostgreSQL server for it, from Debian's package, as a user that is not root:

    export PATH=$PATH:$(echo /usr/lib/postgresql/*/bin) DATA=/tmp/evenhand-postgres
    initdb -D $DATA -U evenhand --auth=trust
    pg_ctl -D $DATA -w -o "-p 5544 -c listen_addresses=127.0.0.1 -k $DATA" start
    python bench/engines.py --postgres postgresql://evenhand@127.0.0.1:5544/postgres
    pg_ctl -D $DATA stop

The role must be allowed to read files of the server: its own processor time is read from
/proc there. The tables it makes are called evenhand_bench_… and are dropped in the end. Figures
are medians of rounds, in each of which the copy and the release run one after the other, with a
new seed; workers in parallel are switched off, since their time would not be seen.
"""

import importlib.util
import io
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

import evenhand as eh
from release import write_many

ROUNDS = 5
QUESTION = eh.Question(protected="a0", group="v0", decision="e", favorable="v1")
CAUSES = ("a2", "a5")
NARROW = ("a0", "a2", "a5", "e")
PREFIX = "evenhand_bench_"
Seconds = Callable[[], float]


def own_seconds() -> float:
    """Processor seconds of this process."""
    return time.process_time()


class Figures:
    """Seconds of pieces of work, round by round."""

    def __init__(self, there: Seconds) -> None:
        self.there, self.rounds = there, dict[str, list[tuple[float, float, float]]]()

    @contextmanager
    def measure(self, what: str) -> Iterator[None]:
        """Note what some work takes here, in the engine, and by the clock."""
        begin = own_seconds(), self.there(), time.perf_counter()
        yield
        end = own_seconds(), self.there(), time.perf_counter()
        taken = [after - before for before, after in zip(begin, end, strict=True)]
        self.rounds.setdefault(what, []).append((taken[0], taken[1], taken[2]))

    def tell(self, title: str) -> None:
        """Print medians, and the median ratio of a release to the copy of the same round."""
        print(title)
        for what, rounds in self.rounds.items():
            here, there, wall = (
                statistics.median(column) for column in zip(*rounds, strict=True)
            )
            print(
                f"  {what:10} client {here:6.2f} s, engine {there:6.2f} s of processor time, "
                f"{wall:6.2f} s by the clock"
            )
        pairs = list(zip(self.rounds["release"], self.rounds["copy"], strict=True))
        ratios = sorted(release[1] / copy[1] for release, copy in pairs)
        print(
            f"  release beside the copy, processor time of the engine: "
            f"{statistics.median(ratios):.1f} × ({ratios[0]:.1f} to {ratios[-1]:.1f})"
        )


def run(engine: Any, source: str, figures: Figures, copy: Callable[[str], object]) -> None:  # noqa: ANN401
    """Audit and release a table, round by round, beside a copy of it."""
    table = engine.table(source)
    names = [name for name in table.columns if name != "id"]
    graph = eh.CausalGraph(
        tuple(names), frozenset((name, "e") for name in (*CAUSES, QUESTION.protected))
    )
    codings = eh.Codings.of(columns=names)
    for seed in range(ROUNDS + 1):
        copied, released = f"{PREFIX}copied", f"{PREFIX}released"
        for name in (copied, released):
            finish(engine.raw_sql(f"DROP TABLE IF EXISTS {name}"))
        if seed == 1:  # the first round loads modules, and warms up the engine
            figures.rounds.clear()
        with figures.measure("copy"):
            copy(copied)
        with figures.measure("audit"):
            found = eh.audit(table, QUESTION, graph=graph, codings=codings)
        with tempfile.TemporaryDirectory() as folder, figures.measure("release"):
            found.release(seed=seed, key="id").write(Path(folder) / released)
    for name in (copied, released, source):
        finish(engine.raw_sql(f"DROP TABLE {name}"))


def finish(cursor: Any) -> None:  # noqa: ANN401  # of any driver
    """Commit a statement, where the driver has transactions."""
    connection = getattr(cursor, "connection", None)
    if connection is not None:
        connection.commit()


def postgres(url: str, data: pa.Table) -> None:
    """Both widths of the table in PostgreSQL."""
    import ibis  # noqa: PLC0415  # an extra

    engine = ibis.connect(url)
    connection = engine.con
    connection.execute("SET max_parallel_workers_per_gather = 0")

    def server_seconds() -> float:
        (text,) = connection.execute("SELECT pg_read_file('/proc/self/stat')").fetchone()
        return process_seconds(text)

    for names in (NARROW, tuple(data.column_names[:-1])):
        source, here = f"{PREFIX}people", data.select([*names, "id"])
        columns = ", ".join(f"{name} text" for name in names)
        connection.execute(f"DROP TABLE IF EXISTS {source}")
        connection.execute(f"CREATE TABLE {source} ({columns}, id bigint PRIMARY KEY)")
        lines = io.BytesIO()
        pa_csv.write_csv(here, lines, pa_csv.WriteOptions(include_header=False))
        with connection.cursor().copy(f"COPY {source} FROM STDIN (FORMAT csv)") as sink:
            sink.write(lines.getvalue())
        connection.execute(f"VACUUM ANALYZE {source}")
        figures = Figures(server_seconds)

        def copy(name: str, source: str = source) -> None:
            query = f"SELECT * FROM {source}"  # noqa: S608  # our own table
            finish(engine.raw_sql(f"CREATE TABLE {name} AS {query}"))

        run(engine, source, figures, copy)
        figures.tell(
            f"PostgreSQL {engine.version}, {data.num_rows:,} rows × {len(names)}, "
            f"driver {driver()}"
        )


def driver() -> str:
    """Which of its forms the driver has: compiled ones are ten times faster."""
    import psycopg  # noqa: PLC0415  # an extra

    return f"psycopg {psycopg.__version__} ({psycopg.pq.__impl__})"


def spark(data: pa.Table) -> None:
    """The narrow table in Spark, in local mode."""
    import ibis  # noqa: PLC0415  # an extra
    from pyspark.sql import SparkSession  # noqa: PLC0415  # an extra

    with tempfile.TemporaryDirectory() as folder:
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", f"{folder}/warehouse")
            .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={folder}")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        engine, source = ibis.pyspark.connect(session), f"{PREFIX}people"
        pq.write_table(data.select([*NARROW, "id"]), f"{folder}/people.parquet")
        session.read.parquet(f"{folder}/people.parquet").write.saveAsTable(source)
        java = session.sparkContext._gateway.proc.pid  # noqa: SLF001  # it tells nobody else
        stat = Path(f"/proc/{java}/stat")
        figures = Figures(lambda: process_seconds(stat.read_text("ascii")))

        def copy(name: str) -> None:
            query = f"SELECT * FROM {source}"  # noqa: S608  # our own table
            session.sql(f"CREATE TABLE {name} USING parquet AS {query}")

        run(engine, source, figures, copy)
        figures.tell(
            f"Spark {session.version}, {data.num_rows:,} rows × {len(NARROW)}, local[2]"
        )
        session.stop()


def process_seconds(stat: str) -> float:
    """Processor seconds from Linux's description of a process."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def option(name: str) -> str | None:
    """What follows an option on the command line."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv[:-1] else None


def main() -> None:
    url = option("--postgres")
    absent = [name for name in ("ibis", "psycopg") if importlib.util.find_spec(name) is None]
    why_no_postgres = (
        "no --postgres URL; see how to start a server at the top of bench/engines.py"
        if url is None
        else f"{' and '.join(absent)} not installed"
        if absent
        else None
    )
    why_no_spark = (
        "no --spark"
        if "--spark" not in sys.argv
        else "no Java"
        if shutil.which("java") is None
        else "pyspark or ibis not installed"
        if not all(map(importlib.util.find_spec, ("pyspark", "ibis")))
        else None
    )
    if why_no_postgres:
        print(f"PostgreSQL skipped: {why_no_postgres}")
    if why_no_spark:
        print(f"Spark skipped: {why_no_spark}")
    if why_no_postgres and why_no_spark:
        return
    rows = int(option("--rows") or 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        write_many(Path(folder) / "people.parquet", rows)
        data = pq.read_table(Path(folder) / "people.parquet")
    data = data.append_column("id", pa.array(range(rows), pa.int64()))
    if url is not None and not why_no_postgres:
        postgres(url, data)
    if not why_no_spark:
        spark(data)


if __name__ == "__main__":
    main()
