"""Tables with a column of numbers, and the class in which each number is to be counted."""

import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

OPTIONS = ["--protected", "g", "--group", "f", "--decision", "y", "--favorable", "1"]
GRAPH = "g -> y; x -> y"


def rows_of(values, rows=240, seed=0):
    """Lines of sex, a number as it is written, and a decision that hangs on both."""
    draw = np.random.default_rng(seed)
    middle = sorted(map(Decimal, values))[len(values) // 2]
    lines = []
    for at in range(rows):
        g, x = "fm"[at % 2], values[draw.integers(len(values))]
        favorable = draw.random() < 0.35 + 0.25 * (g == "m") + 0.2 * (Decimal(x) >= middle)
        lines.append((g, x, str(int(favorable))))
    return lines


def write_table(path, lines):
    """The lines as CSV, or as Parquet with whole numbers, floats or exact decimals."""
    if path.suffix == ".csv":
        return write_text(path, lines)
    g, x, y = zip(*lines, strict=True)
    numbers = [*map(Decimal, x)]
    if all(number == int(number) for number in numbers):
        column = pa.array([*map(int, numbers)])
    else:
        column = pa.array([*map(float, numbers)])
    pq.write_table(pa.table({"g": g, "x": column, "y": y}), path)
    return path


def write_text(path, lines):
    """The lines as CSV, as they are written."""
    path.write_text("g,x,y\n" + "".join(",".join(line) + "\n" for line in lines))
    return path


def boundary(cut):
    """A cut point as a number, and whether the number itself lies below it."""
    text = str(cut).strip()
    return Decimal(text.removeprefix(">=")), not text.startswith(">=")


def class_of(number, cuts):
    """How many cuts lie below a number."""
    ends = map(boundary, cuts)
    return sum(not (number < cut or (below and number == cut)) for cut, below in ends)


def holds(label, number):
    """Whether the words of a label are true of a number."""
    patterns = {
        r"up to (\S+)": lambda high: number <= high,
        r"under (\S+)": lambda high: number < high,
        r"over (\S+)": lambda low: number > low,
        r"(\S+) or more": lambda low: number >= low,
        r"over (\S+) to under (\S+)": lambda low, high: low < number < high,
        r"over (\S+) to (\S+)": lambda low, high: low < number <= high,
        r"(\S+) to under (\S+)": lambda low, high: low <= number < high,
        r"(\S+) to (\S+)": lambda low, high: low <= number <= high,
        r"(\S+)": lambda same: number == same,
    }
    for pattern, is_true in patterns.items():
        if found := re.fullmatch(pattern, label):
            return is_true(*map(Decimal, found.groups()))
    raise AssertionError(label)


def check_classes(document, counts, lines, cuts):
    """Check that each row is counted in the one class whose words and cuts hold it."""
    numbers = [Decimal(x) for _, x, _ in lines]
    labels = document["codings"]["bins"]["x"]
    label_of = {}
    for number in {*numbers}:
        (label_of[number],) = [label for label in labels if holds(label, number)]
    by_class = Counter(class_of(number, cuts) for number in numbers)
    by_label = Counter(label_of[number] for number in numbers)
    assert len({(class_of(n, cuts), label_of[n]) for n in numbers}) == len(by_class)
    assert len(by_class) == len(by_label)
    counted = dict(
        zip(counts.attribute("x").values, counts.value_totals("x").tolist(), strict=True)
    )
    assert {label: many for label, many in counted.items() if many} == dict(by_label)
