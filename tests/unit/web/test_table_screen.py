"""The table screen: files, first rows, and a reading that fails and is asked for again."""

import pytest
from tests.people_table import people_rows, people_session
from tests.web_sessions import finish, open_session
from tests.workbooks import write_workbook

from evenhand.web.folder import Folder
from evenhand.web.pages import render, static_file
from evenhand.web.session import Session
from evenhand.web.table_screen import CHANGES, first_rows, open_table, view

HANDLERS = {path: handler for _, path, handler in CHANGES}


def wait(job):
    while job.state == "running":
        pass
    return job


def shown(session, **query):
    return render(session, "table", view(session, query))


def test_files_are_listed_with_their_sizes(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "notes.md").write_text("no table")
    session = Session(Folder(tmp_path))
    assert [
        (*one, one[0] == view(session, {})["open"]) for one in view(session, {})["files"]
    ] == [("a.csv", 8, False)]
    assert "Which table" in shown(session)
    assert "<b>a.csv</b> <small>8 Bytes</small>" in shown(session)


def test_a_table_that_cannot_be_read_as_is_chosen_is_a_problem_beside_the_files(tmp_path):
    session = people_session(tmp_path)
    session.patch({"data": {"frequency": "absent"}})
    page = shown(session)
    assert "Could not be opened" in page
    assert "absent" in page.split('id="refused"')[1].split("</section>")[0]
    assert '"path": "people.csv"'.replace('"', "&#34;") in page  # among the files
    session.step(-1)
    assert "Could not be opened" not in shown(session)


def test_the_first_rows_are_those_of_the_file(tmp_path):
    session = people_session(tmp_path)
    first = first_rows(session.reading.stored, {})
    assert first.lines == people_rows()[:20]
    assert first.names[0] == "id"  # also what is left out is shown
    assert "400" in shown(session)


def test_long_values_are_shortened_and_columns_come_in_pages(tmp_path):
    names = ",".join(f"c{number}" for number in range(90))
    (tmp_path / "wide.csv").write_text(f"{names}\n" + ",".join(["x" * 500] * 90) + "\n")
    session = open_session(tmp_path, "wide.csv")
    first = first_rows(session.reading.stored, {"columns": "3"})
    assert first.names == tuple(f"c{number}" for number in range(80, 90))
    assert f">{'x' * 59}…<" in render(session, "table", view(session, {}))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("sex,city\nf,Köln\n".encode("latin-1"), "UTF-8"),
        (b"a,b\n1,2\n1\n", "line 3"),
        (b"", "empty"),
    ],
)
def test_what_cannot_be_read_leaves_open_what_was_open(tmp_path, content, what):
    session = people_session(tmp_path)
    (tmp_path / "bad.csv").write_bytes(content)
    job = wait(open_table(session, {"path": "bad.csv"}))
    assert job.state == "failed"
    assert what in str(job.problems)
    assert all(problem.remedies for problem in job.problems)
    assert session.table.name == "people.csv"
    assert what in shown(session)
    finish(open_table(session, {"path": "people.csv"}))
    assert what not in shown(session)


def test_another_delimiter_gives_other_columns_and_can_be_undone(tmp_path):
    rows = [f"{'fm'[at % 2]},{at % 3};{'yes' if at % 5 else 'no'}" for at in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["sex,x;hired", *rows]))
    session = open_session(tmp_path, "t.csv")
    assert session.reading.stored.columns == ("sex", "x;hired")
    before = {
        "question": {"protected": "sex", "threshold": "0.1", "decision": "x;hired"},
        "knowledge": {"tiers": [["sex"], ["x;hired"]], "forbid": ["x;hired -> sex"]},
        "labels": {"columns": {"sex": "gender", "x;hired": "chosen"}},
        "data": {"delimiter": ","},
    }
    session.replace_tables(before)
    wide = {"change": {"data": {"delimiter": ";"}}}
    finish(HANDLERS["reading"](session, wide))
    assert session.reading.stored.columns == ("sex,x", "hired")
    assert session.tables == {"data": {"delimiter": ";"}}
    session.step(-1)
    assert session.tables == before
    assert session.reading.stored.columns == ("sex", "x;hired")


def test_another_sheet_keeps_all_that_was_chosen_if_it_has_the_same_columns(tmp_path):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    people = [["sex", "hired"], *(["fm"[at % 2], "yn"[at % 5 > 0]] for at in range(60))]
    others = [["id", "hired"], *([f"p{at}", hired] for at, (_, hired) in enumerate(people))]
    write_workbook(tmp_path / "t.xlsx", people=people, later=people[:40], others=others)
    session = Session(Folder(tmp_path))
    how = {"data": {"sheet": "people"}}
    finish(HANDLERS["table"](session, {"path": "t.xlsx", "change": how}))
    session.patch({"question": {"protected": "sex", "decision": "hired", "favorable": "y"}})
    chosen = session.tables
    finish(HANDLERS["reading"](session, {"change": {"data": {"sheet": "later"}}}))
    assert session.tables == {**chosen, "data": {"sheet": "later"}}
    finish(HANDLERS["reading"](session, {"change": {"data": {"sheet": "others"}}}))
    assert session.tables == {"data": {"sheet": "others", "exclude": ["id"]}}
    session.step(-1)
    session.step(-1)
    assert session.tables == chosen


def test_a_column_that_counts_is_read_anew_and_the_rest_stays(tmp_path):
    (tmp_path / "counted.csv").write_text(
        "sex,hired,n\n" + "".join(f"{sex},{at},{3 + at}\n" for sex in "fm" for at in range(4))
    )
    session = open_session(tmp_path, "counted.csv")
    session.patch({"question": {"protected": "sex"}})
    finish(HANDLERS["reading"](session, {"change": {"data": {"frequency": "n"}}}))
    assert session.reading.inspection.rows == 2 * (3 + 4 + 5 + 6)
    assert session.tables["question"]["protected"] == "sex"
    assert session.rows.columns == ("sex", "hired")
    assert "36" in shown(session)


@pytest.mark.parametrize(
    ("name", "content"),
    [("bad.csv", b""), ("lines.csv", b"a,b\n1\n2,3,4\n"), ("sheet.xlsx", b"no sheet")],
)
def test_where_an_upload_is_stored_is_not_told(tmp_path, name, content):
    session = Session(Folder(tmp_path))
    for place in (session.folder.uploads / "x1", tmp_path):
        place.mkdir(exist_ok=True)
        (place / name).write_bytes(content)
        job = wait(open_table(session, {"path": str(place / name)}))
        assert job.problems
        for problem in job.problems:
            assert problem.where.split(",")[0] == name
            assert str(place) not in str(problem)


def test_numbers_with_a_comma_are_told_where_they_are_left_out(tmp_path):
    rows = [f"{'fm'[at % 2]};{'ja' if at % 3 else 'nein'};{at % 40},5" for at in range(200)]
    (tmp_path / "t.csv").write_text("\n".join(["Geschlecht;zugelassen;Note", *rows]))
    session = open_session(tmp_path, "t.csv")
    assert session.tables["data"]["exclude"] == ["Note"]
    page = shown(session)
    assert "Numbers with a comma are read as texts: &#39;Note&#39;" in page
    assert "decimal point" in page


def test_a_refused_reading_is_told_once_with_what_to_do(tmp_path):
    (tmp_path / "t.csv").write_bytes("Geschlecht,Ort\nmännlich,Genf\n".encode("latin-1"))
    session = Session(Folder(tmp_path))
    wait(open_table(session, {"path": "t.csv"}))
    page = shown(session)
    assert page.count("The text is not UTF-8") == 1
    assert "In Excel" in page
    assert "#problems:not(:empty)~main #refused" in static_file("app.css")[0].decode()
