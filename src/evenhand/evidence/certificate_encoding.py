"""Parts of a certificate document: tables, digests, canonical JSON with a seal.

Anyone can check a document without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text.
docs/certificate.md describes every field, certificate.schema.json its form.
"""

import hashlib
import json
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.errors import InputError
from evenhand.evidence.partition import Partition

FORMAT = "evenhand certificate 2"
_UNPUBLISHED = "evenhand certificate 1"
ROUNDING = 1e-15


def check_format(found: object, where: str) -> None:
    """Refuse a document of another format."""
    if found == FORMAT:
        return
    if found == _UNPUBLISHED:
        raise InputError.of(
            f"The format {_UNPUBLISHED!r} was never published.",
            remedy="Make the certificate anew.",
            where=where,
        )
    raise InputError.of(
        f"The format {found!r} is not known here.",
        remedy=f"This version reads {FORMAT!r}; use a later one.",
        where=where,
    )


def table(partition: Partition, lines: NDArray[np.intp]) -> list[list[Any]]:
    """One line for each subpopulation: its values, its counts, its largest exact difference.

    Counts stand by group, and within a group by decision.
    """
    assignments = partition.assignments
    labels = (
        np.asarray(attribute.values, object)[codes[lines]].tolist()
        for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True)
    )
    counts = (column[lines].tolist() for column in cells(partition))
    texts = partition.comparisons.texts(partition.widest[lines])
    return [list(line) for line in zip(*labels, *counts, texts, strict=True)]


def cells(partition: Partition) -> NDArray[np.int64]:
    """The counts of each line, by group and within a group by decision."""
    many = len(partition.groups) * len(partition.decisions)
    return partition.counts.transpose(1, 0, 2).reshape(many, len(partition))


def floats_as_text(value: Any, name: str = "") -> Any:  # noqa: ANN401  # plain values
    """The same plain values, with floats as text of twelve significant digits.

    >>> floats_as_text({"p": 0.01234567890123456, "rows": 3})
    {'p': '0.0123456789012', 'rows': 3}

    Estimates are of the order of 1, so what is smaller than 1e-15 is rounding, which differs
    between machines, and is written as 0. Only p-values can be so small.
    """
    if isinstance(value, dict):
        return {name: floats_as_text(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [floats_as_text(inner, name) for inner in value]
    if not isinstance(value, float):
        return value
    is_rounding = abs(value) < ROUNDING and not name.startswith("p")
    return f"{0.0 if is_rounding else value:.12g}"


def digest(examined: ExaminedCounts, partition: Partition) -> str:
    """SHA-256 of the counts of groups, decision and the partition's attributes.

    They are counted as they were compared: only these groups, only these kinds of decision.
    """
    question, assignments = examined.question, partition.assignments
    groups = Attribute(question.groups_column, partition.groups)
    decisions = Attribute(question.decision, partition.decisions)
    many = len(partition.groups) * len(partition.decisions)
    cell = np.tile(np.arange(many), len(partition))
    kinds = len(partition.decisions)
    return CountTable.build(
        [*assignments.attributes, groups, decisions],
        [
            *(np.repeat(column, many) for column in assignments.codes),
            cell // kinds,
            cell % kinds,
        ],
        np.ascontiguousarray(cells(partition).T).ravel(),
    ).digest


def parse_document(text: str) -> Any:  # noqa: ANN401  # plain values
    """The content of JSON text; ValueError if a name stands twice, or text is no Unicode."""
    content = json.loads(text, object_pairs_hook=_unique_names)
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("a text in it holds half a character, a lone surrogate") from error
    return content


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the name {twice!r} stands there twice")
    return content


def canonical(document: dict[str, Any]) -> str:
    """The one JSON text of a document: sorted keys, no spaces, one line."""
    return _compact(document) + "\n"


def with_seal(document: dict[str, Any]) -> dict[str, Any]:
    """Add the SHA-256 of the rest: a checksum, not a signature."""
    return {**document, "seal": hashlib.sha256(_compact(document).encode()).hexdigest()}


def _compact(document: dict[str, Any]) -> str:
    return json.dumps(
        document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
