"""Metadata beside a release: Croissant, as its library reads it, and an in-toto statement."""

import hashlib
import json
from itertools import chain
from urllib.parse import urlparse

import mlcroissant
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import loans
from tests.hiring import csv_text, people, released, table
from tests.people_in_engines import audit, quiet

from evenhand import audit as audit_rows
from evenhand.errors import QuestionError

PUBLISHER = {
    "license": "https://spdx.org/licenses/CC-BY-4.0.html",
    "url": "https://example.org/people",
    "creator": {"@type": "sc:Organization", "name": "Registry"},
    "datePublished": "2026-11-19",
    "version": "1.0.0",
    "citeAs": "Registry (2026)",
}
by_its_library = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of rdflib


def documents(written):
    return [json.loads(path.read_text()) for path in (written.croissant, written.statement)]


@by_its_library
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "csv.gz", "arrow", "arrows"])
def test_the_library_of_croissant_finds_no_fault(source, tmp_path, ending):
    written = released(source).write(tmp_path / f"out.{ending}", metadata=PUBLISHER)
    data = mlcroissant.Dataset(str(written.croissant))
    issues = data.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings
    assert data.metadata.ctx.conforms_to.value == "http://mlcommons.org/croissant/1.1"
    (file,) = data.metadata.distribution
    assert file.sha256 == hashlib.sha256(written.data.read_bytes()).hexdigest()
    assert len(data.metadata.data_limitations) > 3


@by_its_library
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_the_rows_can_be_loaded_by_it(source, tmp_path, ending):
    made = released(source)
    written = made.write(tmp_path / f"out.{ending}", metadata=True)
    found = [*mlcroissant.Dataset(str(written.croissant)).records("rows")]
    decisions = [line["rows/hired"].decode() for line in found]
    batches = (batch.column("hired").to_pylist() for batch in made.rows.batches())
    assert decisions == [*chain(*batches)]


def test_types_of_columns_are_those_of_the_file(tmp_path):
    columns = {**table(), "pay_date": pa.array([0] * 400, pa.date32()), "many": [[1]] * 400}
    content = pa.table({**columns, "age": range(400), "rate": [0.5] * 400, "new": [True] * 400})
    at = content.schema.get_field_index("sex")
    coded = content.set_column(at, "sex", content.column("sex").dictionary_encode())
    pq.write_table(coded, tmp_path / "people.parquet")
    made = released(tmp_path / "people.parquet")
    written = made.write(tmp_path / "out.parquet", metadata=True)
    (records,) = documents(written)[0]["recordSet"]
    kinds = {one["name"]: one["dataType"] for one in records["field"]}
    assert kinds == dict.fromkeys(table(), "sc:Text") | {
        "pay_date": "sc:Date",
        "age": "sc:Integer",
        "rate": "sc:Float",
        "new": "sc:Boolean",
    }


def test_it_says_what_was_changed_and_examined_and_what_is_not_known(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", metadata=True, share=True)
    croissant, _ = documents(written)
    shared = json.loads(written.shared.read_text())
    assert shared["release"]["notice"] in croissant["rai:dataManipulationProtocol"]
    assert "modify-data (minimal)" in croissant["rai:dataManipulationProtocol"]
    examined, further = croissant["rai:dataBiases"]
    assert "whether sex itself changes hired among people alike in degree" in examined
    assert "Verdict on these rows, given this graph: certified." in examined
    assert further == "Effects through other attributes were not examined."
    assert croissant["rai:dataLimitations"] == shared["assumptions"]
    assert not {"license", "url", "creator", "datePublished"} & {*croissant}


def test_effects_that_were_examined_are_named(tmp_path):
    made = audit_rows(loans.loans(), loans.QUESTION, graph=loans.ZIP_FIRST).release(seed=1)
    croissant, _ = documents(made.write(tmp_path / "out.csv", metadata=True))
    assert croissant["rai:dataBiases"][1].endswith("through zip were examined, too: certified.")


def test_the_statement_binds_the_certificate_for_others_to_the_bytes(source, tmp_path):
    written = released(source).write(tmp_path / "out.csv", metadata=True, share=True)
    _, statement = documents(written)
    assert {*statement} == {"_type", "subject", "predicateType", "predicate"}
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    digest = hashlib.sha256(written.data.read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "out.csv", "digest": {"sha256": digest}}]
    kind = urlparse(statement["predicateType"])
    assert (kind.scheme, kind.path) == ("urn", "evenhand:certificate:3")
    assert statement["predicate"] == json.loads(written.shared.read_text())


def test_nothing_that_is_private_is_in_it(source, tmp_path):
    """Neither counts of few people nor how many rows were changed nor the seed."""
    made = released(source, seed=2**100 + 1)
    written = made.write(tmp_path / "out.csv", metadata=True, least_count=10**6)
    assert written.shared is None
    croissant, statement = documents(written)
    assert statement["predicate"]["copy"] == "shared"
    assert not any(one["table"] for one in statement["predicate"]["partitions"])
    text = json.dumps([croissant, statement])
    full = json.loads(written.certificate.read_text())
    assert full["release"]["changed_rows"] == made.changed_rows
    assert "changed_rows" not in text
    assert str(made.seed) not in text


def test_earlier_metadata_goes_with_its_release(source, tmp_path):
    made = released(source)
    made.write(tmp_path / "out.csv", metadata=True)
    with pytest.raises(QuestionError, match=r"out\.croissant\.json: This file exists"):
        made.write(tmp_path / "out.csv", metadata=True)
    written = made.write(tmp_path / "out.csv", overwrite=True)
    assert written.croissant is None
    assert set(written.superseded) == {"out.croissant.json", "out.statement.json"}
    assert not [*tmp_path.glob("out.croissant*")]


def test_columns_of_one_name_are_not_described(tmp_path):
    lines = [line + f",{n},x" for n, line in enumerate(csv_text(people()).splitlines()[1:])]
    header = csv_text(people()).splitlines()[0] + ",id,id"
    (tmp_path / "people.csv").write_text("\n".join([header, *lines]) + "\n")
    written = released(tmp_path / "people.csv").write(tmp_path / "out.csv", metadata=True)
    assert "recordSet" not in documents(written)[0]


def test_what_the_file_and_certificate_say_cannot_be_given_otherwise(source, tmp_path):
    with pytest.raises(QuestionError, match="cannot be given 'distribution'"):
        released(source).write(tmp_path / "out.csv", metadata={"distribution": []})
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


@quiet
def test_a_table_in_an_engine_has_no_file_to_describe(persons, tmp_path):
    made = audit(persons).release(seed=7, key="id")
    with pytest.raises(QuestionError, match="no file that metadata could describe"):
        made.write(tmp_path / "released", metadata=True)
    assert made.write(tmp_path / "released.csv", metadata=True).croissant.exists()
