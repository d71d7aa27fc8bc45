"""A table of people for tests of the app: numbers, five groups, a text that means missing."""

import csv
from pathlib import Path

import numpy as np
from tests.web_sessions import open_session

from evenhand.web.session import Session

HEADER = ("id", "origin", "gender", "age", "wage", "job", "hired")


def people_rows(many: int = 400) -> list[tuple[str, ...]]:
    """The rows; the same for each run."""
    draw = np.random.default_rng(11)
    origins = draw.choice([*"ABCDE"], many, p=np.array([5, 4, 3, 2, 1]) / 15).tolist()
    genders = draw.choice([*"fm"], many).tolist()
    ages = draw.integers(18, 67, many).tolist()
    wages = draw.normal(20, 5, many).round().tolist()
    jobs = draw.choice(["clerk", "driver", "nurse", "?"], many).tolist()
    luck = draw.random(many).tolist()
    return [
        (
            f"p{at}",
            origins[at],
            genders[at],
            str(ages[at]),
            f"{wages[at]:.0f}.5",
            jobs[at],
            "yes" if luck[at] < 0.3 + 0.2 * (origins[at] == "A") else "no",
        )
        for at in range(many)
    ]


def write_people(path: Path, many: int = 400) -> None:
    """The rows as a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEADER, *people_rows(many)])


def people_session(folder: Path) -> Session:
    """A session with the table open, and what a first look suggests."""
    write_people(folder / "people.csv")
    return open_session(folder, "people.csv")
