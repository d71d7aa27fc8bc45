"""Signals that end the process: everything is put back before it does."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# Windows has no SIGHUP.
_ENDING = [
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if name in signal.Signals.__members__
]
_held: list[int] = []


class Interrupted(BaseException):
    """A signal told the process to end; no handler of ordinary errors may catch this."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_status = 128 + number


def hold_signals() -> None:
    """Note signals for ``raise_held`` in place of Python's traceback, until the process ends.

    For while modules are imported, where an exception might be caught by somebody else, and
    after the last output. Signals that are ignored already stay so.
    """
    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: _held.append(number))


def raise_held() -> None:
    """Let a signal that was noted arrive now."""
    if _held:
        signal.raise_signal(_held.pop())


@contextmanager
def ending_signals() -> Iterator[list[Interrupted]]:
    """Raise ``Interrupted`` at the first signal, and ignore further ones.

    Gives a list that it is put into: a library may raise another exception in its place.
    What was begun is put back while the exception passes, which a second signal must not stop.
    Signals that are ignored already stay so, as under nohup.
    """
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    arrived: list[Interrupted] = []

    def interrupt(number: int, _: FrameType | None) -> NoReturn:
        for one in _ENDING:
            signal.signal(one, signal.SIG_IGN)
        arrived.append(Interrupted(number))
        raise arrived[-1]

    for number, handler in handlers.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield arrived
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
