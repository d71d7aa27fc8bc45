"""Our validator against the jsonschema library."""

import copy
import json

import jsonschema
import pytest
from tests.admission import GRAPH, QUESTION
from tests.several_groups import GRAPH as GROUPS
from tests.several_groups import QUESTIONS, counted

from evenhand import datasets
from evenhand.evidence import certify
from evenhand.evidence.certificate_schema import schema, schema_errors

CERTIFICATE = certify(datasets.admissions(2), GRAPH, QUESTION)
DOCUMENTS = [json.loads(CERTIFICATE.to_json()), json.loads(CERTIFICATE.to_shared_json())]
SEVERAL = {
    name: json.loads(certify(counted(), GROUPS, question).to_json())
    for name, question in QUESTIONS.items()
}
KNOWN = {
    "$schema", "title", "description", "$defs", "$ref", "type", "required", "properties",
    "additionalProperties", "items", "if", "then", "else", "not", "anyOf", "const", "enum",
    "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
    "maxProperties", "uniqueItems",
}  # fmt: skip


def places(value, path=()):
    yield path
    parts = value.items() if isinstance(value, dict) else ()
    parts = enumerate(value[:1]) if isinstance(value, list) else parts
    for key, part in parts:
        yield from places(part, (*path, key))


def changed(document, path, value):
    """The document with another value at a place, or without it."""
    document = copy.deepcopy(document)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return document


@pytest.mark.parametrize(
    "document", [*DOCUMENTS, *SEVERAL.values()], ids=["full", "shared", *SEVERAL]
)
def test_what_certify_writes_is_valid(document):
    assert list(schema_errors(document)) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=["full", "shared"])
def test_both_validators_agree_whatever_value_is_in_a_place(document):
    validator = jsonschema.Draft202012Validator(schema())
    refused = 0
    for path in places(document):
        for value in (..., None, True, -1, 2**70, "x", "", [], ["x"], {"x": 1}):
            if not path:
                continue
            other = changed(document, path, value)
            is_valid = validator.is_valid(other)
            assert is_valid == (not list(schema_errors(other))), (path, value)
            refused += not is_valid
    assert refused > 100


@pytest.mark.parametrize("name", ["crossed", "cumulative"])
def test_both_validators_agree_on_every_question_about_several_groups(name):
    validator = jsonschema.Draft202012Validator(schema())
    document = SEVERAL[name]
    for field in (*document["question"], "group", "other", "criterion", "order", "min_rows"):
        for value in (..., None, True, 1, 2, "x", "every", [], ["x"], ["x", "x"], ["x", "y"]):
            if value is ... and field not in document["question"]:
                continue
            other = changed(document, ("question", field), value)
            is_valid = validator.is_valid(other)
            assert is_valid == (not list(schema_errors(other))), (field, value)


def test_no_keyword_of_the_schema_is_ignored():
    def words(rule):
        if isinstance(rule, dict):
            for word, part in rule.items():
                yield word
                named = word in {"properties", "$defs"}
                inner = part.values() if named else part if word == "anyOf" else [part]
                for one in inner if word not in {"enum", "required"} else ():
                    yield from words(one)

    assert set(words(schema())) <= KNOWN


def test_the_place_is_named():
    document = changed(DOCUMENTS[0], ("partitions", 0, "subpopulations", "above"), False)
    (error,) = schema_errors(document)
    assert error.startswith("partitions[0].subpopulations.above: False")
