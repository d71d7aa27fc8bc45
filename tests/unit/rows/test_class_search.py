"""Columns are classed in several ways, and counted once between all their cuts."""

import pyarrow as pa
import pytest

from evenhand import Question, read
from evenhand.errors import QuestionError
from evenhand.rows.class_search import find_class_choices

ROWS = 240
QUESTION = Question(protected="sex", group="f", decision="hired", favorable="yes")
TABLE = pa.table(
    {
        "sex": ["f", "m"] * (ROWS // 2),
        "age": [20 + at % 40 for at in range(ROWS)],
        "work": ["a", "b", "c"] * (ROWS // 3),
        "id_of_town": [f"t{at % 7}" for at in range(ROWS)],
        "hired": ["yes" if at % 40 > 25 else "no" for at in range(ROWS)],
    }
)


def choices(alike, columns=None, *, classes=(2, 4), supervised=True, **options):
    return find_class_choices(
        read(TABLE, **options),
        columns,
        alike=alike,
        question=QUESTION,
        classes=classes,
        supervised=supervised,
    )


def test_counts_lie_between_all_cuts():
    found = choices(["age", "work"], bins={"age": [30]})
    assert [*found.ways] == ["age"]
    cuts = sorted({cut for bins in found.ways["age"] for cut in bins.cuts})
    assert len(found.counts.attribute("age").values) == len(cuts) + 1
    assert found.counts.names == ("age", "work", "sex", "hired")
    assert found.counts.row_count == ROWS


def test_supervised_cuts_are_made_where_the_decision_changes():
    plain = choices(["age"], supervised=False).ways["age"]
    more = choices(["age"]).ways["age"]
    assert more[: len(plain)] == plain
    assert [bins.cuts for bins in more[len(plain) :]] == [(45,)]


def test_merged_values_stay_merged():
    found = choices(["age", "work"], merge={"work": {"other": ["b", "c"]}})
    assert found.counts.attribute("work").values == ("a", "other")


@pytest.mark.parametrize(
    ("alike", "columns", "message"),
    [
        (["work"], None, "No cause of the decision is a column of many numbers"),
        (["work", "age"], ["work"], "'work' cannot be put into other classes"),
    ],
)
def test_what_is_no_number_is_not_classed(alike, columns, message):
    with pytest.raises(QuestionError, match=message):
        choices(alike, columns)
