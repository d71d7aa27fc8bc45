"""The claims about one partition: differences, coverage, numbers, evidence, verdict."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from operator import add

from .group_comparisons import GroupComparisons, Table
from .record_fields import Record

YES, OPEN, NO = VERDICTS = "certified", "cannot decide", "not certified"
WITHHELD = "withheld"


def read_table(entry: Record, compared: GroupComparisons) -> Table:
    """The counts of a partition, by the values that people share."""
    names, kinds = len(entry["names"]), len(compared.kinds)
    types = [str] * names + [int] * kinds * len(compared.groups)
    table: Table = {}
    texts: dict[str, str] = {}
    for line in entry.get("table", ()):
        counts = line[names:-1]
        if [*map(type, line[:-1])] != types or min(counts) < 0:
            raise ValueError(f"{entry['names']}: {line} is no subpopulation")
        # The parser makes a new text in each place: equal ones are kept once.
        line[:names] = [texts.setdefault(text, text) for text in line[:names]]
        if any(counts):
            groups = [counts[at : at + kinds] for at in range(0, len(counts), kinds)]
            table[(*line[:names],)] = groups
    return table


def judge(table: Table, compared: GroupComparisons, written: Sequence[object] = ()) -> Record:
    """The fields of a partition that follow from its counts.

    A line that is written as it should be is taken itself: no second million is in memory.
    """
    lines, evidence = list[object](), list[int]()
    above = below = comparisons = measured = covered = 0
    own = beside = [0] * len(compared.groups)
    for at, (values, counts) in enumerate(table.items()):
        exact = compared.differences(counts)
        known = [d for d in exact if d is not None]
        reached = [d > 0 for d in known if abs(d) >= compared.threshold]
        widest = max(known, key=abs, default=None)
        line = [*values, *chain(*counts), None if widest is None else str(widest)]
        lines += [written[at] if line in written[at : at + 1] else line]
        evidence += [at] if reached else []
        above, below = above + reached.count(True), below + reached.count(False)
        comparisons, measured = comparisons + len(known), measured + bool(known)
        rows, ends = [*map(sum, counts)], compared_groups(compared, exact)
        covered += sum(rows) if known else 0
        own = [*map(add, own, rows)]
        beside = [
            b + n * (group in ends)
            for group, (b, n) in enumerate(zip(beside, rows, strict=True))
        ]
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
