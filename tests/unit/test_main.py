"""``python -m evenhand`` is the command."""

import subprocess
import sys


def test_the_package_runs_as_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "evenhand", "verify", "nowhere.json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "nowhere.json" in done.stderr
    assert "Traceback" not in done.stderr
