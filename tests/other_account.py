"""Another account of this machine: what it may read, and what it can hold."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

NOBODY = 65534
needs_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root can act as another account"
)


@contextmanager
def public_folder(mode: int = 0o755) -> Iterator[Path]:
    """A folder that every account can reach; those of pytest are closed to others."""
    path = Path(mkdtemp(prefix="public-", dir="/tmp")).resolve()
    path.chmod(mode)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def run_as_nobody(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python code as another account to its end."""
    with start_as_nobody(code, *arguments) as process:
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def start_as_nobody(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """Begin to run Python code as another account; the modules of the first line are loaded."""
    become = f"import fcntl, os, sys, time; os.setgroups([]); os.setgid({NOBODY}); "
    return subprocess.Popen(  # noqa: S603  # code of a test
        [sys.executable, "-c", f"{become}os.setuid({NOBODY})\n{code}", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )
