"""The claims about one partition: differences, coverage, numbers, evidence, verdict."""

from fractions import Fraction
from itertools import chain

from .group_comparisons import GroupComparisons, Table
from .record_fields import Record

YES, OPEN, NO = VERDICTS = "certified", "cannot decide", "not certified"
WITHHELD = "withheld"


def read_table(entry: Record, compared: GroupComparisons) -> Table:
    """The counts of a partition, by the values that people share."""
    names, kinds = len(entry["names"]), len(compared.kinds)
    types = [str] * names + [int] * kinds * len(compared.groups)
    table: Table = {}
    for line in entry.get("table", ()):
        counts = line[names:-1]
        if [*map(type, line[:-1])] != types or min(counts) < 0:
            raise ValueError(f"{entry['names']}: {line} is no subpopulation")
        if any(counts):
            groups = [counts[at : at + kinds] for at in range(0, len(counts), kinds)]
            table[(*line[:names],)] = groups
    return table


def judge(table: Table, compared: GroupComparisons) -> Record:
    """The fields of a partition that follow from its counts."""
    exact = [compared.differences(counts) for counts in table.values()]
    reached = [
        [d for d in line if d is not None and abs(d) >= compared.threshold] for line in exact
    ]
    measured = [any(d is not None for d in line) for line in exact]
    widest = [max((d for d in line if d is not None), key=abs, default=None) for line in exact]
    overall, groups = coverage(table, compared, exact)
    enough = overall > 0 and min(groups) >= compared.least
    sides = [d > 0 for line in reached for d in line]
    numbers = {"above": sides.count(True), "below": sides.count(False)}
    if not compared.is_one:
        numbers["comparisons"] = sum(d is not None for line in exact for d in line)
    return {
        "coverage": {"rows": str(overall), "groups": [*map(str, groups)]},
        "subpopulations": {
            **numbers,
            "violating": sum(map(bool, reached)),
            "occupied": len(exact),
            "measured": sum(measured),
        },
        "evidence": [line for line, differences in enumerate(reached) if differences],
        "verdict": NO if any(reached) else YES if enough else OPEN,
        "table": [
            [*values, *chain(*counts), None if d is None else str(d)]
            for (values, counts), d in zip(table.items(), widest, strict=True)
        ],
    }


def coverage(
    table: Table, compared: GroupComparisons, exact: list[list[Fraction | None]]
) -> tuple[Fraction, list[Fraction]]:
    """The share of rows with somebody to be compared with: of all, and of each group's own."""
    own, beside = ([0] * len(compared.groups) for _ in range(2))
    measured = people = 0
    for counts, differences in zip(table.values(), exact, strict=True):
        rows = [sum(kinds) for kinds in counts]
        pairs = zip(compared.pairs, differences, strict=False)  # those of the first cut
        ends = {end for pair, d in pairs if d is not None for end in pair}
        people += sum(rows)
        measured += sum(rows) if ends else 0
        for group, many in enumerate(rows):
            own[group] += many
            beside[group] += many if group in ends else 0
    shares = [Fraction(b, n or 1) for b, n in zip(beside, own, strict=True)]
    return Fraction(measured, people or 1), shares
