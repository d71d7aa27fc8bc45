"""Counts in which a link that the counts leave open decides the verdict."""

import csv
from fractions import Fraction
from itertools import product
from pathlib import Path

PEOPLE = 40_000
QUESTION = """\
[question]
protected = "a"
group = "0"
decision = "b"
favorable = "1"
threshold = "1/20"

[knowledge]
tiers = [["a"], ["*"]]

[data]
frequency = "n"
"""


def lines() -> list[tuple[dict[str, str], int]]:
    """Rows with their counts: b differs by 4 points at equal c, and by 16 otherwise.

    The counts link a, b and c with each other, so that nothing tells whether c causes b or b
    causes c; d follows from c alone.
    """
    found = []
    for values in product((0, 1), repeat=4):
        a, c, d, b = values
        shares = (
            Fraction(1, 2),
            _share(c, Fraction(3 + 4 * a, 10)),
            _share(d, Fraction(1 + 3 * c, 5)),
            _share(b, Fraction(30 + 30 * c + 4 * a, 100)),
        )
        count = PEOPLE * shares[0] * shares[1] * shares[2] * shares[3]
        found.append((dict(zip("acdb", map(str, values), strict=True)), int(count)))
    return found


def _share(value: int, ones: Fraction) -> Fraction:
    return ones if value else 1 - ones


def write_open_decision(folder: Path) -> None:
    """The counts as a table, and the question."""
    with (folder / "open.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*"acdb", "n"])
        rows.writerows((*row.values(), count) for row, count in lines())
    (folder / "open.toml").write_text(QUESTION, "utf-8")
