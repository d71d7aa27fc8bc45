"""Whatever holds the rows: what comes back, and what is written of it."""

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests import several_groups
from tests.hiring import (
    COLUMNS,
    GRAPH,
    NAMES,
    QUESTION,
    csv_text,
    people,
    released,
    table,
)

from evenhand import CausalGraph, Codings, CountTable, Question, audit, checker
from evenhand.evidence import Verdict, certify
from evenhand.releasing.release import release
from evenhand.removal import (
    ModifyData,
    ModifyGraph,
)
from evenhand.rows import Rows, read


def test_the_rows_of_a_release_can_be_released_again(source):
    rows = released(source).rows
    found = certify(rows.count(), GRAPH, QUESTION, codings=rows.codings)
    again = release(rows, ModifyData().plan(found))
    assert again.changed_rows == 0
    assert again.rows.equals(pa.Table.from_batches(rows.batches()))


def test_several_files_become_one(tmp_path):
    found, folder = people(), tmp_path / "in"
    folder.mkdir()
    for name, part in (("a.csv", found[:100]), ("b.csv", found[100:])):
        (folder / name).write_text(csv_text(part).removesuffix("\n"), newline="")
    (tmp_path / "whole.csv").write_text(csv_text(found).removesuffix("\n"), newline="")
    released(folder).write(tmp_path / "parts-released.csv")
    released(tmp_path / "whole.csv").write(tmp_path / "whole-released.csv")
    parts, whole = (tmp_path / f"{name}-released.csv" for name in ("parts", "whole"))
    assert parts.read_bytes() == whole.read_bytes()


def test_a_frame_can_be_written(tmp_path):
    frame = pd.DataFrame(table(), index=pd.Index(range(400, 800), name="person"))
    released(frame).write(tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").index.equals(frame.index)
    released(frame).write(tmp_path / "plain.csv")
    assert list(pd.read_csv(tmp_path / "plain.csv").columns) == list(NAMES)


def test_counts_come_back_as_counts_and_are_written_with_a_column_for_them(tmp_path):
    counts = CountTable.of({name: table()[name] for name in COLUMNS})
    made = release(counts, ModifyData().plan(certify(counts, GRAPH, QUESTION)), seed=1)
    assert isinstance(made.rows, CountTable)
    assert made.rows.row_count == counts.row_count
    assert made.certificate.verdict is Verdict.CERTIFIED
    written = made.write(tmp_path / "out.csv")
    assert read(written.data, frequency="count").count() == made.rows
    assert checker.verify(written.certificate.read_text(), str(written.data))[0] == 0


def test_a_file_is_read_only_when_its_rows_are_asked_for(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(table()).to_csv(path, index=False)
    made = released(path)
    assert isinstance(made.rows, Rows)
    assert made.rows.count() == made.certificate.examined.counts
    assert sum(batch.num_rows for batch in made.rows.batches()) == 400


def test_a_relation_comes_back_as_an_arrow_table_in_its_order():
    source = pa.table(table())
    made = released(duckdb.sql("select * from source"))
    assert made.rows.column("note").to_pylist() == source.column("note").to_pylist()
    assert made.certificate.verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_generated_rows_are_a_new_table_of_the_same_kind(kind, tmp_path):
    made = released(kind(table()), method=ModifyGraph(generate=True))
    assert type(made.rows) is type(kind(table()))
    written = read(made.write(tmp_path / "out.csv").data)
    assert sorted(written.columns) == sorted(COLUMNS)
    assert written.count() == made.certificate.examined.counts
    assert len(made.rows) == made.changed_rows == 400
    assert made.certificate.verdict is Verdict.CERTIFIED


def widest(rows, question):
    """The largest difference of rates of groups that are compared, from a data frame."""
    frame = pd.DataFrame(rows)
    frame["group"] = frame[[*question.protected_names]].agg(" & ".join, axis=1)
    parents = ("sex", "race", "town")
    causes = [name for name in parents if name not in question.protected_names]
    if question.other == "rest":
        frame["group"] = frame.group.where(frame.group == question.group, "rest")
    elif None not in (question.group, question.other):
        frame = frame[frame.group.isin([question.group, question.other])]
    values = [[value] for value in several_groups.ORDER]
    sets = {
        "favorable": [[*question.favorable_values]],
        "every": values,
        "cumulative": [["Low"], ["Low", "Medium"]],
    }[question.criterion]
    largest = 0.0
    for favorable in sets:
        table = frame.assign(yes=frame.score.isin(favorable).astype(float)).pivot_table(
            index=causes, columns="group", values="yes", aggfunc=["mean", "count"]
        )
        rates = table["mean"].where(table["count"] >= question.min_rows)
        if question.group is None and question.other is not None:
            spread = rates.sub(rates[question.other], axis=0).abs()
        else:
            spread = rates.max(axis=1) - rates.min(axis=1)
        largest = max(largest, float(spread.max().max()))
    return largest


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_many_groups_and_values_change_alike_in_every_local_format(name, tmp_path):
    """The same seed changes the same people to the same values, and nothing else."""
    question, rows = several_groups.RELEASED[name], several_groups.people()
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.to_parquet(tmp_path / "in.parquet", index=False)
    sources = {
        "csv": tmp_path / "in.csv",
        "parquet": tmp_path / "in.parquet",
        "pandas": frame,
        "polars": pl.DataFrame(rows),
        "arrow": pa.table(rows),
    }
    assert widest(rows, question) >= 0.05
    before, changed = several_groups.decisions(rows), {}
    for kind, source in sources.items():
        found = audit(
            source, question, graph=several_groups.GRAPH, codings=several_groups.CODINGS
        )
        made = found.release(seed=7)
        end = "parquet" if kind == "parquet" else "csv"
        written = made.write(tmp_path / f"{kind}.{end}")
        after = pd.read_parquet(written.data) if end == "parquet" else pd.read_csv(written.data)
        assert after.drop(columns="score").equals(frame.drop(columns="score"))
        assert widest(after, question) < 0.05
        assert made.certificate.verdict is Verdict.CERTIFIED
        now = several_groups.decisions(after)
        changed[kind] = {one: (old, now[one]) for one, old in before.items() if now[one] != old}
        assert len(changed[kind]) == made.changed_rows == made.plan.changed_rows
        record = written.certificate.read_text()
        assert checker.verify(record, *([str(written.data)] if end == "csv" else []))[0] == 0
    assert changed["csv"]
    for kind in sources:
        assert changed[kind] == changed["csv"], kind


@pytest.mark.parametrize("name", several_groups.RELEASED)
def test_many_groups_and_values_of_counts_and_counted_lines(name, tmp_path):
    """Counts and a file with frequencies: as many rows move as of single rows."""
    question, rows = several_groups.RELEASED[name], several_groups.people()
    names = ("sex", "race", "town", "score")
    counts = CountTable.of({one: rows[one] for one in names})
    lines = [",".join([*labels, str(n)]) for labels, n in counts]
    (tmp_path / "in.csv").write_text("\n".join([",".join([*names, "n"]), *lines]) + "\n")
    made = [
        audit(source, question, graph=several_groups.GRAPH, **options).release(seed=7)
        for source, options in (
            (counts, {}),
            (tmp_path / "in.csv", {"codings": Codings.of(frequency="n")}),
        )
    ]
    rows_moved = (
        audit(
            pa.table(rows), question, graph=several_groups.GRAPH, codings=several_groups.CODINGS
        )
        .plan()
        .changed_rows
    )
    for release_ in made:
        written = release_.write(tmp_path / f"{made.index(release_)}.csv")
        frequency = "count" if release_ is made[0] else "n"
        after = read(written.data, frequency=frequency).count()
        assert release_.changed_rows == rows_moved
        spread = [
            dict(zip(after.names, labels, strict=True)) for labels, n in after for _ in range(n)
        ]
        assert widest(spread, question) < 0.05
        others = ["sex", "race", "town"]
        assert after.marginal(others) == counts.marginal(others)
        record = written.certificate.read_text()
        assert checker.verify(record, str(written.data))[0] == 0


EFFECTS = CausalGraph.parse("race -> hired; sex -> hired; town -> hired; hired -> pay")


@pytest.mark.parametrize(
    "asked",
    [
        {"protected": "race"},
        {"protected": "race", "other": "c"},
        {"protected": ("sex", "race")},
        {"protected": ("sex", "race"), "min_rows": 10},
    ],
    ids=["pairs", "reference", "crossed", "least rows"],
)
def test_effects_of_the_decision_are_drawn_anew_for_many_groups(asked, tmp_path):
    """Pay follows the decision without exception here, so it must in changed rows, too."""
    rows = several_groups.people()
    hired = ["yes" if score == "Low" else "no" for score in rows["score"]]
    pays = {"yes": ["good", "great"], "no": ["none"]}
    pay = [pays[h][at % len(pays[h])] for at, h in enumerate(hired)]
    frame = pd.DataFrame(
        {name: rows[name] for name in ("id", "sex", "race", "town")}
        | {"hired": hired, "pay": pay}
    )
    question = Question(decision="hired", favorable="yes", **asked)
    frame.to_csv(tmp_path / "in.csv", index=False)
    results = []
    for source in (tmp_path / "in.csv", frame, pl.from_pandas(frame), pa.table(frame)):
        codings = Codings.of(columns=["sex", "race", "town", "hired", "pay"])
        found = audit(source, question, graph=EFFECTS, codings=codings, min_coverage="0.5")
        made = found.release(method=ModifyGraph(), seed=11)
        written = made.write(tmp_path / f"{len(results)}.csv")
        after = pd.read_csv(written.data, keep_default_na=False)
        results.append(after)
        assert made.certificate.verdict is Verdict.CERTIFIED
        same = ["id", "sex", "race", "town"]
        assert after[same].equals(frame[same])
        changed = after.hired != frame.hired
        assert changed.sum() == made.changed_rows > 0
        assert (after.pay[~changed] == frame.pay[~changed]).all()
        assert {*zip(after.hired, after.pay, strict=True)} <= {*zip(hired, pay, strict=True)}
        assert checker.verify(written.certificate.read_text(), str(written.data))[0] == 0
    for after in results:
        assert after.equals(results[0])
