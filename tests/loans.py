"""Loans by race, district and income: a table small enough for pencil and paper.

``zip`` is the district; black and white applicants of two districts and two incomes.
"""

from dataclasses import replace

from evenhand import CausalGraph, CountTable, PartialGraph, Question
from evenhand.question.display_labels import Labels

NAMES = ("race", "zip", "income", "loan")
# Applicants and loans.
CELLS = {
    ("b", "1", "lo"): (30, 6),
    ("b", "1", "hi"): (10, 4),
    ("b", "2", "lo"): (40, 4),
    ("b", "2", "hi"): (20, 10),
    ("w", "1", "lo"): (20, 6),
    ("w", "1", "hi"): (60, 36),
    ("w", "2", "lo"): (8, 2),
    ("w", "2", "hi"): (12, 6),
}
QUESTION = Question(
    protected="race",
    group="b",
    decision="loan",
    favorable="yes",
    threshold="0.05",
    redlining=["zip"],
)
LABELS = Labels(
    columns={"zip": "postcode", "income": "pay"},
    values={"race": {"b": "Blacks", "w": "whites"}, "loan": {"yes": "got a loan"}},
)
_ALWAYS = "race -> zip; race -> income; race -> loan; zip -> loan; income -> loan"
ZIP_FIRST = CausalGraph.parse(f"{_ALWAYS}; zip -> income")
APART = CausalGraph.parse(_ALWAYS)
INCOME_FIRST = CausalGraph.parse(f"{_ALWAYS}; income -> zip")  # income is a witness
OPEN = PartialGraph.parse(f"{_ALWAYS}; zip - income")


def lines(cells=None):
    """Each applicant's race, district, income and decision, and how many there are."""
    return [
        (*where, decision, count)
        for where, (rows, yes) in (cells or CELLS).items()
        for decision, count in (("yes", yes), ("no", rows - yes))
    ]


def loans(cells=None):
    """The counts of the table, or of other applicants and loans."""
    *columns, counts = zip(*lines(cells), strict=True)
    return CountTable.of(dict(zip(NAMES, columns, strict=True)), counts)


def csv_text(cells=None):
    """The table as a CSV file, with frequencies in the column n."""
    rows = [(*NAMES, "n"), *lines(cells)]
    return "\n".join(",".join(map(str, row)) for row in rows) + "\n"


def asking(**changes):
    """The question with other fields."""
    return replace(QUESTION, **changes)
