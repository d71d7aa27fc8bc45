import os
import signal

import pytest

from evenhand.cli.signals import Interrupted, ending_signals

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
