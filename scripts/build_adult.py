"""Build the shipped counts of UCI Adult from the UCI files: adult.data and adult.test.

    python scripts/build_adult.py DIRECTORY > src/evenhand/datasets/adult.csv

The binarisation is the paper's (section 5), but for race, which keeps its five values. Each
line holds one distinct assignment with its
count in the training file and in the test file, so that both 48,842 rows and the paper's 65,123
(the test file counted twice) can be made from it.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from evenhand.question import Codings

# Name in our table, position in the UCI files.
COLUMNS = {
    "sex": 9,
    "age": 0,
    "race": 8,
    "native_country": 13,
    "education": 4,
    "workclass": 1,
    "marital_status": 5,
    "occupation": 6,
    "relationship": 7,
    "hours": 12,
    "income": 14,
}
CUTS = {"age": 37, "education": 9, "hours": 40}
CODINGS = Codings.of(
    merge={
        column: {value: [value], f"not {value}": ["*"]}
        for column, value in {
            "native_country": "United-States",
            "workclass": "Private",
            "marital_status": "Married-civ-spouse",
            "occupation": "Craft-repair",
            "relationship": "Not-in-family",
        }.items()
    },
)
HEADER = """\
# Adult (Census Income), counts of distinct assignments; two classes, but five of race.
# Becker, B. and Kohavi, R. (1996). UCI Machine Learning Repository, DOI 10.24432/C5XW20.
# Licence: CC BY 4.0.
# Modified: eleven of fifteen columns, binarised, counted. Made by scripts/build_adult.py.
"""


def assignments(path: Path) -> Iterator[tuple[str, ...]]:
    """Each row of a UCI file as the labels that are counted."""
    with path.open(encoding="utf-8", newline="") as lines:
        for fields in csv.reader(lines, skipinitialspace=True):
            if len(fields) == 15:  # not adult.test's first line, nor the blank last one
                # adult.test ends its incomes with a full stop.
                texts = {name: fields[at].rstrip(".") for name, at in COLUMNS.items()}
                yield tuple(_label(name, text) for name, text in texts.items())


def _label(name: str, text: str) -> str:
    if name in CUTS:
        return f"{'<=' if int(text) <= CUTS[name] else '>'}{CUTS[name]}"
    return CODINGS.label(name, text)


def build(directory: Path) -> str:
    """Return the file's text."""
    train = Counter(assignments(directory / "adult.data"))
    test = Counter(assignments(directory / "adult.test"))
    lines = [",".join([*COLUMNS, "train", "test"])]
    lines += [
        ",".join([*labels, str(train[labels]), str(test[labels])])
        for labels in sorted(train | test)
    ]
    return HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(build(Path(sys.argv[1])))
