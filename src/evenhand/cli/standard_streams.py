"""Standard output and error that may be closed, full, or have lost their reader.

None of this stops the work. Where nobody reads (``>&-``, ``| head``) the exit status is that of
the work; where text is lost that somebody wanted (a full disk) it is 4.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO


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
