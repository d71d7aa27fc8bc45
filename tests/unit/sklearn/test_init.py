"""The door where scikit-learn is not installed."""

import subprocess
import sys

PROGRAM = """
import sys
sys.modules["sklearn"] = None
try:
    import evenhand.sklearn
except ValueError as error:
    print(type(error).__name__, error)
"""


def test_a_missing_library_is_named_with_what_installs_it():
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.startswith("ResourceError evenhand.sklearn: This needs scikit-learn")
    assert "pip install scikit-learn" in done.stdout
