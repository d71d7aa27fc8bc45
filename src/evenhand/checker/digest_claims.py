"""The claims of the seal and of the digests: SHA-256 of the record, and of its counts."""

import hashlib
import heapq
import json
from collections.abc import Iterator
from itertools import product
from json.encoder import encode_basestring as quote

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
    own = [at for at in places if at < len(names)]
    # Of one group and kind of decision the lines are sorted as the people are: those of each
    # are merged, and never all in memory.
    people = sorted(table, key=lambda labels: ", ".join([quote(labels[at]) for at in own]))

    def lines(group: int, kind: int) -> Iterator[str]:
        of_cell = (quote(one) for one in (compared.groups[group], compared.kinds[kind]))
        parts = [*["%s"] * len(names), *(text.replace("%", "%%") for text in of_cell)]
        form = f"\n[{', '.join(parts[at] for at in places)}, %d]"
        for labels in people:
            if count := table[labels][group][kind]:
                yield form % (*[quote(labels[at]) for at in own], count)

    cells = product(range(len(compared.groups)), range(len(compared.kinds)))
    sha256 = hashlib.sha256(json.dumps(sorted(columns), ensure_ascii=False).encode())
    for line in heapq.merge(*(lines(group, kind) for group, kind in cells)):
        sha256.update(line.encode())
    return sha256.hexdigest()
