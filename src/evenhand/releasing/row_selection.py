"""How a plan's moves find their rows: which match, which of these change, to which values.

A move changes so many of the rows that match its pattern, drawn without replacement. Matching
rows are numbered as they come, and which numbers change is drawn before the first row is seen:
so the choice depends on the seed alone, not on how the rows are cut into batches. A changed
cell gets a value that is stored in its column already.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import prod

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import CannotReleaseError, InputError, Remedy, listed
from evenhand.question.codings import MISSING
from evenhand.removal import Move, Plan, changed_columns
from evenhand.rows import Rows
from evenhand.rows.arrow_numpy import as_arrow
from evenhand.rows.value_labels import distinct, to_labels

_LARGEST_KEY = 2**62
_LARGEST_TABLE = 2**20
_CHUNK = 1 << 20  # numbers to draw from at a time: numpy may need eight bytes for each


class Patterns:
    """The patterns of a plan's moves, ready to be looked up for many rows at once.

    Rows come as codes with the labels that the codes stand for, whatever their order. A label
    that no pattern names matches none. ``moves`` has for each pattern the moves of its rows:
    one, or several if they become different values.
    """

    def __init__(self, plan: Plan) -> None:
        self.names = plan.names
        by_pattern: dict[tuple[str, ...], list[Move]] = {}
        for move in plan.moves:
            by_pattern.setdefault(tuple(move.where[n] for n in self.names), []).append(move)
        self.moves = tuple(map(tuple, by_pattern.values()))
        self._protected, self._group = plan.question.groups_column, plan.question.group
        self._pooled = plan.pooled
        self._codes: dict[str, dict[str | None, int]] = {
            name: {label: code for code, label in enumerate(sorted(labels))}
            for name in self.names
            for labels in [{move.where[name] for move, *_ in self.moves}]
        }
        # One code more stands for every label that no pattern names.
        self._cards = {name: len(codes) + 1 for name, codes in self._codes.items()}
        patterns = [
            np.array([self._codes[name][m.where[name]] for m, *_ in self.moves], np.int64)
            for name in self.names
        ]
        self._ranks: list[NDArray[np.int64]] = []
        keys = self._keys_of(patterns, learn=True)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        self._by_key = None
        if (span := prod(self._cards.values())) <= _LARGEST_TABLE:
            self._by_key = np.full(span, -1)
            self._by_key[keys] = np.arange(len(keys))

    def codes_of(self, name: str, labels: Sequence[str | None]) -> NDArray[np.int64]:
        """For each label of a column, the code that ``find`` expects."""
        known, other = self._codes[name], self._cards[name] - 1
        return np.array(
            [known.get(self._pooled_label(name, label), other) for label in labels], np.int64
        )

    def find(self, columns: Mapping[str, NDArray[np.integer]]) -> NDArray[np.int64]:
        """The pattern of each row, or -1; ``columns`` holds codes from ``codes_of``."""
        keys = self._keys_of([columns[name].astype(np.int64) for name in self.names])
        if self._by_key is not None:
            return self._by_key[keys]
        if not len(self._keys):
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._order[place], -1)

    def find_in(self, counts: CountTable) -> NDArray[np.int64]:
        """The pattern of each line of a table of counts, or -1."""
        return self.find(
            {
                name: self.codes_of(name, counts.attribute(name).values)[counts.column(name)]
                for name in self.names
            }
        )

    def _pooled_label(self, name: str, label: str | None) -> str | None:
        pooled = self._pooled is not None and name == self._protected and label is not None
        return self._pooled if pooled and label != self._group else label

    def _keys_of(
        self, columns: Sequence[NDArray[np.int64]], *, learn: bool = False
    ) -> NDArray[np.int64]:
        """Mixed-radix keys; ranks of the patterns' prefixes stand in where keys overflow."""
        key, span, overflows = np.zeros(len(columns[0]), np.int64), 1, count()
        for name, column in zip(self.names, columns, strict=True):
            if span * self._cards[name] > _LARGEST_KEY:
                if learn:
                    self._ranks.append(np.unique(key))
                known = self._ranks[next(overflows)]
                place = np.minimum(np.searchsorted(known, key), len(known) - 1)
                key = np.where(known[place] == key, place, len(known))
                span = len(known) + 1
            key, span = key * self._cards[name] + column, span * self._cards[name]
        return key


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


class GivenRows:
    """A selection that was made before, for all rows in their order."""

    def __init__(self, taken: NDArray[np.bool_]) -> None:
        self._taken, self._seen = taken, 0

    def take(self, moves: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of the next rows is taken; more rows are an ``OverflowError``."""
        begin, self._seen = self._seen, self._seen + len(moves)
        if self._seen > len(self._taken):
            raise OverflowError
        return self._taken[begin : self._seen]

    @property
    def complete(self) -> bool:
        """Whether all rows have come."""
        return self._seen == len(self._taken)


class Outcomes:
    """Which of its moves each row that a pattern takes falls to, in the order rows come.

    >>> outcomes = Outcomes([[2], [1, 2]], np.random.default_rng(7))
    >>> sorted(outcomes.take(np.array([1, 0, 1, 1, 0])).tolist())
    [0, 0, 1, 2, 2]
    """

    def __init__(
        self, amounts: Sequence[Sequence[int]], generator: np.random.Generator
    ) -> None:
        many = np.array([len(parts) for parts in amounts], np.int64)
        self._first = np.cumsum(many) - many
        self._several = many > 1
        shuffled = [
            generator.permutation(np.repeat(np.arange(len(parts)), parts))
            for parts in amounts
            if len(parts) > 1
        ]
        self._parts = np.concatenate([*shuffled, np.zeros(0, np.int64)])
        self._next = np.zeros(len(many), np.int64)  # the place of each pattern's next row there
        self._next[self._several] = np.cumsum([0, *map(len, shuffled)])[:-1]

    def take(self, patterns: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the move, among those of all patterns, for each taken row."""
        move = self._first[patterns]
        rows = np.flatnonzero(self._several[patterns])
        rows = rows[np.argsort(patterns[rows], kind="stable")]
        amounts = np.bincount(patterns[rows], minlength=len(self._next))
        number = np.arange(len(rows)) - np.repeat(np.cumsum(amounts) - amounts, amounts)
        move[rows] += self._parts[self._next[patterns[rows]] + number]
        self._next += amounts
        return move


class LineSelection:
    """Selection for counted lines: how many of the rows of each line are taken."""

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
            amount = int(self._generator.hypergeometric(here, left, wanted)) if wanted else 0
            taken[line] = amount
            self._rows_left[move], self._wanted[move] = left, wanted - amount
        return taken

    @property
    def complete(self) -> bool:
        """Whether all rows that the moves were made for have come."""
        return not any(self._rows_left)


@dataclass(frozen=True, slots=True)
class StoredValues:
    """The first value of each label in a column, and its row; ``index`` finds them by label."""

    index: Mapping[str, int]
    values: pa.Array
    rows: NDArray[np.int64]


def stored_values(rows: Rows, plan: Plan) -> dict[str, StoredValues]:
    """The values that a plan may write, by column."""
    names = changed_columns(plan)
    coded = [name for name in names if rows.codings.is_coded(name)]
    if coded:
        raise CannotReleaseError.of(
            f"The plan changes {listed(coded)}, counted in classes or merged values.",
            "There is no single stored value that a class could be written as.",
            "Leave out the coding, or use modify-data, which changes decisions alone.",
        )
    labels = {name: _labels(plan, name) for name in names}
    if plan.pooled in labels.get(plan.question.groups_column, ()):
        raise CannotReleaseError.of(
            f"The plan changes {plan.question.groups_column!r}, whose other groups are pooled.",
            f"{plan.pooled!r} is no stored value.",
            Remedy("Name the other group", "other"),
        )
    return {name: _first_of_each(rows, name, labels[name]) for name in names}


def rows_differ(where: str, found: str) -> InputError:
    """The rows at hand are not those that were counted."""
    return InputError.of(
        "The rows are not those that were counted.",
        found,
        "They changed in between, or belong to another audit: audit them again.",
        where,
    )


def _labels(plan: Plan, name: str) -> frozenset[str]:
    """The labels that a plan may write into a column."""
    moved = {move.becomes[name] for move in plan.moves if name in move.becomes}
    redrawn = {
        value
        for table in plan.redrawn
        if table.node.name == name
        for value, count in zip(table.node.values, _totals(table.counts), strict=True)
        if count
    }
    return frozenset(moved | redrawn)


def _totals(counts: NDArray[np.int64]) -> list[int]:
    totals: list[int] = counts.reshape(-1, counts.shape[-1]).sum(axis=0).tolist()
    return totals


def _first_of_each(rows: Rows, name: str, labels: frozenset[str]) -> StoredValues:
    """Read the column until each label was met."""
    met: dict[str, tuple[pa.Array, int]] = {}
    for label, value, row in _first_values(rows, name):
        if label in labels:
            met.setdefault(label, (value, row))
            if len(met) == len(labels):
                break
    if len(met) < len(labels):
        absent = sorted(labels - met.keys())
        raise rows_differ(rows.where, f"No {name!r} is {listed(absent)}.")
    return StoredValues(
        {label: at for at, label in enumerate(met)},
        pa.concat_arrays([value for value, _ in met.values()]),
        np.array([row for _, row in met.values()], np.int64),
    )


def _first_values(rows: Rows, name: str) -> Iterator[tuple[str, pa.Array, int]]:
    """The label of every distinct value in each batch, the value, and its first row there."""
    begin = 0
    for source in rows.sources:
        for batch in source.open([name], coded=True):
            values, indices = distinct(batch.column(name))
            occurring, first = np.unique(indices, return_index=True)
            present = values.take(as_arrow(occurring.astype(np.int64)))
            labels = to_labels(present, na=rows.codings.na).to_pylist()
            for at in np.argsort(first).tolist():
                label = MISSING if labels[at] is None else labels[at]
                yield label, present.slice(at, 1), begin + int(first[at])
            begin += batch.num_rows
