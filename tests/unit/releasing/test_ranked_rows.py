"""Rows chosen by score, against pandas' largest and smallest of the same rows."""

import csv

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import people_in_engines
from tests.hiring import COLUMNS, audited, is_reproduced, released, table

import evenhand as eh
from evenhand.errors import (
    CannotReleaseError,
    ColumnError,
    InputError,
    ValuesError,
)
from evenhand.releasing.ranked_rows import check_scores
from evenhand.removal import ModifyData

BY_SCORE = ModifyData(rank="score")


def scored(*, digits=6, **options):
    """People with a score that goes with their decision, as far as chance lets it."""
    frame = pd.DataFrame(table(**options))
    noise = np.random.default_rng(5).random(len(frame))
    return frame.assign(score=((frame["hired"] == "yes") * 0.3 + noise * 0.7).round(digits))


def by_pandas(frame, **options):
    """The decisions in which the people nearest to the other side of each kind changed."""
    _, certificate = audited(frame, **options)
    wanted = {}
    for move in ModifyData().plan(certificate).moves:
        wanted[tuple(move.where.items())] = move
    decisions = frame["hired"].copy()
    for where, move in wanted.items():
        alike = frame[np.logical_and.reduce([frame[name] == value for name, value in where])]
        best = alike.nlargest if move.becomes["hired"] == "yes" else alike.nsmallest
        chosen = best(move.row_count, "score", keep="first")
        decisions[chosen.index] = move.becomes["hired"]
    assert (decisions != frame["hired"]).any()
    return decisions.tolist()


def in_a_file(frame, path, name="people.csv"):
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pandas(frame), path / name)
    else:
        frame.to_csv(path / name, index=False)
    return path / name


def in_several_files(frame, path):
    (path / "parts").mkdir()
    for at, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        in_a_file(frame.iloc[part], path / "parts", f"{at}.csv")
    return path / "parts"


KINDS = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "Arrow": lambda frame, _: pa.Table.from_pandas(frame),
    "text": in_a_file,
    "Parquet": lambda frame, path: in_a_file(frame, path, "people.parquet"),
    "several files": in_several_files,
}


def decisions_of(rows, name="hired"):
    """The decisions of whatever kind of table came out."""
    if isinstance(rows, eh.Rows):
        rows = pa.Table.from_batches(rows.batches())
    return rows[name].to_pylist() if isinstance(rows, pa.Table) else list(rows[name])


@pytest.mark.parametrize("digits", [6, 1], ids=["few ties", "many ties"])
@pytest.mark.parametrize("kind", KINDS)
def test_those_nearest_to_the_other_side_change(kind, digits, tmp_path):
    frame = scored(digits=digits)
    source = KINDS[kind](frame, tmp_path)
    for seed in (1, 2):
        made = released(source, method=BY_SCORE, seed=seed)
        assert decisions_of(made.rows) == by_pandas(frame)
        assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert decisions_of(released(frame).rows) != by_pandas(frame)


GRADES = ("none", "wait", "some", "full")
SETS = {
    "unordered": {"favorable": ("some", "full")},
    "ordered": {"favorable": ("some", "full"), "order": GRADES},
    "one unfavorable": {"favorable": ("wait", "some", "full")},
}


def graded(rows=900):
    """People with one of four grades; men have the higher scores, and the better grades."""
    random = np.random.default_rng(3)
    sex, degree = random.choice([*"fm"], rows), random.choice(["none", "some"], rows)
    score = (0.7 * random.random(rows) + 0.3 * (sex == "m")).round(2)
    grade = np.digitize(score + 0.3 * random.random(rows), [0.4, 0.6, 0.9])
    return pd.DataFrame(
        {"sex": sex, "degree": degree, "grade": np.array(GRADES)[grade], "score": score}
    )


def released_grades(source, asked, *, seed=1, **settings):
    question = eh.Question(protected="sex", group="f", decision="grade", **asked)
    graph = eh.CausalGraph.parse("sex -> grade; degree -> grade")
    columns = ["sex", "degree", "grade"]
    method = ModifyData(rank="score", **settings)
    return released(
        source, question=question, graph=graph, columns=columns, method=method, seed=seed
    )


@pytest.mark.parametrize("asked", SETS)
@pytest.mark.parametrize(
    ("kind", "policy"),
    [*((kind, "minimal") for kind in KINDS), ("pandas", "raise"), ("pandas", "group")],
)
def test_of_each_decision_those_nearest_to_a_set_of_favorable_values_change(
    kind, asked, policy, tmp_path
):
    frame, favorable = graded(), SETS[asked]["favorable"]
    made = released_grades(KINDS[kind](frame, tmp_path), SETS[asked], policy=policy)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    after = frame.assign(new=decisions_of(made.rows, "grade"))
    planned = {}
    for move in made.plan.moves:
        where = tuple(move.where[name] for name in ("sex", "degree", "grade"))
        planned.setdefault(where, {})[move.becomes["grade"]] = move.row_count
    assert planned
    for where, alike in after.groupby(["sex", "degree", "grade"]):
        changed = alike[alike["new"] != alike["grade"]]
        assert changed["new"].value_counts().to_dict() == planned.get(where, {})
        best = alike.nsmallest if where[-1] in favorable else alike.nlargest
        nearest = best(len(changed), "score", keep="first")
        assert {*changed.index} == {*nearest.index}
        assert not {where[-1] in favorable} & {*changed["new"].isin(favorable)}


@pytest.mark.parametrize("asked", SETS)
def test_the_seed_says_only_which_of_several_values_a_row_becomes(asked, tmp_path):
    frame = graded()
    first, second = (released_grades(frame, SETS[asked], seed=seed) for seed in (1, 2))
    old, one, other = (pd.Series(table["grade"]) for table in (frame, first.rows, second.rows))
    assert ((one != old) == (other != old)).all()
    assert (one != other).any() == (asked == "unordered")
    written = first.write(tmp_path / "out.csv")
    assert is_reproduced(written, lambda seed: released_grades(frame, SETS[asked], seed=seed))


@pytest.mark.parametrize("kind", ["pandas", "text", "Parquet"])
def test_rows_that_are_left_out_need_no_score(kind, tmp_path):
    frame = scored()
    frame.loc[::7, ["degree", "score"]] = None
    made = released(KINDS[kind](frame, tmp_path), method=BY_SCORE, missing="drop")
    whole = frame.dropna(subset=["degree"])
    assert decisions_of(made.rows) == by_pandas(whole.reset_index(drop=True))


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow"])
@pytest.mark.parametrize("kind", ["text", "Parquet", "several files", "polars"])
def test_what_is_written_is_what_is_counted_and_is_reproduced(kind, name, tmp_path):
    frame = scored(digits=1)
    source = KINDS[kind](frame, tmp_path)
    made = released(source, method=BY_SCORE)
    written = made.write(tmp_path / name)
    found = pa.Table.from_batches(eh.read(written.data).batches())
    assert decisions_of(found) == decisions_of(made.rows) == by_pandas(frame)
    assert is_reproduced(written, lambda seed: released(source, method=BY_SCORE, seed=seed))


def test_numbers_may_be_texts_and_the_scores_need_not_be_released(tmp_path):
    frame = scored()
    expected = by_pandas(frame)
    texts = frame.assign(score=frame["score"].map(" {:.6f} ".format))
    rows, certificate = audited(texts)
    made = eh.release(rows, BY_SCORE.plan(certificate), seed=1, drop=["score"])
    assert decisions_of(made.rows) == expected
    assert "score" not in made.rows
    written = made.write(tmp_path / "out.csv")
    with written.data.open(newline="") as file:
        assert [row["hired"] for row in csv.DictReader(file)] == expected


def test_whoever_releases_the_scores_is_warned():
    rows, certificate = audited(scored())
    plan = BY_SCORE.plan(certificate)
    made = eh.release(rows, plan, seed=1)
    (first,) = made.warnings
    assert "by which rows were chosen" in first.what
    (remedy,) = first.remedies
    helped = eh.release(rows, plan, seed=1, **{remedy.argument: remedy.value})
    assert helped.warnings == ()


def test_how_rows_were_chosen_is_said():
    made = released(scored(), method=BY_SCORE)
    assert made.to_dict()["rank"] == made.plan.to_dict()["rank"] == "score"
    assert "nearest to the other side by score" in str(made.summary())
    assert "nearest to the other side by score" in str(made.plan.summary())
    by_chance = released(scored())
    assert "rank" not in by_chance.to_dict() | by_chance.plan.to_dict()
    assert "nearest" not in f"{by_chance.summary()}{by_chance.plan.summary()}"


@pytest.mark.parametrize("are_counted", [True, False])
def test_tables_without_single_rows_are_refused(are_counted):
    rows, certificate = audited(scored())
    lines = eh.read(scored().assign(people=1), columns=COLUMNS, frequency="people")
    with pytest.raises(CannotReleaseError, match="stands for several") as refused:
        eh.release(rows.count() if are_counted else lines, BY_SCORE.plan(certificate), seed=1)
    assert [one.argument for one in refused.value.problems[0].remedies] == ["", "rank"]


@people_in_engines.quiet
def test_engines_are_refused(persons):
    found = people_in_engines.audit(persons)
    with pytest.raises(CannotReleaseError, match="engine have no order"):
        found.release(method=BY_SCORE, seed=1, key="id")


@pytest.mark.parametrize("scores", ["high", None, "inf"])
@pytest.mark.parametrize("kind", ["pandas", "text"])
def test_scores_that_are_no_numbers_are_refused(kind, scores, tmp_path):
    frame = scored().astype({"score": str}).astype({"score": object})
    frame.loc[::3, "score"] = scores
    with pytest.raises(InputError, match="'score' are not all numbers") as refused:
        released(KINDS[kind](frame, tmp_path), method=BY_SCORE)
    assert refused.value.problems[0].remedies[0].argument == "rank"


def test_an_unknown_column_is_refused():
    with pytest.raises(ColumnError, match="Did you mean 'score'"):
        released(scored(), method=ModifyData(rank="scores"))


def test_rows_without_a_score_may_come_first(tmp_path):
    frame = scored()
    gaps = frame.assign(score=np.nan)
    for first, second in ((gaps, frame), (frame, gaps)):
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        folder.mkdir()
        first.to_csv(folder / "1.csv", index=False)
        second.to_csv(folder / "2.csv", index=False)
        check_scores(eh.read(folder), "score")
    for none in (gaps, frame.assign(score="high"), frame.assign(score=np.inf)):
        with pytest.raises(ValuesError, match="The scores in 'score' are no numbers"):
            check_scores(eh.read(none), "score")
    first.assign(score="high").to_csv(folder / "1.csv", index=False)
    with pytest.raises(ValuesError, match="are no numbers"):
        check_scores(eh.read(folder), "score")
