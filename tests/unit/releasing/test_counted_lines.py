"""Releases of counted tables tell nothing of the counts before but the counts after."""

import csv
import io
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evenhand as eh
from evenhand.errors import InputError

GRAPH = eh.CausalGraph.parse("town -> hired; sex -> hired; note")
ASKED = eh.Question(
    protected="sex", group="f", other="m", decision="hired", favorable="1", threshold="0.05"
)
GROUPS = {"a": (40, 40, 60, 20), "b": (3, 6, 7, 1), "c": (30, 30, 30, 30)}
NAMES = ("town", "sex", "hired", "note", "n")
NOTES = ("1", "1.0")


def lines(groups=GROUPS, *, spelled=("1", "0"), mix=1):
    cells = [*product("fm", spelled)]
    found = [
        (town, sex, hired, "x, y", str(n))
        for town, four in groups.items()
        for (sex, hired), n in zip(cells, four, strict=True)
        if n
    ]
    return shuffled(found, mix)


def shuffled(found, mix):
    return [found[at] for at in np.random.default_rng(mix).permutation(len(found))]


def written(found, path):
    """The lines as a file of the kind that its name says."""
    columns = dict(zip(NAMES, map(list, zip(*found, strict=True)), strict=True))
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([NAMES, *found])
        return path
    content = pa.table({**columns, "n": [int(float(n)) for n in columns["n"]]})
    if path.suffix == ".parquet":
        pq.write_table(content, path)
    else:
        with pa.ipc.new_file(path, content.schema) as writer:
            writer.write_table(content)
    return path


def released(source, *, seed=1, drop=(), **options):
    rows = eh.read(source, frequency="n", **options)
    return eh.audit(rows, ASKED, graph=GRAPH).release(seed=seed, drop=drop)


def as_lines(rows):
    batches = rows.batches() if hasattr(rows, "batches") else rows.to_batches()
    return [tuple(map(str, line.values())) for batch in batches for line in batch.to_pylist()]


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
def test_the_lines_are_merged_and_sorted(form, tmp_path):
    made = released(written(lines(), tmp_path / f"in.{form}"))
    after = as_lines(eh.read(made.write(tmp_path / f"out.{form}").data, frequency="n"))
    assert after == sorted(after)
    assert len({line[:-1] for line in after}) == len(after)
    assert sum(int(line[-1]) for line in after) == sum(map(sum, GROUPS.values()))
    assert made.changed_rows > 0


@pytest.mark.parametrize("form", ["csv", "parquet", "arrow"])
def test_tables_with_the_same_released_counts_give_the_same_bytes(form, tmp_path):
    """Group b of the second table is what the release makes of that of the first."""
    made = released(written(lines(), tmp_path / f"in.{form}"))
    first = made.write(tmp_path / f"one.{form}").data
    again = [(*line[:4], line[4]) for line in as_lines(eh.read(first, frequency="n"))]
    again = shuffled(again, 3)
    other = released(written(again, tmp_path / f"again.{form}"))
    assert other.changed_rows == 0
    assert other.write(tmp_path / f"two.{form}").data.read_bytes() == first.read_bytes()


def test_lines_of_nobody_and_spellings_of_numbers_tell_nothing(tmp_path):
    found = lines()
    found += [("d", "f", "1", "x, y", "0"), ("a", "f", "1.0", "x, y", "5.0")]
    found += [("c", "m", "0", "x, y", "007")]
    data = released(written(found, tmp_path / "in.csv")).write(tmp_path / "out.csv").data
    after = [*csv.reader(io.StringIO(data.read_text(), newline=""))][1:]
    assert {line[2] for line in after} == {"0", "1"}
    assert not any(line[0] == "d" for line in after)
    assert all(line[4] == str(int(line[4])) for line in after)
    assert data.read_text().count('"x, y"') == len(after)


def test_only_where_a_plan_may_write_is_one_label_one_value(tmp_path):
    """Spellings of one label are merged in a column that a plan may change, and in no other."""
    graph = eh.CausalGraph.parse("town -> hired; sex -> hired")
    found = [(*line[:3], "1", line[4]) for line in lines()]
    found += [("a", "f", "1", "1.0", "3"), ("a", "f", "1", "1.0", "4")]
    found += [("c", "m", "0.0", "1", "6"), ("c", "m", "0", "1.0", "5")]
    rows = eh.read(written(found, tmp_path / "in.csv"), frequency="n", exclude=["note"])
    data = eh.audit(rows, ASKED, graph=graph).release(seed=1).write(tmp_path / "out.csv").data
    after = [*csv.reader(io.StringIO(data.read_text(), newline=""))][1:]
    keys = [tuple(line[:4]) for line in after]
    assert len({*keys}) == len(keys)
    notes = {note: sum(int(line[4]) for line in after if line[3] == note) for note in NOTES}
    assert notes == {"1": sum(map(sum, GROUPS.values())) + 6, "1.0": 12}


def test_lines_that_are_alike_without_a_dropped_column_become_one(tmp_path):
    found = [(*line[:3], f"note {at}", line[4]) for at, line in enumerate(lines() + lines())]
    source = written(found, tmp_path / "in.csv")
    rows = eh.read(source, frequency="n", exclude=["note"])
    audit = eh.audit(rows, ASKED, graph=eh.CausalGraph.parse("town -> hired; sex -> hired"))
    data = audit.release(seed=1, drop=["note"]).write(tmp_path / "out.csv").data
    after = [*csv.reader(io.StringIO(data.read_text(), newline=""))][1:]
    assert len(after) == 12


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_counts_too(kind):
    columns = dict(zip(NAMES, map(list, zip(*lines(), strict=True)), strict=True))
    columns["n"] = list(map(int, columns["n"]))
    after = released(kind(columns)).rows
    texts = [
        tuple(map(str, line)) for line in zip(*(after[name] for name in NAMES), strict=True)
    ]
    keys = [line[:-1] for line in texts]
    assert keys == sorted({*keys})
    if kind is pd.DataFrame:
        assert list(after.index) == list(range(len(after)))


def test_the_manner_of_the_text_stays(tmp_path):
    text = "\ufefftown;sex;hired;note;n\r\n" + "".join(
        ";".join(line) + "\r\n" for line in lines()
    )
    (tmp_path / "in.csv").write_bytes(text.encode())
    data = released(tmp_path / "in.csv").write(tmp_path / "out.csv").data.read_bytes()
    assert data.startswith("\ufefftown;sex;hired;note;n\r\na;f;0;x, y;".encode())
    assert data.count(b"\r\n") == data.count(b"\n")


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table.from_pandas, pl.from_pandas])
def test_a_value_that_becomes_missing_is_missing(kind):
    """A bonus stands where somebody is hired, and nowhere else: so it is after a release."""
    graph = eh.CausalGraph.parse("town -> hired; sex -> hired; hired -> bonus")
    found = [(town, sex, hired, n) for town, sex, hired, _, n in lines()]
    frame = pd.DataFrame(found, columns=["town", "sex", "hired", "n"])
    frame["n"] = frame["n"].astype(int)
    frame["bonus"] = frame["hired"].map({"1": "yes", "0": None})
    rows = eh.read(kind(frame), frequency="n", missing="level")
    made = eh.audit(rows, ASKED, graph=graph).release(method=eh.ModifyGraph(), seed=1)
    after = (
        eh.read(made.rows, frequency="n", missing="level").count().marginal(["hired", "bonus"])
    )
    assert made.changed_rows
    assert {(hired, bonus == "yes") for (hired, bonus), _ in after} == {
        ("1", True),
        ("0", False),
    }


@pytest.mark.parametrize(("more", "why"), [(1, "more of a kind"), (-1, "fewer of a kind")])
def test_other_lines_than_were_counted_are_refused(more, why):
    frame = pd.DataFrame(lines(), columns=NAMES).astype({"n": int})
    plan = eh.audit(eh.read(frame, frequency="n"), ASKED, graph=GRAPH).plan()
    wanted = next(iter(plan.moves)).where
    changed = (frame[[*wanted]] == [*wanted.values()]).all(axis=1)
    frame.loc[changed.idxmax(), "n"] += more
    with pytest.raises(InputError, match=why):
        eh.release(eh.read(frame, frequency="n"), plan)
