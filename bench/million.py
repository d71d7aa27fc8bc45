"""A million subpopulations: how long each step takes, and how much memory its process needs.

    python bench/million.py

Processor seconds, and the peak of each process; goals in brackets. Each step runs in a process
of its own, which makes the table (0.6 GB while it is made) or reads the certificate first. The
files are written to a temporary folder.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evenhand import Audit, CausalGraph, ModifyData, Question, audit, checker
from evenhand.evidence.recorded_certificate import RecordedCertificate
from groups import MILLION, random_table

_T = TypeVar("_T")
GRAPH = "group -> hired; place -> hired"


def timed(what: str, goal: float | None, work: Callable[[], _T]) -> _T:
    begin = time.process_time()
    result = work()
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    aim = f"[{goal:.0f} s, 1000 MB]" if goal else ""
    print(f"{what:40} {seconds:7.1f} s {peak:7.0f} MB  {aim}", flush=True)
    return result


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


def write_shared(folder: Path) -> None:
    certificate = audited().certificate
    path = folder / "shared.json"
    timed(
        "certificate.write_shared, least count 1",
        4,
        lambda: certificate.write_shared(path, least_count=1),
    )


def read_and_verify(path: Path) -> tuple[str, ...]:
    return RecordedCertificate.parse(path.read_text()).own_differences()


def verify(folder: Path) -> None:
    wrong = timed(
        "read, verify by its own tables", 10, lambda: read_and_verify(folder / "full.json")
    )
    if wrong:
        sys.exit(wrong[0])


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


STEPS = (plan, write, write_shared, verify, verify_data, check, report)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        step, folder = sys.argv[1:]
        {one.__name__: one for one in STEPS}[step](Path(folder))
    else:
        with tempfile.TemporaryDirectory() as folder:
            for one in STEPS:
                subprocess.run([sys.executable, __file__, one.__name__, folder], check=True)
