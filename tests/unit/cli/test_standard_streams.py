"""Standard output and error closed, full and without a reader: the status, and no traceback."""

import os
import shlex
import subprocess
import sys

import pytest

NO_SUCH = "absent.csv --question q.toml"
GIVEN = "data.csv --question q.toml --graph graph.txt"


@pytest.mark.parametrize(
    ("command", "streams", "status"),
    [
        (f"audit {GIVEN}", ">&-", 1),
        (f"audit {GIVEN} --threshold 0.11 --json", ">&- <&-", 0),
        (f"audit {NO_SUCH} --json", ">&-", 2),
        (f"audit {NO_SUCH}", ">&- 2>&-", 2),
        (f"audit {NO_SUCH} --json", "2>/dev/full", 2),
        (f"audit {GIVEN}", ">/dev/full", 4),
        (f"audit {NO_SUCH} --json", ">/dev/full", 2),
        (f"release {GIVEN} --output out.csv", ">&- 2>&-", 0),
        (f"release {GIVEN} --output out.csv --json", ">/dev/full", 4),
        ("--help", ">/dev/full 2>/dev/full", 4),
    ],
)
def test_the_status_is_that_of_the_work_unless_text_is_lost(example, command, streams, status):
    words = [sys.executable, "-m", "evenhand", *shlex.split(command)]
    done = subprocess.run(  # noqa: S603  # our own program
        ["/bin/sh", "-c", f"{shlex.join(words)} {streams}"],
        cwd=example,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert ("Standard output cannot be written: No space" in done.stderr) == (
        status == 4 and "2>" not in streams
    )
    assert (example / "out.csv").exists() == command.startswith("release")


@pytest.mark.parametrize(("threshold", "status"), [("0.05", 1), ("0.11", 0)])
def test_a_reader_that_has_seen_enough_does_not_change_the_status(example, threshold, status):
    reading, writing = os.pipe()
    os.close(reading)
    words = [*shlex.split(GIVEN), "--threshold", threshold]
    done = subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-m", "evenhand", "audit", *words],
        cwd=example,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (status, "")
