"""The claims about one partition: differences, coverage, numbers, evidence, verdict."""

from fractions import Fraction

from .record_fields import Record

YES, OPEN, NO = VERDICTS = "certified", "cannot decide", "not certified"
WITHHELD = "withheld"
Table = dict[tuple[str, ...], list[int]]


def read_table(entry: Record) -> Table:
    """The counts of a partition, by the values that people share."""
    kinds = [str] * len(entry["names"]) + [int] * 4
    for line in entry.get("table", ()):
        if [*map(type, line[:-1])] != kinds or min(line[-5:-1]) < 0:
            raise ValueError(f"{entry['names']}: {line} is no subpopulation")
    return {(*line[:-5],): line[-5:-1] for line in entry.get("table", ()) if any(line[-5:-1])}


def judge(table: Table, question: Record) -> Record:
    """The fields of a partition that follow from its counts."""
    threshold, least = (read_share(question[name]) for name in ("threshold", "min_coverage"))
    if not 0 < threshold < 1 or not 0 <= least <= 1:
        raise ValueError(f"threshold {threshold} or least coverage {least} is out of range")
    exact = [  # the others' rate, c of c + d, minus the group's
        Fraction(c, c + d) - Fraction(a, a + b) if a + b and c + d else None
        for a, b, c, d in table.values()
    ]
    lines = zip(table, table.values(), exact, strict=True)
    sides = [0 if d is None or abs(d) < threshold else 1 if d > 0 else -1 for d in exact]
    shares = coverage(table, exact)
    enough = shares["rows"] > 0 and min(shares["group"], shares["other"]) >= least
    above, below, occupied = sides.count(1), sides.count(-1), len(sides)
    numbers = {"above": above, "below": below, "violating": above + below, "occupied": occupied}
    return {
        "coverage": {name: str(share) for name, share in shares.items()},
        "subpopulations": {**numbers, "measured": occupied - exact.count(None)},
        "evidence": [line for line, side in enumerate(sides) if side],
        "verdict": NO if any(sides) else YES if enough else OPEN,
        "table": [[*v, *n, d if d is None else str(d)] for v, n, d in lines],
    }


def read_share(text: str) -> Fraction:
    """A fraction in lowest terms; any other spelling of it is refused.

    >>> read_share("1/20")
    Fraction(1, 20)
    """
    share = Fraction(*map(int, text.split("/")))
    if str(share) != text:
        raise ValueError(f"{text!r} should be written {str(share)!r}")
    return share


def coverage(table: Table, exact: list[Fraction | None]) -> dict[str, Fraction]:
    """The share of rows with somebody to be compared with: of all, and of each group's own."""
    shares = {}
    for name, cells in {"rows": slice(4), "group": slice(2), "other": slice(2, 4)}.items():
        sizes = [sum(counts[cells]) for counts in table.values()]
        measured = sum(n for n, d in zip(sizes, exact, strict=True) if d is not None)
        shares[name] = Fraction(measured, sum(sizes) or 1)
    return shares
