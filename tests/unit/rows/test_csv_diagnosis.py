"""What is wrong with a text is reported with its line, in bounded memory."""

import tracemalloc

import pytest
from tests.reading import MEGABYTE, packed, refusal, the_problem

import evenhand as eh
from evenhand.errors import InputError
from evenhand.rows.csv_diagnosis import TextFile


def test_a_ragged_line_is_named_by_its_number(write_file):
    path = write_file('a,b\n"x\ny",1\n\n1\n2,3\n4,5,6\n')
    short, long = refusal(InputError, path)
    assert short.where == f"{path}, line 5"
    assert "1 fields, the header has 2" in short.what
    assert long.where == f"{path}, line 7"
    assert "3 fields" in long.what
    assert "quotes" in long.remedy_text()


def test_ragged_lines_are_listed_to_a_limit_with_their_number(write_file):
    problems = refusal(InputError, write_file("a,b\n" + "1\n" * 30))
    assert len(problems) == 21
    assert "30 lines" in problems[-1].what


@pytest.mark.parametrize("end", ["", "\n", "\n3,4\n"])
def test_a_quote_that_is_never_closed_is_found_where_it_opens(write_file, end):
    path = write_file('a,b\n1,2\n3,"4' + end)
    problems = refusal(InputError, path)
    assert f"{path}, line 3" in [problem.where for problem in problems]
    assert any("never closed" in problem.found for problem in problems)


def test_an_open_quote_that_swallows_much_is_found_where_it_opens(write_file):
    path = write_file('a,b\n1,2\n3,"4\n' + "5,6\n" * 100_000)
    assert f"{path}, line 3" in [problem.where for problem in refusal(InputError, path)]


def test_latin_1_is_refused_with_the_byte(write_file):
    path = write_file("name,b\nx,1\nJosé,2\n".encode("latin-1"))
    problem = the_problem(InputError, path)
    assert problem.where == str(path)
    assert "0xE9 at byte 14, line 3" in problem.what
    assert "'é'" in problem.found
    assert "iconv -f LATIN1" in problem.remedy_text()
    assert "Excel" in problem.remedy_text()
    assert "LibreOffice" in problem.remedy_text()


def test_latin_1_far_down_is_refused_with_the_byte(write_file):
    head = b"a,b\n" + b"1,2\n" * 200_000
    problem = the_problem(InputError, write_file(head + "é,3\n".encode("latin-1")))
    assert f"byte {len(head):,}, line 200,002" in problem.what


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf_16_is_refused_with_the_byte(write_file, encoding):
    problem = the_problem(InputError, write_file("a,b\n1,2\n".encode(encoding)))
    assert "byte 0" in problem.what or "NUL byte at byte 1" in problem.what
    assert "UTF-16" in problem.found
    assert "iconv -f UTF-16" in problem.remedy_text()


def test_a_line_longer_than_any_is_refused(write_file):
    path = write_file("a,b\n1," + "x" * 10_000_000 + "\n")
    problem = the_problem(InputError, path)
    assert problem.where == f"{path}, line 2"
    assert "more than 131,072 characters" in problem.found


@pytest.mark.parametrize(
    "piece",
    [b"x" * 1000, b"x," * 500, b'"x\n",' * 200],
    ids=["a text", "a line", "a record of many lines"],
)
def test_what_does_not_end_is_refused_and_never_held(tmp_path, piece):
    path = packed(tmp_path / "bomb.csv.gz", b"a,b\n1,2\n3,", *[piece] * 110_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="does not end") as caught:
            eh.read(path).count()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (problem,) = caught.value.problems
    assert problem.where == f"{path}, line 3"
    assert "all of them have 4,194,304" in problem.found
    assert most < 100 * MEGABYTE


def test_a_character_is_not_cut_by_a_piece_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("evenhand.rows.csv_diagnosis.LONGEST_RECORD", 3)
    path = tmp_path / "data.csv"
    path.write_bytes("a,b\né,日本\n".encode() * 5)
    assert not [*TextFile(str(path), None).invalid_bytes()]
    path.write_bytes("a,b\né,日本\n".encode() + b"1,\xe9\n")
    (problem,) = TextFile(str(path), None).invalid_bytes()
    assert "the byte 0xE9 at byte 16, line 3" in problem.what
