"""Data that come with evenhand, and loaders for data that the user has.

``admissions`` are the paper's two examples; ``adult`` is UCI Adult in the paper's binarisation,
as counts; ``dutch`` reads the user's own copy of the 2001 Dutch census, which may not be passed
on. ``question`` gives what the paper asks of each.
"""

import csv
from importlib.resources import files
from pathlib import Path
from typing import Literal

from evenhand.counts import CountTable
from evenhand.errors import InputError, listed
from evenhand.question import Codings, QuestionFile

__all__ = ["admissions", "adult", "dutch", "question"]

# Applicants and admitted of Tables 1 and 2, for women and men, by major and test score.
_ADMISSIONS = {
    1: {
        ("CS", "L"): ((450, 90), (150, 30)),
        ("EE", "L"): ((150, 60), (450, 180)),
        ("CS", "H"): ((300, 150), (100, 50)),
        ("EE", "H"): ((100, 70), (300, 210)),
    },
    2: {
        ("CS", "L"): ((450, 135), (150, 54)),
        ("CS", "H"): ((300, 150), (100, 40)),
        ("EE", "L"): ((600, 240), (200, 90)),
        ("EE", "H"): ((300, 180), (100, 50)),
    },
}


_DUTCH = Codings.of(bins={"age": ["up to 9", "10 or more"]})


def admissions(example: int) -> CountTable:
    """Applicants of the paper's example 1 or 2: gender, major, test_score, admission.

    >>> admissions(1).count(gender="male", admission="admitted")
    470

    Paper: tab:toy1, tab:toy2
    """
    if example not in _ADMISSIONS:
        raise InputError.of(
            f"The paper has no example {example!r}.", remedy="Ask for example 1 or 2."
        )
    columns: dict[str, list[str]] = {
        name: [] for name in ("gender", "major", "test_score", "admission")
    }
    counts = []
    for (major, score), groups in _ADMISSIONS[example].items():
        for gender, (applicants, admitted) in zip(("female", "male"), groups, strict=True):
            for decision, count in (
                ("admitted", admitted),
                ("rejected", applicants - admitted),
            ):
                labels = (gender, major, score, decision)
                for column, label in zip(columns.values(), labels, strict=True):
                    column.append(label)
                counts.append(count)
    return CountTable.of(columns, counts)


def adult(*, paper: bool = False, race: Literal["two", "five"] = "two") -> CountTable:
    """UCI Adult, eleven attributes in two classes each: 48,842 rows.

    With ``paper=True`` the test file is counted twice, as the paper's 65,123 rows do. With
    ``race="five"`` the values of race are kept as they are.
    """
    if race not in ("two", "five"):
        raise InputError.of(
            f"Adult has no {race!r} classes of race.", remedy="Choose 'two' or 'five'."
        )
    text = files(__package__).joinpath("adult.csv").read_text("utf-8")
    names, *lines = csv.reader(line for line in text.splitlines() if line[0] != "#")
    *labels, train, test = zip(*lines, strict=True)
    twice = 2 if paper else 1
    counts = [int(a) + twice * int(b) for a, b in zip(train, test, strict=True)]
    table = CountTable.of(dict(zip(names, labels, strict=False)), counts)
    if race == "five":
        return table
    others = {value: "not White" for value in table.values("race") if value != "White"}
    return table.recoded("race", others)


def dutch(path: str | Path) -> CountTable:
    """The 2001 Dutch census as the paper reads it, from the user's own ARFF file.

    Twelve attributes; the codes of age in two classes, up to 9 and above.
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError.of(
            f"The census file cannot be read: {error}.",
            remedy="Name your copy of dutch_census_2001.arff.",
            where=str(path),
        ) from error
    header, separator, data = text.partition("@data")
    names = [line.split()[1] for line in header.splitlines() if line.startswith("@attribute")]
    lines = [line for line in csv.reader(data.split("\n")) if line]
    unfit = [number for number, line in enumerate(lines, 1) if len(line) != len(names)]
    if not separator or not lines or unfit or not {"age", "occupation"} <= set(names):
        raise InputError.of(
            "This is not the ARFF file of the 2001 Dutch census.",
            f"Its attributes are {listed(names)}; odd data lines: {listed(unfit[:5])}.",
            "Name your copy of dutch_census_2001.arff.",
            str(path),
        )
    columns = dict(zip(names, zip(*lines, strict=True), strict=True))
    return CountTable.of(
        {
            name.lower(): [_DUTCH.label(name, text) for text in texts]
            for name, texts in columns.items()
        }
    )


def question(name: str) -> QuestionFile:
    """What the paper asks of a data set: "admissions", "adult" or "dutch"."""
    source = files(__package__).joinpath(f"{name}.toml")
    if not source.is_file():
        raise InputError.of(
            f"There is no data set {name!r}.",
            remedy="Ask for 'admissions', 'adult' or 'dutch'.",
        )
    return QuestionFile.parse(source.read_text("utf-8"), where=f"{name}.toml")
