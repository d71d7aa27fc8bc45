"""Which rows an engine takes: those that come first when keys are shuffled by the seed.

An engine's own random numbers are drawn anew when work is repeated, and its hash functions are
not random from seed to seed. So keys are shuffled by arithmetic that every engine does
exactly: a Feistel network on two halves of 20 bits, whose rounds add a polynomial with secret
coefficients. It maps keys one to one, so no two rows of a move come to the same place, and a
move takes exactly as many rows as it should.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.errors import ColumnError, QuestionError, Remedy
from evenhand.rows import Rows
from evenhand.rows.ibis_tables import computed_once, engine_errors, fetch
from evenhand.rows.postgres_statements import is_key_by_constraint

HALF_BITS = 20
HALF = 1 << HALF_BITS
KEYS = HALF**2  # keys lie below; then no product exceeds 2⁵³, which even a float holds exactly
_PRIME = 2**31 - 1
_ROUNDS = 4
_RIGHT = "evenhand_right"


@dataclass(frozen=True, slots=True)
class Shuffle:
    """A keyed bijection of the numbers below 2⁴⁰.

    Numbers may be anything with arithmetic: integers, arrays, columns of an engine.

    >>> shuffle = Shuffle.of(7)
    >>> sorted(shuffle.place(key) for key in (0, 1, 2))
    [197570838550, 324082420655, 462069742288]
    """

    rounds: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, seed: int) -> "Shuffle":
        """The shuffle with coefficients drawn from a seed."""
        coefficients = np.random.default_rng(seed).integers(1, _PRIME, (_ROUNDS, 3))
        return cls(tuple((a, b, c) for a, b, c in coefficients.tolist()))

    def place(self, key: Any) -> Any:  # noqa: ANN401  # whatever can be added and multiplied
        """The place of a key after the shuffle."""
        left, right = self.halves(key)
        for number in range(_ROUNDS):
            left, right = self.next_round(number, left, right)
        return self.join(left, right)

    @staticmethod
    def join(left: Any, right: Any) -> Any:  # noqa: ANN401
        """The number of two halves."""
        return left * HALF + right

    @staticmethod
    def halves(key: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """The upper and the lower half; engines would divide by floating point."""
        return key >> HALF_BITS, key % HALF

    def next_round(self, number: int, left: Any, right: Any) -> tuple[Any, Any]:  # noqa: ANN401
        """The halves after one more round."""
        a, b, c = self.rounds[number]
        mixed = ((right * a + b) % _PRIME * right + c) % _PRIME
        return right, (left + mixed) % HALF


def shuffled(
    table: Any,  # noqa: ANN401  # an Ibis table
    shuffle: Shuffle,
    key: str,
    place: str,
    *,
    left: str,
    at_once: bool = False,
) -> Any:  # noqa: ANN401  # an Ibis table
    """The table with each row's place in a shuffle of its key, and the place's upper half.

    ``at_once`` says that all places are needed. Otherwise PostgreSQL computes one where it is
    used, with each round three times in the next: less than passing on all columns of each row.
    """
    halves = shuffle.halves(table[key].cast("int64"))
    for number in range(_ROUNDS):
        table = table.mutate(**dict(zip((left, _RIGHT), halves, strict=True)))
        table = computed_once(table) if at_once else table
        halves = shuffle.next_round(number, table[left], table[_RIGHT])
    table = table.mutate(**dict(zip((left, _RIGHT), halves, strict=True)))
    return table.mutate(**{place: shuffle.join(table[left], table[_RIGHT])})


def check_key_column(rows: Rows, key: str | None) -> str:
    """The name of the key; refuses a column that cannot be one, without asking the engine."""
    table, where = rows.origin, rows.where
    if key is None:
        raise QuestionError.of(
            "Which column tells the rows apart?",
            "An engine's rows have no order to choose them by.",
            Remedy("Name a column of different whole numbers", "key", "person_id"),
            where,
        )
    if key not in table.columns:
        raise ColumnError.unknown([key], table.columns, where=where)
    kind = table[key].type()
    if not kind.is_integer():
        raise _no_key(key, f"Its type is {kind}.", where)
    return key


def check_key(rows: Rows, key: str) -> None:
    """Refuse a key that does not tell rows apart."""
    table, where = rows.origin, rows.where
    column = table[key]
    facts = {"low": column.min(), "high": column.max()}
    with engine_errors(where):
        is_key = is_key_by_constraint(table, key)
    if not is_key:
        facts |= {"rows": table.count(), "known": column.count(), "different": column.nunique()}
    (fact,) = fetch(table.aggregate(**facts), where).to_pylist()
    count = fact.get("rows", 0)
    if fact.get("known", count) < count:
        reason = f"It is null in {count - fact['known']:,} rows."
    elif fact.get("different", count) < count:
        reason = f"{count:,} rows have {fact['different']:,} different values."
    elif fact["low"] is not None and not 0 <= fact["low"] <= fact["high"] < KEYS:
        reason = f"It goes from {fact['low']:,} to {fact['high']:,}."
    else:
        return
    raise _no_key(key, reason, where)


def _no_key(key: str, reason: str, where: str) -> ColumnError:
    return ColumnError.of(
        f"The column {key!r} is no key for a release.",
        reason,
        "A key is a whole number from 0 to 2⁴⁰ − 1, and another one in every row. "
        "Without one, make a table that has it, for instance by numbering the rows.",
        where,
    )
