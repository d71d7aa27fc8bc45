import json
import os
import signal
import subprocess
import sys

import pytest

from evenhand.cli.process import Interrupted, ending_signals

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def nothing_is_ignored():
    """As under nohup some signals may be."""
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING)
def test_the_first_signal_is_raised_and_later_ones_do_not_stop_what_follows(number):
    before = [*map(signal.getsignal, ENDING)]
    done = []

    def work():
        try:
            os.kill(os.getpid(), number)
        finally:
            for other in ENDING:
                os.kill(os.getpid(), other)
            done.append("put back")

    with pytest.raises(Interrupted, match=number.name) as stop, ending_signals():
        work()
    assert (stop.value.exit_status, done) == (128 + number, ["put back"])
    assert [*map(signal.getsignal, ENDING)] == before


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_signals():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


COMMAND = """
import atexit, os, signal, sys

moment, number, *sys.argv = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)

def arrive(name, *_):
    if name == moment:
        try:
            os.kill(os.getpid(), int(number))
        except BaseException:
            raise ImportError("a compiled library failed")

class Finder:
    find_spec = staticmethod(arrive)

sys.meta_path.insert(0, Finder)
atexit.register(arrive, "the end")
from evenhand.cli import main
main()
"""


def interrupted(moment, number, *words):
    """Run a command that gets a signal when it begins to import a module, or at the end."""
    arguments = [sys.executable, "-c", COMMAND, moment, str(int(number)), "evenhand", *words]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)  # noqa: S603  # ours


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["evenhand.cli.application", "typer", "evenhand.errors"])
def test_a_signal_while_the_program_loads_ends_it_as_later_ones_do(module, number):
    done = interrupted(module, number, "paper", "--json")
    assert done.stderr == f"evenhand: interrupted by {number.name}\n"
    assert done.returncode == 128 + number
    assert json.loads(done.stdout)["exit_status"] == 128 + number


def test_a_signal_while_the_mathematics_load_ends_the_program():
    """Also where a library cannot pass the exception on."""
    done = interrupted("numpy", signal.SIGINT, "demo")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "evenhand: interrupted by SIGINT\n"


def test_a_signal_after_the_last_word_changes_nothing():
    done = interrupted("the end", signal.SIGINT, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("evenhand ")
