"""Whatever holds the rows: what comes back, and what is written of it."""

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from tests.hiring import (
    COLUMNS,
    GRAPH,
    NAMES,
    QUESTION,
    audited,
    csv_text,
    people,
    released,
    table,
)

from evenhand import CountTable, checker
from evenhand.errors import QuestionError
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
    with pytest.raises(QuestionError, match="files of this folder"):
        released(folder).write(folder / "out.csv")


def test_a_frame_can_be_written(tmp_path):
    frame = pd.DataFrame(table(), index=pd.Index(range(400, 800), name="person"))
    released(frame).write(tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").index.equals(frame.index)
    released(frame).write(tmp_path / "plain.csv")
    assert list(pd.read_csv(tmp_path / "plain.csv").columns) == list(NAMES)


def test_counts_are_written_with_a_column_for_them(tmp_path):

    from evenhand.releasing.release import release  # noqa: PLC0415

    counts = CountTable.of({name: table()[name] for name in COLUMNS})
    found = certify(counts, GRAPH, QUESTION)
    made = release(counts, ModifyData().plan(found))
    written = made.write(tmp_path / "out.csv")
    assert read(written.data, frequency="count").count() == made.rows
    assert checker.verify(written.certificate.read_text(), str(written.data))[0] == 0


def test_generated_rows_are_written(source, tmp_path):
    made = released(source, method=ModifyGraph(generate=True))
    written = made.write(tmp_path / "out.csv")
    assert read(written.data).count() == made.certificate.examined.counts


def test_counts_come_back_as_counts():
    counts = CountTable.of({name: table()[name] for name in COLUMNS})
    _, found = audited(pa.table(table()))
    made = release(counts, ModifyData().plan(found), seed=1)
    assert isinstance(made.rows, CountTable)
    assert made.rows.row_count == counts.row_count
    assert made.certificate.verdict is Verdict.CERTIFIED


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


def test_generated_rows_are_a_new_table_of_the_same_kind():
    frame = pd.DataFrame(table())
    made = released(frame, method=ModifyGraph(generate=True))
    assert isinstance(made.rows, pd.DataFrame)
    assert sorted(made.rows.columns) == sorted(COLUMNS)
    assert len(made.rows) == made.changed_rows == len(frame)
    assert made.certificate.verdict is Verdict.CERTIFIED
