import json
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.hiring import COLUMNS, NAMES, QUESTION, audited, people, released, table

from evenhand import CountTable
from evenhand.errors import CannotReleaseError, InputError, QuestionError, ResourceError
from evenhand.evidence import Verdict
from evenhand.graph import CausalGraph
from evenhand.releasing.release import release
from evenhand.removal import (
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    ShuffleProtected,
)
from evenhand.rows import Rows

FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
    "lazy": lambda columns: pl.DataFrame(columns).lazy(),
}


def columns_of(frame):
    """The table as lists, whatever holds it."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return frame.to_pydict()
    lists = frame.to_dict("list") if isinstance(frame, pd.DataFrame) else frame.to_dict()
    return {name: list(values) for name, values in lists.items()}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param](table())


def test_a_frame_comes_back_as_the_same_kind_certified_and_changed_only_in_decisions(frame):
    made = released(frame)
    assert type(made.rows) is type(frame)
    assert made.certificate.verdict is Verdict.CERTIFIED
    before, after = columns_of(frame), columns_of(made.rows)
    assert list(before) == list(after)
    for name in set(NAMES) - {"hired"}:
        assert before[name] == after[name]
    changed = sum(a != b for a, b in zip(before["hired"], after["hired"], strict=True))
    assert 0 < changed == made.changed_rows == made.plan.changed_rows


def test_the_frame_that_came_in_stays_as_it_was(frame):
    before = columns_of(frame)
    _ = released(frame).rows
    assert columns_of(frame) == before


def test_a_relation_comes_back_as_an_arrow_table_in_its_order():
    source = pa.table(table())
    made = released(duckdb.sql("select * from source"))
    assert made.rows.column("note").to_pylist() == source.column("note").to_pylist()
    assert made.certificate.verdict is Verdict.CERTIFIED


def test_pandas_keeps_types_index_and_attributes():
    frame = pd.DataFrame(table())
    frame["hired"] = pd.Categorical(frame["hired"], ["yes", "unused", "no"], ordered=True)
    frame["number"] = np.float32(1.5)
    frame["when"] = pd.Timestamp("2020-01-01", tz="Europe/Berlin")
    frame.index = pd.Index([f"p{row % 50}" for row in range(len(frame))], name="person")
    frame.attrs["origin"] = "here"
    rows = released(frame).rows
    assert (rows.dtypes == frame.dtypes).all()
    assert rows.index.equals(frame.index)
    assert rows.index.name == "person"
    assert rows.attrs == {"origin": "here"}
    pd.testing.assert_frame_equal(rows.drop(columns="hired"), frame.drop(columns="hired"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (np.array([0, 1], np.int8), ("0", "1")),
        (np.array([0.0, 1.0]), ("0", "1")),
        (np.array([False, True]), ("false", "true")),
        (pd.array([0, 1], "Int64"), ("0", "1")),
        (pd.array(["a", "b"], "string[pyarrow]"), ("a", "b")),
    ],
)
def test_decisions_of_any_type_keep_it(old, new):
    frame = pd.DataFrame(table())
    codes = (frame["hired"] == "yes").to_numpy().astype(int)
    frame["hired"] = (
        pd.Series(old).take(codes).to_numpy()
        if isinstance(old, np.ndarray)
        else old.take(codes)
    )
    rows = released(frame, question=replace(QUESTION, favorable=new[1])).rows
    assert rows["hired"].dtype == frame["hired"].dtype
    assert set(rows["hired"]) == set(frame["hired"])


def test_polars_keeps_enumerations():
    frame = pl.DataFrame(table()).with_columns(
        pl.col("hired").cast(pl.Enum(["yes", "x", "no"]))
    )
    rows = released(frame).rows
    assert rows.schema == frame.schema


def test_arrow_keeps_chunks_dictionaries_and_metadata():
    source = pa.table(table()).replace_schema_metadata({"made": "by hand"})
    coded = source.column("hired").dictionary_encode()
    source = source.set_column(3, "hired", coded)
    source = pa.concat_tables([source.slice(0, 150), source.slice(150)])
    rows = released(source).rows
    assert rows.schema.equals(source.schema, check_metadata=True)
    assert [len(c) for c in rows.column("hired").chunks] == [150, 250]


def test_views_of_texts_beside_the_question_are_released_too():
    source = pa.table(table())
    source = source.set_column(0, "note", source.column("note").cast(pa.string_view()))
    rows = released(source, missing="drop", na=["none"]).rows
    assert rows.schema == source.schema


def test_counts_come_back_as_counts():
    counts = CountTable.of({name: table()[name] for name in COLUMNS})
    _, found = audited(pa.table(table()))
    made = release(counts, ModifyData().plan(found), seed=1)
    assert isinstance(made.rows, CountTable)
    assert made.rows.rows == counts.rows
    assert made.certificate.verdict is Verdict.CERTIFIED


def test_a_file_is_read_only_when_its_rows_are_asked_for(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(table()).to_csv(path, index=False)
    made = released(path)
    assert isinstance(made.rows, Rows)
    assert made.rows.count() == made.certificate.examined.counts
    assert sum(batch.num_rows for batch in made.rows.batches()) == 400


def test_rows_of_groups_outside_the_question_stay():
    frame = pd.DataFrame(table(groups="fmx"))
    rows = released(frame).rows
    others = frame["sex"] == "x"
    assert others.any()
    pd.testing.assert_frame_equal(rows[others], frame[others])


def test_pooled_groups_are_released_under_their_own_names():
    frame = pd.DataFrame(table(groups="fmx"))
    made = released(frame, question=replace(QUESTION, other="rest"))
    assert made.certificate.verdict is Verdict.CERTIFIED
    assert made.rows["sex"].tolist() == frame["sex"].tolist()


def test_rows_with_missing_values_are_absent_and_counted():
    frame = pd.DataFrame(table())
    frame.loc[::7, "degree"] = None
    made = released(frame, missing="drop")
    kept = frame.dropna(subset=["degree"])
    assert made.rows.index.tolist() == kept.index.tolist()
    assert made.certificate.dropped == 0
    assert made.certificate.release["dropped_before"] == len(frame) - len(kept)


def test_missing_values_may_be_a_level_of_their_own():
    frame = pd.DataFrame(table())
    frame.loc[::3, "degree"] = None
    made = released(frame, missing="level")
    assert made.rows["degree"].isna().sum() == frame["degree"].isna().sum()


def test_codings_do_not_change_what_is_released():
    frame = pd.DataFrame(table())
    frame["degree"] = frame["degree"].map({"none": 1.25, "some": 7.0, "most": 9.5})
    made = released(frame, bins={"degree": [5]})
    assert made.rows["degree"].tolist() == frame["degree"].tolist()


def test_lines_that_stand_for_several_rows_are_split():
    lines = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
    made = released(lines, frequency="n")
    assert made.rows["n"].sum() == 400
    assert made.rows["n"].dtype == lines["n"].dtype
    assert (made.rows["n"] > 0).all()
    assert made.certificate.verdict is Verdict.CERTIFIED
    whole = lines.groupby(["sex", "degree", "pay"])["n"].sum()
    assert (made.rows.groupby(["sex", "degree", "pay"])["n"].sum() == whole).all()


def test_more_rows_than_can_be_drawn_from_are_refused():
    lines = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
    lines["n"] *= 10**9
    with pytest.raises(ResourceError, match="alike"):
        released(lines, frequency="n")


def test_effects_are_drawn_anew_in_changed_rows_only():
    frame = pd.DataFrame(table(3000))
    made = released(frame, method=ModifyGraph())
    changed = frame["hired"] != made.rows["hired"]
    assert made.rows["pay"][~changed].equals(frame["pay"][~changed])
    assert changed.sum() == made.changed_rows
    assert set(made.rows["pay"]) == {"high", "low"}
    # Whoever is hired now is paid as those who were hired before.
    now_hired = made.rows[changed & (made.rows["hired"] == "yes")]
    assert 0.6 < (now_hired["pay"] == "high").mean() < 0.95


def test_effects_of_counted_lines_are_drawn_row_by_row():
    lines = pd.DataFrame(table(3000))[list(COLUMNS)].value_counts().rename("n").reset_index()
    made = released(lines, method=ModifyGraph(), frequency="n")
    assert made.rows["n"].sum() == 3000
    assert made.certificate.verdict is Verdict.CERTIFIED


def test_effects_counted_in_classes_cannot_be_drawn():
    with pytest.raises(CannotReleaseError, match="'pay'.*modify-data"):
        released(pa.table(table()), method=ModifyGraph(), merge={"pay": {"some": ["high"]}})


def test_a_policy_that_does_not_reach_the_criterion_is_refused_with_places():
    frame = pd.DataFrame(table(60))
    with pytest.raises(CannotReleaseError, match="degree = .*minimal") as refusal:
        released(frame, method=ModifyData(policy="paper"))
    assert refusal.value.exit_status == 3


def test_baselines_are_refused_unless_allowed(tmp_path):
    frame = pd.DataFrame(table())
    for method in (ShuffleProtected(), LocalMassaging(), LocalPreferentialSampling()):
        with pytest.raises(CannotReleaseError):
            released(frame, method=method)
        made = released(frame, method=method, uncertified=True)
        files = made.write(tmp_path / f"{method.name}.csv")
        assert files.data.name == f"{method.name}.uncertified.csv"
        assert files.certificate.name == f"{method.name}.uncertified.certificate.json"


def test_sampling_leaves_rows_out_and_doubles_others():
    frame = pd.DataFrame(table())
    made = released(frame, method=LocalPreferentialSampling(), uncertified=True)
    assert made.rows.index.has_duplicates
    assert set(made.rows.index) < set(frame.index)
    pd.testing.assert_frame_equal(made.rows, frame.loc[made.rows.index])


def test_generated_rows_are_a_new_table_of_the_same_kind():
    frame = pd.DataFrame(table())
    made = released(frame, method=ModifyGraph(generate=True))
    assert isinstance(made.rows, pd.DataFrame)
    assert sorted(made.rows.columns) == sorted(COLUMNS)
    assert len(made.rows) == made.changed_rows == len(frame)
    assert made.certificate.verdict is Verdict.CERTIFIED


def test_a_release_without_any_difference_in_decisions_is_refused():
    women, men = [("", "f", "none", "yes", "low")] * 5, [("", "m", "none", "yes", "low")] * 4
    frame = pd.DataFrame([*women, *men, ("", "m", "none", "no", "low")], columns=NAMES)
    with pytest.raises(CannotReleaseError, match="always be 'yes'"):
        released(frame)


def test_too_small_a_coverage_is_refused():
    frame = pd.DataFrame(table())
    frame["degree"] = frame["degree"].where(frame["sex"] == "f", "other")
    with pytest.raises(CannotReleaseError, match="both groups occur"):
        released(frame)


def test_other_block_sets_are_examined_as_before():
    graph = CausalGraph.parse("sex -> hired; degree -> hired; pay -> degree; sex -> pay")
    made = released(
        pd.DataFrame(table(3000)),
        method=ModifyData(margin="0.04"),
        graph=graph,
        scope="all",
        uncertified=True,
    )
    names = [partition.names for partition in made.certificate.partitions]
    assert ("degree",) in names
    assert len(names) > 1


def test_rows_of_another_audit_are_refused():
    _, found = audited(pd.DataFrame(table()))
    other = pd.DataFrame(table(seed=1))
    with pytest.raises(InputError, match="not those that were counted"):
        release(other, ModifyData().plan(found))


@pytest.mark.parametrize("seed", [-1, 2**128, 1.5, "7", True])
def test_only_whole_numbers_are_seeds(seed):
    with pytest.raises(QuestionError, match="seed"):
        released(pd.DataFrame(table()), seed=seed)


def test_without_a_seed_the_choice_differs_from_run_to_run():
    frame = pd.DataFrame(table())
    first, second = (released(frame, seed=None) for _ in range(2))
    assert first.seed != second.seed
    assert not first.rows.equals(second.rows)


def test_the_certificate_says_that_decisions_are_no_records_about_persons():
    made = released(pd.DataFrame(table()))
    assert any("no records about persons" in said for said in made.certificate.assumptions)
    assert made.certificate.release["changed_rows"] == made.changed_rows
    assert "changed_rows" not in made.certificate.to_shared_json()
    assert "no records about persons" in made.certificate.to_shared_json()
    assert str(made.seed) not in made.certificate.release.values()


@pytest.mark.parametrize(
    ("by", "said", "columns"),
    [
        (ModifyData(), "Decisions in these rows were changed to remove", ["hired"]),
        (ModifyGraph(), "changed, and with them pay drawn anew, to remove", ["hired", "pay"]),
        (ModifyGraph(generate=True), "none of the rows before was kept", sorted(COLUMNS)),
        (ShuffleProtected(), "The protected attribute sex was changed in these", ["sex"]),
        (LocalMassaging(), "Decisions in these rows were changed to remove", ["hired"]),
        (LocalPreferentialSampling(), "rows were left out and others doubled", []),
    ],
)
def test_the_notice_and_the_changed_columns_are_those_of_the_method(by, said, columns):
    made = released(pd.DataFrame(table()), method=by, uncertified=True)
    section = made.certificate.release
    assert said in section["notice"]
    assert section["notice"] in made.certificate.assumptions
    assert section["notice"] in made.summary().notes
    assert section["changed_columns"] == made.to_dict()["changed_columns"]
    assert sorted(section["changed_columns"]) == columns
    assert ("changed columns", ", ".join(section["changed_columns"]) or "none") in (
        made.summary().facts
    )
    assert (
        json.loads(made.certificate.to_shared_json())["release"]["changed_columns"]
        == (section["changed_columns"])
    )


def test_rows_of_other_groups_that_a_generated_table_lacks_are_counted():
    frame = pd.DataFrame(table(groups="fmx"))
    others = int((frame["sex"] == "x").sum())
    made = released(frame, method=ModifyGraph(generate=True))
    assert made.certificate.release["left_out_before"] == others
    assert len(made.rows) == len(frame) - others
    assert released(frame).certificate.release["left_out_before"] == 0


def test_the_distance_in_the_model_stands_beside_the_measured_one():
    made = released(pd.DataFrame(table()), method=ModifyGraph())
    assert made.to_dict()["model_distance"] == made.plan.model_distance > 0
    assert "distance in the model" in dict(made.summary().facts)
    plain = released(pd.DataFrame(table()))
    assert plain.to_dict()["model_distance"] == plain.plan.model_distance


def test_a_release_describes_itself():
    made = released(pd.DataFrame(table()))
    assert "certified after modify-data (minimal)" in str(made)
    found = made.to_dict()
    assert found["changed_rows"] == found["cell_changes"] // 2 == made.changed_rows
    assert found["after"]["subpopulations"]["violating"] == 0
    assert found["relearned"] is None


def test_people_without_a_difference_stay_as_they_are():
    frame = pd.DataFrame(people(4), columns=NAMES)
    frame = pd.concat([frame.assign(sex="f"), frame.assign(sex="m")])
    frame["hired"] = np.where(np.arange(len(frame)) % 4 < 2, "yes", "no")
    frame["degree"] = "none"
    made = released(frame)
    assert made.changed_rows == 0
    assert made.certificate.release["notice"] == "Nothing was changed in these rows."
    assert made.rows.equals(frame)
