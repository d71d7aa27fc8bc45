"""Every format written from every other, and nothing in it of rows or values not released."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
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

import evenhand as eh
from evenhand import release
from evenhand.errors import InputError, QuestionError, ResourceError
from evenhand.evidence import Verdict
from evenhand.files.file_formats import ARROW, FORMATS, FileFormat
from evenhand.releasing.writer import DictionaryEncoder, released_schema
from evenhand.removal import ModifyData
from evenhand.rows import read

DIAGNOSIS = "a diagnosis that one person has"
FORMS = ("parquet", "arrow", "arrows")
KIND = pa.dictionary(pa.int8(), pa.string())


def written(content, path):
    """The table as a file."""
    if path.suffix == ".parquet":
        pq.write_table(content, path, compression="none", row_group_size=150)
        return path
    begin = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
    with begin(path, content.schema) as writer:
        writer.write_table(content.combine_chunks(), max_chunksize=150)
    return path


def opened(path):
    """The table in a file, with dictionaries as the file has them."""
    if path.suffix == ".parquet":
        return pq.ParquetFile(path, read_dictionary=["hired"]).read()
    begin = pa.ipc.open_file if path.suffix == ".arrow" else pa.ipc.open_stream
    return begin(path).read_all()


def with_a_dropped_row(kind):
    """Somebody without a degree, who alone has a diagnosis."""
    columns = table()
    columns["degree"][200] = None
    columns["note"] = ["none"] * 400
    columns["note"][200] = DIAGNOSIS
    content = pa.table(columns)
    return content.set_column(0, "note", content.column("note").cast(kind))


@pytest.mark.parametrize(
    "kind", [pa.string(), KIND, pa.string_view(), pa.large_string()], ids=str
)
@pytest.mark.parametrize("form", FORMS)
def test_a_row_that_is_left_out_leaves_no_trace(form, kind, tmp_path):
    source = written(with_a_dropped_row(kind), tmp_path / f"in.{form}")
    assert DIAGNOSIS.encode() in source.read_bytes()
    made = released(source, missing="drop").write(tmp_path / f"out.{form}")
    assert DIAGNOSIS.encode() not in made.data.read_bytes()
    after = opened(made.data)
    assert after.schema.field("note").type == opened(source).schema.field("note").type
    assert after.column("note").to_pylist() == ["none"] * 399


@pytest.mark.parametrize("into", FORMS)
def test_a_frame_with_categories_writes_those_that_occur(into, tmp_path):
    frame = with_a_dropped_row(KIND).to_pandas()
    made = released(frame, missing="drop")
    assert DIAGNOSIS in made.rows["note"].cat.categories  # declared by whoever made the frame
    assert DIAGNOSIS.encode() not in made.write(tmp_path / f"out.{into}").data.read_bytes()


@pytest.mark.parametrize("within", [pa.list_(KIND), pa.struct([("a", KIND)])], ids=str)
def test_dictionaries_inside_of_others_become_plain_values(within, tmp_path):
    notes = with_a_dropped_row(pa.string()).column("note").to_pylist()
    nested = [[note] if pa.types.is_list(within) else {"a": note} for note in notes]
    content = with_a_dropped_row(pa.string()).drop_columns("note")
    content = content.append_column("note", pa.array(nested, within))
    source = written(content, tmp_path / "in.arrow")
    made = released(source, missing="drop").write(tmp_path / "out.arrow")
    assert DIAGNOSIS.encode() not in made.data.read_bytes()
    assert opened(made.data).column("note").to_pylist() == nested[:200] + nested[201:]


@pytest.mark.parametrize("form", FORMS)
def test_the_order_of_a_dictionary_is_that_of_the_released_rows(form, tmp_path):
    content = pa.table(table())
    content = content.set_column(3, "hired", content.column("hired").cast(KIND))
    source = written(content, tmp_path / f"in.{form}")
    rows, found = audited(source)
    plan, first = ModifyData().plan(found), set()
    for seed in range(40):
        made = release(rows, plan, seed=seed)
        released_first = next(made.rows.batches()).column("hired")[0].as_py()
        if released_first not in first:
            first.add(released_first)
            after = opened(made.write(tmp_path / f"out{seed}.{form}").data).column("hired")
            assert after.chunk(0).dictionary[0].as_py() == released_first
    assert first == {"yes", "no"}  # with some seeds the first decision is another than before


def test_statistics_of_parquet_are_of_the_released_rows(tmp_path):
    source = written(with_a_dropped_row(pa.string()), tmp_path / "in.parquet")
    made = released(source, missing="drop").write(tmp_path / "out.parquet")
    group = pq.ParquetFile(made.data).metadata.row_group(1)
    assert group.column(0).statistics.min == group.column(0).statistics.max == "none"


@pytest.mark.parametrize("form", FORMS)
def test_metadata_says_no_more_than_types_need(form, tmp_path):
    frame = pd.DataFrame(table()).assign(secret_score=range(400))
    frame["pay"] = frame["pay"].astype(pd.CategoricalDtype(["low", "high", "none of 77"]))
    frame.loc[5, "degree"] = None
    frame.attrs["remark"] = "kept by Eve"
    content = pa.Table.from_pandas(frame)
    field = content.schema.field("sex").with_metadata({"remark": "kept by Eve"})
    schema = content.schema.set(1, field)
    content = content.cast(schema).replace_schema_metadata(
        {**content.schema.metadata, "remark": "kept by Eve"}
    )
    source = written(content, tmp_path / f"in.{form}")
    rows = eh.read(source, exclude=["note", "secret_score"], missing="drop")
    audit = eh.audit(rows, QUESTION, graph=GRAPH)
    made = audit.release(seed=1, drop=["secret_score"]).write(tmp_path / f"out.{form}")
    after = opened(made.data)
    assert {*after.schema.metadata} == {b"pandas"}
    about = json.loads(after.schema.metadata[b"pandas"])
    assert [one["name"] for one in about["columns"]] == [*frame.columns[:-1]]
    assert not about["index_columns"]  # a range of 400 would count those before
    data = made.data.read_bytes()
    assert not any(text in data for text in (b"Eve", b"secret_score", b"num_categories"))
    stored = pq.read_metadata(made.data).metadata if form == "parquet" else {}
    assert {*stored} <= {b"pandas", b"ARROW:schema"}
    again = pa.table(after).to_pandas()
    assert again["pay"].dtype == "category"


def test_metadata_of_pandas_that_pandas_did_not_write_is_left_out():
    for text in ("{", "[]", '{"columns": 3}', '{"columns": [{}], "index_columns": []}'):
        schema = pa.schema([("a", pa.string())], metadata={"pandas": text})
        assert released_schema(schema).metadata is None


def test_encoded_values_are_the_same_values():
    encoder, seen = DictionaryEncoder(), []
    for texts in (["b", None, "a", "b"], [], [None], ["c", "a", None]):
        column = pa.array(texts, pa.dictionary(pa.int8(), pa.string())).cast(KIND)
        wide = pa.DictionaryArray.from_arrays(
            pa.compute.index_in(column.cast(pa.string()), value_set=pa.array([*"xcba"])).cast(
                pa.int8()
            ),
            pa.array([*"xcba"]),
        )
        batch = encoder.encode(pa.RecordBatch.from_arrays([wide], ["a"]))
        assert batch.column(0).to_pylist() == texts
        seen.append(batch.column(0).dictionary.to_pylist())
    assert seen == [["b", "a"], ["b", "a"], ["b", "a"], ["b", "a", "c"]]


def test_ordered_dictionaries_are_a_type_and_stay():
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    column = pa.DictionaryArray.from_arrays(
        pa.array([2], pa.int8()), ["a", "b", "c"], ordered=True
    )
    batch = DictionaryEncoder().encode(pa.RecordBatch.from_arrays([column], ["a"]))
    assert batch.column(0).type == kind
    assert batch.column(0).dictionary.to_pylist() == ["a", "b", "c"]


def test_more_values_than_indices_allow_are_refused():
    encoder = DictionaryEncoder()
    first, second = (
        pa.array([f"v{begin + at}" for at in range(100)]).cast(KIND) for begin in (0, 100)
    )
    encoder.encode(pa.RecordBatch.from_arrays([first], ["a"]))
    with pytest.raises(ResourceError, match="int8 is too small"):
        encoder.encode(pa.RecordBatch.from_arrays([second], ["a"]))


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical])
def test_files_that_polars_wrote_can_be_released(kind, tmp_path):
    """Its texts are views, of which Arrow can replace none."""
    frame = pl.DataFrame(table()).with_columns(pl.col("hired").cast(kind))
    frame.write_ipc(tmp_path / "in.arrow")
    made = released(tmp_path / "in.arrow")
    after = pl.read_ipc(made.write(tmp_path / "out.arrow").data)
    assert after.schema["hired"] == kind
    texts = (one["hired"].cast(pl.String).to_list() for one in (frame, after))
    assert sum(a != b for a, b in zip(*texts, strict=True)) == made.changed_rows > 0
    assert after.drop("hired").equals(frame.drop("hired"))


ENDINGS = ("csv", "tsv", "parquet", "arrow", "feather", "arrows")


@pytest.mark.parametrize("into", ENDINGS)
@pytest.mark.parametrize("out_of", ["csv", "parquet", "arrow", "arrows"])
def test_every_form_can_be_written_from_every_other(tmp_path, out_of, into):
    source = tmp_path / f"people.{out_of}"
    if out_of == "csv":
        source.write_text(csv_text(people()), newline="")
    else:
        written(pa.table(table()), source)
    made = released(source)
    after = read(made.write(tmp_path / f"out.{into}").data, columns=COLUMNS)
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


def test_parquet_with_a_long_text_in_each_row_is_released_without_decoding_it(tmp_path):
    """The text stands in the file once; in each of 20,000 rows it would be 2 GB."""
    rows = 20_000
    columns = {
        "sex": [*"fm"] * (rows // 2),
        "hired": (["yes", "no", "no"] * rows)[:rows],
        "note": pa.DictionaryArray.from_arrays(
            pa.array([0] * rows, pa.int8()), ["x" * 100_000]
        ),
    }
    pq.write_table(pa.table(columns), tmp_path / "in.parquet", store_schema=False)
    asked = eh.Question(protected="sex", decision="hired", favorable="yes", threshold="0.001")
    graph = eh.CausalGraph.parse("sex -> hired")
    audit = eh.audit(eh.read(tmp_path / "in.parquet", exclude=["note"]), asked, graph=graph)
    before = pa.total_allocated_bytes()
    seen = []
    audit.release(seed=1).write(
        tmp_path / "out.parquet", progress=lambda _: seen.append(pa.total_allocated_bytes())
    )
    assert max(seen) - before < 100e6
    assert (tmp_path / "out.parquet").stat().st_size < 1e6
