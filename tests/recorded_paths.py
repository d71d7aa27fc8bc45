"""The graphs of the loan table as the stand-alone checker reads them from a certificate."""

import json

from tests.certificate_records import compared
from tests.loans import QUESTION, asking, loans

from evenhand.checker.path_claims import (
    PathQuestion,
    PathWorlds,
    RecordedPaths,
    read_tables,
    shares_of,
)
from evenhand.evidence import certify


def asked(question=QUESTION):
    """The question about paths of a record."""
    fields = {**question.to_dict(), "other": "w", "groups": ["b", "w"]}
    fields |= {"decisions": ["yes", "no"], "min_coverage": "9/10"}
    return PathQuestion.of(fields, compared(**fields))


def record_of(graph, counts=None, **fields):
    """The certificate document of loans, with other fields of the question."""
    return json.loads(certify(counts or loans(), graph, asking(**fields)).to_json())


def worlds_of(graph, own=0, counts=None, **fields):
    """The worlds of the one graph in a certificate, in one direction, and its entry there."""
    indirect, question = record_of(graph, counts, **fields)["indirect"], asked(asking(**fields))
    values, tables = read_tables(indirect, question.ends)
    (entry,) = indirect["graphs"]
    names = [[*tables][at] for at in entry["tables"]]
    shares = {one[-1]: shares_of(one, tables[one]) for one in names}
    many = {name: len(labels) for name, labels in values.items()}
    return PathWorlds(RecordedPaths(names, question), shares, many, own), entry
