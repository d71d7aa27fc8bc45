"""Pieces of work that bench/check.py measures, each in a process of its own on one core.

    python bench/works.py NAME FOLDER

FOLDER holds the files that the work reads. A piece of work is ours, another program's, or a
floor: work of numpy or the standard library that stands for the speed of the machine where no
other program does the same as we do. **A floor never changes**: every ratio that was recorded
beside it would lose its meaning. What is ours is reached by public names and commands alone, so
that it can be measured before and after a rebuilding.
"""

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import combinations
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("EVENHAND_DATA") or ROOT.parent / "shared" / "data")
CENSUS = DATA / "dutch" / "dutch_census_2001.arff"
ROWS = 10_000_000
MILLION = 1_000_000
EDITS = 40
ENOUGH = 1.0  # processor seconds of calls
Work: TypeAlias = Callable[[], object]
Figures: TypeAlias = dict[str, float]


# What is measured of a piece of work.


def again(work: Work) -> Figures:
    """A call after the first one, which loads and compiles: the mean of a second of calls."""
    work()
    return _measured(work, ENOUGH)


def once(work: Work) -> Figures:
    """The first call: a second one would find results that are kept."""
    return _measured(work, 0)


def _measured(work: Work, enough: float) -> Figures:
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # the peak begins here
    calls, begin = 0, time.process_time()
    while not calls or time.process_time() - begin < enough:
        work()
        calls += 1
    seconds = (time.process_time() - begin) / calls
    return {"cpu": seconds, "memory": peak_memory()}


def process(*arguments: object, allowed: Sequence[int] = (0,)) -> Figures:
    """An interpreter and what it starts: the seconds of all, the peak of the largest."""
    started = Popen([sys.executable, *map(str, arguments)], stdout=DEVNULL)
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in allowed:
        sys.exit(f"{arguments[1]}: exit status {started.returncode}")
    return {"cpu": used.ru_utime + used.ru_stime, "memory": used.ru_maxrss / 1024}


def peak_memory(process: int | str = "self") -> float:
    """Megabytes; what the system says of resources would count those of the parent too."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def seconds_of(process: int) -> float:
    """Processor seconds of another process, also of its threads that have ended."""
    return time.clock_gettime((~process << 3) | 2)  # as clock_getcpuclockid does it


# PC, beside causal-learn; the floor tests independence on a table of its own.


def pc_table(name: str) -> tuple[Any, Any, float]:
    """Counts, tiers and the significance level of a table of PC."""
    import evenhand as eh

    if name == "adult":
        first = ["sex", "age", "native_country", "race"]
        return eh.datasets.adult(paper=True), eh.Tiers(first, ["education"], ...), 0.01
    if name == "dutch":
        first = ["sex", "age", "country_birth"]
        return eh.datasets.dutch(CENSUS), eh.Tiers(first, ["edu_level"], ...), 0.01
    sys.path.insert(0, str(ROOT))
    networks = import_module("tests.networks")  # reads the networks that pgmpy carries
    return networks.network(name).sample(10_000, 1), None, 0.05


def pc(name: str, kernel: str, _folder: Path) -> Figures:
    import evenhand as eh

    counts, tiers, significance = pc_table(name)
    return again(
        lambda: eh.discover(counts, knowledge=tiers, significance=significance, kernel=kernel)
    )


def causal_learn(name: str, _folder: Path) -> Figures:
    import warnings

    import numpy as np

    warnings.simplefilter("ignore")
    search = import_module("causallearn.search.ConstraintBased.PC")
    counts, _, significance = pc_table(name)
    rows = np.stack([np.repeat(code, counts.counts) for code in counts.codes], axis=1)
    return once(lambda: search.pc(rows.astype(int), significance, "chisq", show_progress=False))


def floor_arrays(_folder: Path) -> Figures:
    """Chi-square tests of all pairs of twelve columns given a third, by numpy and scipy."""
    import numpy as np
    from scipy.special import chdtrc

    generator = np.random.default_rng(0)
    columns = [generator.integers(0, 4, 5_000) for _ in range(12)]
    weights = generator.integers(1, 9, 5_000)

    def work() -> None:
        for x, y, z in 10 * [*combinations(columns, 3)]:
            table = np.bincount(16 * z + 4 * x + y, weights, 64).reshape(4, 4, 4)
            expected = table.sum(2)[:, :, None] * table.sum(1)[:, None, :]
            expected /= table.sum((1, 2))[:, None, None]
            chdtrc(36, ((table - expected) ** 2 / expected).sum())
        for column in columns:
            np.cumsum(weights[np.argsort(column, kind="stable")])

    return again(work)


# Rows: Adult counted beside pandas; ten million counted beside DuckDB,
# released beside plain copies of the same file.


def write_network(folder: Path) -> None:
    import_module("counting").write_network(folder / "network.parquet", ROWS)


def write_many(folder: Path) -> None:
    release = import_module("release")
    release.write_many(folder / "many.parquet", ROWS)
    release.write_text(folder / "many.parquet", folder / "many.csv")


def write_adult(folder: Path) -> None:
    csv, parquet = (import_module(f"pyarrow.{kind}") for kind in ("csv", "parquet"))
    table = import_module("counting").adult()
    csv.write_csv(table, folder / "adult.csv")
    parquet.write_table(table, folder / "adult.parquet")


def count_adult(kind: str, folder: Path) -> Figures:
    import evenhand as eh

    return again(lambda: eh.read(folder / f"adult.{kind}").count())


def pandas_count(kind: str, folder: Path) -> Figures:
    import pandas as pd

    def work() -> None:
        frame = getattr(pd, f"read_{kind}")(folder / f"adult.{kind}")
        frame.groupby(list(frame), observed=True).size()

    return again(work)


def count(folder: Path) -> Figures:
    import evenhand as eh

    return once(lambda: eh.read(folder / "network.parquet").count())


def duckdb_count(folder: Path) -> Figures:
    import duckdb

    table = duckdb.read_parquet(str(folder / "network.parquet"))
    query = f"select {', '.join(table.columns)}, count(*) from t group by all"
    return once(lambda: table.query("t", query).to_arrow_table())


def release(kind: str, folder: Path) -> Figures:
    import evenhand as eh

    question = eh.Question(protected="a0", group="v0", decision="e", favorable="v1")
    graph = eh.CausalGraph.parse("a0 -> e; a2 -> e; a5 -> e")
    audit = eh.audit(folder / f"many.{kind}", question, graph=graph)
    target = folder / f"released-{kind}.{kind}"  # with papers of its own
    return once(lambda: audit.release(seed=1).write(target, overwrite=True))


def duckdb_copy(folder: Path) -> Figures:
    import duckdb

    source = duckdb.read_parquet(str(folder / "many.parquet"))
    return once(lambda: source.write_parquet(str(folder / "copy.parquet")))


def polars_copy(folder: Path) -> Figures:
    import polars as pl

    lines = pl.scan_csv(folder / "many.csv", infer_schema=False)
    return once(lambda: lines.sink_csv(folder / "copy.csv"))


# A million subpopulations: the plan beside numpy, what is written and read beside JSON.


def million_audit() -> Any:
    import evenhand as eh

    groups, steps = import_module("groups"), import_module("million")
    counts = groups.random_table(MILLION, 2, 10 * MILLION)
    question = eh.Question(protected="group", decision="hired", favorable="yes")
    return eh.audit(counts, question, graph=eh.CausalGraph.parse(steps.GRAPH))


def write_million(folder: Path) -> None:
    import_module("million").write_table(folder)
    million_audit().certificate.write(folder / "full.json")


def million_plan(_folder: Path) -> Figures:
    import evenhand as eh

    certificate = million_audit().certificate
    return once(lambda: eh.plan_removal(certificate))


def million_write(folder: Path) -> Figures:
    certificate = million_audit().certificate
    return once(lambda: certificate.write(folder / "written.json", overwrite=True))


def million_command(folder: Path) -> Figures:
    asked = "--protected group --decision hired --favorable yes --set frequency=rows --quiet"
    (folder / "audit.json").unlink(missing_ok=True)
    return process(
        *("-m", "evenhand", "audit", folder / "counted.parquet", *asked.split()),
        *("--graph", folder / "graph.txt", "--certificate", folder / "audit.json"),
        allowed=(0, 1),  # the verdict, not a failure
    )


def million_verify(folder: Path) -> Figures:
    return process("-m", "evenhand", "verify", folder / "full.json")


def million_checker(folder: Path) -> Figures:
    return process("-m", "evenhand.checker", folder / "full.json")


def floor_json(folder: Path) -> Figures:
    """A million records written, read and looked at by the standard library."""
    path = folder / "floor.json"

    def work() -> None:
        records = [
            {"place": f"{at:07}", "counts": [[at % 7, at % 11], [at % 5, at % 13]]}
            for at in range(MILLION)
        ]
        path.write_text(json.dumps(records), "utf-8")
        del records
        for record in json.loads(path.read_text("utf-8")):
            (a, b), (c, d) = record["counts"]
            if (a * d - b * c) * 20 > b * d and not record["place"]:
                raise AssertionError

    return once(work)


def floor_sorts(_folder: Path) -> Figures:
    """Two million numbers sorted, summed and put back by numpy."""
    import numpy as np

    numbers = np.random.default_rng(0).integers(0, MILLION, 2 * MILLION)

    def work() -> None:
        order = np.argsort(numbers, kind="stable")
        sums = np.cumsum(numbers[order])
        np.unique(numbers)
        np.where(sums % 2 == 0, sums // 3, -sums)[np.argsort(order)]

    return once(work)


# The app: edits of the learned graph of Adult, beside text that Python makes.


def app(folder: Path, *, page: bool) -> Figures:
    """Edits that are accepted, each undone; with a page also that after each of them."""
    web = import_module("web")
    client = web.started(folder)
    server = client.process.pid
    try:
        client.state(client.job("api/learn", {}))
        edits = web.edits(client, [*import_module("evenhand").datasets.adult().names])
        begin, done = seconds_of(server), 0
        for _ in edits:
            if page:
                client.get("graph")
            done += 1
            if done == EDITS:
                break
        edits.close()
        return {
            "cpu": (seconds_of(server) - begin) / done,
            "memory": peak_memory(server),
        }
    finally:
        client.process.terminate()
        client.process.wait()


def floor_text(_folder: Path) -> Figures:
    """Rows of a page, escaped, joined and as JSON; with the libraries loaded that we need."""
    from html import escape

    for name in ("numpy", "pyarrow", "scipy.stats"):
        import_module(name)

    def work() -> None:
        for number in range(200):
            cells = {f"place {at} & more": at * number for at in range(200)}
            rows = [f"<tr><th>{escape(name)}<td>{at:,}" for name, at in cells.items()]
            json.loads(json.dumps({"page": "\n".join(rows), "cells": cells}))

    return again(work)


# What a script waits for before its first line, beside modules that others offer.


def loading(times: int, code: str, _folder: Path) -> Figures:
    """The least of so many interpreters, from their start to their end."""
    runs = [process("-c", code) for _ in range(times)]
    return {kind: min(run[kind] for run in runs) for kind in runs[0]}


WORKS: dict[str, Callable[[Path], Figures | None]] = {
    **{
        f"pc-{name}-{kernel}": partial(pc, name, kernel)
        for name in ("adult", "hepar2", "dutch")
        for kernel in ("numpy", "numba")
    },
    **{f"causal-learn-{n}": partial(causal_learn, n) for n in ("adult", "hepar2", "dutch")},
    "floor-arrays": floor_arrays,
    "write-network": write_network,
    "write-many": write_many,
    "write-adult": write_adult,
    **{f"count-adult-{kind}": partial(count_adult, kind) for kind in ("csv", "parquet")},
    **{f"pandas-{kind}": partial(pandas_count, kind) for kind in ("csv", "parquet")},
    "count-10m": count,
    "duckdb-count": duckdb_count,
    "release-parquet-10m": partial(release, "parquet"),
    "release-csv-10m": partial(release, "csv"),
    "duckdb-copy": duckdb_copy,
    "polars-copy": polars_copy,
    "write-million": write_million,
    "million-plan": million_plan,
    "million-write": million_write,
    "million-audit": million_command,
    "million-verify": million_verify,
    "million-checker": million_checker,
    "floor-json": floor_json,
    "floor-sorts": floor_sorts,
    "app-edit": partial(app, page=False),
    "app-page": partial(app, page=True),
    "floor-text": floor_text,
    "import-package": partial(loading, 10, "import evenhand"),
    "import-audit": partial(loading, 5, "import evenhand as eh; eh.audit"),
    "floor-import": partial(loading, 10, "import fractions, json"),
    "floor-libraries": partial(loading, 5, "import numpy, pyarrow, scipy.stats"),
}


if __name__ == "__main__":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(json.dumps(WORKS[sys.argv[1]](Path(sys.argv[2]))))
