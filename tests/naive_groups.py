"""Tables of many groups and values, and what is said of them, worked out in fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from evenhand import CountTable, Question, examined_counts
from evenhand.evidence import Partition

GROUPS, VALUES = "abcdef", "uvwxyz"


def random_cells(rng, *, groups=3, values=2, lines=4, most=6):
    """Rows by place, group and decision; each group and each decision occurs somewhere."""
    cells = {
        (f"p{line}", GROUPS[group], VALUES[value]): int(rng.integers(0, most))
        for line in range(lines)
        for group in range(groups)
        if rng.random() < 0.8 or line == 0
        for value in range(values)
    }
    for at in range(max(groups, values)):
        cells[f"p{lines}", GROUPS[at % groups], VALUES[at % values]] = 1
    return {key: rows for key, rows in cells.items() if rows}


def question_of(values=2, **changes):
    """All pairs of groups, by the first value or by all of them."""
    fields = {"protected": "race", "decision": "score", "threshold": "1/10"}
    if "criterion" not in changes:
        fields["favorable"] = VALUES[0]
    if changes.get("criterion") == "cumulative":
        fields["order"] = tuple(VALUES[:values])
    return Question(**(fields | changes))


def table_of(cells):
    """The cells as a table of counts."""
    place, race, score = zip(*cells, strict=True)
    columns = {"place": [*place], "race": [*race], "score": [*score]}
    return CountTable.of(columns, [*cells.values()])


def partition_of(cells, question):
    """The people divided by their place."""
    return Partition.of(examined_counts(table_of(cells), question), ["place"])


def favorable_sets(question, values):
    """The decisions that are counted together, cut by cut."""
    shown = sorted({*VALUES[:values]})
    if question.criterion == "cumulative":
        return [{*question.order[: last + 1]} for last in range(values - 1)]
    if question.criterion == "every":
        return [{value} for value in shown][: None if values > 2 else 1]
    return [{*question.favorable_values}]


def naive_comparisons(cells, question, *, groups, values):
    """For each cut, pair and place the difference of rates, in the order of the arrays."""
    labels, places = GROUPS[:groups], sorted({place for place, _, _ in cells})
    pairs = [*combinations(labels, 2)]
    if question.other is not None:
        pairs = [(label, question.other) for label in labels if label != question.other]
    found = {}
    for cut, favorable in enumerate(favorable_sets(question, values)):
        for pair in pairs:
            for place in places:
                rows = [rows_of(cells, place, label) for label in pair]
                if min(rows) >= question.min_rows:
                    a, b = (
                        Fraction(rows_of(cells, place, label, favorable), many)
                        for label, many in zip(pair, rows, strict=True)
                    )
                    found[cut, *pair, place] = b - a
    return found


def rows_of(cells, place, label, decisions=VALUES):
    """The rows of a group in a place with some decisions."""
    return sum(
        rows
        for (where, group, decision), rows in cells.items()
        if where == place and group == label and decision in decisions
    )


def cases(seed, many):
    """Random tables with a question each: pairs or a reference, one value or several."""
    rng = np.random.default_rng(seed)
    for number in range(many):
        groups, values = int(rng.integers(3, 6)), int(rng.integers(2, 5))
        changes = [
            {},
            {"criterion": "every"},
            {"criterion": "cumulative"},
            {"favorable": ("u", "w") if values > 3 else "u"},
        ][number % 4]
        changes = changes | ({"other": GROUPS[int(rng.integers(groups))]} if number % 3 else {})
        changes["min_rows"] = int(rng.integers(1, 5))
        cells = random_cells(rng, groups=groups, values=values)
        yield cells, question_of(values, **changes), groups, values
