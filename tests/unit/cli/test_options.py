from fractions import Fraction

import pytest

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
    with pytest.raises(QuestionError, match="lacks --group, --favorable") as caught:
        CommonOptions(data="x.csv", protected="sex", decision="hired").question()
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


@pytest.mark.parametrize("text", ["age", "=3", "age=old"])
def test_bins_that_cannot_be_read_are_shown(text):
    with pytest.raises(QuestionError):
        CommonOptions(data="x.csv", bin=[text]).codings()


@pytest.mark.parametrize("text", ["work", "work:new", "work:=a", ":new=a", "work:new="])
def test_merges_that_cannot_be_read_are_shown(text):
    with pytest.raises(QuestionError, match="COLUMN:new=old1,old2"):
        CommonOptions(data="x.csv", merge=[text]).codings()
