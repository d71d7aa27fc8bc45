"""Fixtures that many rooms share: the hypothesis profile and the data sets people bring."""

import signal
from functools import cache
from pathlib import Path

import pytest
import typer.main
from hypothesis import HealthCheck, settings
from tests.data_folder import ABSENT, DATA, DUTCH
from tests.repetitions import repetitions

from evenhand import CountTable, datasets

settings.register_profile(
    "gate",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=repetitions(60),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("gate")

# A run of the command line in this process builds all verbs anew: 30 ms of each.
typer.main.get_command = cache(typer.main.get_command)

# A shell starts work in the background with the interrupt ignored, nohup with SIGHUP ignored,
# and children inherit that.
for _number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    if signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.SIG_DFL)


def pytest_terminal_summary(terminalreporter):
    """Print what the campaigns recorded of themselves, and how long each took."""
    for report in terminalreporter.stats.get("passed", ()):
        if report.when == "call" and report.user_properties:
            figures = ", ".join(f"{name} {value}" for name, value in report.user_properties)
            name = report.nodeid.rpartition("/")[2]
            terminalreporter.write_line(f"{name}: {figures}; {report.duration:.0f} s")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Where the files of Adult and Dutch lie, if the machine has them."""
    if not DATA.is_dir():
        pytest.skip(f"no data folder {DATA} (EVENHAND_DATA names it)")
    return DATA


@pytest.fixture(scope="session")
def dutch() -> CountTable:
    """The 2001 Dutch census in the paper's coding."""
    if not DUTCH.is_file():
        pytest.skip(ABSENT)
    return datasets.dutch(DUTCH)


@pytest.fixture(scope="session")
def adult() -> CountTable:
    """Adult, 48,842 rows."""
    return datasets.adult()


@pytest.fixture(scope="session")
def paper_adult() -> CountTable:
    """Adult as the paper counts it: 65,123 rows."""
    return datasets.adult(paper=True)
