import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.workbooks import write_workbook

import evenhand as eh
from evenhand import Codings, Tiers
from evenhand.cli.asked import Asked
from evenhand.errors import QuestionError
from evenhand.question.fields import FIELDS, parse_setting

QUESTION = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
TYPED = [f"{key}={value}" for key, value in QUESTION.items()]
FILE = """
[question]
protected = "sex"
group = "f"
decision = "hired"
favorable = "yes"
threshold = "0.1"
[knowledge]
tiers = [["sex"], ["*"], ["hired"]]
require = ["sex -> hired"]
[data]
missing = "drop"
[data.bins]
age = [37]
"""


def asking(*typed, file=None, data="x.csv"):
    """What ``--set`` asks, once for each of these."""
    return Asked(data, file, None, tuple(map(parse_setting, typed)))


@pytest.fixture
def question_file(tmp_path):
    path = tmp_path / "q.toml"
    path.write_text(FILE)
    return path


def test_a_question_can_be_typed():
    question = asking(*TYPED).so_far.question
    assert question.threshold == Fraction(1, 20)
    assert question.protected == "sex"


def test_a_question_file_that_is_not_there_can_be_made():
    with pytest.raises(QuestionError, match="no such question file") as caught:
        _ = asking(file=Path("absent.toml")).file
    assert "evenhand init x.csv" in caught.value.problems[0].remedy


def test_an_option_goes_before_the_file(question_file):
    typed = ("threshold=1/4", "tiers=sex|*", "require=sex -> age")
    file = asking(*typed, file=question_file).so_far
    assert file.question.threshold == Fraction(1, 4)
    assert file.question.favorable == "yes"
    assert file.knowledge.tiers == Tiers(["sex"], ...)
    assert file.knowledge.required == (("sex", "hired"), ("sex", "age"))


def test_codings_of_file_and_options_come_together(question_file):
    typed = ["bins.hours=40", "bins.pay=quantiles:4"]
    typed += ['merge.hired."<=5"=<=5,<=5.', "merge.hired.new=a,b"]
    assert asking(*typed, file=question_file).so_far.codings == Codings.of(
        missing="drop",
        bins={"age": [37], "hours": [40], "pay": 4},
        merge={"hired": {"<=5": ["<=5", "<=5."], "new": ["a", "b"]}},
    )


@pytest.mark.parametrize(
    "criterion", ['criterion = "every"', 'criterion = "cumulative"\norder = ["x", "y", "z"]']
)
def test_a_file_that_compares_every_value_is_given_no_favorable_one(tmp_path, criterion):
    data, asked = tmp_path / "data.csv", tmp_path / "asked.toml"
    data.write_text("sex,score\nf,x\nf,y\nm,y\nm,z\n")
    asked.write_text(f'[question]\nprotected = "sex"\ndecision = "score"\n{criterion}\n')
    question = asking(file=asked, data=str(data)).file.question
    assert question.favorable is None
    assert question.criterion in criterion


@pytest.mark.parametrize(
    "text",
    [
        *("bins.age", "bins.=3", "bins.age=old", "bins=3", "merge.work", "merge.work=a"),
        *("merge.work.=a", "merge..new=a", "threshold", "nothing=3", "data.nothing=3"),
        *("min_rows=few", "learning.significance=much", "local=perhaps", "=3"),
    ],
)
def test_what_cannot_be_read_is_shown(text):
    with pytest.raises(QuestionError):
        _ = asking(*TYPED, text).so_far


@pytest.mark.parametrize("text", ["question = 3", "[[question]]", "[question]\n[[run]]"])
def test_what_is_no_table_is_refused_before_it_is_asked(tmp_path, run, text):
    for name, content in (("q.toml", text), ("people.csv", "sex,hired\nf,yes\nm,no\n")):
        (tmp_path / name).write_text(content)
    status, _, error = run("audit", tmp_path / "people.csv", "--question", tmp_path / "q.toml")
    assert status == 2
    assert "is not a table. Write [" in error


def test_a_release_of_a_sheet_is_text_or_parquet_and_verifies(tmp_path, run):
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    lines = [["f", 1, "yes"], ["f", 2, "no"], ["f", 1, "no"], ["m", 2, "yes"], ["m", 1, "yes"]]
    path = write_workbook(
        tmp_path / "a.xlsx", people=[["sex", "score", "hired"], *lines * 30], other=[["x"]]
    )
    asked = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
    graph = eh.CausalGraph.parse("sex -> hired; score -> hired")
    audit = eh.audit(path, asked, graph=graph, codings=eh.Codings.of(sheet="people"))
    audit.certificate.write(tmp_path / "before.json")
    assert json.loads((tmp_path / "before.json").read_text())["codings"]["sheet"] == "people"
    assert run("verify", str(tmp_path / "before.json"), str(path))[0] == 0
    release = audit.release(seed=7)
    for name in ("out.csv", "typed.parquet"):
        release.write(tmp_path / name)
        record = tmp_path / f"{name.split('.')[0]}.certificate.json"
        assert "sheet" not in json.loads(record.read_text())["codings"]
        assert run("verify", str(record), str(tmp_path / name))[0] == 0
    assert (tmp_path / "out.csv").read_text().startswith('"sex","score","hired"\n')
    with pytest.raises(QuestionError, match="not written") as caught:
        release.write(tmp_path / "out.xlsx")
    assert "out.csv" in caught.value.problems[0].remedy_text()
    question = "--protected sex --group f --decision hired --favorable yes --set sheet=people"
    assert run("audit", str(path), *question.split(), "--judge", "rows")[0] == 1
    status, _, errors = run("audit", str(path), *question.split()[:-2])
    assert status == 2
    assert "--set sheet=other" in errors


ORDER = ["Low", "Medium", "High"]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (
            ["protected=sex", "protected=race", "favorable=Low", "favorable=Medium"],
            {"protected": ("sex", "race"), "favorable": ("Low", "Medium")},
        ),
        (
            ["protected=race", "criterion=cumulative", "other=c"]
            + [f"order={one}" for one in ORDER],
            {"protected": "race", "criterion": "cumulative", "order": ORDER, "other": "c"},
        ),
        (
            [*("protected=sex", "protected=race", "group=f & a", "other=rest", "favorable=1")],
            {"protected": ("sex", "race"), "group": ("f", "a"), "other": "rest"}
            | {"favorable": 1},
        ),
    ],
)
def test_groups_and_values_can_be_typed(typed, asked):
    question = asking("decision=score", *typed).so_far.question
    assert question == eh.Question(decision="score", **asked)


def test_an_order_of_one_value_is_still_a_list():
    typed = ("protected=race", "decision=score", "criterion=cumulative", "order=Low")
    with pytest.raises(QuestionError, match="needs the order of the decision's values"):
        _ = asking(*typed).so_far


def test_a_file_by_values_or_with_a_reference_is_complete(run, scores, tmp_path):
    """No favorable value and no group is added to what such a file asks."""
    path = tmp_path / "asked.toml"
    for lines in (
        'criterion = "every"\nmin_rows = 3',
        'criterion = "cumulative"\norder = ["Low", "Medium", "High"]',
        'favorable = "Low"\nother = "c"',
    ):
        path.write_text(f'[question]\nprotected = "race"\ndecision = "score"\n{lines}\n')
        status, _, errors = run("audit", *scores[:5], "--question", path)
        assert (status, errors) == (1, "")


def test_groups_and_values_of_the_file_are_overridden_one_by_one(scores, tmp_path):
    path = tmp_path / "q.toml"
    path.write_text(
        '[question]\nprotected = ["sex", "race"]\ndecision = "score"\nmin_rows = 5\n'
        'criterion = "cumulative"\norder = ["Low", "Medium", "High"]\n'
    )
    asked = {"protected": ("sex", "race"), "decision": "score", "criterion": "cumulative"}
    for changes in ({}, {"min_rows": 2}, {"protected": "race"}, {"order": ORDER[::-1]}):
        typed = [
            f"{key}={one}"
            for key, value in changes.items()
            for one in (value if isinstance(value, list) else [value])
        ]
        question = asking(*typed, file=path, data=str(scores[0])).file.question
        assert question == eh.Question(**(asked | {"order": ORDER, "min_rows": 5} | changes))


def test_paths_can_be_typed_and_override_the_file_one_by_one(tmp_path):
    path = tmp_path / "q.toml"
    paths = {"redlining": ["zip", "job"], "redlining_threshold": "0.1", "basis": "all"}
    file = 'redlining = ["zip"]\nexplained = ["job"]\nredlining_threshold = "0.2"\n'
    path.write_text(FILE.replace('threshold = "0.1"\n', file))
    typed = asking(*TYPED, "redlining=zip,job", "redlining_threshold=0.1", "basis=all")
    assert typed.so_far.question == eh.Question(**QUESTION, **paths)
    asked = eh.Question(**QUESTION, redlining=["zip"], explained=["job"])
    for changes in ({"explained": "pay"}, {"redlining_threshold": "0.1"}, {"basis": "all"}):
        ((key, value),) = changes.items()
        expected = {"redlining_threshold": "0.2"} | changes
        expected |= {"explained": ["pay"]} if key == "explained" else {}
        assert asking(f"{key}={value}", file=path).so_far.question == replace(asked, **expected)


def test_what_only_the_options_make_wrong_is_not_blamed_on_the_file(question_file):
    with pytest.raises(QuestionError, match="threshold 5 is not between") as refused:
        _ = asking("threshold=5", file=question_file).so_far
    assert refused.value.problems[0].where == f"{question_file} with the options typed"
    question_file.write_text(FILE + "[knowlege]\n")
    with pytest.raises(QuestionError) as refused:
        _ = asking("redlining=sex", file=question_file).so_far
    assert [problem.where for problem in refused.value.problems] == [
        str(question_file),
        f"{question_file} with the options typed",
    ]
    for text in (FILE + "[knowlege]\n", "[question\n"):
        question_file.write_text(text)
        with pytest.raises(QuestionError) as refused:
            _ = asking(file=question_file).so_far
        assert "options typed" not in refused.value.problems[0].where


def test_how_a_graph_is_learned_and_judged_can_be_asked_in_the_file(question_file):
    question_file.write_text(
        FILE.replace("[knowledge]", 'min_coverage = "0.5"\n[knowledge]')
        + "[learning]\nmax_depth = 2\nlocal = true\n[run]\nmemory = '1GB'\n"
    )
    asked = asking("significance=0.05", "learning.max_depth=1", file=question_file)
    expected = {"min_coverage": "0.5", "max_depth": 1, "local": True, "significance": 0.05}
    assert asked.so_far.settings == expected
    assert asked.memory == "1GB"
    assert eh.QuestionFile.parse(str(asked.so_far)) == asked.so_far
    for wrong in ("max_depth = '2'", "local = 1", "significance = 'much'"):
        question_file.write_text(f"{FILE}[learning]\n{wrong}\n")
        with pytest.raises(QuestionError, match="which is no"):
            _ = asking(file=question_file).so_far


@pytest.fixture
def applicants(tmp_path):
    """A table with a key, a number of many values, a marker and a missing value."""
    path = tmp_path / "people.csv"
    lines = [
        f"{1000 + at},{'fm'[at % 2]},{'?' if at % 50 == 7 else at * 7 % 97},{int(at % 5 > 2)}"
        for at in range(600)
    ]
    path.write_text("\n".join(["id,sex,exam,hired", *lines]) + "\n")
    return path


TWO = ("--protected", "sex", "--decision", "hired")


def test_two_columns_are_enough_and_every_guess_is_told_first(run, applicants, tmp_path):
    record = tmp_path / "c.json"
    status, out, _ = run("audit", applicants, *TWO, "--certificate", record)
    assert status in (0, 1, 3)
    guesses, _, answer = out.partition("\n\n")
    for question, typed in (
        ("Is hired = 1 good for the person?", "--favorable 0"),
        ("Is sex = m the group", "--group f"),
        ("leave out id", "--set columns=…"),
        ("classes of exam right", "--bin exam="),
        ("Does ? mean that a value is missing?", "--set missing=level"),
        ("Is this the order of the columns: sex|*|hired?", "--tiers 'sex|*|hired'"),
    ):
        line = next(one for one in guesses.splitlines() if question in one)
        assert typed in line
    assert "Columns left out: 'id'." in answer
    stated = json.loads(record.read_text())["guesses"]
    assert {*stated} == {"favorable", "group", "exclude", "bins", "na", "missing"}
    assert (stated["favorable"], stated["exclude"]) == (["1"], ["id"])
    assert "nobody gave: bins, exclude" in run("verify", record, applicants)[1]


def test_what_would_help_and_three_of_many_classes_are_told_as_options(run, tmp_path):
    path, rows = tmp_path / "letters.csv", 400
    hired = [at % 3 > 0 if at % 2 else at % 5 > 2 for at in range(rows)]
    random = np.random.default_rng(3)
    numbers = {f"n{one}": random.integers(0, 90, rows) for one in range(5)}
    columns = {
        "sex": ["fm"[at % 2] for at in range(rows)],
        "letter": [one != (at % 50 == 0) for at, one in enumerate(hired)],
        **numbers,
        "hired": hired,
    }
    lines = [*zip(*columns.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, one)) for one in [[*columns], *lines]))
    _, out, _ = run("audit", path, "--protected", "sex", "--decision", "hired")
    assert "What would help: Say that it came before the decision" in out
    assert "leave it out, if it is a consequence or a copy (--exclude letter)" in out
    assert "Are the classes of n0, n1, n2 and 2 more right?" in out
    assert out.count("--bin n") == 3


def test_what_answers_a_guess_is_no_guess_any_more(run, applicants):
    document = json.loads(run("audit", applicants, *TWO, "--json")[1])
    told = {one["argument"]: one for one in document["guesses"]}
    assert told["favorable"]["remedies"] == [
        {"words": "If not, correct it", "argument": "favorable", "value": "0"}
    ]
    typed = ["--favorable", "0", "--group", "f", "--bin", "exam=50", "--tiers", "sex|*|hired"]
    document = json.loads(run("audit", applicants, *TWO, *typed, "--json")[1])
    assert (document["favorable"], document["group"]) == ("0", "f")
    assert {one["argument"] for one in document["guesses"]} == {"exclude", "na", "missing"}


@pytest.mark.parametrize("verb", [("release", "--dry-run"), ("compare",), ("discover",)])
def test_other_verbs_guess_and_tell_the_same(run, applicants, verb):
    status, out, err = run(*verb, applicants, *TWO, "--set", "judge=rows")
    assert (status, err) == (0, "")
    assert out.startswith("Guessed, because it was not given:\n  Is hired = 1 good")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--decision", "hird"], "no column 'hird'. Did you mean 'hired'"),
        (["--protected", "sx"], "no column 'sx'. Did you mean 'sex'"),
        (["--protected", "sex"], "lacks 'decision'"),
        ([*TWO, "--exclude", "idd"], "'idd' is to be left out, and is not in the table."),
        ([*TWO, "--set", "merge.sex.x=q,f"], "No row has 'q' in 'sex', merged as 'x'."),
    ],
)
def test_wrong_names_are_told_before_what_is_missing(run, applicants, typed, said):
    _, out, err = run("audit", applicants, *typed)
    assert said in out + err
    assert said not in err or "lacks" in said or "lacks" not in err


@pytest.mark.parametrize("verb", ["audit", "release", "compare", "discover", "inspect", "init"])
def test_a_table_without_rows_is_refused_by_every_verb(run, tmp_path, verb):
    (tmp_path / "head.csv").write_text("sex,hired\n")
    output = ["--output", tmp_path / "o.csv"] if verb in ("release", "init") else []
    status, out, err = run(verb, tmp_path / "head.csv", *TWO, *output)
    assert (status, out, "There are no rows." in err) == (2, "", True)
    assert not (tmp_path / "o.csv").exists()


def test_what_was_typed_after_one_verb_can_be_typed_after_another(run, applicants):
    typed = ["--exclude", "id", "--bin", "exam=50", "--missing", "drop", "--na", "?"]
    for verb in ("audit", "release", "compare", "discover", "inspect"):
        more = ["--dry-run"] if verb == "release" else []
        assert run(verb, applicants, *TWO, *typed, *more)[0] in (0, 1, 3), verb
    assert "--exclude" not in run("release", "--help")[1]


def test_every_key_has_a_line_in_the_help(run):
    status, out, _ = run("help", "keys")
    keys = [
        line.split()[0] for line in out.splitlines() if line.startswith("  ") and "=" in line
    ]
    assert status == 0
    assert {field.key for field in FIELDS} <= {
        re.split(r"[.=][A-Z>-]|=", key)[0] for key in keys
    }
    assert "Did you mean 'keys'?" in run("help", "kys")[2]


def test_a_verb_has_few_options_and_says_what_they_take(run):
    most = {"audit": 22, "release": 22, "comparators": 17, "tables": 16}
    for verb in (
        "audit",
        "release",
        "compare",
        "tables",
        "comparators",
        "discover",
        "inspect",
        "init",
    ):
        _, out, _ = run(verb, "--help")
        offered = {word for word in re.findall(r"--[a-z-]+", out) if f"│ {word}" in out}
        assert len(offered - {"--help"}) <= most.get(verb, 15), verb
        assert {"--set", "--protected", "--decision"} <= offered
        assert not re.search("<bool>|<list", out)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("report", "Did you mean 'audit --report' or"),
        ("audti x.csv", "Did you mean 'audit'?"),
        ("audit x.csv --min-rows 3", "Did you mean --set min_rows=…?"),
        ("audit x.csv --quite", "--quiet"),
        ("release x.csv --arrows", "No such option: --arrows"),
        ("audit x.csv --set min_row=3", "Did you mean 'min_rows'?"),
        ("release x.csv --set arrows", "arrows is nothing for release."),
    ],
)
def test_what_is_mistyped_is_answered_with_what_was_meant(run, typed, meant):
    status, _, err = run(*typed.split())
    assert status == 2
    assert meant in " ".join(err.replace("│", " ").split())
