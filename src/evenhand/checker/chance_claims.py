"""The claims about chance: how many subpopulations it alone would put at the threshold.

With its totals fixed, the group's favorable decisions in a subpopulation are hypergeometric if
nothing differs. The probabilities are added up term by term, each found from the one before.
"""

from collections import Counter
from fractions import Fraction
from math import fsum, inf, isclose

from .group_comparisons import GroupComparisons, Table
from .record_fields import Record
from .row_claims import check_counts, count_people

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
