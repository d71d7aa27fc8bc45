"""Commands that meet a signal or a full disk at the n-th system call that writes.

    python -m tests.system_calls

Reads lines of JSON: folder, arguments, the number of the call, what happens there, and perhaps
the arguments of a second command that runs meanwhile. Each command runs in a fork of this
process; the answer is its status, what it printed, and the names of its calls.
"""

import contextlib
import errno
import io
import json
import os
import select
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzzing import run
from tests.release_states import AUDIT, FIRST, release, write_people

COUNTED = (
    *("open", "mkdir", "chmod", "write", "fsync", "replace", "rename", "link", "unlink"),
    "rmdir",
)
PATIENCE = 2  # seconds that a command may wait for a stopped one


class SystemCalls:
    """Counts the calls that change files, and does something at one of them.

    A signal comes before the call, or in the middle of what is written. A full disk stays
    full: from the n-th write on, all fail.
    """

    def __init__(self, number, fault):
        self.number, self.fault, self.names = number, fault, []

    def install(self):
        for name in COUNTED:
            setattr(os, name, self._counted(name, getattr(os, name)))
        calls = self

        class CountedFile(io.FileIO):
            def write(self, data):
                if calls.is_next("write"):
                    half = super().write(bytes(data)[: len(data) // 2])
                    self.seek(-half, os.SEEK_CUR)
                    calls.strike()
                return super().write(data)

        def counted_open(file, mode="r", buffering=-1, encoding=None, *args, **options):
            if "+" in mode or not {*mode} & {*"wxa"}:
                return opened(file, mode, buffering, encoding, *args, **options)
            if not isinstance(file, int) and self.is_next("open"):
                self.strike()
            size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
            buffered = io.BufferedWriter(CountedFile(file, mode.strip("bt")), size)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding or "utf-8")

        opened, io.open = io.open, counted_open

    def is_next(self, name):
        """Count a call; whether it is the one where something happens."""
        self.names.append(name)
        if self.fault == "full":
            return name == "write" and self.names.count("write") >= self.number
        return len(self.names) == self.number

    def strike(self):
        """Let it happen."""
        if self.fault == "full":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.kill(os.getpid(), getattr(signal, self.fault))

    def _counted(self, name, whole):
        def counted(*args, **options):
            reads = name == "open" and not args[1] & (os.O_WRONLY | os.O_RDWR)
            if not reads and self.is_next(name):
                self.strike()
            return whole(*args, **options)

        return counted


def main():
    load_all()
    for line in sys.stdin:
        folder, arguments, number, fault, other = json.loads(line)
        first = start(folder, arguments, number, fault)
        commands = [first]
        if other:
            os.waitpid(first[0], os.WUNTRACED)  # it has stopped itself
            commands.append(start(folder, other, None, None))
            select.select([commands[1][1]], [], [], PATIENCE)
            os.kill(first[0], signal.SIGCONT)
        answers = [finish(*command) for command in commands]
        sys.stdout.write(json.dumps(answers) + "\n")
        sys.stdout.flush()


def load_all():
    """Run a command of each kind, so that forks find modules and templates loaded."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_people(Path())
        for arguments in (release(FIRST, share=True, report=True), AUDIT):
            status, _, words = run(arguments)
            assert status in (0, 1), words


def start(folder, arguments, number, fault):
    """Begin a command in a process of its own; return it and the pipe that it answers by."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(command(folder, arguments, SystemCalls(number, fault), writing))
    os.close(writing)
    return child, reading


def finish(child, reading):
    """Wait for a command: its status, what it printed, and its calls."""
    with open(reading) as file:  # noqa: PTH123  # a pipe
        said = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return [status, *(json.loads(said) if said else ["", []])]


def command(folder, arguments, calls, writing):
    """Run a command in this process; its words and calls go into a pipe."""
    os.chdir(folder)
    write = os.write
    calls.install()
    try:
        status, out, err = run(arguments)
    except BaseException:  # noqa: BLE001  # a signal between our own lines
        status, out, err = 99, "", traceback.format_exc()
    printed = out + err + (status if isinstance(status, str) else "")
    write(writing, json.dumps([printed[-20000:], calls.names]).encode())
    return status if isinstance(status, int) else 99


class Commands:
    """Runs commands in forks of one process that has everything loaded."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.system_calls"],
            cwd=Path(__file__).parents[1],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, folder, arguments, number=None, fault=None):
        """Status, printed text and system calls of a command in a folder."""
        return self._ask(folder, arguments, number, fault, None)[0]

    def interleave(self, folder, arguments, number, other):
        """The same of two commands: one is stopped at a call until the other has ended."""
        return self._ask(folder, arguments, number, "SIGSTOP", other)

    def _ask(self, folder, *request):
        self._process.stdin.write(json.dumps([str(folder), *request]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._process.communicate()


if __name__ == "__main__":
    main()
