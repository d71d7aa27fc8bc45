from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand import CountTable, Question
from evenhand.errors import ColumnError
from evenhand.evidence import ErrorBias

ASKED = Question(
    protected="sex", group="f", other="m", decision="said", favorable="yes", predicts="was"
)
PERSON = st.tuples(
    st.sampled_from("fm"), *[st.sampled_from(["yes", "no"])] * 2, st.sampled_from("abc")
)
NAMES = ("sex", "said", "was", "job")
EVERYBODY = [(sex, said, "yes", "a") for sex in "fm" for said in ("yes", "no")]


def counted(people):
    columns = {
        name: [*values] for name, values in zip(NAMES, zip(*people, strict=True), strict=True)
    }
    return CountTable.of(columns, [1] * len(people))


@settings(max_examples=60, deadline=None)
@given(people=st.lists(PERSON, max_size=40))
def test_the_parts_are_those_of_a_data_frame_and_add_up_exactly(people):
    people = people + EVERYBODY
    bias = ErrorBias.of(counted(people), ASKED, "was", ["job"])
    frame = pd.DataFrame(people, columns=NAMES)
    wrong = frame["said"].eq("yes").astype(int) - frame["was"].eq("yes").astype(int)
    assert bias.accuracy == Fraction(int((wrong == 0).sum()), len(frame))
    weighed = []
    for line in bias.lines:
        where = frame["job"] == bias.predicted.where(line)["job"]
        sums = {}
        for sex in "fm":
            chosen = where & (frame["sex"] == sex)
            many = int(chosen.sum())
            sums[sex] = [
                Fraction(int(of[chosen].sum()), many)
                for of in (frame["said"].eq("yes"), frame["was"].eq("yes"), wrong)
            ]
        parts = bias.parts(line)
        assert parts == tuple(m - f for f, m in zip(sums["f"], sums["m"], strict=True))
        assert parts.predictions == parts.labels + parts.errors
        n, m = (int((where & (frame["sex"] == sex)).sum()) for sex in "fm")
        weighed.append((n * m / (n + m), parts))
    total = sum(weight for weight, _ in weighed)
    means = [sum(w * float(one[at]) for w, one in weighed) / total for at in range(3)]
    assert bias.common == pytest.approx(means)
    assert bias.contributions.sum() == pytest.approx(means[2])
    assert bias.gap.predictions == bias.gap.labels + bias.gap.errors
    assert len(bias.lines) == frame.groupby("job")["sex"].nunique().eq(2).sum()


def test_the_common_difference_is_that_of_the_audit():
    rng = np.random.default_rng(5)
    people = [
        tuple(rng.choice([*of]) for of in ("fm", ("yes", "no"), ("yes", "no"), "abcd"))
        for _ in range(300)
    ]
    bias = ErrorBias.of(counted(people), ASKED, "was", ["job"])
    assert bias.common.predictions == pytest.approx(bias.predicted.statistics.common.difference)


def test_where_errors_add_most_stands_first_by_weight_and_small_groups_do_not_lead():
    crowd = [("f", "no", "yes", "a")] * 30 + [("f", "yes", "yes", "a")] * 70
    crowd += [("m", "yes", "yes", "a")] * 100
    two = [("f", "no", "yes", "b"), ("m", "yes", "yes", "b")]
    bias = ErrorBias.of(counted(crowd + two), ASKED, "was", ["job"])
    assert [bias.predicted.where(line)["job"] for line in bias.most_added()] == ["a", "b"]
    assert bias.parts(bias.lines[1]).errors == 1
    assert "What errors add to the difference of was" in str(bias)
    document = bias.to_dict()
    assert document["subpopulations"][0] == {
        "where": {"job": "a"},
        "predictions": 0.3,
        "labels": 0.0,
        "errors": 0.3,
    }
    assert document["accuracy"] == pytest.approx(171 / 202)


def test_labels_with_other_values_than_predictions_are_refused():
    people = [(sex, said, "1" if said == "yes" else "0", "a") for sex, said, _, _ in EVERYBODY]
    with pytest.raises(ColumnError, match="No prediction is '0', '1', which 'was' has"):
        ErrorBias.of(counted(people), ASKED, "was", ["job"])


def test_one_more_value_of_the_labels_is_not_favorable():
    people = [*EVERYBODY, ("f", "yes", "perhaps", "a")]
    bias = ErrorBias.of(counted(people), ASKED, "was", ["job"])
    assert bias.false_favorable.sum() == 1


def test_of_several_groups_the_leading_pair_is_told():
    rows = [("f", "no", "yes", "a")] * 20 + [("m", "yes", "yes", "a")] * 20
    rows += [("x", "yes", "yes", "a")] * 10 + [("x", "no", "yes", "a")] * 10
    asked = Question(protected="sex", decision="said", favorable="yes", predicts="was")
    bias = ErrorBias.of(counted(rows), asked, "was", ["job"])
    assert bias.predicted.leading_labels == ("f", "m")
    assert bias.gap == (1, 0, 1)


@pytest.mark.parametrize("criterion", ["every", "cumulative"])
def test_of_several_values_errors_are_of_the_leading_one(criterion):
    rows = [("f", "no", "yes", "a")] * 20 + [("m", "yes", "yes", "a")] * 20
    rows += [(sex, "perhaps", "perhaps", "a") for sex in "fm"] * 3
    order = ("yes", "perhaps", "no") if criterion == "cumulative" else ()
    asked = Question(
        protected="sex", group="f", decision="said", criterion=criterion, order=order
    )
    bias = ErrorBias.of(counted(rows), asked, "was", ["job"])
    assert bias.gap.predictions == bias.gap.labels + bias.gap.errors
    assert abs(bias.gap.errors) == Fraction(20, 23)
    assert bias.accuracy == Fraction(26, 46)


def test_where_nobody_can_be_compared_there_is_no_common_difference():
    rows = [("f", "no", "yes", "a"), ("m", "yes", "no", "b")]
    bias = ErrorBias.of(counted(rows), ASKED, "was", ["job"])
    assert bias.common is None
    assert bias.lines == ()
    assert "alike" not in str(bias)
    assert bias.to_dict()["common_difference"] is None
