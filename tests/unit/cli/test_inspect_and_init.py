import json
import shlex

import pytest
from tests.staff import staff_csv

from evenhand import QuestionFile

ASKED = ("--decision", "promoted", "--protected", "sex")


@pytest.fixture
def table(tmp_path):
    (tmp_path / "staff.csv").write_text(staff_csv())
    return tmp_path / "staff.csv"


def test_findings_come_before_columns_and_remedies_can_be_typed(run, table):
    status, out, _ = run("inspect", table, *ASKED)
    assert status == 0
    first = out.split("\n")[1]
    assert "'promotion_letter' alone determines 'promoted'" in first
    assert "(--exclude promotion_letter)" in first
    assert "(--set merge.sex.male=male,Male)" in out
    assert out.count("Also:") == 1
    assert out.index("--bin age=") < out.index("\nColumns\n")


def test_the_command_that_comes_next_repeats_what_was_typed(run, tmp_path):
    data = tmp_path / "two words.csv"
    data.write_text("sex of person;people;hired\nf;3;no\nm;4;yes\n")
    options = ["--decision", "hired", "--protected", "sex of person", "--set", "delimiter=;"]
    options += ["--set", "na=?", "--set", "na=n/a", "--set", "frequency=people"]
    _, out, _ = run("inspect", data, *options)
    command = shlex.split(out.strip().split("\n")[-1].partition(": ")[2])
    assert command[:3] == ["evenhand", "init", str(data)]
    status, _, _ = run(*command[1:], "--output", tmp_path / "next.toml")
    assert status == 0
    asked = QuestionFile.load(tmp_path / "next.toml")
    assert (asked.question.protected, asked.question.decision) == ("sex of person", "hired")
    assert (asked.codings.na, asked.codings.delimiter) == (("?", "n/a"), ";")
    assert asked.codings.frequency == "people"


def test_a_number_that_was_typed_is_repeated_too(run, table, tmp_path):
    status, out, _ = run("inspect", table, *ASKED, "--set", "min_rows=5")
    assert status == 0
    command = shlex.split(out.strip().split("\n")[-1].partition(": ")[2])
    assert command[-2:] == ["--set", "min_rows=5"]
    assert run(*command[1:], "--output", tmp_path / "next.toml")[0] == 0
    assert "\nmin_rows = 5\n" in (tmp_path / "next.toml").read_text()


def test_json_has_every_finding_with_its_options(run, table):
    status, out, _ = run("inspect", table, *ASKED, "--json")
    assert status == 0
    content = json.loads(out)
    assert content["findings"][0]["columns"] == ["promotion_letter"]
    assert "--exclude" in content["findings"][0]["remedy"]
    assert len(content["columns"]) == 15


def test_what_a_remedy_says_settles_it(run, table):
    options = ["--exclude", "promotion_letter,gender_code", "--exclude", "name"]
    status, out, _ = run(
        "inspect",
        table,
        *ASKED,
        *options,
        "--set",
        "merge.sex.male=male,Male",
        "--set",
        "na=n/a",
    )
    assert status == 0
    assert "determines" not in out
    assert "several ways" not in out
    assert "taken as a value" not in out


def test_input_options_are_taken(run, tmp_path):
    (tmp_path / "a.csv").write_text("x;y;n\na;b;3\nc;d;4\n")
    status, out, _ = run(
        "inspect", tmp_path / "a.csv", "--set", "delimiter=;", "--set", "frequency=n"
    )
    assert status == 0
    assert "7 rows, 2 columns" in out


def test_a_question_file_tells_what_is_asked_and_how_columns_are_read(run, options):
    status, out, _ = run("inspect", *options[:3])
    assert status == 0
    assert "people alike in 2 columns" in out
    assert "evenhand init" not in out


def test_an_unknown_column_is_answered_with_the_nearest(run, table):
    status, _, err = run("inspect", table, "--decision", "Promoted")
    assert status == 2
    assert "Did you mean 'promoted'" in err


def test_renamed_columns_are_told(run, tmp_path):
    (tmp_path / "a.csv").write_text("sex,pay,pay\nf,1,2\nm,2,1.0\nf,2,1\n")
    _, out, _ = run("inspect", tmp_path / "a.csv")
    assert "2 columns are called 'pay'; the later one is read as 'pay.1'" in " ".join(
        out.split()
    )
    _, out, _ = run("inspect", tmp_path / "a.csv", "--json")
    renamed, respelled = json.loads(out)["notes"]
    assert "2 columns are called 'pay'" in renamed["what"]
    assert "'1', '1.0'" in respelled["what"]
