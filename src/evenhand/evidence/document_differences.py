"""Where two certificate documents differ.

Everything is compared exactly, types included, but for the estimates: they are floats, written
with twelve digits, of which another machine may round the last one otherwise.
"""

from collections.abc import Iterator
from math import isclose

from evenhand.evidence.certificate_encoding import ROUNDING
from evenhand.evidence.partition_table import PartitionTable, compact
from evenhand.evidence.recorded_table import RecordedTable

_ABSENT = object()


def document_differences(written: object, right: object, where: str = "") -> Iterator[str]:
    """The innermost places in which a document differs from the right one.

    >>> print(*document_differences({"rows": 1, "p": "0.5"}, {"rows": True}), sep="; ")
    rows: it says 1, the counts say True; p: it says '0.5', which has no place there
    """
    if isinstance(written, RecordedTable) and isinstance(right, PartitionTable):
        yield from _table_differences(written, right, where)
    elif written is not right:
        yield from _plain_differences(_as_lines(written), _as_lines(right), where)


def _plain_differences(written: object, right: object, where: str) -> Iterator[str]:
    """The same of values that are no tables."""
    if isinstance(written, dict) and isinstance(right, dict):
        for name in {**written, **right}:
            first, second = (content.get(name, _ABSENT) for content in (written, right))
            yield from document_differences(first, second, f"{where}.{name}".lstrip("."))
    elif isinstance(written, list) and isinstance(right, list) and len(written) == len(right):
        has_tables = dict in {*map(type, right)}
        if not has_tables and compact(written) == compact(right):  # tells types apart
            return
        for at, (first, second) in enumerate(zip(written, right, strict=True)):
            yield from document_differences(first, second, f"{where}[{at}]")
    elif written is _ABSENT:
        yield f"{where}: it is not there, the counts say {right!r:.300}"
    elif right is _ABSENT:
        yield f"{where}: it says {written!r:.300}, which has no place there"
    elif type(written) is not type(right) or not (
        written == right or _is_same_estimate(where, written, right)
    ):
        yield f"{where}: it says {written!r:.300}, the counts say {right!r:.300}"


def _table_differences(
    written: RecordedTable, right: PartitionTable, where: str
) -> Iterator[str]:
    """The same of tables; only blocks that differ become plain values, as all are 300 MB."""
    if len(written) != len(right):
        yield from document_differences(written.lines(), right.lines(), where)
        return
    if written.is_like(right):
        return
    begin = 0
    for lines, text in zip(written.blocks, right.blocks, strict=True):
        end = begin + len(lines)
        if compact(lines)[1:-1] != text:
            pairs = zip(lines, right.lines(begin, end), strict=True)
            for at, (first, second) in enumerate(pairs, begin):
                yield from document_differences(first, second, f"{where}[{at}]")
        begin = end


def _as_lines(value: object) -> object:
    return value.lines() if isinstance(value, PartitionTable | RecordedTable) else value


def _is_same_estimate(where: str, written: object, right: object) -> bool:
    """Whether two texts are one estimate, up to a unit of the twelfth digit.

    Only the spelling with twelve digits at most, and no zeros at the end, is one.

    >>> _is_same_estimate("population.p", "1.23456789012e-40", "1.23456789013e-40")
    True
    >>> _is_same_estimate("population.p", "1.23456789012e-40", "1.23456789015e-40")
    False
    """
    block, _, name = where.rpartition(".")
    is_estimate = block.startswith(("population", "indirect.standard_errors"))
    is_estimate |= block.endswith(".by_chance")
    if not is_estimate or not isinstance(written, str):
        return False
    try:
        first, second = float(written), float(str(right))
    except ValueError:
        return False
    return f"{first:.12g}" == written and isclose(
        first, second, rel_tol=1.01e-11, abs_tol=0 if name.startswith("p") else ROUNDING
    )
