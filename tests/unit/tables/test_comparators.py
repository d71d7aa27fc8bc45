"""Comparators against a second implementation in pandas."""

import csv
import os
import stat
import sys

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import ColumnError, InputError, QuestionError

ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse("sex -> hired; grade -> hired; pay; town")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    rows = 900
    sex, grade = rng.choice(["f", "m"], rows), rng.choice(["low", "mid", "high"], rows)
    chance = 0.3 + 0.3 * (sex == "m")
    return pd.DataFrame(
        {
            "person": [f"p{at:04}" for at in range(rows)],
            "sex": sex,
            "grade": grade,
            "pay": rng.integers(10, 90, rows),
            "town": rng.choice(["x", "y", "z"], rows),
            "hired": np.where(rng.random(rows) < chance, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def audit(table):
    return eh.audit(table, ASKED, graph=GRAPH, exclude=["person"])


def nearest_by_pandas(table, where, person, many):
    """The favored men of the same grade, by the mean of the distances of pay and town."""
    cell = table[(table["grade"] == where["grade"])]
    women = cell[(cell["sex"] == "f") & (cell["hired"] == "no")]
    men = cell[(cell["sex"] == "m") & (cell["hired"] == "yes")]
    pay = pd.concat([women["pay"], men["pay"]])
    one = table.loc[person]
    far = (men["pay"] - one["pay"]).abs() / (pay.max() - pay.min())
    far = (far + (men["town"] != one["town"])) / 2
    return len(women), far, sorted(far)[:many]


def test_each_refused_person_has_the_nearest_who_were_favored(audit, table):
    found = audit.comparators(key="person", nearest=3)
    assert found.findings
    assert (found.alike_in, found.columns) == (("grade",), ("pay", "town"))
    place = {name: at for at, name in enumerate(table["person"])}
    by_person = {}
    for match in found.matches:
        by_person.setdefault((match.finding, match.refused), []).append(match)
    for (finding, person), matches in by_person.items():
        where = found.findings[finding].where
        refused, far, nearest = nearest_by_pandas(table, where, place[person], 3)
        assert refused == sum(at == finding for at, _ in by_person)
        distances = [one.distance for one in matches]
        assert distances == pytest.approx(nearest)
        assert distances == pytest.approx([far[place[one.comparator]] for one in matches])


def test_without_a_key_people_are_rows(audit, table):
    first = audit.comparators(findings=1, nearest=1).matches[0]
    keyed = audit.comparators(findings=1, nearest=1, key="person").matches[0]
    assert table["person"][int(first.refused) - 1] == keyed.refused
    assert table["person"][int(first.comparator) - 1] == keyed.comparator


def test_the_file_is_for_the_owner_alone_and_has_every_line(audit, tmp_path):
    found = audit.comparators(key="person", people=5)
    path = found.write(tmp_path / "pairs.csv")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open(newline="") as file:
        head, *lines = csv.reader(file)
    assert head[:4] == ["finding", "grade", "refused group", "refused person"]
    assert len(lines) == len(found.matches)
    assert {line[2] for line in lines} == {"f"}
    assert found.left_out > 0
    with pytest.raises(QuestionError, match=r"'\.txt'"):
        found.write(tmp_path / "pairs.txt")
    assert "comparator" not in audit.report(share=True).html.casefold()


def test_a_workbook_holds_the_same_lines(table, tmp_path, monkeypatch):
    """Read with another library; no text in it is a formula, and no code loses its zeros."""
    calamine = pytest.importorskip("python_calamine", reason="the extra excel is not installed")
    people = table.assign(
        person=[f"{at:04}" for at in range(len(table))], town="=HYPERLINK(A1)"
    )
    found = eh.audit(people, ASKED, graph=GRAPH, exclude=["person"]).comparators(key="person")
    path = found.write(tmp_path / "pairs.xlsx")
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    head, *lines = calamine.CalamineWorkbook.from_path(path).get_sheet_by_index(0).to_python()
    assert tuple(head) == found.head
    numbers = {"finding", "rank", "distance", "pay of refused", "pay of comparator"}
    for cells, texts in zip(lines, found.lines(), strict=True):
        for name, cell, text in zip(head, cells, texts, strict=True):
            assert cell == (float(text) if name in numbers else text)
    monkeypatch.setattr("evenhand.tables.comparators._SHEET_ROWS", len(lines))
    with pytest.raises(QuestionError, match="A sheet holds"):
        found.write(tmp_path / "more.xlsx")
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(InputError, match="pip install xlsxwriter"):
        found.write(tmp_path / "other.xlsx")
    assert [*tmp_path.iterdir()] == [path]


def test_columns_left_out_of_the_audit_make_nobody_nearer(table):
    graph = eh.CausalGraph.parse("sex -> hired; grade -> hired; pay")
    audit = eh.audit(table, ASKED, graph=graph, exclude=["person", "town"])
    found = audit.comparators(findings=1, nearest=1, people=1)
    assert found.columns == ("pay",)


def test_blocks_of_rows_give_the_same_as_all_at_once(audit, table, tmp_path, monkeypatch):
    whole = audit.comparators().matches
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    again = eh.audit(path, ASKED, graph=GRAPH, exclude=["person"])
    monkeypatch.setattr("evenhand.rows.batch_source.BATCH_ROWS", 100)
    monkeypatch.setattr("evenhand.rows.coded_rows._ROW_BYTES", 10**9)
    assert again.comparators().matches == whole


def test_what_has_no_people_is_refused(audit, table):
    counted = eh.read(table.drop(columns="person")).count()
    with pytest.raises(QuestionError, match="nothing about single people"):
        eh.audit(counted, ASKED).comparators()
    with pytest.raises(ColumnError, match="'name'"):
        audit.comparators(key="name")
