"""The claims of the seal and of the digests: SHA-256 of the record, and of its counts."""

import hashlib
import json
from itertools import product

from .record_fields import Record
from .subpopulation_claims import Table


def seal(record: Record) -> str:
    """SHA-256 of all fields but the seal, as JSON with sorted names and without spaces."""
    rest = {name: value for name, value in record.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def digest(question: Record, names: list[str], table: Table) -> str:
    """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines."""
    columns, lines = [*names, question["protected"], question["decision"]], []
    cells = [*product(("group", "other"), ("favorable", "unfavorable"))]
    for (labels, counts), (at, cell) in product(table.items(), enumerate(cells)):
        values = dict(zip(columns, (*labels, *map(question.get, cell)), strict=True))
        line = [*(values[column] for column in sorted(columns)), counts[at]]
        lines += [json.dumps(line, ensure_ascii=False)] if counts[at] else []
    text = "\n".join([json.dumps(sorted(columns), ensure_ascii=False), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()
