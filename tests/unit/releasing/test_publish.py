import csv
import gzip
import io
import json
import os
import stat
from dataclasses import replace
from importlib.resources import files

import jsonschema
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.hiring import COLUMNS, GRAPH, NAMES, QUESTION, csv_text, people, released, table

from evenhand import CountTable
from evenhand.checker import checker
from evenhand.errors import InputError, QuestionError
from evenhand.evidence import Verdict, certify
from evenhand.releasing.apply import FileRows
from evenhand.releasing.release import release
from evenhand.removal import LocalPreferentialSampling, ModifyData, ModifyGraph
from evenhand.rows import read


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(csv_text(people()), newline="")
    return path


def fields(text, delimiter=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_three_files_appear_for_their_owner_alone(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "people.csv", "out.csv", "out.certificate.json", "out.manifest.json"
    }  # fmt: skip
    for path in (written.data, written.certificate, written.manifest):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_shared_certificate_is_for_everybody(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", share=True)
    assert written.shared.name == "out.shared.certificate.json"
    assert stat.S_IMODE(written.shared.stat().st_mode) == 0o644
    assert json.loads(written.shared.read_text())["copy"] == "shared"


def test_the_checker_confirms_the_certificate_against_the_file(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv")
    status, said = checker.verify(written.certificate.read_text(), str(written.data))
    assert status == 0, said


def test_the_certificates_keep_to_their_schema(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", share=True)
    schema = json.loads(
        files("evenhand.evidence").joinpath("certificate.schema.json").read_text()
    )
    for path in (written.certificate, written.shared):
        jsonschema.validate(json.loads(path.read_text()), schema)


def test_what_was_written_is_what_the_release_says_of_itself(source, tmp_path):
    counted, written = released(source), released(source)
    counted = replace(counted, nonce=written.nonce)
    path = written.write(tmp_path / "out.csv").certificate
    assert path.read_text() == counted.certificate.to_json() == written.certificate.to_json()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_bytes_of_changed_decisions_change(tmp_path, newline, quoting, mark):
    found = [[field.replace("\n", newline) for field in row] for row in people()]
    text = mark + csv_text(found, newline=newline, quoting=quoting)
    (tmp_path / "people.csv").write_text(text, newline="")
    made = released(tmp_path / "people.csv")
    made.write(tmp_path / "out.csv")
    after = (tmp_path / "out.csv").read_bytes().decode()
    assert after.startswith(mark)
    old, new = fields(text.removeprefix(mark)), fields(after.removeprefix(mark))
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert len(differing) == made.changed_rows
    at = NAMES.index("hired")
    for a, b in differing:
        assert a[:at] + a[at + 1 :] == b[:at] + b[at + 1 :]
    # Quotes and line ends are as the writer of the old text would put them.
    again = io.StringIO(newline="")
    csv.writer(again, lineterminator=newline, quoting=quoting).writerows(new)
    assert mark + again.getvalue() == after


def test_blank_lines_odd_quotes_and_a_last_line_without_end_stay(tmp_path):
    found = [row if row[0] else ("5\" pipe, 3'", *row[1:]) for row in people()]
    lines = csv_text(found).replace('"5"" pipe, 3\'"', '5" pipe').splitlines(keepends=True)
    lines[5:5] = ["\n", "\r\n"]
    text = "\n" + "".join(lines).removesuffix("\n")
    (tmp_path / "people.csv").write_text(text, newline="")
    released(tmp_path / "people.csv").write(tmp_path / "out.csv")
    after = (tmp_path / "out.csv").read_bytes().decode()
    assert after.startswith("\nnote,")
    assert after.count("\r\n") == text.count("\r\n") > 0
    assert not after.endswith("\n")
    assert after.count('5" pipe,') == text.count('5" pipe,') > 0


@pytest.mark.parametrize("options", [{}, {"delimiter": ";"}])
def test_other_delimiters_stay(tmp_path, options):
    (tmp_path / "people.csv").write_text(csv_text(people(), delimiter=";"))
    released(tmp_path / "people.csv", **options).write(tmp_path / "out.csv")
    old, new = (
        fields((tmp_path / name).read_text(), ";") for name in ("people.csv", "out.csv")
    )
    assert [row[:3] for row in old] == [row[:3] for row in new]


def test_rows_left_out_or_doubled_are_whole_records(tmp_path):
    (tmp_path / "people.csv").write_text(csv_text(people()).removesuffix("\n"), newline="")
    made = released(
        tmp_path / "people.csv", method=LocalPreferentialSampling(), uncertified=True
    )
    made.write(tmp_path / "out.csv")
    old = fields((tmp_path / "people.csv").read_bytes().decode())
    new = fields((tmp_path / "out.uncertified.csv").read_bytes().decode())
    assert len(new) - 1 == made.certificate.rows
    assert set(map(tuple, new)) <= set(map(tuple, old))


def test_missing_values_leave_no_trace_in_the_text(tmp_path):
    found = [
        (*row[:2], "" if at % 5 == 0 else row[2], *row[3:]) for at, row in enumerate(people())
    ]
    (tmp_path / "people.csv").write_text(csv_text(found), newline="")
    released(tmp_path / "people.csv", missing="drop").write(tmp_path / "out.csv")
    new = fields((tmp_path / "out.csv").read_bytes().decode())
    assert len(new) == 1 + 320
    assert [row[0] for row in new[1:]] == [row[0] for row in found if row[2]]


def test_counted_lines_are_split_in_the_text(tmp_path):
    lines = pd.DataFrame(table())[list(COLUMNS)].value_counts().rename("n").reset_index()
    lines.to_csv(tmp_path / "lines.csv", index=False)
    made = released(tmp_path / "lines.csv", method=ModifyGraph(), frequency="n")
    made.write(tmp_path / "out.csv")
    assert pd.read_csv(tmp_path / "out.csv")["n"].sum() == 400


def test_compressed_text_comes_out_compressed_or_not(tmp_path):
    text = csv_text(people()).encode()
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    made = released(tmp_path / "people.csv.gz")
    made.write(tmp_path / "plain.csv")
    made.write(tmp_path / "packed.csv.gz")
    made.write(tmp_path / "other.csv.zst")
    plain = (tmp_path / "plain.csv").read_bytes()
    assert gzip.decompress((tmp_path / "packed.csv.gz").read_bytes()) == plain
    assert (tmp_path / "packed.certificate.json").exists()


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


@pytest.mark.parametrize("named", ["", "*.csv"])
@pytest.mark.parametrize("by", [ModifyData(), ModifyGraph(generate=True)])
def test_a_folder_or_pattern_of_one_file_is_not_written_into_either(tmp_path, named, by):
    (tmp_path / "a.csv").write_text(csv_text(people()), newline="")
    with pytest.raises(QuestionError, match="files of this folder"):
        released(tmp_path / named, method=by).write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


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


def test_parquet_keeps_schema_metadata_groups_and_compression(tmp_path):
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
    assert new.schema_arrow.equals(old.schema_arrow, check_metadata=True)
    assert new.metadata.metadata == old.metadata.metadata
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


def test_the_rows_of_a_release_can_be_released_again(source):
    rows = released(source).rows
    found = certify(rows.count(), GRAPH, QUESTION, codings=rows.codings)
    again = release(rows, ModifyData().plan(found))
    assert again.changed_rows == 0
    assert again.rows.equals(pa.Table.from_batches(rows.batches()))


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


def test_lists_cannot_become_text(tmp_path):
    content = pa.table({**table(), "many": [[1]] * 400})
    pq.write_table(content, tmp_path / "people.parquet")
    with pytest.raises(QuestionError, match="'many'.*Parquet"):
        released(tmp_path / "people.parquet").write(tmp_path / "out.csv")
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize("name", ["out", "out.xlsx", "out.parquet.gz", ".csv"])
def test_a_name_must_say_the_form(source, tmp_path, name):
    with pytest.raises(QuestionError, match="form"):
        released(source).write(tmp_path / name)


def test_an_existing_file_is_overwritten_only_when_asked(source, tmp_path):
    (tmp_path / "out.csv").write_text("mine")
    with pytest.raises(QuestionError, match="exists"):
        released(source).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "mine"
    released(source).write(tmp_path / "out.csv", overwrite=True)
    assert (tmp_path / "out.csv").read_text() != "mine"


@pytest.mark.parametrize("name", ["out.certificate.json", "out.manifest.json"])
def test_existing_papers_are_not_overwritten_either(source, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(QuestionError, match="exists"):
        released(source).write(tmp_path / "out.csv")
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("how", ["itself", "hard link", "symbolic link"])
def test_an_input_is_never_overwritten(source, tmp_path, how):
    before, target = source.read_bytes(), tmp_path / "link.csv"
    if how == "itself":
        target = source
    elif how == "hard link":
        os.link(source, target)
    else:
        target.symlink_to(source)
    with pytest.raises(QuestionError, match="input"):
        released(source).write(target, overwrite=True)
    assert source.read_bytes() == before


def test_a_link_to_another_file_is_not_followed(source, tmp_path):
    (tmp_path / "other.csv").write_text("other")
    (tmp_path / "out.csv").symlink_to(tmp_path / "other.csv")
    with pytest.raises(QuestionError, match="link"):
        released(source).write(tmp_path / "out.csv", overwrite=True)
    assert (tmp_path / "other.csv").read_text() == "other"


def test_a_missing_folder_and_a_folder_are_refused_before_any_work(source, tmp_path):
    made = released(source)
    source.unlink()  # nothing can be read any more, so nothing was
    with pytest.raises(QuestionError, match="no such folder"):
        made.write(tmp_path / "absent" / "out.csv")
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(QuestionError, match="folder"):
        made.write(tmp_path / "out.csv", overwrite=True)


def test_a_file_that_changed_since_it_was_counted_is_refused(source, tmp_path):
    made = released(source)
    source.write_text(csv_text(people(seed=1)), newline="")
    with pytest.raises(InputError, match="not those that were counted"):
        made.write(tmp_path / "out.csv")
    source.write_text(csv_text(people()[:-1]), newline="")
    with pytest.raises(InputError, match="not those that were counted"):
        made.write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_file_that_changes_while_it_is_read_is_refused(source, tmp_path, monkeypatch):
    made = released(source)
    write = FileRows.write

    def slow(*arguments):
        write(*arguments)
        source.write_bytes(source.read_bytes() + b"\n")

    monkeypatch.setattr(FileRows, "write", slow)
    with pytest.raises(InputError, match="meanwhile"):
        made.write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
