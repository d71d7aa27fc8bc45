"""What belongs to the process: signals that end it, standard output and error.

Everything is put back before a signal ends the process. Standard output and error may be
closed, full, or have lost their reader, which does not stop the work: where nobody reads
(``>&-``, ``| head``) the exit status is that of the work; where text is lost that somebody
wanted (a full disk) it is 4.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO

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


class StandardStream:
    """A text stream that drops everything after an error, which it remembers."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.has_text = False
        self.error: OSError | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # everything else is the stream's
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write text, or drop it."""
        self.has_text = self.has_text or bool(text)
        try:
            return self._stream.write(text)
        except OSError as error:
            self._drop_the_rest(error)
            return len(text)

    def flush(self) -> None:
        """Bring the text to its reader, or drop it."""
        try:
            self._stream.flush()
        except OSError as error:
            self._drop_the_rest(error)

    @property
    def has_lost_text(self) -> bool:
        """Whether text could not be written that somebody would have read."""
        return self.error is not None and not isinstance(self.error, BrokenPipeError)

    def _drop_the_rest(self, error: OSError) -> None:
        self.error = error
        with suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._stream.fileno())
            os.close(null)


def open_closed_streams() -> None:
    """Open what was closed before the start, so that no file gets the number of a stream.

    Python has None for a closed stream. The lowest free number is given first.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115  # stays open
            setattr(sys, name, stream)
