import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.staff import staff_csv
from tests.workbooks import write_workbook

from evenhand import QuestionFile

ADULT = Path(__file__).parents[4] / "shared/data/adult/adult.data"
ADULT_HEADER = (
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,"
    "sex,capital_gain,capital_loss,hours_per_week,native_country,income\n"
)


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
    assert f"{target}: This cannot be written" in err


def test_an_unknown_column_is_answered_with_the_nearest(run, example):
    status, _, err = run("init", example / "data.csv", "--decision", "admision")
    assert status == 2
    assert "Did you mean 'admission'" in err


def compas_records(rows=900):
    """A score, its band as the decision, a case number, a birthday, and a charge in words."""
    rng = np.random.default_rng(4)
    for number in range(rows):
        score = int(rng.integers(1, 11))
        yield {
            "case": f"C{number:05}",
            "dob": f"{rng.integers(1, 13)}/{rng.integers(1, 29)}/{rng.integers(60, 99)}",
            "sex": rng.choice(["Male", "Female"], p=[0.8, 0.2]),
            "race": rng.choice(["A", "B", "C", "?"], p=[0.5, 0.3, 0.15, 0.05]),
            "age": rng.integers(18, 70),
            "priors": rng.poisson(3),
            "charge": f"charge number {rng.integers(0, 200)} of many",
            "decile_score": score,
            "score_text": "Low" if score < 5 else "Medium" if score < 8 else "High",
            "days": "" if rng.random() < 0.3 else rng.integers(0, 900),
        }


def compas_csv():
    records = [*compas_records()]
    lines = [[*records[0]], *([*record.values()] for record in records)]
    return "".join(";".join(map(str, line)) + "\n" for line in lines)


def loans_csv(rows=700):
    """Numbers with gaps, a copy of the decision, and a column that divides one group."""
    rng = np.random.default_rng(6)
    lines = ["loan,term,income,ratio,white,black,action,approve"]
    for _ in range(rows):
        white = int(rng.random() < 0.8)
        action = int(rng.choice([1, 2, 3], p=[0.8, 0.05, 0.15]))
        numbers = (
            rng.integers(30, 900),
            rng.choice(
                [180, 300, 360, 480, *range(12, 120, 12)], p=[0.1, 0.05, 0.8, *[0.005] * 10]
            ),
            "" if rng.random() < 0.1 else f"{rng.integers(20, 300)}.0",
            rng.random(),
        )
        black = 0 if white else int(rng.random() < 0.6)
        lines.append(",".join(map(str, (*numbers, white, black, action, int(action < 3)))))
    return "\n".join(lines) + "\n"


def benefits_csv(rows=500):
    """Semicolons, decimal commas, two columns of one name, and a name that ends in a blank."""
    rng = np.random.default_rng(7)
    lines = ["Nr.;rate;state;Sex ;kids;kids;ui"]
    for number in range(rows):
        kids = ";".join(rng.choice(["yes", "no"], 2))
        rate = f"{rng.random():.4f}".replace(".", ",")
        sex, ui = rng.choice(["male", "female"]), rng.choice(["yes", "no"], p=[0.7, 0.3])
        lines.append(f"{number};{rate};{rng.integers(11, 95)};{sex};{kids};{ui}")
    return "\n".join(lines) + "\n"


def census_csv(rows=600):
    """A blank after every comma, in names and values, and texts that mean missing."""
    rng = np.random.default_rng(8)
    lines = ["age, class of worker, capital gains, sex, moved, income"]
    for _ in range(rows):
        gains = 0 if rng.random() < 0.95 else rng.integers(1, 99999)
        values = (
            rng.integers(0, 91),
            rng.choice(["Private", "Not in universe", "Local government"]),
            gains,
            rng.choice(["Female", "Male"]),
            rng.choice(["?", "Nonmover", "MSA to MSA"]),
            rng.choice(["- 50000.", "50000+."], p=[0.9, 0.1]),
        )
        lines.append(", ".join(map(str, values)))
    return "\n".join(lines) + "\n"


def counted_csv():
    rng = np.random.default_rng(5)
    lines = [f"{s},{t},{h},{rng.integers(1, 40)}" for s in "fm" for t in "abcd" for h in "yn"]
    return "\n".join(["sex,town,hired,people", *lines]) + "\n"


TABLES = [
    (staff_csv, ["--decision", "promoted", "--protected", "sex"]),
    (staff_csv, ["--decision", "salary", "--protected", "age"]),
    (compas_csv, ["--decision", "score_text", "--protected", "race", "--set", "delimiter=;"]),
    (compas_csv, ["--decision", "score_text", "--protected", "race", "--set", "na=?"]),
    (compas_csv, ["--decision", "sex", "--protected", "race", "--set", "missing=level"]),
    (counted_csv, ["--decision", "hired", "--protected", "sex", "--set", "frequency=people"]),
    (loans_csv, ["--decision", "approve", "--protected", "white"]),
    (benefits_csv, ["--decision", "ui", "--protected", "Sex "]),
    (census_csv, ["--decision", " income", "--protected", " sex"]),
]


@pytest.mark.parametrize(("text", "options"), TABLES)
def test_with_two_columns_named_the_file_runs_as_it_is(run, tmp_path, text, options):
    data, target = tmp_path / "data.csv", tmp_path / "new.toml"
    data.write_text(text())
    status, out, err = run("init", data, *options, "--output", target)
    assert (status, err) == (0, "")
    assert "Read it, then:" in out
    status, out, err = run("audit", data, "--question", target, "--json")
    assert status in (0, 1, 3), err
    content = json.loads(out)
    assert content["decision"] == options[1]
    assert content["protected"] == options[3]


@pytest.mark.parametrize(("text", "options"), TABLES)
def test_a_file_without_columns_runs_after_naming_them(run, tmp_path, text, options):
    data, bare, named = (tmp_path / name for name in ("data.csv", "bare.toml", "named.toml"))
    data.write_text(text())
    columns, others = dict(zip(options[:4:2], options[1:4:2], strict=True)), options[4:]
    _, out, _ = run("init", data, *others, "--output", bare)
    assert "Name decision and protected in it, then:" in out
    run("init", data, *options, "--output", named)
    asked = QuestionFile.load(named).question
    written = bare.read_text()
    for option, name in columns.items():
        written = written.replace(f'{option[2:]} = ""', f'{option[2:]} = "{name}"')
    bare.write_text(written)
    status, out, err = run("audit", data, "--question", bare, "--json")
    assert status in (0, 1, 3), err
    content = json.loads(out)
    guessed = {one["argument"]: one["value"] for one in content["guesses"]}
    for role in {"group", "favorable"} & {*content}:
        assert guessed[role] == content[role]
    if text is not staff_csv:  # where named columns get other classes and merges
        assert ("group" in content) == (asked.group is not None)
        assert content | asked.to_dict() == content
        assert (asked.other is None) == ("other" not in guessed)
    assert run("inspect", data, "--question", bare)[0] == 0
    typed = ["--favorable", content["favorable"]]
    typed += ["--group", content["group"]] if "group" in content else []
    _, again, err = run("audit", data, "--question", bare, *typed, "--json")
    assert not {"group", "favorable"} & {
        one["argument"] for one in json.loads(again)["guesses"]
    }
    for document in (content, again := json.loads(again)):
        # Nobody is ahead by a guess for which nothing speaks.
        del document["guesses"], document["sentence"], document["answer"]["statements"]
    assert asked.other is not None or again == content


def test_what_was_drafted_for_staff(run, tmp_path):
    data, target = tmp_path / "data.csv", tmp_path / "new.toml"
    data.write_text(staff_csv())
    run("init", data, *TABLES[0][1], "--output", target)
    asked = QuestionFile.load(target)
    assert asked.codings.to_dict() == {
        "exclude": [
            "employee_id",
            "name",
            "hired_on",
            "comment",
            "country",
            "promotion_letter",
            "gender_code",
            "dept_code",
        ],
        "missing": "drop",
        "na": ["n/a"],
        "bins": {
            "age": ["25", "35", "45", "55"],
            "salary": ["51842", "54879", "58356.9", "62575.1"],
        },
        "merge": {"sex": {"male": ["male", "Male"]}},
    }


def test_loans_are_judged_after_one_line_is_edited(run, tmp_path):
    data, target = tmp_path / "loans.csv", tmp_path / "loans.toml"
    data.write_text(loans_csv())
    run("init", data, "--decision", "approve", "--protected", "white", "--output", target)
    text = target.read_text()
    assert "  # \"black\",  # is tied to 'white'" in text
    assert "term = [300, 360]" in text
    status, out, _ = run("audit", data, "--question", target)
    assert (status, "'action' alone determines 'approve'" in out) == (3, True)
    target.write_text(text.replace('  # "action",', '  "action",'))
    status, out, _ = run("audit", data, "--question", target, "--judge", "rows", "--json")
    assert status in (0, 1)
    assert "action" not in json.loads(out)["decision_causes"]


def test_a_sheet_of_a_workbook_is_judged_without_an_edit(run, tmp_path):
    data, target = tmp_path / "arrests.xlsx", tmp_path / "arrests.toml"
    rng = np.random.default_rng(9)
    header = ["Released?", "Colour of person", "age", "Employed (Y/N)", "No. of checks"]
    rows = [
        [
            *(str(rng.choice(pair)) for pair in (["Yes", "No"], ["White", "Black"])),
            int(rng.integers(15, 60)),
            str(rng.choice(["Yes", "No"])),
            int(rng.integers(0, 6)),
        ]
        for _ in range(400)
    ]
    write_workbook(data, **{"1997-2002": [header, *rows], "Notes": [["Field"], ["age"]]})
    asked = ("--decision", "Released?", "--protected", "Colour of person")
    status, _, err = run("init", data, *asked, "--output", target)
    assert (status, "--set sheet=1997-2002" in err) == (2, True)
    status, _, _ = run("init", data, *asked, "--set", "sheet=1997-2002", "--output", target)
    assert status == 0
    status, out, err = run("audit", data, "--question", target, "--judge", "rows")
    assert status in (0, 1), err
    assert "Released? = Yes" in out


def test_adult_as_it_is_published_runs_as_it_is(run, tmp_path):
    if not ADULT.exists():
        pytest.skip("the UCI file is not there")
    data, target = tmp_path / "adult.csv", tmp_path / "adult.toml"
    lines = ADULT.read_text().strip().split("\n")[:3000]
    data.write_text(ADULT_HEADER + "\n".join(lines) + "\n")
    run("init", data, "--decision", "income", "--protected", "sex", "--output", target)
    asked = QuestionFile.load(target)
    assert asked.question.favorable == " >50K"
    assert asked.codings.exclude == ("education_num",)
    assert {*asked.codings.bins} == {
        *("age", "fnlwgt", "capital_gain", "capital_loss", "hours_per_week")
    }
    status, _, err = run("audit", data, "--question", target, "--quiet")
    assert status in (0, 1, 3), err


def test_names_that_look_like_parts_of_the_file_stay_names(run, tmp_path):
    with (tmp_path / "data.csv").open("w", newline="") as file:
        rows = [("f", "a", "x\n[labels.values]", "no"), ("m", "b", "y", "yes")] * 20
        csv.writer(file).writerows([("sex", "p q", 'odd"]\n[data]\n', "hired"), *rows])
    options = ["--protected", "sex", "--decision", "hired", "--output", tmp_path / "new.toml"]
    run("init", tmp_path / "data.csv", *options)
    asked = QuestionFile.load(tmp_path / "new.toml")
    assert asked.codings.exclude == ("p q", 'odd"]\n[data]\n')  # both say what sex says


def test_on_a_terminal_the_two_columns_are_asked_for(run, tmp_path, monkeypatch):
    data, target = tmp_path / "data.csv", tmp_path / "new.toml"
    data.write_text(staff_csv())
    answers = iter(["promoted", ""])
    monkeypatch.setattr("evenhand.cli.inspect_and_init.is_terminal", lambda: True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda *_, **__: next(answers))
    status, out, _ = run("init", data, "--output", target)
    assert status == 0
    assert "Columns: employee_id, name, hired_on" in out
    assert "Name protected in it, then:" in out
    assert 'decision = "promoted"' in target.read_text()
    assert 'protected = ""' in target.read_text()
