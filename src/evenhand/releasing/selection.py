"""Which rows a move takes: so many of those that match, drawn without replacement.

The rows of a move are numbered as they come. Which numbers are taken is drawn before the first
row is seen, so it depends on the seed alone, and not on how the rows are cut into batches.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Of so many numbers some are drawn at a time: numpy may need eight bytes for each.
_CHUNK = 1 << 20


class Selection:
    """Numbers drawn for every move, as one bit for each row that matches any.

    >>> selection = Selection([4, 2], [4, 0], np.random.default_rng(7))
    >>> selection.take(np.array([0, 1, -1, 0]))
    array([ True, False, False,  True])
    >>> selection.complete, selection.take(np.array([0, 0, 1])).sum(), selection.complete
    (False, np.int64(2), True)
    """

    def __init__(
        self, sizes: Sequence[int], wanted: Sequence[int], generator: np.random.Generator
    ) -> None:
        self.sizes = np.asarray(sizes, np.int64)
        self._seen = np.zeros(len(self.sizes), np.int64)
        in_bytes = (self.sizes + 7) // 8
        self._begins = 8 * (np.cumsum(in_bytes) - in_bytes)
        self._bits = np.zeros(int(in_bytes.sum()), np.uint8)
        for move, (size, rows) in enumerate(zip(self.sizes.tolist(), wanted, strict=True)):
            self._draw(int(self._begins[move]) // 8, size, rows, generator)

    def _draw(self, begin: int, size: int, rows: int, generator: np.random.Generator) -> None:
        """Draw chunk by chunk: first how many of the chunk, then which."""
        for done in range(0, size, _CHUNK):
            left, chunk = size - done, min(size - done, _CHUNK)
            here = (
                rows
                if chunk == left
                else int(generator.hypergeometric(rows, left - rows, chunk))
            )
            taken = np.zeros(chunk, bool)
            taken[generator.choice(chunk, here, replace=False, shuffle=False)] = True
            packed = np.packbits(taken, bitorder="little")
            at = begin + done // 8
            self._bits[at : at + len(packed)] = packed
            rows -= here

    def take(self, moves: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each row is taken, given the move it falls under, or -1.

        More rows of a move than it was made for are an ``OverflowError``.
        """
        taken = np.zeros(len(moves), bool)
        matching = np.flatnonzero(moves >= 0)
        # Sixteen bits are sorted by digits, which is much faster.
        move = moves[matching].astype(np.int16 if len(self.sizes) < 2**15 else np.int64)
        order = np.argsort(move, kind="stable")
        amounts = np.bincount(move, minlength=len(self.sizes))
        if (self._seen + amounts > self.sizes).any():
            raise OverflowError
        ends = np.cumsum(amounts)
        number = np.arange(len(move)) + np.repeat(
            self._seen + self._begins - ends + amounts, amounts
        )
        bit = (self._bits[number >> 3] >> (number & 7).astype(np.uint8)) & 1
        taken[matching[order]] = bit.astype(bool)
        self._seen += amounts
        return taken

    @property
    def complete(self) -> bool:
        """Whether all rows that the moves were made for have come."""
        return bool((self._seen == self.sizes).all())


class CountedSelection:
    """The same for lines that stand for several rows each: how many of them are taken."""

    def __init__(
        self, sizes: Sequence[int], wanted: Sequence[int], generator: np.random.Generator
    ) -> None:
        self._rows_left = list(sizes)
        self._wanted = list(wanted)
        self._generator = generator

    def take(self, moves: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many rows of each line are taken, given its move, or -1, and its rows."""
        taken = np.zeros(len(moves), np.int64)
        for line in np.flatnonzero(moves >= 0).tolist():
            move, here = int(moves[line]), int(rows[line])
            left, wanted = self._rows_left[move] - here, self._wanted[move]
            if left < 0:
                raise OverflowError
            # A draw of the wanted among all rows left: how many of them fall on this line.
            drawn = int(self._generator.hypergeometric(here, left, wanted)) if wanted else 0
            taken[line] = drawn
            self._rows_left[move], self._wanted[move] = left, wanted - drawn
        return taken

    @property
    def complete(self) -> bool:
        """Whether all rows that the moves were made for have come."""
        return not any(self._rows_left)
