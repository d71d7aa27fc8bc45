"""Conversions between Arrow and NumPy that do not import pandas.

Arrow's own conversions (``pa.array``, ``pa.scalar``, ``to_numpy``) import pandas wherever that
is installed, which takes longer than counting a small file.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def as_numpy(array: pa.Array) -> NDArray[Any]:
    """The numbers of an array, without a copy; undefined where it is null."""
    buffers = [None, array.buffers()[1]]
    return np.from_dlpack(
        pa.Array.from_buffers(array.type, len(array), buffers, offset=array.offset)
    )


def is_null(array: pa.Array) -> NDArray[np.bool_]:
    """Which values are null."""
    return as_numpy(array.is_null().cast(pa.uint8())).astype(bool)


def as_arrow(numbers: NDArray[np.int64]) -> pa.Array:
    """An array of 64-bit integers."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def as_texts(texts: Sequence[str]) -> pa.Array:
    """An array of texts.

    >>> as_texts(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    data = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(texts), data)


def value_type(kind: pa.DataType) -> pa.DataType:
    """The type of the values, whether they are dictionary-encoded or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind
