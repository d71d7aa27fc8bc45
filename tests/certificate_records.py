"""Certificates of the admissions example, true ones and forged ones."""

import hashlib
import json

from tests.admission import GRAPH, QUESTION

from evenhand import checker, datasets
from evenhand.checker.partition_claims import GroupComparisons
from evenhand.checker.record_fields import INPUTS, taken_as
from evenhand.evidence import certify
from evenhand.recheck import RecordedCertificate

CERTIFICATE = certify(datasets.admissions(2), GRAPH, QUESTION, scope="all")
CERTIFIED = certify(datasets.admissions(1), GRAPH, QUESTION)


def sealed(document):
    """A forger's document: changed, and sealed again."""
    rest = {name: value for name, value in document.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return json.dumps({**rest, "seal": hashlib.sha256(text.encode()).hexdigest()})


def verify(text, data=None):
    """The checker's status and notes."""
    return checker.verify(text, data and str(data))[:2]


def forged(change, text=None):
    """What the checker says of a record that somebody changed and sealed again."""
    document = json.loads(text or CERTIFICATE.to_json())
    change(document)
    return verify(sealed(document))


def wrong(text, counts=None, *, dropped=0):
    """What is false in a record: by the checker, and by an audit again if counts are given."""
    status, notes = verify(text)
    found = notes if status == 1 else []
    if counts is None:
        return found
    return [*found, *RecordedCertificate.parse(text).differences(counts, dropped=dropped)]


def compared(**question):
    """Women against men, hired or not, with other fields of the question."""
    fields = {"protected": "sex", "group": "f", "other": "m", "groups": ["f", "m"]}
    fields |= {"favorable": "yes", "decisions": ["yes", "no"]}
    fields |= {"threshold": "1/20", "min_coverage": "9/10", **question}
    given = {name: one for name, one in fields.items() if one is not None}
    return GroupComparisons(
        taken_as(INPUTS["question"], {"decision": "hired"} | given, "question")
    )


def csv_of(counts, path):
    """Write counts to a CSV file, one line for each person."""
    lines = [",".join(counts.names)]
    for labels, count in counts:
        lines += [",".join(labels)] * count
    path.write_text("\n".join(lines) + "\n")
    return path
