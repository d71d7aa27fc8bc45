"""How much memory may be used: a given amount, or half of the machine's."""

import os
import re
from pathlib import Path

from evenhand.errors import QuestionError

_UNITS = " kmgt"
_SMALLEST = 256 * 10**6
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_in_bytes(memory: str | int | None) -> int:
    """Parse an amount of memory, such as "2GB"; None means half of the machine's.

    >>> memory_in_bytes("2GB"), memory_in_bytes("1.5 GiB")
    (2000000000, 1610612736)
    """
    if memory is None:
        return _available() // 2
    text = str(memory).strip().lower()
    match = re.fullmatch(r"([0-9]+(?:[.][0-9]+)?) *([kmgt]?)(i?)b?", text)
    size = 0
    if match:
        unit = 1024 if match[3] else 1000
        size = int(float(match[1]) * unit ** _UNITS.index(match[2] or " "))
    if size < _SMALLEST:
        raise QuestionError.of(
            f"{memory!r} is no amount of memory to work in.",
            remedy="Write it as 2GB or 500MB; the least is 256MB.",
        )
    return size


def _available() -> int:
    """The memory of the machine, or the limit of the container."""
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in map(Path, _LIMITS):
        if path.is_file() and (text := path.read_text("ascii").strip()).isdigit():
            available = min(available, int(text))
    return available
