"""Releases in which a call of the system goes wrong, each in a process of its own.

    python -m tests.faulty

Reads lines of JSON: the folder, what goes wrong, and the options of ``Release.write`` or the
words of a command. Answers status and words.
"""

import errno
import json
import os
import resource
import signal
import sys
import traceback
from pathlib import Path

from tests.hiring import released

from evenhand.cli.application import main
from evenhand.errors import EvenhandError


def at_call(name, number, act):
    """Do something just before a function of ``os`` is called for the n-th time."""
    whole, calls = getattr(os, name), []

    def counted(*args, **options):
        calls.append(name)
        if len(calls) == number:
            act()
        return whole(*args, **options)

    setattr(os, name, counted)


def signalled(number):
    return lambda: os.kill(os.getpid(), number)


def failing(code):
    def act():
        raise OSError(code, os.strerror(code))

    return act


def spoil(fault):
    """Make something go wrong: a call fails or is the last, the disk is full, rows change."""
    kind, *details = fault
    if kind == "kill":
        at_call(*details, signalled(signal.SIGKILL))
    elif kind == "kill after":  # the alarm ends a process that does not wait for it
        signal.setitimer(signal.ITIMER_REAL, details[0])
    elif kind == "signal":
        at_call(*details[:2], signalled(signal.Signals[details[2]]))
    elif kind == "fail":
        at_call(*details[:2], failing(getattr(errno, details[2])))
    elif kind == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (details[0], details[0]))
    elif kind == "other rows":
        text = Path("people.csv").read_text()
        Path("people.csv").write_text(text.replace(",yes,", ",no,", 1))


def run(folder, fault, work, said):
    """The status of a release or a command, whose words go into a pipe."""
    os.chdir(folder)
    if isinstance(work, list):
        return run_command(fault, work, said)
    try:
        made = released(Path("people.csv"))
        spoil(fault)
        made.write("out/out.csv", **work)
    except EvenhandError as error:
        os.write(said, str(error).encode())
        return error.exit_status
    except BaseException:  # noqa: BLE001  # the other side reads what it was
        os.write(said, traceback.format_exc().encode())
        return 1
    return 0


def run_command(fault, words, said):
    for stream in (1, 2):
        os.dup2(said, stream)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115
    sys.argv = ["evenhand", *words]
    spoil(fault)
    try:
        main()
    except SystemExit as stop:
        return stop.code or 0


def serve():
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os._exit(run(*json.loads(line), writing))
        os.close(writing)
        with open(reading) as file:  # noqa: PTH123  # a pipe
            said = file.read()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(json.dumps([status, said]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
