"""The bytes of released files: nothing of rows that are left out, nor of values before."""

import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hiring import GRAPH, QUESTION, audited, released, table

import evenhand as eh
from evenhand import release
from evenhand.errors import ResourceError
from evenhand.releasing.leak_free_types import DictionaryEncoder, released_schema
from evenhand.removal import ModifyData

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
