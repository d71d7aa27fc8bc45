"""Runs the stand-alone checker; of a large record in a process beside this one.

The engine then does not hold the checker's memory, and whoever cancels ends it. Every
certificate is checked before its file gets its name.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired

from evenhand import checker
from evenhand.display import ProgressCallback, ProgressReporter
from evenhand.errors import ResourceError, UnconfirmedError

CHECKING = "checking by the stand-alone program"  # the step's name
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
    """Raise unless the checker verifies a certificate that is about to get its name.

    It reads the rows, too, if they are a plain CSV file that takes a few seconds at most.
    """
    rows = str(data) if data else None
    if rows and (not can_read(rows) or Path(rows).stat().st_size > _MOST_DATA):
        rows = None
    try:
        found = ask_checker(written, rows, progress)
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


def ask_checker(
    record: Path, data: str | None = None, progress: ProgressCallback | None = None
) -> checker.CheckOutcome:
    """What the checker says of the file of a record, and of data that it can read."""
    if record.stat().st_size + (Path(data).stat().st_size if data else 0) < _LARGE:
        return checker.verify(record.read_text("utf-8"), data)
    place = Path(checker.__file__).parents[1]
    # With -P no file of the folder we are in, which may come with the record, is a module.
    command = [sys.executable, "-P", "-c", _ANSWER, place, *([data] if data else ())]
    with (
        record.open("rb") as given,
        Popen(command, stdin=given, stdout=PIPE, stderr=PIPE) as process,  # noqa: S603  # ours
    ):
        try:
            return _answer(process, ProgressReporter(progress))
        finally:
            process.kill()


def _answer(process: Popen[bytes], reporter: ProgressReporter) -> checker.CheckOutcome:
    """Wait for what the checker prints; whoever is told of progress may cancel."""
    while True:
        reporter.report(CHECKING, 0)
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
    return checker.CheckOutcome(*json.loads(printed))
