"""How long a look at a table takes: 100,000 rows of 50 columns of all kinds, and a wide table.

    python bench/inspection.py

CPU seconds of all threads, the best of five fresh processes, reading the CSV included; beside
it those of plain ``pyarrow.csv.read_csv`` in the same process, as a measure of the machine.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv

REPEATS = 5
MEASURED = """
import json, sys, time
import pyarrow.csv
from evenhand import Question, read
path, asked = sys.argv[1:]
question = Question(
    protected="sex", group="f", decision="hired", favorable="yes"
) if asked == "asked" else None
begin = time.process_time()
pyarrow.csv.read_csv(path)
plain = time.process_time() - begin
begin = time.process_time()
inspection = read(path).inspect(question)
seconds = time.process_time() - begin
print(json.dumps([seconds, plain, len(inspection.findings)]))
"""


def people(rows: int) -> pa.Table:
    """Identifiers, names, dates, free text, measurements, categories and copies of some."""
    rng = np.random.default_rng(5)
    score = rng.integers(0, 100, rows)
    columns = {
        "id": np.arange(rows),
        "name": [f"person {number}" for number in rng.integers(0, rows, rows)],
        "day": rng.integers(0, 3000, rows).astype("datetime64[D]").astype(str),
        "note": [f"a note of {number} words" for number in rng.integers(0, rows, rows)],
        "sex": rng.choice(["f", "m"], rows),
        "score": score,
        "band": score // 20,
        "hired": np.where(score + rng.normal(0, 20, rows) > 50, "yes", "no"),
        "same": ["x"] * rows,
    }
    columns |= {f"pay{at}": rng.lognormal(10, 1, rows).round(2) for at in range(5)}
    columns |= {f"number{at}": rng.integers(0, 200 * (at + 1), rows) for at in range(10)}
    while len(columns) < 50:
        at = len(columns)
        columns[f"c{at}"] = rng.integers(0, at, rows)
    return pa.table({name: [str(v) for v in values] for name, values in columns.items()})


def wide(columns: int, rows: int) -> pa.Table:
    """Many categories of few rows."""
    rng = np.random.default_rng(6)
    table = {f"c{at}": rng.integers(0, 2 + at % 9, rows).astype(str) for at in range(columns)}
    return pa.table({"sex": table["c0"], "hired": table["c9"], **table})


def main() -> None:
    with TemporaryDirectory() as folder:
        for name, table in (
            ("100,000 x 50", people(100_000)),
            *((f"60 x {many:,}", wide(many, 60)) for many in (500, 1000, 2000, 10_000)),
            ("1,000 x 10,000", wide(10_000, 1000)),
        ):
            path = Path(folder) / "data.csv"
            pyarrow.csv.write_csv(table, path)
            for asked in ("no question", "asked"):
                command = [sys.executable, "-c", MEASURED, str(path), asked]
                runs = [json.loads(subprocess.check_output(command)) for _ in range(REPEATS)]
                seconds, plain, findings = min(runs)
                print(
                    f"{name:16} {asked:12} {seconds:6.2f} s   plain read {plain:5.2f} s   "
                    f"{findings} findings"
                )


if __name__ == "__main__":
    main()
