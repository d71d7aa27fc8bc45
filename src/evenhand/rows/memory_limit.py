"""How much memory may be used: as much as was said, or half of what is there."""

import os
import re
from pathlib import Path

from evenhand.errors import Problem, QuestionError

_UNITS = " kmgt"
_SMALLEST = 256 * 10**6
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_in_bytes(memory: str | int | None) -> int:
    """Read an amount of memory, such as "2GB"; without one, take half of what there is.

    >>> memory_in_bytes("2GB"), memory_in_bytes("1.5 GiB")
    (2000000000, 1610612736)
    """
    if memory is None:
        return _there() // 2
    written = str(memory).strip().lower()
    found = re.fullmatch(r"([0-9]+(?:[.][0-9]+)?) *([kmgt]?)(i?)b?", written)
    size = 0
    if found:
        unit = 1024 if found[3] else 1000
        size = int(float(found[1]) * unit ** _UNITS.index(found[2] or " "))
    if size < _SMALLEST:
        raise QuestionError(
            Problem(
                f"{memory!r} is no amount of memory to work in.",
                remedy="Write it as 2GB or 500MB; the least is 256MB.",
            )
        )
    return size


def _there() -> int:
    """The memory of the machine, or what the system grants of it."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in map(Path, _LIMITS):
        if path.is_file() and (text := path.read_text("ascii").strip()).isdigit():
            there = min(there, int(text))
    return there
