import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from tests.workbooks import write_workbook

import evenhand as eh
from evenhand import Codings, Tiers
from evenhand.cli.options import CommonOptions
from evenhand.errors import QuestionError

QUESTION = {"protected": "sex", "group": "f", "decision": "hired", "favorable": "yes"}
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


@pytest.fixture
def question_file(tmp_path):
    path = tmp_path / "q.toml"
    path.write_text(FILE)
    return path


def test_a_question_can_be_typed():
    question = CommonOptions(data="x.csv", **QUESTION).question()
    assert question.threshold == Fraction(1, 20)
    assert question.protected == "sex"


def test_what_a_question_lacks_is_named_with_both_remedies():
    with pytest.raises(QuestionError, match="lacks --favorable") as caught:
        CommonOptions(data="x.csv", protected="sex", decision="hired").question()
    assert "evenhand init x.csv" in caught.value.problems[0].remedy


def test_a_question_file_that_is_not_there_can_be_made():
    with pytest.raises(QuestionError, match="no such question file") as caught:
        CommonOptions(data="x.csv", question_file=Path("absent.toml")).question()
    assert "evenhand init x.csv" in caught.value.problems[0].remedy


def test_an_option_goes_before_the_file(question_file):
    options = CommonOptions(
        data="x.csv", question_file=question_file, threshold="1/4", tiers="sex|*"
    )
    assert options.question().threshold == Fraction(1, 4)
    assert options.question().favorable == "yes"
    assert options.knowledge().tiers == Tiers(["sex"], ...)
    assert options.knowledge().required == (("sex", "hired"),)


def test_codings_of_file_and_options_come_together(question_file):
    options = CommonOptions(
        data="x.csv",
        question_file=question_file,
        bin=["hours=40", "pay=quantiles:4"],
        merge=["hired:<=5 = <=5,<=5.", "hired:new=a,b"],
    )
    assert options.codings() == Codings.of(
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
    question = CommonOptions(data=str(data), question_file=asked).question()
    assert question.favorable is None
    assert question.criterion in criterion


@pytest.mark.parametrize("text", ["age", "=3", "age=old"])
def test_bins_that_cannot_be_read_are_shown(text):
    with pytest.raises(QuestionError):
        CommonOptions(data="x.csv", bin=[text]).codings()


@pytest.mark.parametrize("text", ["work", "work:new", "work:=a", ":new=a", "work:new="])
def test_merges_that_cannot_be_read_are_shown(text):
    with pytest.raises(QuestionError, match="COLUMN:new=old1,old2"):
        CommonOptions(data="x.csv", merge=[text]).codings()


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
    question = "--protected sex --group f --decision hired --favorable yes --sheet people"
    assert run("audit", str(path), *question.split())[0] == 1
    status, _, errors = run("audit", str(path), *question.split()[:-2])
    assert status == 2
    assert "--sheet other" in errors


ORDER = ["Low", "Medium", "High"]


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        (
            {"protected": ["race"], "favorable": ["Low"]},
            {"protected": "race", "favorable": "Low"},
        ),
        (
            {"protected": ["sex", "race"], "favorable": ["Low", "Medium"], "min_rows": 5},
            {"protected": ("sex", "race"), "favorable": ("Low", "Medium"), "min_rows": 5},
        ),
        (
            {"protected": ["race"], "criterion": "cumulative", "order": ORDER, "other": "c"},
            {"protected": "race", "criterion": "cumulative", "order": ORDER, "other": "c"},
        ),
        (
            {
                "protected": ["sex", "race"],
                "group": "f & a",
                "other": "rest",
                "favorable": ["1"],
            },
            {
                "protected": ("sex", "race"),
                "group": ("f", "a"),
                "other": "rest",
                "favorable": 1,
            },
        ),
    ],
)
def test_groups_and_values_can_be_typed(typed, asked):
    options = CommonOptions(data="x.csv", decision="score", **typed)
    assert options.question() == eh.Question(decision="score", **asked)


def test_an_order_of_one_value_is_still_a_list():
    with pytest.raises(QuestionError, match="needs the order of the decision's values"):
        CommonOptions(
            data="x.csv",
            protected=["race"],
            decision="score",
            criterion="cumulative",
            order=["Low"],
        ).question()


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
    for typed in ({}, {"min_rows": 2}, {"protected": ["race"]}, {"order": ORDER[::-1]}):
        options = CommonOptions(data=str(scores[0]), question_file=path, **typed)
        expected = asked | {"order": ORDER, "min_rows": 5} | typed
        assert options.question() == eh.Question(**expected)


def test_paths_can_be_typed_and_override_the_file_one_by_one(tmp_path):
    path = tmp_path / "q.toml"
    paths = {"redlining": ["zip", "job"], "redlining_threshold": "0.1", "basis": "all"}
    file = 'redlining = ["zip"]\nexplained = ["job"]\nredlining_threshold = "0.2"\n'
    path.write_text(FILE.replace('threshold = "0.1"\n', file))
    typed = CommonOptions(data="x.csv", **QUESTION, **paths).question()
    assert typed == eh.Question(**QUESTION, **paths)
    asked = eh.Question(**QUESTION, redlining=["zip"], explained=["job"])
    for changes in ({"explained": ["pay"]}, {"redlining_threshold": "0.1"}, {"basis": "all"}):
        options = CommonOptions(data="x.csv", question_file=path, **changes)
        expected = {"redlining_threshold": "0.2"} | changes
        assert options.question() == replace(asked, **expected)


def test_what_only_the_options_make_wrong_is_not_blamed_on_the_file(question_file):
    options = CommonOptions(data="x.csv", question_file=question_file, threshold="5")
    with pytest.raises(QuestionError, match="threshold 5 is not between") as refused:
        options.question()
    assert refused.value.problems[0].where == f"{question_file} with the options typed"
    question_file.write_text(FILE + "[knowlege]\n")
    options = CommonOptions(data="x.csv", question_file=question_file, redlining=["sex"])
    with pytest.raises(QuestionError) as refused:
        options.question()
    assert [problem.where for problem in refused.value.problems] == [
        str(question_file),
        f"{question_file} with the options typed",
    ]
    for text in (FILE + "[knowlege]\n", "[question\n"):
        question_file.write_text(text)
        with pytest.raises(QuestionError) as refused:
            CommonOptions(data="x.csv", question_file=question_file).question()
        assert "options typed" not in refused.value.problems[0].where
