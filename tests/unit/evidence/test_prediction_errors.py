from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.predictions import teams
from tests.repetitions import repetitions

from evenhand import CausalGraph, CountTable, Question, certify
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


def biased(people, asked=ASKED, *, judged=None):
    """What errors add among some people, judged with all of them or with others."""
    counts = counted(people)
    graph = CausalGraph.parse("job -> said; sex -> said")
    table = (counts if judged is None else counted(judged)).only({"sex", "said", "job"})
    return ErrorBias.of(certify(table, graph, asked), counts, "was")


@settings(max_examples=repetitions(60), deadline=None)
@given(people=st.lists(PERSON, max_size=40))
def test_the_parts_are_those_of_a_data_frame_and_add_up_exactly(people):
    people = people + EVERYBODY
    bias = biased(people)
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
    bias = biased(people)
    assert bias.common.predictions == pytest.approx(bias.predicted.statistics.common.difference)


def test_where_errors_add_most_stands_first_by_weight_and_small_groups_do_not_lead():
    crowd = [("f", "no", "yes", "a")] * 30 + [("f", "yes", "yes", "a")] * 70
    crowd += [("m", "yes", "yes", "a")] * 100
    two = [("f", "no", "yes", "b"), ("m", "yes", "yes", "b")]
    bias = biased(crowd + two)
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


def test_where_errors_take_away_most_stands_before_where_they_add_little():
    against = [("f", "yes", "no", "a")] * 40 + [("f", "yes", "yes", "a")] * 60
    against += [("m", "no", "no", "a")] * 100
    added = [("f", "no", "yes", "b")] * 3 + [("f", "no", "no", "b")] * 7
    added += [("m", "yes", "yes", "b")] * 10
    bias = biased(added + against)
    assert [bias.parts(line).errors for line in bias.most_added()] == [
        Fraction(-4, 10),
        Fraction(3, 10),
    ]


def test_labels_with_other_values_than_predictions_are_refused():
    people = [(sex, said, "1" if said == "yes" else "0", "a") for sex, said, _, _ in EVERYBODY]
    with pytest.raises(ColumnError, match="No prediction is '0', '1', which 'was' has"):
        biased(people)


def test_one_more_value_of_the_labels_is_not_favorable():
    people = [*EVERYBODY, ("f", "yes", "perhaps", "a")]
    bias = biased(people)
    assert (bias.said.sum(), bias.favorable.sum()) == (3, 4)


def test_of_several_groups_the_leading_pair_is_told():
    rows = [("f", "no", "yes", "a")] * 20 + [("m", "yes", "yes", "a")] * 20
    rows += [("x", "yes", "yes", "a")] * 10 + [("x", "no", "yes", "a")] * 10
    asked = Question(protected="sex", decision="said", favorable="yes", predicts="was")
    bias = biased(rows, asked)
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
    bias = biased(rows, asked)
    assert bias.gap.predictions == bias.gap.labels + bias.gap.errors
    assert abs(bias.gap.errors) == Fraction(20, 23)
    assert bias.accuracy == Fraction(26, 46)


def test_errors_are_of_a_leading_value_that_is_not_the_first():
    table = teams()
    counts = CountTable.of({name: [*table[name]] for name in table}, [1] * len(table))
    asked = Question(protected="team", decision="said", criterion="every", predicts="pay")
    graph = CausalGraph.parse("job -> said; team -> said")
    judged = certify(counts.only({"team", "said", "job"}), graph, asked)
    bias = ErrorBias.of(judged, counts, "pay")
    assert bias.predicted.leading_labels == ("b", "c")
    assert bias.predicted.leading_decision == "mid"
    for column, value in zip(("said", "pay"), bias.gap, strict=False):
        rates = table[column].eq("mid").groupby(table["team"]).mean()
        assert float(value) == pytest.approx(rates["c"] - rates["b"])
    assert bias.gap.errors == Fraction(60, int(table["team"].eq("c").sum()))
    assert (bias.said - bias.favorable).sum() == 60
    assert bias.accuracy == 1 - Fraction(60, len(table))


def test_where_nobody_can_be_compared_there_is_no_common_difference():
    rows = [("f", "no", "yes", "a"), ("m", "yes", "no", "b")]
    bias = biased(rows)
    assert bias.common is None
    assert bias.lines == ()
    assert "alike" not in str(bias)
    assert bias.to_dict()["common_difference"] is None


def test_a_label_that_no_prediction_has_is_noted_and_not_favorable():
    people = [*EVERYBODY, ("f", "yes", "yes.", "a"), ("m", "no", "no.", "a")]
    bias = biased(people)
    assert bias.other_labels == {"no.": 1, "yes.": 1}
    assert bias.to_dict()["other_labels"] == {"no.": 1, "yes.": 1}
    assert "No prediction is 'no.', 'yes.', which 'was' is in 2 rows" in str(bias)
    assert not biased(EVERYBODY).notes


def test_rows_without_a_label_are_counted_and_left_out():
    gaps = [("f", "yes", "(missing)", "a")] * 3
    bias = biased([*EVERYBODY, *gaps])
    assert (bias.labelled_rows, bias.unlabelled_rows) == (4, 3)
    assert bias.accuracy == Fraction(1, 2)
    assert bias.gap == biased(EVERYBODY).gap
    assert "Only 4 of 7 rows have a label" in str(bias)
    assert "gap of rows with a label" in str(bias)
    assert not bias.other_labels


@settings(max_examples=repetitions(40), deadline=None)
@given(people=st.lists(PERSON, max_size=30), others=st.lists(PERSON, max_size=30))
def test_of_labelled_rows_the_parts_are_those_of_these_rows_alone(people, others):
    people = people + EVERYBODY
    some, alone = biased(people, judged=people + others), biased(people)
    assert some.unlabelled_rows == len(others)
    assert (some.accuracy, some.gap) == (alone.accuracy, alone.gap)
    parts = [{str(b.predicted.where(at)): b.parts(at) for at in b.lines} for b in (some, alone)]
    assert parts[0] == parts[1]


def test_where_a_group_has_no_label_nothing_is_told():
    men = [person for person in EVERYBODY if person[0] == "m"]
    assert biased(men, judged=EVERYBODY) is None
