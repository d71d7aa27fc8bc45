"""Columns that determine others: no value of the one occurs with two values of the other.

A column whose values hardly repeat determines everything, which says nothing. So one counts
only if values that occur at least twice cover nine tenths of the rows, and the other column is
not constant there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import CountTable
from evenhand.errors import Problem, Remedy

NEARLY = Fraction(99, 100)  # least strength of a determination with exceptions
_LEAST_REPEATED = Fraction(9, 10)
_SAMPLE = 4096  # pairs of lines on which most pairs of columns fail
_PROBE = 1024  # lines on which most of the others do
_MOST_TESTS = 100_000  # of one column against another, on these lines

_Lines: TypeAlias = NDArray[np.intp]
_LEAST_EXPECTED = 20  # rows of the group with other values, were it like the rest


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

    @property
    def exception_rows(self) -> int:
        """How many rows are exceptions."""
        return sum(sum(by.values()) for by in self.exceptions.values())

    @property
    def exceptions_text(self) -> str:
        """How many rows are exceptions, by group and decision."""
        return "; ".join(
            f"{group} {', '.join(f'{value} {rows:,}' for value, rows in by.items())}"
            for group, by in sorted(self.exceptions.items())
        )

    def near_problem(self, decision: str, rows: int) -> Problem:
        """What to know of a column that determines the decision but for some of the rows."""
        return Problem(
            f"{self.name!r} alone determines {decision!r} but for {self.exception_rows:,} of "
            f"{rows:,} rows: {self.exceptions_text}.",
            "These exceptions may be the finding.",
            Remedy("If made from the decision, leave it out", "exclude", [self.name]),
        )

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
    joint = f"{decision} by {', '.join(names)}"
    table = counts.with_column(joint, [*map(str, range(len(first)))], group)
    result = _determination(table, joint, decision, protected=protected)
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
    if not repeats(counts, name, decision):
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
    alike: dict[tuple[int, bytes], list[list[str]]] = {}
    samples = zip(counts.names, counts.cards, _agreement(counts, counts.names), strict=True)
    for name, card, sampled in samples:
        groups = alike.setdefault((card, sampled.tobytes()), [])
        same = (group for group in groups if are_equivalent(counts, group[0], name))
        if (group := next(same, None)) is None:
            groups.append([name])
        else:
            group.append(name)
    return tuple(
        tuple(names)
        for (card, _), groups in alike.items()
        for names in groups
        if card > 1 < len(names) and repeats(counts, names[0])
    )


def dependent_pairs(
    counts: CountTable, names: Iterable[str]
) -> tuple[tuple[tuple[str, str], ...], int]:
    """All pairs of which the first column determines the second but not the other way round.

    Also returns how many of the columns were looked at as the first of a pair: not all, if too
    many pairs cannot be told apart on a sample.
    """
    chosen = [*names]
    pairs: list[tuple[str, str]] = []
    tests = 0
    for at, candidates in enumerate(_candidates(counts, chosen)):
        tests += len(candidates)
        if tests > _MOST_TESTS:
            return tuple(pairs), at
        pairs += _determined(counts, chosen[at], [chosen[other] for other in candidates])
    return tuple(pairs), len(chosen)


def _candidates(counts: CountTable, names: list[str]) -> Iterator[list[int]]:
    """For each column the others that it may determine, by a sample of pairs of lines.

    A column that determines another has no pair of lines in which it agrees and the other one
    differs. 64 pairs of lines are the bits of a word; few columns are left after one word.
    """
    cards = np.array([len(counts.attribute(name)) for name in names])
    agree = _agreement(counts, names)
    differ = np.asfortranarray(~agree)
    for name, card, words in zip(names, cards.tolist(), agree, strict=True):
        left = np.flatnonzero((cards > 1) & (cards < card) & (differ[:, 0] & words[0] == 0))
        for block in (slice(1, 8), slice(8, None)):
            left = left[~(differ[left, block] & words[block]).any(axis=1)]
        yield left.tolist() if len(left) and repeats(counts, name) else []


def _agreement(counts: CountTable, names: Sequence[str]) -> NDArray[np.uint64]:
    """For each column, as bits, in which of a sample of pairs of lines it agrees."""
    agree = np.zeros((len(names), _SAMPLE // 64), np.uint64)
    if len(counts):
        one, other = np.random.default_rng(0).integers(0, len(counts), (2, _SAMPLE))
        for at, name in enumerate(names):
            codes = counts.column(name)
            agree[at] = np.packbits(codes[one] == codes[other]).view(np.uint64)
    return agree


def _determined(counts: CountTable, name: str, others: list[str]) -> Iterator[tuple[str, str]]:
    """The pairs of a column with those others that it determines."""
    codes = counts.column(name)
    first = _first_lines(codes, len(counts.attribute(name)))[codes] if others else codes
    probe = np.flatnonzero(first != np.arange(len(codes)))[:_PROBE] if others else first
    for other in others:
        values = counts.column(other)
        if (
            np.array_equal(values[first[probe]], values[probe])
            and np.array_equal(values[first], values)
            and repeats(counts, name, other)
        ):
            yield name, other


def _first_lines(codes: NDArray[np.unsignedinteger], card: int) -> _Lines:
    """The first line of each value."""
    first = np.zeros(card, np.intp)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def repeats(counts: CountTable, name: str, other: str | None = None) -> bool:
    """Whether values that occur at least twice cover enough rows, and the other differs there.

    Lines are taken as they are: on rows that were not merged each counts as one row or more.
    """
    rows = counts.value_totals(name)
    if rows[rows > 1].sum() < _LEAST_REPEATED * counts.row_count:
        return False
    values = counts.column(other or name)[(rows > 1)[counts.column(name)]]
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
    largest = int(counts.value_totals(target).max())
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


def constant_in_a_group(counts: CountTable, by: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the names of columns that are constant in a group of ``by``, and not by chance."""
    group, groups = counts.column(by), len(counts.attribute(by))
    for name in names:
        values = len(counts.attribute(name))
        rows = counts.totals(
            group.astype(np.int64) * values + counts.column(name), groups * values
        ).reshape(groups, values)
        own, most = rows.sum(axis=1), rows.max(axis=1)
        rest = own.sum() - own
        differing = rest - (rows.sum(axis=0)[rows.argmax(axis=1)] - most)
        expected = own * differing / np.maximum(rest, 1)
        if ((own == most) & (expected >= _LEAST_EXPECTED)).any():
            yield name
