"""The claims of the seal and of the digests: SHA-256 of the record, and of its counts."""

import hashlib
import heapq
import json
from collections.abc import Iterator
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
    columns = [*names, compared.column, decision]
    places = sorted(range(len(columns)), key=columns.__getitem__)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    # Of one group and kind of decision the lines are sorted as the people are: those of each
    # are merged, and never all in memory.
    people = sorted(
        table, key=lambda labels: encode([labels[at] for at in places if at < len(names)])
    )

    def lines(group: int, kind: int) -> Iterator[str]:
        of_cell = compared.groups[group], compared.kinds[kind]
        for labels in people:
            if count := table[labels][group][kind]:
                yield encode([*((*labels, *of_cell)[at] for at in places), count])

    cells = product(range(len(compared.groups)), range(len(compared.kinds)))
    sha256 = hashlib.sha256(encode(sorted(columns)).encode())
    for line in heapq.merge(*(lines(group, kind) for group, kind in cells)):
        sha256.update(f"\n{line}".encode())
    return sha256.hexdigest()
