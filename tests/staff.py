"""A small table as a personnel office keeps it, with all that makes a first audit stop."""

import csv
import io

import numpy as np

HEADER = (
    "employee_id,name,hired_on,sex,gender_code,department,dept_code,age,age_group,salary,"
    "rating,comment,country,promoted,promotion_letter"
)
_FIRST = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jon")
_LAST = ("Adams", "Brown", "Clark", "Davis", "Evans", "Frank", "Green", "Hill", "Jones")
_WORDS = ("good", "works", "hard", "late", "often", "team", "player", "needs", "improvement")


def staff_records(rows=600):
    """Records with identifiers, dates, free text, copies, spellings, gaps and numbers."""
    rng = np.random.default_rng(1)
    for number in range(rows):
        sex = rng.choice(["female", "male"])
        age, rating = int(rng.integers(20, 65)), int(rng.integers(1, 6))
        department = rng.choice(["sales", "it", "legal", "ops"])
        salary = round(30000 + age * 400 + rating * 2000 + rng.random() * 9000, 2)
        promoted = rng.random() < 0.1 + 0.12 * rating + (0.08 if sex == "male" else 0)
        yield (
            10001 + number,
            f"{rng.choice(_FIRST)} {rng.choice(_LAST)}",
            f"20{rng.integers(10, 24)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}",
            "Male" if sex == "male" and number % 40 == 0 else sex,
            "1" if sex == "female" else "2",
            department,
            f"D-{department[0]}",
            "" if number % 50 == 3 else age,
            f"{age // 10}0s",
            "n/a" if number % 45 == 7 else salary,
            rating,
            " ".join(rng.choice(_WORDS) for _ in range(6)),
            "DE",
            "yes" if promoted else "no",
            "sent" if promoted else "none",
        )


def staff_csv(rows=600):
    """The table as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text).writerows([HEADER.split(","), *staff_records(rows)])
    return text.getvalue()
