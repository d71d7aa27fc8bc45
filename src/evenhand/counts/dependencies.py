"""Columns that determine others: no value of the one occurs with two values of the other.

A column whose values hardly repeat determines everything, which says nothing. So one counts
only if values that occur at least twice cover nine tenths of the rows, and the other column is
not constant there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import Attribute, CountTable, code_type

NEARLY = Fraction(99, 100)  # least strength of a determination with exceptions
_LEAST_REPEATED = Fraction(9, 10)
_PROBE = 1024  # lines on which most pairs fail
_MOST_PAIRS = 40_000

_Lines: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Determination:
    """A column that alone tells the decision, in all rows or in nearly all.

    ``strength`` is Goodman and Kruskal's lambda: the share of wrong guesses of the decision
    that knowing the column avoids. ``exceptions`` are the rows whose decision is not the most
    frequent one of their value, by group and decision.
    """

    name: str
    strength: Fraction
    exceptions: Mapping[str, Mapping[str, int]]

    @property
    def exact(self) -> bool:
        """Whether there is no exception."""
        return self.strength == 1

    def to_dict(self) -> dict[str, object]:
        """Plain values."""
        exceptions = {group: dict(rows) for group, rows in self.exceptions.items()}
        return {
            "name": self.name,
            "strength": float(self.strength),
            "exceptions": exceptions,
        }


def determining_columns(
    counts: CountTable,
    decision: str,
    *,
    protected: str | None = None,
    names: Iterable[str] | None = None,
) -> tuple[Determination, ...]:
    """The columns that alone determine the decision, exactly or nearly; the strongest first.

    Of all columns, or of those named. The protected attribute and columns equivalent to it are
    never among them.
    """
    results = (
        _determination(counts, name, decision, protected=protected, least=NEARLY)
        for name in (counts.names if names is None else names)
        if name not in (decision, protected)
        and not (protected is not None and are_equivalent(counts, name, protected))
    )
    return tuple(sorted(filter(None, results), key=lambda result: -result.strength))


def joint_determination(
    counts: CountTable, names: Iterable[str], decision: str, *, protected: str
) -> Determination | None:
    """How far some columns together determine the decision; None if they hardly repeat."""
    names = list(names)
    group, first = counts.groups(names)
    joint = Attribute(f"{decision} by {', '.join(names)}", tuple(map(str, range(len(first)))))
    table = CountTable(
        (joint, counts.attribute(decision), counts.attribute(protected)),
        (
            group.astype(code_type(len(first))),
            counts.column(decision),
            counts.column(protected),
        ),
        counts.counts,
    )
    result = _determination(table, joint.name, decision, protected=protected)
    return result and replace(result, name=", ".join(names))


def _determination(
    counts: CountTable,
    name: str,
    decision: str,
    *,
    protected: str | None,
    least: Fraction = Fraction(0),
) -> Determination | None:
    """How far a column determines the decision; None if it hardly repeats, or less does."""
    if not _repeats(counts, name, decision):
        return None
    strength, expected = _lambda(counts, name, decision)
    if strength < least:
        return None
    lines = np.flatnonzero(counts.column(decision) != expected[counts.column(name)])
    rows = _rows_by_group(counts, lines, protected, decision)
    return Determination(name=name, strength=strength, exceptions=rows)


def are_equivalent(counts: CountTable, one: str, other: str) -> bool:
    """Whether each of two columns determines the other."""
    card = len(counts.attribute(one))
    if card != len(counts.attribute(other)):
        return False
    codes, values = counts.column(one), counts.column(other)
    return np.array_equal(_first_lines(codes, card)[codes], _first_lines(values, card)[values])


def equivalent_columns(counts: CountTable) -> tuple[tuple[str, ...], ...]:
    """Groups of columns that determine one another: the same column in other words.

    Columns of one value, and those of which hardly any value repeats, are in no group.
    """
    alike: dict[bytes, list[str]] = {}
    sizes = Counter(counts.cards)
    for name, codes, card in zip(counts.names, counts.codes, counts.cards, strict=True):
        if card > 1 < sizes[card]:
            # Each code replaced by the first line that has it: equal for equivalent columns.
            first = _first_lines(codes, card)[codes]
            alike.setdefault(blake2b(first.tobytes()).digest(), []).append(name)
    return tuple(
        tuple(names)
        for names in alike.values()
        if len(names) > 1 and _repeats(counts, names[0], names[0])
    )


def dependent_pairs(
    counts: CountTable, names: Iterable[str]
) -> tuple[tuple[tuple[str, str], ...], int]:
    """All pairs of which the first column determines the second but not the other way round.

    Also returns how many of the columns were looked at: the first ones, if all would be too
    many pairs.
    """
    chosen = [*names]
    while len(chosen) * (len(chosen) - 1) > _MOST_PAIRS:
        chosen.pop()
    return tuple(_pairs(counts, chosen)), len(chosen)


def _pairs(counts: CountTable, names: list[str]) -> Iterator[tuple[str, str]]:
    cards = {name: len(counts.attribute(name)) for name in names}
    columns = {name: counts.column(name) for name in names}
    for name in names:
        codes = columns[name]
        first = _first_lines(codes, cards[name])[codes]
        probe = np.flatnonzero(first != np.arange(len(codes)))[:_PROBE]
        for other in names:
            if 1 < cards[other] < cards[name]:
                values = columns[other]
                if (
                    np.array_equal(values[first[probe]], values[probe])
                    and np.array_equal(values[first], values)
                    and _repeats(counts, name, other)
                ):
                    yield name, other


def _first_lines(codes: NDArray[np.unsignedinteger], card: int) -> _Lines:
    """The first line of each value."""
    first = np.zeros(card, np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def _repeats(counts: CountTable, name: str, other: str) -> bool:
    """Whether values that occur at least twice cover enough rows, and the other differs there.

    Lines are taken as they are: on rows that were not merged each counts as one row or more.
    """
    codes = counts.column(name)
    rows = counts.totals(codes, len(counts.attribute(name)))
    if rows[rows > 1].sum() < _LEAST_REPEATED * counts.row_count:
        return False
    values = counts.column(other)[(rows > 1)[codes]]
    return len(values) > 0 and values.min() != values.max()


def _lambda(counts: CountTable, name: str, target: str) -> tuple[Fraction, _Lines]:
    """Goodman and Kruskal's lambda, and the most frequent target value of each value."""
    codes, targets = counts.column(name), counts.column(target)
    group, first = counts.groups([name, target])
    rows = counts.totals(group, len(first))
    order = np.argsort(rows, kind="stable")  # later ones, of more rows, overwrite
    expected = np.zeros(len(counts.attribute(name)), np.intp)
    expected[codes[first[order]]] = targets[first[order]]
    right = int(rows[targets[first] == expected[codes[first]]].sum())
    largest = max(counts.values(target).values())
    wrong = counts.row_count - largest
    return Fraction(right - largest, wrong) if wrong else Fraction(0), expected


def _rows_by_group(
    counts: CountTable, lines: _Lines, protected: str | None, decision: str
) -> dict[str, dict[str, int]]:
    """How many rows these lines have, by group (one, if none is named) and decision."""
    rows: dict[str, dict[str, int]] = {}
    decisions = counts.attribute(decision).values
    groups = counts.attribute(protected).values if protected else ("all",)
    of = counts.column(protected) if protected else np.zeros(len(counts), np.intp)
    for line in lines.tolist():
        by_decision = rows.setdefault(groups[of[line]], {})
        value = decisions[counts.column(decision)[line]]
        by_decision[value] = by_decision.get(value, 0) + int(counts.counts[line])
    return rows
