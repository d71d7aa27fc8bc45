"""Accuracy before and after, against pandas."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.hiring import is_reproduced

import evenhand as eh

ASKED = eh.Question(protected="sex", group="f", decision="hired", favorable="yes", other="m")
GRAPH = eh.CausalGraph.parse("sex -> hired; job -> hired")


def people(rows=600, *, groups="fm", seed=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.choice([*groups], rows),
            "job": rng.choice([*"abc"], rows),
            "hired": rng.choice(["yes", "no"], rows),
        }
    )
    score = 0.3 * rng.random(rows) + 0.3 * (frame["hired"] == "yes") + 0.2 * rng.random(rows)
    score += 0.1 * (frame["sex"] == "m")
    said = np.where(score > 0.45, "yes", "no")
    return frame.assign(score=score, said=said)


def audited(source, question=ASKED, **settings):
    return eh.audit_predictions(
        source, "said", question, graph=GRAPH, scores="score", labels="hired", **settings
    )


def right(frame, said):
    """The share of the labels that predictions agree with."""
    return Fraction(int((frame["hired"] == said).sum()), len(frame))


@pytest.mark.parametrize("drop", [(), ("hired", "score")])
@pytest.mark.parametrize("is_file", [False, True])
def test_accuracy_is_that_of_pandas(drop, is_file, tmp_path):
    frame = people()
    if is_file:
        frame.to_csv(tmp_path / "people.csv", index=False)
    made = audited(tmp_path / "people.csv" if is_file else frame).release(seed=1, drop=drop)
    made.write(tmp_path / "out.csv")
    said = pd.read_csv(tmp_path / "out.csv")["said"]
    assert (said != frame["said"]).sum() == made.changed_rows > 0
    assert made.accuracy == (right(frame, frame["said"]), right(frame, said))
    assert made.to_dict()["accuracy"] == {
        "before": pytest.approx(float(right(frame, frame["said"]))),
        "after": pytest.approx(float(right(frame, said))),
    }
    assert f"{made.accuracy}" in str(made.summary())


def test_only_rows_that_are_compared_count():
    frame = people(groups="fmx")
    frame.loc[::7, "job"] = None
    made = audited(frame, codings=eh.Codings.of(missing="drop")).release(seed=1)
    compared = frame[frame["job"].notna() & (frame["sex"] != "x")]
    said = made.rows["said"].loc[compared.index]
    assert made.accuracy == (right(compared, compared["said"]), right(compared, said))


@pytest.mark.parametrize("order", [(), ("no", "wait", "trial", "yes")])
def test_of_several_favorable_values_each_is_right_for_any_other(order):
    frame, rng = people(), np.random.default_rng(4)
    kinds = {"yes": ["yes", "trial"], "no": ["no", "wait"]}
    for column in ("hired", "said"):
        frame[column] = [str(rng.choice(kinds[one])) for one in frame[column]]
    asked = eh.Question(
        protected="sex",
        group="f",
        decision="hired",
        favorable=("yes", "trial"),
        order=order,
        other="m",
    )
    made = audited(frame, asked).release(seed=1)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert made.changed_rows == (made.rows["said"] != frame["said"]).sum() > 0
    was = frame["hired"].isin(kinds["yes"])
    assert made.accuracy == tuple(
        Fraction(int((was == said.isin(kinds["yes"])).sum()), len(frame))
        for said in (frame["said"], made.rows["said"])
    )


def test_pooled_groups_are_compared():
    frame = people(groups="fmx")
    pooled = eh.Question(
        protected="sex", group="f", decision="hired", favorable="yes", other="rest"
    )
    made = audited(frame, pooled).release(seed=1)
    assert made.accuracy == (right(frame, frame["said"]), right(frame, made.rows["said"]))


def test_without_labels_or_single_rows_it_is_not_known():
    frame = people()
    unlabelled = eh.audit_predictions(frame, "said", ASKED, graph=GRAPH).release(seed=1)
    assert unlabelled.accuracy is None
    assert "accuracy" not in unlabelled.to_dict()
    counts = eh.read(frame, columns=("sex", "job", "hired", "said")).count()
    found = eh.audit_predictions(counts, "said", ASKED, graph=GRAPH, labels="hired")
    assert found.release(seed=1).accuracy is None


VANISHING = {
    "favorable": (3, [0.1, 0.06, 0.84], {"favorable": ("a", "b")}),
    "cumulative": (6, [0.84, 0.1, 0.06], {"criterion": "cumulative", "order": [*"abc"]}),
}


@pytest.mark.parametrize("case", VANISHING)
def test_a_value_that_a_release_leaves_nobody_with_is_still_one_of_the_labels(case):
    seed, shares, asked = VANISHING[case]
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.choice([*"fm"], 30),
            "job": rng.choice([*"uv"], 30),
            "hired": rng.choice([*"abc"], 30),
            "said": rng.choice([*"abc"], 30, p=shares),
        }
    )
    question = eh.Question(protected="sex", group="f", decision="hired", **asked)
    found = eh.audit_predictions(frame, "said", question, graph=GRAPH, labels="hired")
    made = found.release(seed=1)
    assert {*made.rows["said"]} < {*frame["said"]}
    kinds = {"a": 0, "b": 0, "c": 1} if case == "favorable" else {"a": 0, "b": 1, "c": 2}
    was = frame["hired"].map(kinds)
    assert made.accuracy == tuple(
        Fraction(int((said.map(kinds) == was).sum()), 30)
        for said in (frame["said"], made.rows["said"])
    )


UNFIT = {
    "hird": "labels: There is no column 'hird'. Did you mean 'hired'",
    "said": "holds the predictions",
    "sex": "is in the graph or question",
    "job": "is in the graph or question",
    5: "`labels` is 5, which is no text",
    ("yes", "no"): "which is no text",
}


@pytest.mark.parametrize("labels", UNFIT)
@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow", "file"])
def test_unfit_labels_are_refused_before_anything_is_released(kind, labels, tmp_path):
    frame = people()
    frame.to_csv(tmp_path / "people.csv", index=False)
    source = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "Arrow": pa.Table.from_pandas(frame),
        "file": tmp_path / "people.csv",
    }[kind]
    found = eh.audit_predictions(source, "said", ASKED, graph=GRAPH)
    with pytest.raises(eh.errors.EvenhandError, match=UNFIT[labels]):
        found.release(seed=1, labels=labels)


def test_a_release_of_scored_predictions_is_by_score_unless_another_method_is_named():
    frame = people()
    found = audited(frame)
    assert found.release(seed=1).plan.rank == found.plan().rank == "score"
    assert found.release(seed=1, method=eh.ModifyData()).plan.rank is None
    unscored = eh.audit_predictions(frame, "said", ASKED, graph=GRAPH)
    assert unscored.release(seed=1).plan.rank is None


def test_scores_given_as_values_rank_as_well():
    frame = people()
    bare = frame.drop(columns="score")
    found = eh.audit_predictions(
        bare, "said", ASKED, graph=GRAPH, scores=frame["score"].to_numpy(), labels="hired"
    )
    by_values = found.release(seed=1).rows
    assert by_values["said"].tolist() == audited(frame).release(seed=2).rows["said"].tolist()
    named = found.release(seed=1, method=eh.ModifyData(rank=found.score_column))
    pd.testing.assert_frame_equal(named.rows, by_values)


def test_a_report_says_how_predictions_were_chosen_and_how_accurate_they_are():
    found = audited(people())
    by_score = found.release(seed=1)
    page = found.report(by_score).html
    assert "nearest to the other side by score" in page
    assert str(by_score.accuracy) in page
    by_chance = found.release(seed=1, method=eh.ModifyData())
    assert "nearest to the other side" not in found.report(by_chance).html


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_a_batch_is_reproduced(name, tmp_path):
    source = tmp_path / "people.csv"
    people().to_csv(source, index=False)
    found = audited(source)
    written = found.release(seed=1, drop=["score"]).write(tmp_path / name)
    assert is_reproduced(written, lambda seed: found.release(seed=seed, drop=["score"]))
