import csv

import pytest

from evenhand import Knowledge, QuestionFile
from evenhand.question.question_file import Labels


def test_init_writes_a_file_once(run, example):
    target = example / "new.toml"
    status, out, _ = run("init", example / "data.csv", "--output", target)
    assert status == 0
    assert "evenhand audit" in out
    assert 'protected = ""' in target.read_text()
    status, _, err = run("init", example / "data.csv", "--output", target)
    assert status == 2
    assert "left as it is" in err


def test_a_folder_that_is_not_there_exits_with_4(run, example):
    target = example / "absent" / "new.toml"
    status, _, err = run("init", example / "data.csv", "--output", target)
    assert status == 4
    assert f"{target}: This file cannot be written" in err


@pytest.fixture
def template(run, tmp_path):
    """What init writes of a table with names that look like parts of the file."""
    with (tmp_path / "data.csv").open("w", newline="") as file:
        rows = [("f", "a", "x\n[labels.values]", "no"), ("m", "b", "y", "yes")]
        csv.writer(file).writerows([("sex", "p q", 'odd"]\n[data]\n', "hired"), *rows])
    run("init", tmp_path / "data.csv", "--output", tmp_path / "new.toml")
    text = (tmp_path / "new.toml").read_text()
    filled = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
    for role, value in filled.items():
        text = text.replace(f'\n{role} = ""', f'\n{role} = "{value}"')
    return text


def test_the_examples_of_init_change_nothing(template):
    found = QuestionFile.parse(template)
    assert found.knowledge == Knowledge()
    assert found.labels == Labels()
    assert found.codings.columns is None


@pytest.mark.parametrize(
    "tiers",
    ['tiers = [["sex"], ["*"], ["hired"]]', 'tiers = [["sex", "p q"], ["*"], ["hired"]]'],
)
def test_the_examples_of_init_hold_where_they_are_uncommented(template, tiers):
    assert f"\n# {tiers}\n" in template
    text = template.replace(f"# {tiers}", tiers)
    head, _, labels = text.partition("[labels.columns]\n")
    found = QuestionFile.parse(f"{head}[labels.columns]\n{labels.replace('# ', '')}")
    assert found.knowledge.tiers is not None
    assert found.labels.column("p q") == "words for p q"
    assert found.labels.value("sex", "m") == "words for m"
    assert set(found.labels.columns) == {"sex", "p q"}


def test_a_table_of_two_columns_gets_no_example_of_tiers(run, tmp_path):
    (tmp_path / "data.csv").write_text("sex,hired\nf,no\nm,yes\n")
    run("init", tmp_path / "data.csv", "--output", tmp_path / "new.toml")
    assert "For example" not in (tmp_path / "new.toml").read_text()
