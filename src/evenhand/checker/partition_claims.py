"""The claims about a partition: differences, coverage, evidence, verdict, chance and digest.

A question says who is compared with whom, and by which decisions. With the totals of a
subpopulation fixed, the group's favorable decisions are hypergeometric if nothing differs: what
chance alone would make is added up term by term, each found from the one before.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations, groupby, product, takewhile
from json.encoder import encode_basestring as quote
from math import fsum, inf, isclose
from operator import add, itemgetter

from .record_fields import COUNT, VERDICTS, Record, alike, listed, read_share, taken_as

JOIN, OR = " & ", " or "
TOO_MANY = 2**63  # of rows: no program counts so many
BLOCK = 2**16  # people, more or less, whose lines are in memory at a time
SHARED = 2**16  # values that are looked up, so that equal ones are made and kept once
Counts = tuple[tuple[int, ...], ...]  # by group, and within a group by kind of decision
Table = dict[tuple[str, ...], Counts]


class GroupComparisons:
    """The groups and the kinds of decision of a record, and the pairs that are compared.

    ``cuts`` are the kinds that count as favorable, one after the other: one cut for a favorable
    decision, one for each kind if every one is compared, one for each but the last of an order.
    """

    def __init__(self, question: Record) -> None:
        self.protected = listed(question["protected"])
        self.favorable = listed(question.get("favorable", []))
        self.groups: list[str] = question["groups"]
        self.kinds: list[str] = question["decisions"]
        self.threshold, self.least = (
            read_share(question[name]) for name in ("threshold", "min_coverage")
        )
        self.least_rows = question.get("min_rows", 1)
        self.is_named = "group" in question  # one group against one other
        self.is_cumulative = question.get("criterion") == "cumulative"
        self.check(question)
        places, many = range(len(self.groups)), len(self.kinds)
        self.roles = ["group", "other"] if self.is_named else ["groups"] * len(self.groups)
        self.pairs = [*combinations(places, 2)]
        if "other" in question and not self.is_named:
            reference = self.groups.index(question["other"])
            self.pairs = [(at, reference) for at in places if at != reference]
        self.cuts = [range(last) for last in range(1, many)]
        if question.get("criterion") == "every" and many > 2:
            self.cuts = [range(kind, kind + 1) for kind in range(many)]
        self.is_one = len(self.pairs) == len(self.cuts) == 1

    def check(self, question: Record) -> None:
        """Refuse bounds out of range, and labels that are not those of the question."""
        if not 0 < self.threshold < 1 or not 0 <= self.least <= 1:
            raise ValueError(f"threshold {self.threshold} or least coverage is out of range")
        groups, kinds, criterion = self.groups, self.kinds, question.get("criterion")
        order = question.get("order", kinds)
        lists = (question.get(name) for name in ("protected", "favorable", "decisions"))
        errors = {
            "protected": len(self.protected) > 1
            and not all(len(g.split(JOIN)) == len(self.protected) for g in groups),
            "groups": groups != [question["group"], question["other"]]
            if self.is_named
            else len(groups) < 3,
            "other": question.get("other", groups[0]) not in groups,
            "favorable": bool(self.favorable) == bool(criterion),
            "decisions": not criterion and kinds != [OR.join(self.favorable), *kinds[1:2]],
            "order": (criterion == "cumulative" and (order != kinds or "order" not in question))
            or (criterion == "every" and not {*kinds} <= {*order}),
            "a list": any(isinstance(labels, list) and len(labels) < 2 for labels in lists),
        }
        if wrong := [name for name, applies in errors.items() if applies]:
            raise ValueError(f"question: {', '.join(wrong)} cannot be what it asks about")

    @property
    def column(self) -> str:
        """The name of the column of groups."""
        return JOIN.join(self.protected)

    def differences(self, counts: Counts) -> list[Fraction | None]:
        """The second group's rate minus the first's, by cut and pair; None if not compared."""
        rows = [sum(kinds) for kinds in counts]
        present = [total >= self.least_rows for total in rows]
        return [
            Fraction(sum(counts[b][k] for k in cut), rows[b])
            - Fraction(sum(counts[a][k] for k in cut), rows[a])
            if present[a] and present[b]
            else None
            for cut in self.cuts
            for a, b in self.pairs
        ]

    def place(self, group: str, *, pooled: bool) -> int | None:
        """The index of a group; None if it is not compared."""
        if group in self.groups[: 1 if pooled else None]:
            return self.groups.index(group)
        return 1 if pooled else None

    def kind(self, decision: str) -> int | None:
        """The index of the kind of a decision; None if its value is not named."""
        if self.favorable:
            return 0 if decision in self.favorable else 1 if decision == self.kinds[1] else None
        return self.kinds.index(decision) if decision in self.kinds else None

    def split(self, counts: Sequence[int]) -> Counts:
        """Counts that stand in one row, by group and kind of decision."""
        kinds = len(self.kinds)
        return tuple(tuple(counts[at : at + kinds]) for at in range(0, len(counts), kinds))


YES, OPEN, NO = VERDICTS
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


def shown_part(table: Table, compared: GroupComparisons, least: int) -> Table:
    """The people whose group has so many of each kind where they are, and so has another."""
    part: Table = {}
    for values, counts in table.items():
        large = [min(kinds) >= least for kinds in counts]
        if any(large[a] and large[b] for a, b in compared.pairs):
            pairs = zip(large, counts, strict=True)
            part[values] = tuple(
                kinds if is_shown else (0,) * len(kinds) for is_shown, kinds in pairs
            )
    return part


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
    right: Record = taken_as(alike("lower upper", COUNT), written, "by_chance")
    if not 0 <= float(written["p"]) < inf:
        raise ValueError(f"p: {written['p']!r} is no estimate")
    right["p"] = f"{float(written['p']):.12g}"
    people = count_people(table)
    numbers = chance_numbers(table, compared.threshold, compared.least_rows)
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
    """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines.

    Only some lines are in memory at a time: of the groups and decisions that stand before the
    names, those of each; and of people who are alike up to the next column that is no name.
    """
    columns = [*names, compared.column, decision]
    places = sorted(range(len(columns)), key=columns.__getitem__)
    own = [at for at in places if at < len(names)]
    first = places.index(own[0]) if own else len(places)
    alike = [*takewhile(len(names).__gt__, places[first:])]
    people = sorted(table, key=lambda labels: ", ".join([quote(labels[at]) for at in own]))
    forms = defaultdict[tuple[str, ...], list[tuple[str, int, int]]](list)
    for group, kind in product(range(len(compared.groups)), range(len(compared.kinds))):
        of_cell = [quote(one) for one in (compared.groups[group], compared.kinds[kind])]
        parts = [*["%s"] * len(names), *(text.replace("%", "%%") for text in of_cell)]
        form = f"\n[{', '.join(parts[at] for at in places)}, %d]"
        forms[(*(parts[at] for at in places[:first]),)].append((form, group, kind))
    blocks: list[list[tuple[str, ...]]] = [[]]
    for _, some in groupby(people, itemgetter(*alike) if alike else len):
        if len(blocks[-1]) >= BLOCK:
            blocks.append([])
        blocks[-1] += some
    sha256 = hashlib.sha256(json.dumps(sorted(columns), ensure_ascii=False).encode())
    for _, cells in sorted(forms.items()):
        for block in blocks:
            lines = [
                form % (*[quote(labels[at]) for at in own], count)
                for form, group, kind in cells
                for labels in block
                if (count := table[labels][group][kind])
            ]
            sha256.update("".join(sorted(lines)).encode())
    return sha256.hexdigest()


def count_people(table: Table) -> int:
    """How many people a table has."""
    return sum(times * sum(map(sum, n)) for n, times in Counter(table.values()).items())
