"""A million subpopulations: how long each step takes, and how much memory its process needs.

    python bench/million.py

Processor seconds, and the peak of each process; goals in brackets. Each step runs in a process
of its own, which makes the table (0.6 GB while it is made) or reads the certificate first. The
last steps are whole commands: ``evenhand audit`` of the counted table as Parquet, with the
certificate and the report, and ``evenhand verify`` of that certificate against the same table,
as Parquet and as CSV, which the stand-alone checker reads besides: there are the seconds of
both processes, those on the clock, and the peak of the larger. The files are written to a
temporary folder.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from evenhand import Audit, CausalGraph, ModifyData, Question, audit, checker
from evenhand.recheck import RecordedCertificate
from groups import MILLION, random_table
from release import peak_memory

_T = TypeVar("_T")
GRAPH = "group -> hired; place -> hired"


def timed(what: str, goal: float | None, work: Callable[[], _T]) -> _T:
    begin = time.process_time()
    result = work()
    seconds = time.process_time() - begin
    tell(what, seconds, peak_memory(), f"[{goal:.0f} s, 1000 MB]" if goal else "")
    return result


def tell(what: str, seconds: float, peak: float, aim: str) -> None:
    print(f"{what:40} {seconds:7.1f} s {peak:7.0f} MB  {aim}".rstrip(), flush=True)


def tell_check() -> None:
    """What the checker took before the file got its name: a process of its own."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    tell("  checked by the stand-alone program", seconds, used.ru_maxrss / 1024, "[60 s]")


def command(what: str, *arguments: str | Path) -> None:
    """Run evenhand as a process of its own; neither 0 nor 1 is a failure."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand", *arguments], stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    clock = f"[1000 MB]  {time.perf_counter() - begin:.1f} s on the clock"
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{what}: exit status {process.returncode}")
    tell(what, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, clock)


def audited() -> Audit:
    question = Question(protected="group", decision="hired", favorable="yes")
    counts = random_table(MILLION, 2, 10 * MILLION)
    return audit(counts, question, graph=CausalGraph.parse(GRAPH))


def plan(_folder: Path) -> None:
    found = timed("table and audit", None, audited)
    timed("plan", 3, lambda: ModifyData().plan(found.certificate))


def write(folder: Path) -> None:
    certificate = audited().certificate
    timed("certificate.write", 4, lambda: certificate.write(folder / "full.json"))
    tell_check()


def write_shared(folder: Path) -> None:
    certificate = audited().certificate
    path = folder / "shared.json"
    timed(
        "certificate.write_shared, least count 1",
        4,
        lambda: certificate.write_shared(path, least_count=1),
    )
    tell_check()


def verify_data(folder: Path) -> None:
    counts = audited().counts
    text = (folder / "full.json").read_text()
    wrong = timed(
        "read, verify against the counts",
        10,
        lambda: RecordedCertificate.parse(text).differences(counts),
    )
    if wrong:
        sys.exit(wrong[0])


def check(folder: Path) -> None:
    text = (folder / "full.json").read_text()
    answer = timed("stand-alone checker", 60, lambda: checker.verify(text))
    if answer.status:
        sys.exit(answer.notes[0])


def report(folder: Path) -> None:
    found = audited()
    path = folder / "report.html"
    timed("report", 10, lambda: found.report().write(path))
    print(f"  the page has {path.stat().st_size / 1000:,.0f} kB")


def write_table(folder: Path) -> None:
    """The counted table as files, and the graph."""
    counts = random_table(MILLION, 2, 10 * MILLION)
    columns = {
        attribute.name: pa.DictionaryArray.from_arrays(codes, attribute.values).cast("string")
        for attribute, codes in zip(counts.attributes, counts.codes, strict=True)
    }
    table = pa.table({**columns, "rows": counts.counts})
    pq.write_table(table, folder / "counted.parquet")
    arrow_csv.write_csv(table, folder / "counted.csv")
    (folder / "graph.txt").write_text(GRAPH.replace("; ", "\n"))


def commands(folder: Path) -> None:
    # The table is made by a process of its own: a child's peak is at least its parent's.
    subprocess.run([sys.executable, __file__, "write_table", folder], check=True)
    certificate, table = folder / "audit.json", folder / "counted.parquet"
    asked = "--protected group --decision hired --favorable yes --set frequency=rows --quiet"
    command(
        "command audit, Parquet, with report",
        *("audit", table, *asked.split(), "--graph", folder / "graph.txt"),
        *("--certificate", certificate, "--report", folder / "audit.html"),
    )
    command("command verify", "verify", certificate)
    command("command verify, Parquet", "verify", certificate, table)
    command("command verify, CSV", "verify", certificate, folder / "counted.csv")


STEPS = (plan, write, write_shared, verify_data, check, report, commands)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        step, folder = sys.argv[1:]
        {one.__name__: one for one in (*STEPS, write_table)}[step](Path(folder))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for one in STEPS:
                subprocess.run([sys.executable, __file__, one.__name__, folder], check=True)
