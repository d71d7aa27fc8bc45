"""The digest of counted lines: SHA-256 of sorted lines of JSON, made in blocks."""

import hashlib
import json
from collections.abc import Sequence
from json.encoder import encode_basestring

import numpy as np
from numpy.typing import NDArray

# So many lines are text at once: of a million subpopulations all would be 300 MB.
_BLOCK = 1 << 16


def in_text_order(
    values: Sequence[str], codes: NDArray[np.unsignedinteger]
) -> tuple[tuple[str, ...], NDArray[np.unsignedinteger]]:
    """The values as JSON, each with a comma, sorted, and the codes that stand for them then.

    A JSON string ends at its first bare quote, so none is the beginning of another, and lines
    of them are sorted as text if their codes are: no line of text has to be sorted.
    """
    texts = [f"{encode_basestring(value)}, " for value in values]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    rank = np.empty(len(order), codes.dtype)
    rank[order] = np.arange(len(order))
    return tuple(map(texts.__getitem__, order)), rank[codes]


def lines_digest(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    codes: Sequence[NDArray[np.unsignedinteger]],
    counts: NDArray[np.int64],
) -> str:
    """SHA-256 of the names, and of lines of texts with their counts, in this order."""
    sha256 = hashlib.sha256(json.dumps(names, ensure_ascii=False).encode())
    columns = [
        (np.array(own, object), column) for own, column in zip(texts, codes, strict=True)
    ]
    for begin in range(0, len(counts), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        numbers, number = np.unique(counts[block], return_inverse=True)
        pieces = np.empty((len(number), len(columns) + 2), object)
        pieces[:, 0] = "\n["
        for at, (own, column) in enumerate(columns, 1):
            pieces[:, at] = own[column[block]]
        pieces[:, -1] = np.array([f"{count}]" for count in numbers.tolist()], object)[number]
        sha256.update("".join(pieces.ravel().tolist()).encode())
    return sha256.hexdigest()
