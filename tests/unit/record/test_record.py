"""The schema of records, made from the forms of their fields."""

import json

import jsonschema
import pytest
from scripts import certificate_schema
from tests.alterations import make_records
from tests.certificate_records import CERTIFICATE

SCHEMA = certificate_schema.schema()


def test_the_schema_is_that_of_the_forms():
    wanted = "run: python scripts/certificate_schema.py"
    assert certificate_schema.PLACE.read_text("utf-8") == certificate_schema.text(), wanted
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_records_of_all_kinds_keep_to_it(tmp_path):
    for texts, _ in make_records(tmp_path).values():
        for text in texts.values():
            jsonschema.validate(json.loads(text), SCHEMA)


def a_field_nobody_knows(record):
    record["rows"]["surprise"] = 1


def a_negative_count(record):
    record["rows"]["dropped"] = -1


def a_flag_for_a_count(record):
    record["rows"]["dropped"] = False


def no_codings(record):
    del record["codings"]


def a_decimal_for_a_share(record):
    record["question"]["threshold"] = "0.05"


def what_a_shared_copy_has(record):
    record["withheld"] = {"least_count": 10}


@pytest.mark.parametrize(
    "change",
    [
        a_field_nobody_knows,
        a_negative_count,
        a_flag_for_a_count,
        no_codings,
        a_decimal_for_a_share,
        what_a_shared_copy_has,
    ],
)
def test_what_is_no_record_does_not(change):
    record = json.loads(CERTIFICATE.to_json())
    change(record)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(record, SCHEMA)
