"""Files of every kind that is read, changed at random and given to the command line.

python -m tests.fuzzing             answers cases on standard input, one a line
python -m tests.fuzzing csv 123     writes one case to the current folder and runs it
"""

import contextlib
import gzip
import io
import json
import os
import resource
import select
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from tests.hiring import GRAPH, NAMES, csv_text, people
from tests.mutations import generator_of, mutate, pack, unpack
from tests.workbooks import write_workbook

from evenhand.cli.application import main

SECONDS = 10  # the longest that a case may take
MEMORY = 2 * 10**9  # bytes that a case may take beyond what the program itself needs
ASKED = [
    *("--protected", "sex", "--group", "f", "--set", "other=m"),
    *("--decision", "hired", "--favorable", "yes"),
]
COLUMNS = ["--set", "columns=sex,degree,hired,pay"]
GIVEN = [*ASKED, *COLUMNS, "--graph", "graph.txt"]
TABLE = [
    ["audit", "CASE", *GIVEN, "--json"],
    ["audit", "CASE", *ASKED, "--set", "missing=level", "--bin", "age=3"],
    ["inspect", "CASE", "--json"],
    ["inspect", "CASE", *ASKED],
    ["init", "CASE", "--decision", "hired", "--protected", "sex", "--output", "new.toml"],
    ["release", "CASE", *GIVEN, "--output", "new.csv", "--json"],
    ["release", "CASE", *GIVEN, "--output", "new.parquet"],
]
# The end of a case's name, and the commands that read it.
KINDS = {
    "csv": (".csv", TABLE),
    "packed": (".csv.gz", TABLE),
    "parquet": (".parquet", TABLE),
    "arrow": (".arrow", TABLE),
    "excel": (".xlsx", TABLE),
}


def make_corpus(folder):
    """Write what all cases need; return small valid files by kind."""
    os.chdir(folder)
    found = people(60)
    Path("graph.txt").write_text("; ".join(f"{a} -> {b}" for a, b in sorted(GRAPH.arrows)))
    Path("people.csv").write_text(csv_text(found))
    ages = [*(str(20 + at % 9 * at % 41) for at in range(len(found)))]
    wide = [[*row, age] for row, age in zip(found, ages, strict=True)]
    names = [*NAMES, "age"]
    text = ",".join(names) + "\n" + csv_text(wide).partition("\n")[2]
    columns = dict(zip(names, map(list, zip(*wide, strict=True)), strict=True))
    table = pa.table({**columns, "age": [*map(int, ages)]})
    table = table.set_column(2, "degree", table["degree"].dictionary_encode())
    pq.write_table(table, "a.parquet")
    pq.write_table(table, "b.parquet", compression="none", use_dictionary=False)
    pa.feather.write_feather(table, "a.arrow", compression="uncompressed")
    with pa.OSFile("b.arrow", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    pq.write_table(_all_types(table), "c.parquet")
    pa.feather.write_feather(_all_types(table), "c.arrow", compression="lz4")
    write_workbook("a.xlsx", people=[names, *([*row[:-1], int(row[-1])] for row in wide)])
    return {
        "csv": [text.encode(), csv_text(found[:9], delimiter=";", newline="\r\n").encode()],
        "packed": [gzip.compress(text.encode(), mtime=0)],
        "parquet": [Path(f"{name}.parquet").read_bytes() for name in "abc"],
        "arrow": [Path(f"{name}.arrow").read_bytes() for name in "abc"],
        "excel": [pack(unpack(Path("a.xlsx").read_bytes()))],
    }


def _all_types(table):
    """The same people with a column of each type, some of them empty or nested."""
    numbers = [*range(len(table))]
    columns = {
        "float": pa.array([None, float("nan"), -0.0, *map(float, numbers[3:])]),
        "half": pa.array(numbers, pa.uint8()),
        "decimal": pa.array(numbers, pa.decimal128(20, 2)),
        "date": pa.array(numbers, pa.date32()),
        "instant": pa.array(numbers, pa.timestamp("us", "UTC")),
        "time": pa.array(numbers, pa.time32("s")),
        "span": pa.array(numbers, pa.duration("ms")),
        "bytes": pa.array([b"\xff", *map(str.encode, map(str, numbers[1:]))]),
        "truth": pa.array([at % 2 == 0 for at in numbers]),
        "list": pa.array([[at] for at in numbers]),
        "record": pa.array([{"a": at} for at in numbers]),
        "nothing": pa.nulls(len(table)),
    }
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table


def run(arguments):
    """Exit status, output and errors of a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        mock.patch.object(sys, "argv", ["evenhand", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            status = stop.code or 0
        except BaseException:  # noqa: BLE001  # this is what is looked for
            status = traceback.format_exc()
    return status, out.getvalue(), err.getvalue()


def command_of(kind, number):
    """What is typed for a case: one of the commands that read such a file."""
    ending, commands = KINDS[kind]
    name = f"case-{number}{ending}"
    command = commands[generator_of(f"{kind} command", number).integers(len(commands))]
    return name, [name if word == "CASE" else word for word in command]


def faults(arguments, status, out, err):
    """What must not have happened."""
    if status not in (0, 1, 2, 3, 4):
        yield f"status {status}"
    if status in (2, 4) and not err.strip() and "--json" not in arguments:
        yield "an error without a word"
    if "--json" in arguments:
        try:
            json.loads(out)
        except ValueError as error:
            yield f"no JSON document: {error}"
    raw = {mark for mark in out + err if ord(mark) < 32 or 127 <= ord(mark) < 160} - {*"\n\t"}
    if raw:
        yield f"control characters reach the terminal: {sorted(map(ascii, raw))}"


def answer(kind, number, corpus):
    """Run one case: its exit status and what is wrong with it."""
    name, arguments = command_of(kind, number)
    Path(name).write_bytes(mutate(kind, number, corpus[kind]))
    status, out, err = run(arguments)
    wrong = [*faults(arguments, status, out, err)]
    for path in Path().iterdir():
        if path.name.startswith(("new.", "case-")):
            path.unlink()
        elif path.name.startswith(".evenhand"):
            wrong.append(f"{path.name} is left")
            path.unlink()
    return status if isinstance(status, int) else 1, wrong


def serve(folder):
    """Answer cases within a limit of memory."""
    warnings.simplefilter("error", RuntimeWarning)
    corpus = make_corpus(folder)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        answered = answer(*json.loads(line), corpus)
        sys.stdout.write(json.dumps(answered) + "\n")
        sys.stdout.flush()


class Worker:
    """A process that runs cases; it is replaced when it dies or does not answer in time."""

    def __init__(self, folder):
        self.folder, self.started, self._process = folder, 0, None

    def run(self, kind, number):
        """The exit status of a case and what is wrong with it."""
        process = self._process or self._start()
        process.stdin.write(json.dumps([kind, number]) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], SECONDS)[0]:
            self.close()
            return None, [f"no answer in {SECONDS} s"]
        line = process.stdout.readline()
        if not line:
            status = process.wait()
            self.close()
            return None, [f"the process died with {status}"]
        return json.loads(line)

    def _start(self):
        self.started += 1
        folder = self.folder / str(self.started)
        folder.mkdir()
        self._process = subprocess.Popen(  # noqa: S603  # this Python, with a file of ours
            [sys.executable, "-m", "tests.fuzzing", folder],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout.readline() == "ready\n"
        return self._process

    def close(self):
        if self._process:
            self._process.kill()
            self._process.communicate()
            self._process = None


def campaign(folder, kind, numbers):
    """Run cases of one kind: how many ended with each status, and all that is wrong."""
    worker, statuses, wrong = Worker(folder), Counter(), []
    try:
        for number in numbers:
            status, found = worker.run(kind, number)
            statuses[status] += 1
            wrong += [(kind, number, fault) for fault in found]
    finally:
        worker.close()
    return statuses, wrong


def show(kind, number):
    """Run one case here and print all that it says; its file stays."""
    corpus = make_corpus(Path.cwd())
    name, arguments = command_of(kind, number)
    Path(name).write_bytes(mutate(kind, number, corpus[kind]))
    status, out, err = run(arguments)
    sys.stdout.write(f"$ evenhand {' '.join(arguments)}\n{out}{err}status {status}\n")


if __name__ == "__main__":
    if sys.argv[2:]:
        show(sys.argv[1], int(sys.argv[2]))
    else:
        serve(sys.argv[1])
