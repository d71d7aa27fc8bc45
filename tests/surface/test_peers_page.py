"""docs/peers.md says what `python bench/peers.py --write` recorded in docs/peers.json."""

import importlib.util
import json
import re
import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from bench import peers_page

import evenhand as eh

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORD = json.loads((DOCS / "peers.json").read_text("utf-8"))
PAGE = (DOCS / "peers.md").read_text("utf-8")
DIGITS = {"accuracy": 3, "gap": 3, "common": 3, "seconds": 1}
COLUMNS = ["accuracy", "gap", "violating", "shown", "common", "changed", "seconds"]


def table_of(page):
    """The numbers of each way and model, read from the table by itself."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line[:1] == "|"]
    named = {row[0]: row[1:] for row in rows if len(row) == len(COLUMNS) + 1}
    numbers = {}
    for way, cells in list(named.items())[2:]:
        for column, cell in zip(COLUMNS, cells, strict=True):
            values = re.sub(" of .*", "", cell).replace("−", "-").replace(",", "").split("; ")
            numbers[way, column] = [None if one == "–" else float(one) for one in values]
    return numbers


def test_the_table_has_the_recorded_figures():
    numbers = table_of(PAGE)
    models = ["logistic regression", "histogram boosting"]
    assert {way for way, _ in numbers} == {line["way"] for line in RECORD["lines"]}
    for way in {way for way, _ in numbers}:
        lines = {line.get("model"): line for line in RECORD["lines"] if line["way"] == way}
        for column in COLUMNS:
            asked = [None] if None in lines else models
            values = [lines.get(model, {}).get(column) for model in asked]
            digits = DIGITS.get(column, 0)
            assert numbers[way, column] == [
                value if value is None else pytest.approx(value, abs=0.51 * 10**-digits)
                for value in values
            ]


def test_page_and_picture_are_those_of_the_record():
    assert peers_page.page(PAGE, RECORD) == PAGE
    assert peers_page.picture(RECORD) == (DOCS / "peers.svg").read_text("utf-8")


def test_the_picture_has_two_dots_and_a_count_for_each_line():
    picture = ET.fromstring((DOCS / "peers.svg").read_text("utf-8"))  # noqa: S314  # ours
    dots = [one.get("class") for one in picture.iter() if one.tag.endswith("circle")]
    drawn = sum(1 if "model" in line else 2 for line in RECORD["lines"])
    assert dots.count("gap") == dots.count("common") == drawn + 1


def test_a_figure_changed_by_hand_is_noticed():
    line = {**RECORD["lines"][-1], "shown": 99}
    other = {**RECORD, "lines": [*RECORD["lines"][:-1], line]}
    assert peers_page.page(PAGE, other) != PAGE
    assert peers_page.picture(other) != peers_page.picture(RECORD)


def test_the_recorded_labels_are_what_evenhand_says_of_adults_test_part():
    once, twice = (dict(eh.datasets.adult(paper=paper)) for paper in (False, True))
    test = {row: many - once[row] for row, many in twice.items() if many > once[row]}
    names = eh.datasets.adult().names
    counts = eh.CountTable.of(
        {name: [row[at] for row in test] for at, name in enumerate(names)}, [*test.values()]
    )
    arrows = frozenset((name, "income") for name in names if name != "income")
    asked = eh.datasets.question("adult").question
    certificate = eh.certify(counts, eh.CausalGraph(names, arrows), asked)
    labels = RECORD["lines"][0]
    assert labels["measured"] == certificate.partition.measured.sum()
    assert labels["violating"] == certificate.partition.violating
    assert labels["shown"] == certificate.partition.statistics.shown.sum()
    common = certificate.population.common.difference
    assert labels["common"] == pytest.approx(common, abs=0.0001)


def test_the_versions_are_those_that_the_page_compares_with():
    versions = RECORD["versions"]
    assert versions["fairlearn"].startswith("0.15")
    assert versions["aif360"].startswith("0.6")


def test_without_the_others_the_command_says_what_to_install(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    monkeypatch.setattr(sys, "argv", ["peers.py"])
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="pip install 'fairlearn==0.15"):
        runpy.run_path(str(ROOT / "bench/peers.py"), run_name="__main__")
