"""Tables of 10,000 columns: how long `inspect`, `init` and `audit` take, or take to refuse.

python bench/wide.py
"""

import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

COLUMNS = 10_000
ASKED = ["--decision", "hired", "--protected", "sex"]
JUDGED = [*ASKED, "--group", "a", "--favorable", "b"]


def write_table(path: Path, rows: int) -> None:
    """Columns of two values; of one of them and of the sex the decision depends."""
    generator = np.random.default_rng(1)
    codes = generator.integers(0, 2, (COLUMNS, rows))
    codes[1] = generator.random(rows) < 0.2 + 0.3 * codes[0] + 0.4 * codes[2]
    names = ["sex", "hired", *(f"c{at}" for at in range(COLUMNS - 2))]
    labels = np.array(["a", "b"])
    table = pa.table({name: labels[column] for name, column in zip(names, codes, strict=True)})
    arrow_csv.write_csv(table, path)


def main() -> None:
    """Print processor seconds and the status of each command."""
    with TemporaryDirectory() as folder:
        for rows in (60, 10_000):
            path = Path(folder) / f"{rows}.csv"
            write_table(path, rows)
            output = ["--output", f"{folder}/{rows}.toml"]
            for verb, options in (
                ("inspect", ASKED),
                ("init", [*ASKED, *output]),
                ("audit", JUDGED),
            ):
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                command = [sys.executable, "-m", "evenhand", verb, str(path), *options]
                done = subprocess.run(command, capture_output=True, check=False)
                seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
                print(
                    f"{rows:>6,} x {COLUMNS:,}  {verb:<8}{seconds:6.1f} s   "
                    f"status {done.returncode}"
                )


if __name__ == "__main__":
    main()
