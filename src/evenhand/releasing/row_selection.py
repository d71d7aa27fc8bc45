"""How a plan's moves find their rows: which match, which of these change, to which values.

A move changes a number of the rows that match its pattern, without replacement. Matching
rows are numbered as they come, and which numbers change is drawn before the first row is seen:
so the choice depends on the seed alone, not on how the rows are cut into batches. A changed
cell gets a value that is stored in its column already.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.counts import CountTable
from evenhand.errors import CannotReleaseError, InputError, Remedy, listed
from evenhand.question.codings import MISSING
from evenhand.removal import Move, Plan
from evenhand.rows import Rows
from evenhand.rows.value_labels import as_arrow, distinct, to_labels

Integers: TypeAlias = NDArray[np.int64]

_LARGEST_TABLE = 2**20
MORE = "There are more of a kind than before."
FEWER = "There are fewer of a kind than before."
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
        self._codes: dict[str, dict[str | None, int]] = {name: {} for name in self.names}
        # Each step leads from the number of a prefix, and the code of a label after it, to the
        # number of the longer one; one number more stands for all that no pattern has.
        self._steps: list[tuple[int, Callable[[Integers], Integers]]] = []
        prefix, prefixes = np.zeros(len(by_pattern), np.int64), 1
        for name, labels in zip(self.names, zip(*by_pattern, strict=True), strict=False):
            known = {label: code for code, label in enumerate(sorted({*labels}))}
            self._codes[name] = {**known}
            codes = np.array([known[label] for label in labels], np.int64)
            many = len(known) + 1  # with one for every label that no pattern names
            keys = np.unique(prefix * many + codes)
            self._steps.append((many, step := _places(keys, (prefixes + 1) * many)))
            prefix, prefixes = step(prefix * many + codes), len(keys)
        self._numbers = np.append(np.argsort(prefix), -1)

    def codes_of(self, name: str, labels: Sequence[str | None]) -> Integers:
        """For each label of a column, the code that ``find`` expects."""
        known = self._codes[name]
        own = {None, self._group}
        if self._pooled is None or name != self._protected:
            own |= {*labels}
        codes = [known.get(x if x in own else self._pooled, len(known)) for x in labels]
        return np.array(codes, np.int64)

    def find(self, columns: Mapping[str, Integers]) -> Integers:
        """The pattern of each row, or -1; ``columns`` holds codes from ``codes_of``."""
        prefix = np.zeros(len(columns[self.names[0]]), np.int64)
        for name, (many, step) in zip(self.names, self._steps, strict=False):
            prefix = step(prefix * many + columns[name])
        return self._numbers[prefix]

    def find_in(self, counts: CountTable) -> Integers:
        """The pattern of each line of a table of counts, or -1."""
        return self.find(
            {
                name: self.codes_of(name, counts.attribute(name).values)[counts.column(name)]
                for name in self.names
            }
        )


def _places(keys: Integers, size: int) -> Callable[[Integers], Integers]:
    """Finds the place of numbers below a size among some keys; their number if they are none.

    By a table of all numbers if that is small.
    """
    if size <= _LARGEST_TABLE:
        table = np.full(size, len(keys))
        table[keys] = np.arange(len(keys))
        return lambda numbers: table[numbers]

    def search(numbers: Integers) -> Integers:
        place = np.minimum(np.searchsorted(keys, numbers), len(keys) - 1)
        return np.where(keys[place] == numbers, place, len(keys))

    return search


class Assigned:
    """Values that the rows of each pattern get in the order in which they come.

    ``sizes`` is how many rows there are of each; ``values`` are those of the first pattern, of
    the second and so on. As they are drawn before any row is seen, batches do not matter.

    >>> taken = Assigned([4, 2], select([4, 2], [4, 0], np.random.default_rng(7)))
    >>> taken.take(np.array([0, 1, -1, 0]))
    array([ True, False, False,  True])
    >>> taken.complete, taken.take(np.array([0, 0, 1])).sum(), taken.complete
    (False, np.int64(2), True)
    """

    def __init__(self, sizes: Sequence[int], values: NDArray[Any], where: str = "") -> None:
        self._values, self._where = values, where
        amounts = np.array(sizes, np.int64)
        self._ends = np.cumsum(amounts)
        self._next = self._ends - amounts  # the place of each pattern's next row

    def take(self, patterns: Integers) -> NDArray[Any]:
        """The value of each row, given its pattern; zero or False for rows with -1.

        More rows of a pattern than there should be are refused.
        """
        taken = np.zeros(len(patterns), self._values.dtype)
        matching = np.flatnonzero(patterns >= 0)
        # Sixteen bits are sorted by digits, which is much faster.
        kind = np.int16 if len(self._ends) < 2**15 else np.int64
        pattern = patterns[matching].astype(kind)
        order = np.argsort(pattern, kind="stable")
        amounts = np.bincount(pattern, minlength=len(self._ends))
        if (self._next + amounts > self._ends).any():
            raise rows_differ(self._where, MORE)
        begins = self._next - np.cumsum(amounts) + amounts
        places = np.arange(len(pattern)) + np.repeat(begins, amounts)
        taken[matching[order]] = self._values[places]
        self._next += amounts
        return taken

    @property
    def complete(self) -> bool:
        """Whether all rows have come."""
        return bool((self._next == self._ends).all())


def select(
    sizes: Sequence[int], wanted: Sequence[int], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether each row is taken, of as many as are wanted of each pattern, at random."""
    taken = np.zeros(sum(sizes), bool)
    end = 0
    for size, left in zip(sizes, wanted, strict=False):
        end += size
        # Chunk by chunk: first how many of the chunk, then which.
        for begin in range(end - size, end, _CHUNK):
            chunk, rest = min(end - begin, _CHUNK), end - begin
            here = left
            if chunk < rest:
                here = int(generator.hypergeometric(left, rest - left, chunk))
            chosen = generator.choice(chunk, here, replace=False, shuffle=False)
            taken[begin + chosen] = True
            left -= here  # noqa: PLW2901  # those of the chunks to come
    return taken


def permute_moves(amounts: Sequence[Sequence[int]], generator: np.random.Generator) -> Integers:
    """Which of all moves each taken row falls to, given how many fall to each of its pattern.

    >>> permute_moves([[2], [1, 2]], np.random.default_rng(7))[:2]
    array([0, 0])
    """
    first, moves = 0, [np.zeros(0, np.int64)]
    for parts in amounts:
        numbers = np.repeat(np.arange(first, first + len(parts)), parts)
        moves.append(generator.permutation(numbers) if len(parts) > 1 else numbers)
        first += len(parts)
    return np.concatenate(moves)


@dataclass(frozen=True, slots=True)
class StoredValues:
    """The first value of each label in a column, and its row; ``index`` finds them by label."""

    index: Mapping[str, int]
    values: pa.Array
    rows: Integers


def stored_values(rows: Rows, plan: Plan) -> dict[str, StoredValues]:
    """The values that a plan may write, by column."""
    names = plan.changed_columns
    coded = [name for name in names if rows.codings.is_coded(name)]
    if coded:
        raise CannotReleaseError.of(
            f"The plan changes {listed(coded)}, counted in classes or merged values.",
            "There is no single stored value that a class could be written as.",
            "Leave out the coding, or use modify-data, which changes decisions alone.",
        )
    labels = {
        name: {
            *(move.becomes[name] for move in plan.moves if name in move.becomes),
            *(
                value
                for table in plan.redrawn
                if table.node.name == name
                for value, column in zip(
                    table.node.values, np.moveaxis(table.counts, -1, 0), strict=True
                )
                if column.any()
            ),
        }
        for name in names
    }
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


def _first_of_each(rows: Rows, name: str, labels: Collection[str]) -> StoredValues:
    """Read the column until each label was met."""
    met: dict[str, tuple[pa.Array, int]] = {}
    begin = 0
    for batch in (batch for part in rows.sources for batch in part.open([name], coded=True)):
        values, indices = distinct(batch.column(name))
        occurring, first = np.unique(indices, return_index=True)
        present = values.take(as_arrow(occurring.astype(np.int64)))
        found = to_labels(present, na=rows.codings.na).to_pylist()
        for at in np.argsort(first).tolist():
            label = MISSING if found[at] is None else found[at]
            if label in labels:
                met.setdefault(label, (present.slice(at, 1), begin + int(first[at])))
        begin += batch.num_rows
        if len(met) == len(labels):
            break
    if absent := sorted({*labels} - met.keys()):
        raise rows_differ(rows.where, f"No {name!r} is {listed(absent)}.")
    return StoredValues(
        {label: at for at, label in enumerate(met)},
        pa.concat_arrays([value for value, _ in met.values()]),
        np.array([row for _, row in met.values()], np.int64),
    )
