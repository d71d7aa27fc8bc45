"""Parts of a certificate document: tables, digests, canonical JSON with a seal.

Anyone can check a document without this program, so everything in it is exact: counts are
integers, shares and differences fractions in text, and estimates decimals in text.
docs/certificate.md describes every field, certificate.schema.json its form.
"""

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, ExaminedCounts
from evenhand.evidence.partition import Partition

FORMAT = "evenhand certificate 1"


def table(partition: Partition, lines: NDArray[np.intp]) -> list[list[Any]]:
    """One line for each subpopulation: its values, its four counts, its exact difference."""
    assignments = partition.assignments
    labels = (
        np.asarray(attribute.values, object)[codes[lines]].tolist()
        for attribute, codes in zip(assignments.attributes, assignments.codes, strict=True)
    )
    counts = (column[lines].tolist() for column in partition.cells)
    differences = map(partition.risk_difference, lines.tolist())
    texts = (None if difference is None else str(difference) for difference in differences)
    return [list(line) for line in zip(*labels, *counts, texts, strict=True)]


def floats_as_text(value: Any) -> Any:  # noqa: ANN401  # plain values of any depth
    """The same plain values, with floats as six digits of text.

    >>> floats_as_text({"p": 0.0123456789, "rows": 3})
    {'p': '0.0123457', 'rows': 3}
    """
    if isinstance(value, dict):
        return {name: floats_as_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [floats_as_text(inner) for inner in value]
    return f"{value:.6g}" if isinstance(value, float) else value


def unfavorable(examined: ExaminedCounts) -> str:
    """The label of decisions that are not favorable, pooled where there are several."""
    favorable = examined.question.favorable
    values = examined.counts.attribute(examined.question.decision).values
    others = [value for value in values if value != favorable]
    return others[0] if len(others) == 1 else f"not {favorable}"


def digest(examined: ExaminedCounts, partition: Partition) -> str:
    """SHA-256 of the counts of protected attribute, decision and the partition's attributes.

    They are counted as they were compared: two groups, two decisions.
    """
    question, assignments = examined.question, partition.assignments
    groups = Attribute(question.protected, (question.group, str(question.other)))
    decisions = Attribute(question.decision, (question.favorable, unfavorable(examined)))
    cell = np.tile(np.arange(4), len(partition))
    return CountTable.build(
        [*assignments.attributes, groups, decisions],
        [*(np.repeat(column, 4) for column in assignments.codes), cell // 2, cell % 2],
        np.stack(partition.cells, axis=1).ravel(),
    ).digest


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
