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


class Interrupted(BaseException):
    """A signal told the process to end; no handler of ordinary errors may catch this."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_status = 128 + number


@contextmanager
def ending_signals() -> Iterator[None]:
    """Raise ``Interrupted`` at the first signal, and ignore further ones.

    What was begun is put back while the exception passes, which a second signal must not stop.
    Signals that are ignored already stay so, as under nohup.
    """
    handlers = {number: signal.getsignal(number) for number in _ENDING}

    def interrupt(number: int, _: FrameType | None) -> NoReturn:
        for one in _ENDING:
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted(number)

    for number, handler in handlers.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
