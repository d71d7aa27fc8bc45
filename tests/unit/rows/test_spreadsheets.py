"""Sheets of Excel files are tables."""

import sys
from datetime import date
from zipfile import ZipFile

import pytest
from tests.reading import the_problem
from tests.workbooks import write_workbook

from evenhand.errors import ColumnError, InputError, MissingValueError
from evenhand.rows import read
from evenhand.rows.sheet_size import column_letters

calamine = pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")

HEADER = ["sex", "score", "hired", "since"]
ROWS = [
    ["f", 1, True, date(2020, 1, 31)],
    ["m", 2.5, False, None],
    ["f", "01", True, "2020"],
    ["m", 1.0, False, date(2020, 1, 31)],
]


def test_the_only_sheet_is_read_and_cells_have_their_labels(tmp_path):
    path = write_workbook(tmp_path / "a.xlsx", people=[HEADER, *ROWS], empty=[])
    rows = read(path, missing="level")
    assert rows.columns == tuple(HEADER)
    counts = rows.count()
    assert counts.values("score") == {"01": 1, "1": 2, "2.5": 1}
    assert counts.values("hired") == {"true": 2, "false": 2}
    assert counts.values("since") == {"2020": 1, "2020-01-31": 2, "(missing)": 1}


def test_a_sheet_and_its_csv_give_the_same_counts(tmp_path):
    pandas = pytest.importorskip("pandas")
    lines = [["f", 1.0, True, 7], ["m", 0.5, False, 8], ["f", 0.5, False, 8]] * 20
    path = write_workbook(tmp_path / "a.xlsx", people=[HEADER, *lines])
    pandas.DataFrame(lines, columns=HEADER).to_csv(tmp_path / "a.csv", index=False)
    assert read(path).count().digest == read(tmp_path / "a.csv").count().digest


def test_several_sheets_are_refused_with_their_names(tmp_path):
    path = write_workbook(
        tmp_path / "a.xlsx", **{"first": [["a", "b"], ["x", "y"]], "of 2020": [["c"], ["z"]]}
    )
    problem = the_problem(InputError, path)
    assert "2 sheets: 'first', 'of 2020'." in problem.what
    assert "as CSV" in problem.remedies[-1].words  # for commands that take no sheet
    assert [remedy.value for remedy in problem.remedies[:-1]] == ["first", "of 2020"]
    assert problem.remedy_text().startswith("Read the sheet 'first' (")
    assert problem.remedies[1].words == "read the sheet 'of 2020'"
    assert read(path, sheet="of 2020").columns == ("c",)
    absent = the_problem(InputError, path, sheet="furst")
    assert "'first'" in absent.found
    assert [remedy.argument for remedy in absent.remedies] == ["sheet", "sheet", ""]


def test_a_sheet_of_what_is_no_spreadsheet_is_refused(write_file):
    problem = the_problem(InputError, write_file("a,b\n1,2\n"), sheet="people")
    assert "no sheet 'people'" in problem.what


def test_blank_rows_and_columns_are_none_and_places_are_rows_of_the_sheet(tmp_path):
    path = write_workbook(
        tmp_path / "a.xlsx",
        people=[[], [None, "a", None, "b"], [], [None, "x", None, "1"], [None, "y"]],
    )
    rows = read(path, missing="level")
    assert rows.columns == ("a", "b")
    assert dict(rows.count()) == {("x", "1"): 1, ("y", "(missing)"): 1}
    problem = the_problem(MissingValueError, path)
    assert "row 5" in problem.found


def test_a_column_without_a_name_is_refused_by_its_letter(tmp_path):
    title = ["Hired in 2020"]
    path = write_workbook(tmp_path / "a.xlsx", people=[title, HEADER, *ROWS])
    problem = the_problem(ColumnError, path)
    assert "'B', 'C', 'D'" in problem.what
    assert "row 1" in problem.what
    assert "Hired in 2020" in problem.found


def test_columns_of_one_name_get_a_number(tmp_path):
    path = write_workbook(tmp_path / "a.xlsx", people=[["a", "a"], ["x", "y"]])
    assert read(path).columns == ("a", "a.1")


def test_letters_of_columns_are_those_of_a_spreadsheet():
    letters = [column_letters(at) for at in range(20_000)]
    assert letters[:2] == ["A", "B"]
    assert letters[16_383] == "XFD"  # the last that Excel has
    assert letters == sorted({*letters}, key=lambda text: (len(text), text))


@pytest.mark.parametrize("rows", [[], [[None, ""]]])
def test_an_empty_workbook_is_refused(tmp_path, rows):
    path = write_workbook(tmp_path / "a.xlsx", people=rows)
    assert "empty" in the_problem(InputError, path).what


def test_a_damaged_workbook_is_refused(tmp_path):
    with ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<no")
    assert "cannot be read" in the_problem(InputError, tmp_path / "a.xlsx").what
    (tmp_path / "a.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    assert "cannot be read" in the_problem(InputError, tmp_path / "a.xls").what


def test_without_the_extra_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = write_workbook(tmp_path / "a.xlsx", people=[HEADER, *ROWS])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    problem = the_problem(InputError, path)
    assert "pip install python-calamine" in problem.remedy_text()
