"""Runs the stand-alone checker; of a large record in a process beside this one.

The engine then need not wait for it, neither holds the memory of the other, and whoever cancels
ends it. Every certificate is checked before its file gets its name.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from typing import IO

from evenhand import checker
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import ResourceError, UnconfirmedError

_LARGE = 2_000_000  # bytes that the checker reads in less than a second
_MOST_DATA = 50_000_000  # bytes of rows that it reads in a few seconds
_SHOWN = 3
_POLL = 0.1  # seconds
# The checker needs nothing of evenhand, which would have to be loaded. It ends soon: without a
# search for garbage a million lines take 8 % less.
_ANSWER = """import gc, json, sys
gc.disable()
sys.path.insert(0, sys.argv[1])
from checker import verify
print(json.dumps(verify(sys.stdin.buffer.read().decode(), *sys.argv[2:])))"""


def can_read(data: str | None) -> bool:
    """Whether the stand-alone checker can read the data: one plain CSV file."""
    return data is not None and Path(data).is_file() and data.lower().endswith((".csv", ".tsv"))


def confirm(
    written: Path, data: str | Path | None = None, progress: ProgressCallback | None = None
) -> None:
    """Raise if the checker does not find a certificate true that is about to get its name.

    It reads the rows, too, if they are a plain CSV file that takes a few seconds at most.
    """
    rows = str(data) if data else None
    if rows and (not can_read(rows) or Path(rows).stat().st_size > _MOST_DATA):
        rows = None
    try:
        with checking(written, rows, progress) as answer:
            found = answer()
    except OSError as error:
        raise ResourceError.of(
            "The stand-alone checker could not be run: nothing was written.",
            f"{error.strerror or error}.",
            "Make room in memory and on the disk, and run again.",
            written.name,
        ) from error
    # What it leaves open is no error; what it could not even begin to check is one.
    if found.status == 1 or not found.stated:
        raise UnconfirmedError.of(
            "The stand-alone checker does not confirm this certificate: nothing was written.",
            f"It says: {'; '.join(found.notes[:_SHOWN])}.",
            "If the table was changed meanwhile, audit it again. Otherwise this is an error of "
            "evenhand and says nothing about the data: report it as an issue of evenhand.",
            written.name,
        )


@contextmanager
def checking(
    record: str | Path, data: str | None, progress: ProgressCallback | None
) -> Iterator[Callable[[], checker.Answer]]:
    """Start the checker on a record's text, or on its file; what is yielded is its answer.

    That waits for it. On leaving it is ended.
    """
    size = len(record) if isinstance(record, str) else record.stat().st_size
    if size + (Path(data).stat().st_size if data else 0) < _LARGE:
        text = record if isinstance(record, str) else record.read_text("utf-8")
        found = checker.verify(text, data)
        yield lambda: found
        return
    place = Path(checker.__file__).parents[1]
    # With -P no file of the folder we are in, which may come with the record, is a module.
    command = [sys.executable, "-P", "-c", _ANSWER, place, *([data] if data else ())]
    with (
        _temporary_file(record) if isinstance(record, str) else record.open("rb") as given,
        Popen(command, stdin=given, stdout=PIPE, stderr=PIPE) as process,  # noqa: S603  # ours
    ):
        try:
            yield cache(partial(_answer, process, ProgressReporter(progress)))
        finally:
            process.kill()


@contextmanager
def _temporary_file(text: str) -> Iterator[IO[bytes]]:
    """A file with the record: a pipe would hold the text as bytes, too."""
    with TemporaryFile() as file:
        try:
            file.write(text.encode())
            file.seek(0)
        except OSError as error:
            raise ResourceError.of(
                "The record could not be written to a temporary file for the checker.",
                str(error),
                "Make room on that disk, or name another folder in TMPDIR.",
            ) from error
        yield file


def _answer(process: Popen[bytes], reporter: ProgressReporter) -> checker.Answer:
    """Wait for what the checker prints; whoever is told of progress may cancel."""
    while True:
        reporter.report("checking by the stand-alone program", 0)
        with suppress(TimeoutExpired):
            printed, errors = process.communicate(timeout=_POLL)
            break
    if process.returncode:
        reason = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise ResourceError.of(
            "The stand-alone checker ended before it answered.",
            reason,
            "Check with more memory, or check the certificate alone.",
        )
    return checker.Answer(*json.loads(printed))
