"""Columns that a release drops; oracles look at the rows one by one."""

import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hiring import is_reproduced
from tests.people_in_engines import in_duckdb, quiet
from tests.revealing import (
    CODINGS,
    FORMS,
    GRAPH,
    REVEALING,
    as_csv,
    audit,
    changed_rows,
    columns_of,
    in_form,
    people,
    revealed,
)

import evenhand as eh
from evenhand import checker
from evenhand.errors import ColumnError, QuestionError


def check(before, after, drop):
    """Changed rows cannot be told, and nothing else has changed."""
    assert [*after] == [name for name in before if name not in drop]
    changed = changed_rows(before, after)
    for name in after:
        assert not revealed(before, after, name) or name in {"person", "note"}
        others = {
            row for row in range(len(before["sex"])) if before[name][row] != after[name][row]
        }
        assert others <= {*changed}
        assert not others or name == "hired"
    return changed


@pytest.mark.parametrize("form", FORMS)
def test_afterwards_no_column_reveals_a_changed_row(form, tmp_path):
    before = people()
    made = audit(in_form(before, form, tmp_path)).release(seed=7, drop=REVEALING)
    assert len(check(before, columns_of(made), REVEALING)) == made.changed_rows > 20
    assert made.revealing_columns == ()
    assert not [one for one in made.warnings if "reveal" in one.what]
    assert made.certificate.verdict is eh.Verdict.CERTIFIED


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_revealed_whatever_the_people_and_the_seed(seed):
    before = people(150 + 40 * seed, seed=seed)
    made = audit(pd.DataFrame(before)).release(seed=seed, drop=REVEALING)
    check(before, columns_of(made), REVEALING)
    assert made.revealing_columns == ()


@pytest.mark.parametrize("form", ["csv", "parquet", "feather"])
@pytest.mark.parametrize("output", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_files_are_written_and_reproduced(form, output, tmp_path):
    before = people()
    source = in_form(before, form, tmp_path)
    made = audit(source).release(seed=7, drop=REVEALING)
    files = made.write(tmp_path / f"released.{output}")
    written = eh.read(files.data, codings=made.certificate.codings)
    after = pa.Table.from_batches(written.batches()).to_pydict()
    after = {n: ["" if x is None else str(x) for x in column] for n, column in after.items()}
    check(before, after, REVEALING)
    assert is_reproduced(files, lambda seed: audit(source).release(seed=seed, drop=REVEALING))
    data = str(files.data) if output in {"csv", "tsv"} else None
    assert checker.verify(files.certificate.read_text(), data)[0] == 0
    statement = json.loads(files.certificate.read_text())["release"]
    assert statement["dropped_columns"] == [*REVEALING]
    assert statement["changed_columns"] == ["hired"]
    dropped = json.loads(files.manifest.read_text())["output"]["dropped_columns"]
    assert dropped == [*REVEALING]


@pytest.mark.parametrize(
    "drop", [["copy"], ["copy", "band"], ["person"], ["copy", "note", "person"]]
)
def test_dropping_keeps_the_text_of_every_other_field(drop, tmp_path):
    before = people()
    made = audit(in_form(before, "csv", tmp_path)).release(seed=7, drop=drop)
    files = made.write(tmp_path / "released.csv")
    after = {name: values for name, values in before.items() if name not in drop}
    after["hired"] = columns_of(made)["hired"]
    assert files.data.read_text() == as_csv(after)


def test_a_quoted_header_and_crlf_stay(tmp_path):
    path = tmp_path / "people.csv"
    lines = ['"copy, of it";sex;"degree";hired']
    lines += [
        f"{int(i % 3 > 0)};{'fm'[i % 3 > 0]};x;{['no', 'yes'][i % 3 > 0]}" for i in range(90)
    ]
    lines += [f"{i % 2};f;x;{['no', 'yes'][i % 2]}" for i in range(20)]
    path.write_bytes(("\ufeff" + "\r\n".join(lines) + "\r\n").encode())
    made = audit(path).release(seed=7, drop=["copy, of it"])
    text = made.write(tmp_path / "released.csv").data.read_bytes()
    assert text.startswith('\ufeffsex;"degree";hired\r\n'.encode())
    assert text.count(b"\r\n") == 111


@pytest.mark.parametrize("form", ["csv", "pandas"])
def test_of_columns_with_one_name_any_can_be_dropped(form, tmp_path):
    before = people()
    source = pd.DataFrame(before).rename(columns={"band": "copy"})
    path = tmp_path / "people.csv"
    source.to_csv(path, index=False)
    made = audit(path if form == "csv" else source).release(seed=7, drop=["copy.1"])
    text = made.write(tmp_path / "released.csv").data.read_text().replace('"', "")
    assert text.startswith("copy,note,sex,degree,hired,score,reason,person\n")
    assert {line[0] for line in text.splitlines() if line[1:2] == ","} == {"0", "1"}


def test_nothing_is_looked_for_where_nothing_changes():
    before = people()
    same = eh.Question(
        protected="sex", group="f", decision="hired", favorable="yes", threshold="0.9"
    )
    made = eh.audit(pd.DataFrame(before), same, graph=GRAPH, codings=CODINGS).release(seed=7)
    assert (made.changed_rows, made.revealing_columns) == (0, ())


def test_parquet_keeps_its_schema_but_for_what_is_dropped(tmp_path):
    source = in_form(people(), "parquet", tmp_path)
    files = audit(source).release(seed=7, drop=["score"]).write(tmp_path / "released.parquet")
    before, after = pq.read_schema(source), pq.read_schema(files.data)
    assert after.names == [name for name in before.names if name != "score"]
    assert all(after.field(name) == before.field(name) for name in after.names)


def test_counted_lines_are_merged_without_the_dropped_columns(tmp_path):
    before = pd.DataFrame(people(2000))[["sex", "degree", "hired", "copy", "reason"]]
    lines = before.value_counts().reset_index(name="people")
    path = tmp_path / "lines.csv"
    lines.to_csv(path, index=False)
    codings = eh.Codings.of(columns=["sex", "degree", "hired"], frequency="people")
    found = audit(path, codings=codings)
    assert {one.column for one in found.release(seed=7).revealing_columns} == {"copy", "reason"}
    made = found.release(seed=7, drop=["reason", "copy"])
    after = pd.read_csv(made.write(tmp_path / "released.csv").data)
    assert [*after] == ["sex", "degree", "hired", "people"]
    assert after["people"].sum() == 2000
    assert not after.duplicated(["sex", "degree", "hired"]).any()


@quiet
def test_an_engine_drops(tmp_path):
    ibis = pytest.importorskip("ibis", reason="the extra 'ibis' is not installed")
    before = people(2000)
    there = in_duckdb(ibis, pa.table(before | {"id": list(range(2000))}))
    found = audit(there)
    plain = found.release(seed=7, key="id")
    assert {one.column: one.rows for one in plain.revealing_columns} == dict.fromkeys(
        REVEALING, plain.changed_rows
    )
    made = found.release(seed=7, key="id", drop=REVEALING)
    assert made.revealing_columns == ()
    after = made.rows.order_by("id").drop("id").to_pyarrow().to_pydict()
    assert len(check(before, after, REVEALING)) == made.changed_rows
    again = found.release(seed=7, key="id", drop=REVEALING).rows.order_by("id").drop("id")
    assert again.to_pyarrow().to_pydict() == after
    files = made.write(tmp_path / "released")
    stored = there.get_backend().table("released").order_by("id").drop("id")
    assert stored.to_pyarrow().to_pydict() == after
    dropped = json.loads(files.manifest.read_text())["output"]["dropped_columns"]
    assert dropped == [*REVEALING]


@pytest.mark.parametrize(
    ("options", "problem", "words"),
    [
        ({"drop": ["degree"]}, QuestionError, "'degree' cannot be .*exclude=.*'degree'"),
        ({"drop": ["scores"]}, ColumnError, "no column 'scores'. Did you mean 'score'"),
        ({"drop": "copy"}, QuestionError, "drop"),
        (
            {"drop": ["copy"], "method": eh.ModifyGraph(generate=True)},
            QuestionError,
            "New rows",
        ),
    ],
)
def test_what_cannot_be_dropped_is_refused(options, problem, words):
    with pytest.raises(problem, match=words):
        audit(pd.DataFrame(people())).release(seed=7, **options)


def test_a_column_in_classes_can_be_dropped(tmp_path):
    codings = eh.Codings.of(columns=[*CODINGS.columns, "score"], bins={"score": [65, 75]})
    found = audit(in_form(people(), "csv", tmp_path), codings=codings, graph=GRAPH)
    files = found.release(seed=7, drop=["score"]).write(tmp_path / "released.csv")
    read = json.loads(files.certificate.read_text())["codings"]
    assert read == {"columns": [*CODINGS.columns], "missing": "error"}
    assert checker.verify(files.certificate.read_text(), str(files.data))[0] == 0
