"""Decisions of a training set are changed until nothing is left, and nothing else is."""

import re
import runpy
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import evenhand as eh
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    EvenhandError,
    GraphError,
    InputError,
    MissingValueError,
    QuestionError,
)
from evenhand.sklearn import RemoveDirectEffect

QUESTION = eh.Question(protected="sex", group="f", decision="hired", favorable="yes")
GRAPH = eh.CausalGraph.parse("sex -> hired; school -> hired; town -> hired")


@pytest.fixture
def people():
    """Four hundred people, of whom men are preferred, with an index that is no range."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], 400),
            "school": pd.Categorical(random.choice(["no", "yes"], 400)),
            "town": random.integers(3, size=400),
            "pay": random.random(400),
            "note": [{"any": "object"}] * 400,
        },
        index=random.permutation(400) + 1000,
    )
    chance = 0.3 + 0.3 * (frame["sex"] == "m") + 0.1 * (frame["school"] == "yes")
    hired = np.where(random.random(400) < chance, "yes", "no")
    return frame, pd.Series(hired, frame.index, name="was hired")


def widest(X, y, favorable="yes"):
    """The largest difference of rates among people alike in school and town."""
    rates = (y == favorable).groupby([X["school"], X["town"], X["sex"]], observed=True).mean()
    places = rates.groupby(["school", "town"], observed=True)
    return (places.max() - places.min()).max()


def remove(**settings):
    return RemoveDirectEffect(QUESTION, **{"graph": GRAPH, "random_state": 7, **settings})


def test_every_difference_is_removed_with_as_few_changes_as_a_plan_has(people):
    X, y = people
    assert widest(X, y) >= 0.05
    before = X.copy()
    sampler = remove()
    same, new = sampler.fit_resample(X, y)
    assert same is X
    pd.testing.assert_frame_equal(X, before)
    assert widest(X, new) < 0.05
    assert sampler.certificate_.verdict is eh.Verdict.CERTIFIED
    assert sampler.sample_indices_.tolist() == [*range(400)]
    table = X[["sex", "school", "town"]].assign(hired=y)
    plan = eh.audit(table, QUESTION, graph=GRAPH).plan()
    assert sampler.changed_rows_ == (new != y).sum() == plan.changed_rows > 0
    assert sampler.n_features_in_ == 5
    assert [*sampler.feature_names_in_] == [*X.columns]


def test_the_nine_causes_of_adult(adult):
    lines = [labels for labels, rows in adult for _ in range(rows)]
    people = pl.DataFrame(lines, schema=[*adult.names], orient="row")
    X, y = people.drop("income"), people["income"]
    arrows = frozenset((name, "income") for name in X.columns)
    graph = eh.CausalGraph(adult.names, arrows)
    sampler = RemoveDirectEffect(eh.datasets.question("adult"), graph=graph, random_state=7)
    _, new = sampler.fit_resample(X, y)
    assert sampler.changed_rows_ == (new != y).sum() == 602
    places = people.with_columns(favorable=new == ">50K").group_by([*X.columns])
    rates = places.agg(pl.col("favorable").mean()).group_by(pl.exclude("sex", "favorable"))
    gaps = rates.agg(gap=pl.col("favorable").max() - pl.col("favorable").min())
    assert gaps["gap"].max() < 0.05


def test_y_keeps_its_kind_type_name_and_index(people):
    X, y = people
    _, new = remove().fit_resample(X, y)
    assert new.name == y.name
    assert new.index.equals(y.index)
    assert new.dtype == y.dtype
    coded = y.astype("category")
    _, same = remove().fit_resample(X, coded)
    pd.testing.assert_series_equal(same, new.astype(coded.dtype))
    _, frame = remove().fit_resample(X, y.to_frame())
    pd.testing.assert_frame_equal(frame, new.to_frame())
    _, listed = remove().fit_resample(X, y.tolist())
    assert listed == new.tolist()
    _, array = remove().fit_resample(X, y.to_numpy())
    assert array.dtype == y.to_numpy().dtype
    assert array.tolist() == new.tolist()


def test_polars_stays_polars(people):
    X, y = people
    _, expected = remove().fit_resample(X, y)
    frame, column = pl.from_pandas(X.drop(columns="note")), pl.from_pandas(y)
    for kind in (pl.String, pl.Categorical, pl.Enum(["no", "yes"])):
        same, new = remove().fit_resample(frame, column.cast(kind))
        assert same is frame
        assert (new.dtype, new.name) == (kind, "was hired")
        assert new.to_list() == expected.tolist()


def as_numbers(X, y):
    codes = X[["sex", "school", "town"]].apply(lambda column: pd.factorize(column)[0])
    return codes.to_numpy(), (y == "yes").to_numpy()


@pytest.mark.parametrize("kind", [np.int8, np.float32, bool, str, object])
def test_arrays_have_numbered_columns_and_keep_their_type(people, kind):
    X, truth = as_numbers(*people)
    question = eh.Question(protected="x0", decision="y", favorable=np.array(1, kind).item())
    graph = eh.CausalGraph.parse("x0 -> y; x1 -> y; x2 -> y")
    y = truth.astype(int).astype(kind)
    sampler = RemoveDirectEffect(question, graph=graph, random_state=7)
    same, new = sampler.fit_resample(X, y)
    assert same is X
    assert new.dtype == y.dtype
    assert sampler.changed_rows_ == (new != y).sum() == remove().fit(*people).changed_rows_
    lists = sampler.fit_resample(X.tolist(), y.tolist())
    assert lists == (X.tolist(), new.tolist())


def test_the_seed_chooses_the_rows(people):
    X, y = people
    chosen = [
        remove(random_state=state).fit_resample(X, y)[1].tolist()
        for state in (7, 7, 8, np.random.RandomState(3), np.random.RandomState(3), None, None)
    ]
    assert chosen[0] == chosen[1] != chosen[2]
    assert chosen[3] == chosen[4]
    assert chosen[5] != chosen[6], "without a seed nobody can foresee which rows are chosen"
    assert sorted(chosen[5]) == sorted(chosen[6]) == sorted(chosen[0])
    with pytest.raises(QuestionError, match="The seed -1"):
        remove(random_state=-1).fit(X, y)


def test_the_graph_is_learned_where_none_is_given(people):
    X, y = people
    tiers = eh.Tiers(["sex", "school", "town"], ["hired"])
    sampler = remove(graph=None, knowledge=tiers)
    sampler.fit(X[["sex", "school", "town"]], y)
    assert isinstance(sampler.certificate_.graph, eh.PartialGraph)
    assert sampler.certificate_.verdict is eh.Verdict.CERTIFIED


def test_rows_with_missing_values_are_left_out_if_the_question_says_so(people):
    X, y = people
    X.loc[X.index[[3, 5]], "town"] = np.nan
    y.iloc[9] = None
    with pytest.raises(
        MissingValueError, match="X and y: Values are missing: 'town' 2"
    ) as refusal:
        remove().fit(X, y)
    assert "(missing='drop')" in str(refusal.value)
    sampler = remove(codings=eh.Codings.of(missing="drop"))
    fewer, new = sampler.fit_resample(X, y)
    kept = [row for row in range(400) if row not in (3, 5, 9)]
    assert sampler.sample_indices_.tolist() == kept
    pd.testing.assert_frame_equal(fewer, X.iloc[kept])
    assert new.index.equals(y.index[kept])
    assert sampler.changed_rows_ == (new != y.iloc[kept]).sum()
    assert widest(fewer, new) < 0.05


def test_a_question_file_puts_numbers_into_classes(people):
    X, y = people
    codings = eh.Codings.of(bins={"pay": 2}, exclude=["note"])
    file = eh.QuestionFile(question=QUESTION, codings=codings)
    graph = eh.CausalGraph.parse("sex -> hired; pay -> hired")
    sampler = RemoveDirectEffect(file, graph=graph).fit(X, y)
    assert sampler.certificate_.decision_causes == ("pay",)


def test_more_groups_and_values_are_changed_too(people):
    X, y = people
    X["sex"] = X["sex"].where(X["pay"] < 0.7, "x")
    y = y.where(X["pay"] < 0.9, "later")
    question = eh.Question(protected="sex", decision="hired", criterion="every", threshold=".2")
    sampler = RemoveDirectEffect(question, graph=GRAPH, random_state=0)
    _, new = sampler.fit_resample(X, y)
    assert {*new} == {*y}
    rates = (
        pd.get_dummies(new).groupby([X["school"], X["town"], X["sex"]], observed=True).mean()
    )
    places = rates.groupby(["school", "town"], observed=True)
    assert (places.max() - places.min()).max(axis=None) < 0.2


def test_it_is_copied_stored_and_read_as_scikit_learn_does_it(people, tmp_path):
    sampler = remove(method=eh.ModifyData(policy="raise"))
    copy = clone(sampler)
    assert copy.get_params()["question"] == QUESTION
    copy.set_params(random_state=8)
    assert sampler.random_state == 7
    joblib.dump(sampler.fit(*people), tmp_path / "sampler")
    read = joblib.load(tmp_path / "sampler")
    assert read.changed_rows_ == sampler.changed_rows_
    assert str(read.certificate_) == str(sampler.certificate_)
    _, new = clone(sampler).fit_resample(*people)
    assert (new[new != people[1]] == "yes").all()


def refused(people, error, text, **settings):
    X, y = (settings.pop(name, own) for name, own in zip(("X", "y"), people, strict=True))
    question = settings.pop("question", QUESTION)
    settings = {"graph": GRAPH, **settings}
    with pytest.raises(error, match=text) as raised:
        RemoveDirectEffect(question, **settings).fit(X, y)
    assert isinstance(raised.value, EvenhandError)
    assert all(problem.remedies for problem in raised.value.problems)


def test_what_cannot_be_done_is_refused_with_a_remedy(people):
    X, y = people
    later = eh.CausalGraph.parse("sex -> hired -> town; school -> hired")
    counted = eh.QuestionFile(question=QUESTION, codings=eh.Codings.of(frequency="town"))
    refused(people, QuestionError, "is no question", question="hired")
    refused(people, QuestionError, "is no question", question={"protected": "sex"})
    refused(people, GraphError, "is of the type str", graph="sex -> hired")
    refused(people, QuestionError, "not one that removes", method=eh.ShuffleProtected())
    refused(people, QuestionError, "how often each row occurs", question=counted)
    refused(
        people,
        CannotReleaseError,
        "would change 'town' too",
        method=eh.ModifyGraph(),
        graph=later,
    )
    few, rule = {"X": X[:60], "y": y[:60]}, eh.ModifyData(policy="paper")
    refused(people, CannotReleaseError, "does not reach", method=rule, **few)
    refused(people, ColumnError, "X has a column 'hired'", X=X.assign(hired=y))
    refused(people, ColumnError, "no column 'sex'", X=X.rename(columns={"sex": "Sex"}))
    misspelt = eh.CausalGraph.parse("sex -> hired; shool -> hired")
    refused(people, ColumnError, "Did you mean 'school'", graph=misspelt)
    refused(people, InputError, "inconsistent numbers of samples", y=y[1:])
    refused(people, InputError, "y has 2 columns", y=y.to_frame().assign(again=y))
    refused(people, InputError, "None", y=None)
    refused(people, InputError, "2D array", X=X["sex"].to_numpy())
    refused(people, QuestionError, "one value only", X=X.assign(sex="f"))


def test_a_method_that_changes_decisions_alone_is_enough(people):
    sampler = remove(method=eh.ModifyGraph())
    _, new = sampler.fit_resample(*people)
    assert widest(people[0], new) < 0.05


# Numbers are drawn without any question in mind, and three kinds of decision for twenty people:
# the first column is the protected attribute, in halves, and a third apart is close enough.
CHECKED = eh.QuestionFile(
    question=eh.Question(protected="x0", decision="y", criterion="every", threshold="0.3"),
    codings=eh.Codings.of(bins={"x0": 2}, missing="level"),
)


def test_it_passes_the_checks_of_scikit_learn():
    sampler = RemoveDirectEffect(CHECKED, graph=eh.CausalGraph.parse("x0 -> y"))
    results = check_estimator(sampler, on_fail=None, on_skip=None)
    status = {result["check_name"]: result["status"] for result in results}
    assert {name for name, seen in status.items() if seen != "passed"} <= {
        "check_array_api_input"  # skipped unless SCIPY_ARRAY_API=1
    }
    assert len(results) >= 40


def test_it_runs_in_a_pipeline_of_imbalanced_learn(people):
    pipeline = pytest.importorskip("imblearn.pipeline", reason="no imbalanced-learn here")
    X, y = people
    X = X[["sex", "school", "town"]]
    model = pipeline.make_pipeline(
        remove(), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    )
    model.fit(X, y)
    sampler = model[0]
    assert sampler.changed_rows_ > 0
    alone = pipeline.make_pipeline(
        OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    ).fit(*sampler.fit_resample(X, y))
    assert model.predict(X).tolist() == alone.predict(X).tolist()
    assert len(cross_validate(model, X, y, cv=3)["test_score"]) == 3


def test_the_checks_of_imbalanced_learn_that_are_about_kinds():
    checks = pytest.importorskip(
        "imblearn.utils.estimator_checks", reason="no imbalanced-learn here"
    )
    sampler = RemoveDirectEffect(CHECKED, graph=eh.CausalGraph.parse("x0 -> y"), random_state=0)
    for check in ("fit_resample", "list", "preserve_dtype"):
        getattr(checks, f"check_samplers_{check}")("RemoveDirectEffect", sampler)
    with pytest.warns(DataConversionWarning):
        checks.check_samplers_2d_target("RemoveDirectEffect", sampler)


def test_the_pipeline_that_the_docs_show_runs(people, tmp_path):
    pytest.importorskip("imblearn", reason="no imbalanced-learn here")
    page = Path(__file__).parents[3] / "docs/how-to/use-it-with-scikit-learn.md"
    (shown,) = re.findall(
        r"^```python\n(from imblearn.*?)^```$",
        page.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    (tmp_path / "shown.py").write_text(shown)
    X, y = people
    given = {"remove": remove(), "X": X[["sex", "school", "town"]], "y": y}
    ran = runpy.run_path(str(tmp_path / "shown.py"), given)
    assert (ran["scores"]["test_score"] > 0.5).all()


def test_rows_are_ranked_by_a_column_of_X_outside_the_graph(people):
    X, y = people
    by_pay = eh.ModifyData(rank="pay")
    sampler = remove(method=by_pay)
    same, new = sampler.fit_resample(X, y)
    assert same is X
    assert "pay" not in sampler.certificate_.examined.counts.names
    whole = X[["sex", "school", "town", "pay"]].assign(hired=y)
    asked = eh.Codings.of(exclude=["pay"])
    audited = eh.audit(whole, QUESTION, graph=GRAPH, codings=asked)
    released = audited.release(method=by_pay, seed=1)
    assert (released.rows["hired"] == new).all()
    assert 0 < sampler.changed_rows_ == released.changed_rows
    learned = RemoveDirectEffect(
        eh.QuestionFile(question=QUESTION, codings=eh.Codings.of(exclude=["note"])),
        method=by_pay,
    )
    assert "pay" not in learned.fit(X, y).certificate_.graph.nodes
    refused(people, ColumnError, "There is no column 'pays'", method=eh.ModifyData(rank="pays"))


def test_the_least_coverage_can_be_lowered(people):
    X, y = people
    apart = X.assign(school=np.where(X["pay"] < 0.4, X["sex"], X["school"]))
    with pytest.raises(CannotReleaseError, match=r"\(min_coverage='0\.57'\)"):
        remove().fit(apart, y)
    sampler = remove(min_coverage="0.57").fit(apart, y)
    assert sampler.certificate_.verdict is eh.Verdict.CERTIFIED
    assert clone(sampler).min_coverage == "0.57"


def test_no_remedy_leaves_out_what_is_needed(people):
    X, y = people
    y.iloc[3] = None
    for change in ({}, {"graph": None, "codings": eh.Codings.of(exclude=["note", "pay"])}):
        with pytest.raises(MissingValueError) as refusal:
            remove(**change).fit(X, y)
        (problem,) = refusal.value.problems
        assert [one.argument for one in problem.remedies] == ["missing", "missing"]
    X["town"] = X["town"].where(X["pay"] < 0.9)
    with pytest.raises(MissingValueError) as refusal:
        remove(graph=None).fit(X[["sex", "town"]], y.fillna("no"))
    assert "exclude=['town']" in str(refusal.value)


def test_the_decision_may_have_any_name(people):
    for name in ("row number", "row number_"):
        question = eh.Question(protected="sex", group="f", decision=name, favorable="yes")
        graph = GRAPH.renamed("hired", name)
        sampler = RemoveDirectEffect(question, graph=graph, random_state=7).fit(*people)
        assert sampler.changed_rows_ == remove().fit(*people).changed_rows_
