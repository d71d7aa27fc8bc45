"""Every format written from every other; Parquet stays as it was."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hiring import COLUMNS, NAMES, csv_text, people, released, table

from evenhand.errors import InputError, QuestionError
from evenhand.evidence import Verdict
from evenhand.files.file_formats import ARROW, FORMATS, FileFormat
from evenhand.rows import read

ENDINGS = ("csv", "tsv", "parquet", "arrow", "feather", "arrows")


@pytest.mark.parametrize("into", ENDINGS)
@pytest.mark.parametrize("out_of", ["csv", "parquet", "arrow", "arrows"])
def test_every_form_can_be_written_from_every_other(tmp_path, out_of, into):
    source = tmp_path / f"people.{out_of}"
    content = pa.table(table())
    if out_of == "csv":
        source.write_text(csv_text(people()), newline="")
    elif out_of == "parquet":
        pq.write_table(content, source, row_group_size=150)
    else:
        begin = pa.ipc.new_file if out_of == "arrow" else pa.ipc.new_stream
        with begin(source, content.schema) as writer:
            writer.write_table(content, max_chunksize=150)
    made = released(source)
    written = made.write(tmp_path / f"out.{into}")
    after = read(written.data, columns=COLUMNS)
    assert after.count() == made.certificate.examined.counts
    notes = [note for batch in after.batches() for note in batch.column("note").to_pylist()]
    assert [note or "" for note in notes] == table()["note"]


def test_another_format_is_a_line_of_the_table(tmp_path, monkeypatch):
    compressed = FileFormat(kind=ARROW, compression="zstd")
    monkeypatch.setitem(FORMATS, ".arrow.zst", compressed)
    source = tmp_path / "people.csv"
    source.write_text(csv_text(people()), newline="")
    made = released(source)
    written = made.write(tmp_path / "out.arrow.zst")
    assert {path.name for path in (written.data, written.certificate)} == {
        "out.arrow.zst",
        "out.certificate.json",
    }
    again = read(tmp_path / "out.arrow.zst", columns=COLUMNS).count()
    assert again == made.certificate.examined.counts


def test_parquet_keeps_types_groups_and_compression(tmp_path):
    content = pa.table(table()).append_column("id", pa.array(range(400), pa.uint16()))
    content = content.append_column(
        "nested",
        pa.array([{"a": [1.5, None]}, None] * 200, pa.struct([("a", pa.list_(pa.float32()))])),
    )
    content = content.append_column(
        "when", pa.array([1] * 400, pa.timestamp("us", "Asia/Tokyo"))
    )
    fields = [field.with_nullable(field.name != "hired") for field in content.schema]
    content = content.cast(pa.schema(fields, metadata={"made": "by hand"}))
    source = tmp_path / "people.parquet"
    pq.write_table(
        content, source, row_group_size=150, compression="zstd", use_dictionary=["sex"]
    )
    made = released(source)
    made.write(tmp_path / "out.parquet")
    old, new = pq.ParquetFile(source), pq.ParquetFile(tmp_path / "out.parquet")
    assert new.schema_arrow.equals(old.schema_arrow)
    assert [new.metadata.row_group(at).num_rows for at in range(3)] == [150, 150, 100]
    assert new.metadata.row_group(0).column(1).compression == "ZSTD"
    assert not new.metadata.row_group(0).column(0).has_dictionary_page
    assert new.read().drop_columns("hired").equals(old.read().drop_columns("hired"))


def test_parquet_files_that_store_texts_in_different_ways_become_one(tmp_path):
    content, folder = pa.table(table()), tmp_path / "in"
    folder.mkdir()
    coded = content.set_column(3, "hired", content.column("hired").dictionary_encode())
    for name, part, options in (
        ("a", content.slice(0, 100), {}),
        ("b", content.slice(100, 100), {"use_dictionary": False}),
        ("c", coded.slice(200), {}),
    ):
        pq.write_table(part, folder / f"{name}.parquet", **options)
    released(folder).write(tmp_path / "out.parquet")
    after = pq.read_table(tmp_path / "out.parquet")
    assert after.schema == content.schema
    assert after.equals(released(content).rows)


def test_dictionaries_of_arrow_files_grow_where_they_must(tmp_path):
    content = pa.table(table()).sort_by("hired")
    kind = pa.dictionary(pa.int8(), pa.string())
    batches = [
        pa.RecordBatch.from_arrays(
            [*batch.columns[:3], batch.column("hired").cast(kind), batch.column("pay")], NAMES
        )
        for batch in content.combine_chunks().to_batches(100)
    ]
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    whole = pa.array(["no", "yes"])
    with pa.ipc.new_file(tmp_path / "in.arrow", batches[0].schema, options=options) as writer:
        for at, batch in enumerate(batches):
            decided = batch.column("hired").cast(pa.string())
            known = whole if at else whole.slice(0, 1)
            codes = pa.compute.index_in(decided, value_set=known).cast(pa.int8())
            column = pa.DictionaryArray.from_arrays(codes, known)
            writer.write(batch.set_column(3, "hired", column))
    for ending in ("arrow", "arrows", "parquet"):
        made = released(tmp_path / "in.arrow")
        written = made.write(tmp_path / f"out-{ending}.{ending}")
        assert read(written.data, columns=COLUMNS).count() == made.certificate.examined.counts


def test_dictionaries_without_the_new_value_get_it(tmp_path):
    content = pa.table(table())
    some = content.filter(pa.compute.equal(content.column("hired"), "no"))
    rest = content.filter(pa.compute.equal(content.column("hired"), "yes"))
    source = tmp_path / "people.parquet"
    with pq.ParquetWriter(source, content.schema) as writer:
        writer.write_table(some)
        writer.write_table(rest)
    made = released(source)
    assert made.write(tmp_path / "out.parquet").data.exists()
    assert made.certificate.verdict is Verdict.CERTIFIED


def test_lists_cannot_become_text(tmp_path):
    content = pa.table({**table(), "many": [[1]] * 400})
    pq.write_table(content, tmp_path / "people.parquet")
    with pytest.raises(QuestionError, match="'many'.*Parquet"):
        released(tmp_path / "people.parquet").write(tmp_path / "out.csv")
    assert not list(tmp_path.glob("*out*"))


def test_parquet_damaged_where_nothing_was_counted_is_refused(tmp_path):
    path = tmp_path / "people.parquet"
    options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pq.write_table(pa.table({**table(), "note": ["damaged"] * 400}), path, **options)
    content = path.read_bytes()
    length = (7).to_bytes(4, "little") + b"damaged"
    assert content.count(length) == 400
    path.write_bytes(content.replace(length, b"\xff\xff\xff\x7f" + b"damaged"))
    with pytest.raises(InputError, match="people.parquet.*cannot be read"):
        released(path).write(tmp_path / "out.parquet")
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("name", ["out", "out.zip", "out.parquet.gz", ".csv"])
def test_a_name_must_say_the_form(source, tmp_path, name):
    with pytest.raises(QuestionError, match="form"):
        released(source).write(tmp_path / name)
