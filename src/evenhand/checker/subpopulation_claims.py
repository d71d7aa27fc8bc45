"""The claims about one partition: differences, coverage, numbers, evidence, verdict."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from operator import add

from .group_comparisons import SHARED, TOO_MANY, Counts, GroupComparisons, Table
from .record_fields import Record

YES, OPEN, NO = VERDICTS = "certified", "cannot decide", "not certified"
WITHHELD = "withheld"


def read_table(entry: Record, compared: GroupComparisons) -> Table:
    """The counts of a partition, by the values that people share."""
    names = len(entry["names"])
    types = [str] * names + [int] * len(compared.kinds) * len(compared.groups)
    table: Table = {}
    # The parser makes a new text in each place: equal ones are kept once, and equal counts.
    once, split = lru_cache(SHARED)(str), lru_cache(SHARED)(compared.split)
    for line in entry.get("table", ()):
        counts = (*line[names:-1],)
        if [*map(type, line[:-1])] != types or min(counts) < 0 or max(counts) >= TOO_MANY:
            raise ValueError(f"{entry['names']}: {line} is no subpopulation")
        line[:names] = values = (*map(once, line[:names]),)
        if any(counts):
            table[values] = split(counts)
    return table


def judge(table: Table, compared: GroupComparisons, written: Sequence[object] = ()) -> Record:
    """The fields of a partition that follow from its counts.

    A line that is written as it should be is taken itself: no second million is in memory.
    """
    lines, evidence = list[object](), list[int]()
    above = below = comparisons = measured = covered = 0
    own = beside = [0] * len(compared.groups)
    violating, rest = set[Counts](), dict[Counts, list[object]]()
    for counts, times in Counter(table.values()).items():  # many lines have the same counts
        exact = compared.differences(counts)
        known = [d for d in exact if d is not None]
        reached = [d > 0 for d in known if abs(d) >= compared.threshold]
        widest = max(known, key=abs, default=None)
        rest[counts] = [*chain(*counts), None if widest is None else str(widest)]
        violating |= {counts} if reached else set()
        above, below = above + times * reached.count(True), below + times * reached.count(False)
        comparisons, measured = comparisons + times * len(known), measured + times * bool(known)
        rows, ends = [times * sum(kinds) for kinds in counts], compared_groups(compared, exact)
        covered += sum(rows) if known else 0
        own = [*map(add, own, rows)]
        beside = [
            b + n * (group in ends)
            for group, (b, n) in enumerate(zip(beside, rows, strict=True))
        ]
    for at, (values, counts) in enumerate(table.items()):
        line = [*values, *rest[counts]]
        lines += [written[at] if line in written[at : at + 1] else line]
        evidence += [at] if counts in violating else []
    overall = Fraction(covered, sum(own) or 1)
    shares = [Fraction(b, n or 1) for b, n in zip(beside, own, strict=True)]
    enough = overall > 0 and min(shares) >= compared.least
    several = {} if compared.is_one else {"comparisons": comparisons}
    return {
        "coverage": {"rows": str(overall), "groups": [*map(str, shares)]},
        "subpopulations": {
            "above": above,
            "below": below,
            **several,
            "violating": len(evidence),
            "occupied": len(lines),
            "measured": measured,
        },
        "evidence": evidence,
        "verdict": NO if evidence else YES if enough else OPEN,
        "table": lines,
    }


def compared_groups(compared: GroupComparisons, exact: list[Fraction | None]) -> set[int]:
    """The groups that have somebody to be compared with, by the differences of a line."""
    pairs = zip(compared.pairs, exact, strict=False)  # those of the first cut
    return {end for pair, d in pairs if d is not None for end in pair}
