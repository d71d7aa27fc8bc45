"""The difference of predictions within subpopulations, against sums that pandas makes."""

from itertools import combinations
from math import isnan, nan

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from evenhand import Codings
from evenhand.errors import ColumnError, EvenhandError, InputError, QuestionError
from evenhand.sklearn import conditional_difference, conditional_difference_scorer


def table(seed, *, rows=600, groups=2, places=6):
    """Random people of a few places; in some places one group is absent."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "group": random.integers(groups, size=rows).astype(str),
            "place": random.integers(places, size=rows),
            "kind": random.choice(["a", "b"], size=rows),
        }
    )
    frame.loc[frame["place"] == 0, "group"] = "0"
    frame["y"] = random.integers(2, size=rows)
    frame["guess"] = (random.random(rows) < 0.2 + 0.1 * frame["place"]).astype(int)
    return frame


def by_hand(frame, protected, control, *, min_rows=1):
    """Each pair of groups: its differences and weights, by grouping rows again and again."""
    found = {}
    for _, people in frame.groupby(control):
        rates = people.groupby(protected)["guess"].agg(["mean", "size"])
        rates = rates[rates["size"] >= min_rows]
        for one, other in combinations(sorted(rates.index), 2):
            n, m = rates["size"][one], rates["size"][other]
            difference = rates["mean"][other] - rates["mean"][one]
            found.setdefault((one, other), []).append((difference, n * m / (n + m)))
    return [np.array(pair).T for pair in found.values()]


def measured(frame, y=None, guess=None, *, by="group", control="place", **settings):
    """The metric of a table's guesses, or of others for its people."""
    return conditional_difference(
        frame["y"] if y is None else y,
        frame["guess"] if guess is None else guess,
        sensitive_features=frame[by],
        control_features=control if control is None else frame[control],
        **settings,
    )


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("min_rows", [1, 15])
@pytest.mark.parametrize("seed", range(4))
def test_both_statistics_are_those_of_sums_by_hand(seed, min_rows, groups):
    frame = table(seed, groups=groups)
    pairs = by_hand(frame, "group", ["place", "kind"], min_rows=min_rows)
    largest = max(abs(differences).max() for differences, _ in pairs)
    common = max(abs(d @ w / w.sum()) for d, w in pairs)
    given = {"control": ["place", "kind"], "min_rows": min_rows}
    assert measured(frame, **given) == pytest.approx(largest)
    assert measured(frame, statistic="common", **given) == pytest.approx(common)


def test_several_sensitive_features_define_groups_by_their_combinations():
    frame = table(1)
    frame["both"] = frame["group"] + frame["kind"]
    pairs = by_hand(frame, "both", ["place"])
    seen = measured(frame, by=["group", "kind"])
    assert seen == pytest.approx(max(abs(d).max() for d, _ in pairs))


@pytest.mark.parametrize("statistic", ["largest", "common"])
def test_without_controls_it_is_the_plain_gap(statistic):
    frame = table(2)
    rates = frame.groupby("group")["guess"].mean()
    seen = measured(frame, control=None, statistic=statistic)
    assert seen == pytest.approx(abs(rates["1"] - rates["0"]))


def test_it_is_the_same_of_every_kind_of_table():
    frame = table(3)
    parts = [frame[name] for name in ("y", "guess", "group", ["place", "kind"])]
    arrays = [one.to_numpy() for one in parts]
    kinds = [parts, map(pl.from_pandas, parts), arrays, [one.tolist() for one in arrays]]
    seen = {
        conditional_difference(y, guess, sensitive_features=a, control_features=b)
        for y, guess, a, b in kinds
    }
    assert len(seen) == 1


def test_nothing_measured_is_not_a_number_and_not_zero():
    frame = table(0)
    assert isnan(measured(frame[frame["place"] == 0]))
    assert isnan(measured(frame, min_rows=10_000))


@pytest.fixture
def alone(adult):
    """The rows of Adult whose subpopulation has people of one sex only."""
    columns = [*adult.names, "rows"]
    frame = pd.DataFrame([(*labels, many) for labels, many in adult], columns=columns)
    causes = [name for name in adult.names if name not in ("sex", "income")]
    assert len(frame.drop_duplicates(causes)) == 376
    frame = frame[frame.groupby(causes)["sex"].transform("nunique") == 1]
    assert len(frame.drop_duplicates(causes)) == 108
    frame = frame.loc[frame.index.repeat(frame["rows"])]
    settings = {"sensitive_features": frame["sex"], "control_features": frame[causes]}
    return (frame["income"] == ">50K").astype(int), settings


def test_subpopulations_of_adult_with_one_group_have_no_difference(alone):
    earned, settings = alone
    assert isnan(conditional_difference(earned, earned, **settings))


def test_a_peer_gives_these_subpopulations_a_difference_of_zero(alone):
    peer = pytest.importorskip("fairlearn.metrics", reason="no Fairlearn to compare with")
    earned, settings = alone
    rates = peer.MetricFrame(
        metrics=peer.selection_rate, y_true=earned, y_pred=earned, **settings
    )
    differences = rates.difference().dropna()
    assert len(differences) == 108
    assert (differences == 0).all()


def test_predictions_that_are_all_alike_differ_by_nothing():
    frame = table(0)
    for guess in (0, 1):
        assert measured(frame, guess=[guess] * len(frame)) == 0


def test_favorable_values_may_be_several_and_are_found_by_their_labels():
    frame = table(5)
    words, truth = frame["guess"].map({0: "no", 1: "yes"}), frame["guess"] == 1
    assert measured(frame, words, words, favorable="yes") == measured(frame)
    assert measured(frame, words, words, favorable=("yes", "no")) == 0
    assert measured(frame, truth, truth, favorable=True) == measured(frame)


def test_numbers_are_put_into_classes_and_columns_left_out():
    frame = table(6, places=40)
    frame["class"] = frame["place"] > 19
    classes = Codings.of(bins={"place": [19], "another": 3})
    assert measured(frame, codings=classes) == measured(frame, control="class")
    without = Codings.of(exclude=["kind"])
    assert measured(frame, control=["place", "kind"], codings=without) == measured(frame)


def refused(error, text, **changed):
    frame = table(0)
    given = {
        "y_true": frame["y"],
        "y_pred": frame["guess"],
        "sensitive_features": frame["group"],
        "control_features": frame["place"],
    }
    with pytest.raises(error, match=text) as raised:
        conditional_difference(**{**given, **changed})
    assert isinstance(raised.value, EvenhandError)
    assert all(problem.remedies for problem in raised.value.problems)


def test_what_makes_no_sense_is_refused_with_a_remedy():
    frame = table(0)
    refused(QuestionError, "no statistic 'mean'", statistic="mean")
    refused(QuestionError, "No label and no prediction is '2'", favorable=2)
    refused(InputError, "not all of one length", y_pred=[1, 0])
    refused(InputError, "not all of one length", control_features=["a"])
    refused(ColumnError, "both a sensitive and a control", control_features=frame["group"])
    refused(QuestionError, "At most 50 groups", sensitive_features=np.arange(600) % 60)
    refused(QuestionError, "how often each row", codings=Codings.of(frequency="place"))
    refused(InputError, "Values are missing", control_features=[nan, *frame["place"][1:]])
    refused(InputError, "several types", control_features=np.array([{}, 1] * 300, object))
    refused(InputError, "3 dimensions", control_features=np.zeros((600, 1, 1)))
    refused(ColumnError, "left out", codings=Codings.of(exclude=["group"]))
    refused(QuestionError, "`min_rows` is 0, which is no whole number", min_rows=0)


@pytest.fixture
def people():
    frame = table(7)
    frame["y"] = (frame["guess"] | (frame["group"] == "1")).astype(int)
    return frame[["group", "place", "kind"]], frame["y"]


def test_the_scorer_reads_columns_that_the_model_may_not_have(people):
    X, y = people
    model = DummyClassifier(strategy="stratified", random_state=0).fit(X, y)
    scorer = conditional_difference_scorer(
        sensitive_features="group", control_features=["place", "kind"]
    )
    guess, controls = model.predict(X), ["place", "kind"]
    expected = measured(X, y, guess, control=controls, statistic="common")
    assert scorer(model, X, y) == -expected
    assert scorer(model, pl.from_pandas(X), pl.from_pandas(y)) == -expected
    with pytest.raises(ColumnError, match="no column 'sort'"):
        conditional_difference_scorer(sensitive_features="group", control_features=["sort"])(
            model, X, y
        )


def test_models_are_searched_by_the_scorer(people):
    X, y = people
    scorer = conditional_difference_scorer(
        sensitive_features="group", control_features=["place", "kind"]
    )
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    scores = cross_validate(model, X, y, cv=3, scoring={"difference": scorer})
    assert (scores["test_difference"] < -0.1).all()  # it learns the group's advantage
    grid = {"logisticregression__C": [1e-6, 1.0]}
    search = GridSearchCV(
        model,
        grid,
        cv=3,
        scoring={"difference": scorer, "accuracy": "accuracy"},
        refit="difference",
    ).fit(X, y)
    assert search.best_params_ == {"logisticregression__C": 1e-6}  # everybody alike
    assert search.best_score_ == 0


def test_a_scorer_can_be_sent_to_another_process(people, tmp_path):
    X, y = people
    scorer = conditional_difference_scorer(sensitive_features="group", control_features="place")
    model = DummyClassifier(strategy="stratified", random_state=0).fit(X, y)
    joblib.dump(scorer, tmp_path / "scorer")
    assert joblib.load(tmp_path / "scorer")(model, X, y) == scorer(model, X, y)


def test_a_scorer_without_controls_compares_everybody():
    X = pd.DataFrame({"sex": [*"ffmm"]})
    model = DummyClassifier(strategy="constant", constant=1).fit(X, [0, 1, 0, 1])
    scorer = conditional_difference_scorer(sensitive_features="sex", control_features=None)
    assert scorer(model, X, [0, 1, 0, 1]) == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"statistic": "least"}, "no statistic 'least'"),
        ({"sensitive_features": ["sex", "sex"]}, "The columns 'sex' are named twice"),
    ],
)
def test_a_wrong_setting_is_refused_when_a_scorer_is_made(settings, words):
    given = {"sensitive_features": "sex", "control_features": ["job"], **settings}
    with pytest.raises(QuestionError, match=words):
        conditional_difference_scorer(**given)


def test_what_is_no_list_of_people_is_refused_in_words():
    nobody = {"sensitive_features": [], "control_features": []}
    with pytest.raises(InputError, match="There are no rows"):
        conditional_difference([], [], **nobody)
    everybody = {"sensitive_features": ["f", "m"], "control_features": None}
    with pytest.raises(InputError, match="y_true is None, no list of values"):
        conditional_difference(None, [0, 1], **everybody)
    with pytest.raises(InputError, match="y_pred is 1, no list of values"):
        conditional_difference([0, 1], 1, **everybody)


def test_a_fold_in_which_nobody_is_favorable_has_no_difference():
    X = table(8, rows=200)[["group", "place", "kind"]]
    y = np.zeros(200, int)
    y[:6] = 1
    scorer = conditional_difference_scorer(sensitive_features="group", control_features="kind")
    scores = cross_validate(DummyClassifier(), X, y, cv=KFold(4), scoring=scorer)
    assert (scores["test_score"] == 0).all()
    wrong = conditional_difference_scorer(
        sensitive_features="group", control_features="kind", favorable=2
    )
    with pytest.raises(QuestionError, match="No label and no prediction is '2'"):
        wrong(DummyClassifier().fit(X, y), X, y)


class Threshold:
    """A model that tells no classes."""

    def predict(self, X):
        return (X["place"] > 2).astype(int)


def test_a_model_without_classes_is_scored():
    frame = table(9)
    scorer = conditional_difference_scorer(sensitive_features="group", control_features="kind")
    assert scorer(Threshold(), frame, frame["y"]) < 0
    with pytest.raises(QuestionError, match="No label and no prediction is '1'"):
        scorer(Threshold(), frame.assign(place=0), [0] * len(frame))


UNFIT = {
    "names twice": (lambda f: pd.concat([f, f], axis=1), ColumnError, "occurs 2 times"),
    "names twice in Arrow": (
        lambda f: pa.table([f["place"], f["place"]], names=["a", "a"]),
        ColumnError,
        "occurs 2 times",
    ),
    "sparse": (
        lambda f: f.assign(place=pd.arrays.SparseArray(f["place"])),
        InputError,
        "Sparse pandas data",
    ),
    "sparse series": (
        lambda f: pd.Series(pd.arrays.SparseArray(f["place"])),
        InputError,
        "several types",
    ),
    "ragged": (lambda f: [[1], [1, 2]] * (len(f) // 2), InputError, "make no table"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_features_that_cannot_be_read_are_refused_in_words(case):
    make, error, words = UNFIT[case]
    refused(error, words, control_features=make(table(0)[["place", "kind"]]))


def test_predictions_of_two_columns_are_refused():
    frame = table(0)
    refused(InputError, "'y_pred' is a table of 2 columns", y_pred=frame[["guess", "y"]])
    assert measured(frame, frame[["y"]], frame[["guess"]])


def test_a_number_of_rows_may_come_from_numpy():
    frame = table(0)
    assert measured(frame, min_rows=40) == measured(frame, min_rows=np.int64(40))
    refused(QuestionError, "`min_rows` is True, which is no", min_rows=True)
    refused(QuestionError, "`min_rows` is", min_rows=np.True_)
