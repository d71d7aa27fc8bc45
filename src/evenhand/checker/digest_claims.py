"""The claims of the seal and of the digests: SHA-256 of the record, and of its counts."""

import hashlib
import json
from itertools import product

from .group_comparisons import GroupComparisons, Table
from .record_fields import Record


def seal(record: Record) -> str:
    """SHA-256 of all fields but the seal, as JSON with sorted names and without spaces."""
    rest = {name: value for name, value in record.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def digest(compared: GroupComparisons, decision: str, names: list[str], table: Table) -> str:
    """SHA-256 of the counts as lines of JSON: the sorted names, then the sorted lines."""
    columns, lines = [*names, compared.column, decision], []
    cells = [*product(enumerate(compared.groups), enumerate(compared.kinds))]
    for (labels, counts), ((at, group), (kind, label)) in product(table.items(), cells):
        values = dict(zip(columns, (*labels, group, label), strict=True))
        line = [*(values[column] for column in sorted(columns)), counts[at][kind]]
        lines += [json.dumps(line, ensure_ascii=False)] if counts[at][kind] else []
    text = "\n".join([json.dumps(sorted(columns), ensure_ascii=False), *sorted(lines)])
    return hashlib.sha256(text.encode()).hexdigest()
