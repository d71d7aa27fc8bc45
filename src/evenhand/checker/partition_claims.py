"""The claims about a partition: differences, coverage, evidence, verdict, chance and digest.

With the totals of a subpopulation fixed, the group's favorable decisions are hypergeometric if
nothing differs: what chance alone would make is added up term by term, each found from the one
before.
"""

import hashlib
import heapq
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from json.encoder import encode_basestring as quote
from math import fsum, inf, isclose
from operator import add

from .graph_claims import RecordedGraph
from .group_comparisons import SHARED, TOO_MANY, Counts, GroupComparisons, Table
from .record_fields import Record
from .row_claims import check_counts, count_people

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


def overall_verdict(
    record: Record,
    graph: RecordedGraph,
    entries: list[Record],
    *,
    causes: int,
    complete: bool,
) -> str:
    """The worst verdict of all partitions, of which so many are by possible causes.

    With open edges a difference in one partition need not be one in every graph.
    """
    verdicts: list[str] = [*(entry["verdict"] for entry in entries), YES if complete else OPEN]
    is_sure = not graph.undirected or {*verdicts[:causes]} == {NO}
    is_open = record["scope"]["asked"] == "causes" or record["verdict"] == OPEN
    if not is_sure and is_open:
        verdicts = [min(one, OPEN, key=VERDICTS.index) for one in verdicts]
    return max(verdicts, key=VERDICTS.index)


def shared_verdict(
    record: Record, entry: Record, possible: list[list[str]], of_all: str
) -> str:
    """The verdict of a shared copy: what its lines show, or that of all rows of a release.

    The verdict of the partition's entry is brought into line with it.
    """
    violates = entry["verdict"] == NO
    entry["verdict"] = NO if violates else of_all if "release" in record else WITHHELD
    is_sure = len(possible) == 1 and not record["rules"]["declared"]
    return str(entry["verdict"] if is_sure or not violates else WITHHELD)


MOST_ROWS = 10**7  # of one subpopulation: beyond, a sum of so many terms would take too long
_NEGLIGIBLE = 1e-290
_ROUNDED = 1.01e-15  # what is smaller is written as 0


def has_too_many_rows(table: Table) -> bool:
    """Whether one of the sums would have too many terms."""
    return any(sum(map(sum, counts)) > MOST_ROWS for counts in {*table.values()})


def chance_numbers(
    table: Table, threshold: Fraction, least_rows: int = 1
) -> dict[str, float] | None:
    """The expected numbers of subpopulations and rows; None with too many rows in one of them.

    >>> chance_numbers({("x",): ((1, 1), (1, 1))}, Fraction(1, 20))
    {'expected': 0.3333333333333333, 'rows': 1.3333333333333333}
    """
    if has_too_many_rows(table):
        return None
    lines = Counter[tuple[int, int, int]]()
    for ((a, b), (c, d)), times in Counter(table.values()).items():
        if min(a + b, c + d) >= least_rows:
            lines[a + b, c + d, a + c] += times
    terms = [
        (reach_probability(group, other, favorable, threshold) * times, group + other)
        for (group, other, favorable), times in lines.items()
    ]
    return {"expected": fsum(p for p, _ in terms), "rows": fsum(p * rows for p, rows in terms)}


def reach_probability(group: int, other: int, favorable: int, threshold: Fraction) -> float:
    """The probability of a difference at or beyond the threshold if nothing differs."""
    mode = (favorable + 1) * (group + 1) // (group + other + 2)
    weights = {mode: 1.0}
    for step in (1, -1):
        yes, weight = mode, 1.0
        while weight > _NEGLIGIBLE:  # beyond the last possible number it is 0
            low = yes + min(step, 0)  # the ratio of the weights of low + 1 and low
            up = (favorable - low) * (group - low)
            down = (low + 1) * (other - favorable + low + 1)
            weight *= up / down if step > 0 else down / up
            yes += step
            weights[yes] = weight
    bound = threshold.numerator * group * other
    beyond = (
        weight
        for yes, weight in weights.items()
        if abs((favorable - yes) * group - yes * other) * threshold.denominator >= bound
    )
    return fsum(beyond) / fsum(weights.values())


def right_chance(written: Record, table: Table, compared: GroupComparisons) -> Record:
    """The fields of ``by_chance`` as they should be; the range and the p as they are written.

    All decimals have twelve digits at most, and one spelling.

    Numbers that agree to nine digits are taken as written, and so are those that stand for a
    probability under 1e-15: the other program computes in floating point, too.
    """
    check_counts({name: written[name] for name in ("lower", "upper")})
    right = {name: written[name] for name in ("lower", "upper")}
    exact = compared.is_one
    estimates = ("p", "at_threshold") if exact else ("p", "expected", "rows", "error")
    for name in estimates:
        if not 0 <= float(written[name]) < inf:
            raise ValueError(f"{name}: {written[name]!r} is no estimate")
        right[name] = f"{float(written[name]):.12g}"
    people = count_people(table)
    numbers = chance_numbers(table, compared.threshold, compared.least_rows) if exact else None
    for name, number in (numbers or {}).items():
        text = f"{float(written[name]):.12g}"
        least = _ROUNDED * (people if name == "rows" else 1)
        same = isclose(float(text), number, rel_tol=1e-9, abs_tol=least)
        right[name] = text if same else f"{number:.12g}"
    return {name: right.get(name, written[name]) for name in ("expected", "rows", *right)}


def seal(record: Record) -> str:
    """SHA-256 of all fields but the seal, as JSON with sorted names and without spaces."""
    rest = {name: value for name, value in record.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def digest(compared: GroupComparisons, decision: str, names: list[str], table: Table) -> str:
    """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines."""
    columns = [*names, compared.column, decision]
    places = sorted(range(len(columns)), key=columns.__getitem__)
    own = [at for at in places if at < len(names)]
    # Of one group and kind of decision the lines are sorted as the people are: those of each
    # are merged, and never all in memory.
    people = sorted(table, key=lambda labels: ", ".join([quote(labels[at]) for at in own]))

    def lines(group: int, kind: int) -> Iterator[str]:
        of_cell = (quote(one) for one in (compared.groups[group], compared.kinds[kind]))
        parts = [*["%s"] * len(names), *(text.replace("%", "%%") for text in of_cell)]
        form = f"\n[{', '.join(parts[at] for at in places)}, %d]"
        for labels in people:
            if count := table[labels][group][kind]:
                yield form % (*[quote(labels[at]) for at in own], count)

    cells = product(range(len(compared.groups)), range(len(compared.kinds)))
    sha256 = hashlib.sha256(json.dumps(sorted(columns), ensure_ascii=False).encode())
    for line in heapq.merge(*(lines(group, kind) for group, kind in cells)):
        sha256.update(line.encode())
    return sha256.hexdigest()
