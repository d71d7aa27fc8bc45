"""Sheets of Excel files are tables."""

import os
import subprocess
import sys
from datetime import date
from zipfile import ZipFile

import pytest
from tests.reading import the_problem
from tests.running_app import running_app
from tests.workbooks import (
    far_cell,
    open_row,
    write_old_workbook,
    write_open_document,
    write_workbook,
)

from evenhand.errors import ColumnError, InputError, MissingValueError, ResourceError
from evenhand.rows import read, spreadsheets
from evenhand.rows.spreadsheets import column_letters

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


TABLE = [["sex", "hired"], ["f", "yes"], ["m", "no"], ["f", "no"], ["m", "yes"]]
OPEN_TABLE = "".join(open_row(*row) for row in TABLE)
LIMITED = 500_000_000
# A process counts what the one that started it used: hence a small one between.
MEASURED = """import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.STDOUT, check=False, timeout=100)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""
limits = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux alone")


def inspect(path, *options):
    """Look at a file in a process: its status, what it said, and its most memory."""
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "evenhand", "inspect"]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "300"}
    done = subprocess.run(  # noqa: S603  # our own program
        [*command, str(path), *options],
        capture_output=True,
        check=False,
        env={**os.environ, **paths},
    )
    status, memory = map(int, done.stderr.split())
    return status, " ".join(done.stdout.decode().split()), memory * 1024


def long_text(path):
    """In a process of its own: what this one has used would count for the next one."""
    if (child := os.fork()) == 0:
        long = far_cell("A6", f"<is><t>{'x' * 300_000_000}</t></is>")
        write_workbook(path, people=[*TABLE, long.replace("<c", '<c t="inlineStr"')])
        os._exit(0)
    os.waitpid(child, 0)
    assert path.stat().st_size < 1_000_000


def far_cells(*references):
    return lambda path: write_workbook(path, people=[*TABLE, *map(far_cell, references)])


TOO_LARGE = {
    "last cell.xlsx": far_cells("XFD1048576"),
    "far row.xlsx": far_cells("XFD3000"),
    "far column.xlsx": far_cells("ZZ1048576"),
    "long text.xlsx": long_text,
    "repeated block.ods": lambda path: write_open_document(
        path, OPEN_TABLE + open_row("x", rows=1_048_570, columns=16_384)
    ),
    "old.xls": lambda path: write_old_workbook(path, {(0, 0): 7, (1, 0): 1, (65_535, 255): 3}),
}


@limits
@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_takes_more_memory_than_is_allowed_is_refused(tmp_path, name):
    TOO_LARGE[name](tmp_path / name)
    status, words, memory = inspect(tmp_path / name, "--set", "memory=500MB")
    assert (status, "more memory than may be used" in words) == (4, True), words
    assert "Ctrl+End" in words
    assert memory < LIMITED
    if name == "last cell.xlsx":
        assert inspect(tmp_path / name)[0] == 4  # on any machine


@limits
def test_a_table_that_begins_far_to_the_right_is_read_in_its_own_size(tmp_path):
    letters = column_letters(300_000_000)  # no program writes that
    cells = '<c r="XFC{0}"><v>{1}</v></c><c r="XFD{0}"><v>{1}</v></c>'
    rows = [f'<row r="{n}">{cells.format(n, n % 2)}</row>' for n in range(1, 8001)]
    path = write_workbook(tmp_path / "a.xlsx", people=rows)
    status, words, memory = inspect(path, "--set", "memory=500MB")
    assert (status, memory < LIMITED) == (0, True), words
    far = [far_cell(f"{letters}1"), far_cell(f"{letters}2")]
    status, words, memory = inspect(write_workbook(path, people=far), "--set", "memory=500MB")
    assert (status, memory < LIMITED) == (0, True), words


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("A4000000000", "A4000000000"),
        ("A4294967294", "B4294967294"),
        ("A1048576", "XFD1048576"),
    ],
)
def test_a_table_below_too_many_empty_rows_is_refused_at_once(tmp_path, first, last):
    row = first.lstrip("A")
    cells = "".join(f'<c r="{name}"><v>1</v></c>' for name in dict.fromkeys([first, last]))
    path = write_workbook(tmp_path / "a.xlsx", people=[f'<row r="{row}">{cells}</row>'])
    status, words, memory = inspect(path, "--set", "memory=500MB")
    assert (status, f"cell {first}" in words, memory < LIMITED) == (4, True, True), words


def test_a_table_in_the_last_rows_of_a_sheet_is_read_with_its_places(tmp_path):
    rows = [far_cell("B1048574"), '<row r="1048575"><c r="C1048575"><v>1</v></c></row>']
    path = write_workbook(tmp_path / "a.xlsx", people=rows)
    problem = the_problem(ColumnError, path)
    assert "'C'" in problem.what
    assert "in row 1048574" in problem.what


@limits
def test_a_spreadsheet_that_takes_too_long_to_open_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(spreadsheets, "_SECONDS", 0.001)
    path = write_workbook(tmp_path / "a.xlsx", people=TABLE)
    assert "0.001 seconds" in the_problem(ResourceError, path).what


@limits
def test_a_limit_of_the_system_holds_too(tmp_path):
    path = write_workbook(tmp_path / "a.xlsx", people=[*TABLE, far_cell("XFD10000")])
    limit = "ulimit -v 4000000; exec "
    done = subprocess.run(  # noqa: S602  # our own program
        f"{limit}{sys.executable} -m evenhand inspect {path} --set memory=100GB",
        shell=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "300"},
        check=False,
    )
    assert (done.returncode, "Ctrl+End" in done.stderr) == (4, True), done.stderr


def test_the_size_that_a_sheet_declares_and_formats_without_content_do_not_count(tmp_path):
    formats = [far_cell("XFD1048575", ""), '<row r="1048576"><c r="XFD1048576" s="1"/></row>']
    path = write_workbook(tmp_path / "a.xlsx", people=[*TABLE, *formats])
    assert read(path).count().row_count == 4


def test_a_cell_that_fits_is_read_as_before(tmp_path):
    path = write_workbook(tmp_path / "a.xlsx", people=[*TABLE, far_cell("B900000")])
    assert read(path, missing="level").count().row_count == 5


def test_an_open_document_is_read_although_empty_cells_are_repeated(tmp_path):
    """As office programs end every sheet."""
    empty = (
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell '
        'table:number-columns-repeated="16384"/></table:table-row>'
    )
    path = write_open_document(tmp_path / "a.ods", OPEN_TABLE + empty)
    assert read(path).count().row_count == 4


def test_an_old_workbook_is_read(tmp_path):
    path = write_old_workbook(tmp_path / "a.xls", {(0, 0): 7, (1, 0): 1, (2, 0): 2})
    assert read(path).count().row_count == 2


def test_the_app_says_so_and_lives(tmp_path):
    pytest.importorskip("starlette", reason="the extra 'web' is not installed")
    folder = tmp_path / "folder"
    folder.mkdir()
    path = write_workbook(folder / "far.xlsx", people=[*TABLE, far_cell("XFD1048576")])
    write_workbook(folder / "good.xlsx", people=TABLE)
    with running_app(folder, "far.xlsx") as app:
        assert "Ctrl+End" in app.call("GET", "table")[1]
        status, stored = app.call("PUT", "api/upload/table?name=far.xlsx", path.read_bytes())
        assert status == 200
        app.call("PUT", "api/table", {"path": stored["path"]})
        app.wait_for_job()
        assert "Ctrl+End" in app.call("GET", "table")[1]
        assert app.call("PUT", "api/table", {"path": "good.xlsx"})[0] == 200
        app.wait_for_job()
        assert "hired" in app.call("GET", "table")[1]
        assert app.process.poll() is None
