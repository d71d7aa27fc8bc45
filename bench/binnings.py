"""How long it takes to judge Adult's causes in several hundred ways to class three numbers.

    python bench/binnings.py

``EVENHAND_DATA`` names the folder of ``adult/``, by default ../shared/data. CPU seconds, the
best of three, reading the 48,842 rows again included.
"""

import csv
from pathlib import Path
from time import process_time

import pyarrow as pa

import evenhand as eh
from works import DATA

COLUMNS = {
    "age": 0, "workclass": 1, "education_num": 4, "marital_status": 5, "relationship": 7,
    "sex": 9, "hours": 12, "income": 14,
}  # fmt: skip
MERGED = {
    "marital_status": "Married-civ-spouse",
    "relationship": "Not-in-family",
    "workclass": "Private",
}
REPEATS = 3


def adult(folder: Path) -> eh.Audit:
    """An audit with the paper's cuts, and the six causes as given."""
    rows = []
    for name in ("adult.data", "adult.test"):
        with (folder / name).open(encoding="utf-8", newline="") as lines:
            rows += [r for r in csv.reader(lines, skipinitialspace=True) if len(r) == 15]
    columns = {name: [row[at].rstrip(".") for row in rows] for name, at in COLUMNS.items()}
    codings = eh.Codings.of(
        bins={"age": [37], "education_num": [9], "hours": [40]},
        merge={name: {one: [one], "other": ["*"]} for name, one in MERGED.items()},
    )
    question = eh.Question(protected="sex", group="Female", decision="income", favorable=">50K")
    causes = [name for name in COLUMNS if name != "income"]
    graph = eh.CausalGraph.parse("; ".join(f"{name} -> income" for name in causes))
    return eh.audit(pa.table(columns), question, codings=codings, graph=graph)


def main() -> None:
    folder = DATA / "adult"
    if not folder.is_dir():
        print(f"no {folder}: skipped")
        return
    audit = adult(folder)
    for classes in ((2, 3, 4, 5), (2, 3, 4, 5, 6)):
        times = []
        for _ in range(REPEATS):
            begin = process_time()
            binnings = audit.binnings(classes=classes)
            times.append(process_time() - begin)
        low, high = binnings.common_range or (0.0, 0.0)
        print(
            f"{len(binnings.ways)} ways, {classes[0]} to {classes[-1]} classes  "
            f"{min(times):5.2f} s (goal 5 s for 512)   {binnings.sentence}; "
            f"common difference {low:.3f} to {high:.3f}"
        )


if __name__ == "__main__":
    main()
