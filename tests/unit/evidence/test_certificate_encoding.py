"""The canonical text of a certificate document, and the digest of its counts."""

import json

from tests.admission import GRAPH, QUESTION

from evenhand import CountTable, datasets
from evenhand.evidence import certify


def test_the_text_is_canonical():
    text = certify(datasets.admissions(2), GRAPH, QUESTION).to_json()
    again = json.dumps(
        json.loads(text), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    assert text == again + "\n"


def test_the_digest_is_that_of_the_counts():
    counts = datasets.admissions(2)
    assert certify(counts, GRAPH, QUESTION).digest == counts.digest


def test_further_columns_do_not_touch_the_digest():
    counts = datasets.admissions(2)
    lines = {name: [labels[at] for labels, _ in counts] for at, name in enumerate(counts.names)}
    lines["room"] = [str(at % 3) for at in range(len(counts))]
    wider = CountTable.of(lines, [count for _, count in counts])
    assert certify(wider, GRAPH, QUESTION).digest == counts.digest
