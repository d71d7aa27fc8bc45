"""Columns that determine others: no value of the one occurs with two values of the other.

A column whose values hardly repeat determines everything, which says nothing. So one counts
only if values that occur at least twice cover nine tenths of the rows, and the other column is
not constant there. Numbers, also nearly unique ones, determine a decision by a pass mark: one
cut that separates it. If k of n rows were chosen at random, one cut would separate them with a
chance of at most 2 / C(n, k), whatever the numbers are; a mark counts only if that is rare.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import lgamma, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts.count_table import CountTable
from evenhand.counts.label_order import looks_missing
from evenhand.errors import Problem, Remedy
from evenhand.question.codings import MISSING
from evenhand.question.number_classes import number_text
from evenhand.question.parse_values import exact_number

NEARLY = Fraction(99, 100)  # least strength of a determination with exceptions
ASKED = Fraction(8, 10)  # from which on it is asked whether a column came after the decision
_RARE = 1e-6  # chance of a pass mark that nobody set
_FEWEST_DECIDED = 5  # rows of each decision, where pairs of columns are tried
_MOST_PAIRED = 100  # columns that are tried in pairs
_WITNESSES = 1 << 14  # lines of which it is tried first
_FEWEST_NUMBERS = 2  # of fewer the values tell as much as a mark
_JOINT = "both"
_LEAST_REPEATED = Fraction(9, 10)
_SAMPLE = 4096  # pairs of lines on which most pairs of columns fail
_PROBE = 1024  # lines on which most of the others do
_MOST_CELLS = 1 << 22  # of a dense table, unless there are an eighth as many lines
_MOST_TESTS = 100_000  # of one column against another, on these lines

_Lines: TypeAlias = NDArray[np.intp]
_LEAST_EXPECTED = 20  # rows of the group with other values, were it like the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Determination:
    """A column that alone tells the decision, in all rows or in nearly all.

    ``strength`` is Goodman and Kruskal's lambda: the share of wrong guesses of the decision
    that knowing the column avoids. ``exceptions`` are the rows whose decision is not the most
    frequent one of their value, by group and decision. ``marks`` are the numbers from which on
    the decision is another one, where cuts of numbers tell it: the roundest that do.
    """

    name: str
    strength: Fraction
    exceptions: Mapping[str, Mapping[str, int]]
    marks: tuple[str, ...] = ()

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

    @property
    def rule(self) -> str:
        """The column, with the pass mark if there is one."""
        return f"{self.name!r} >= {self.marks[0]}" if len(self.marks) == 1 else repr(self.name)

    def near_problem(self, decision: str, rows: int) -> Problem:
        """What to know of a column that determines the decision but for some of the rows."""
        return Problem(
            f"{self.rule} alone determines {decision!r} but for {self.exception_rows:,} of "
            f"{rows:,} rows: {self.exceptions_text}.",
            "These exceptions may be the finding.",
            Remedy("If it was made from the decision, leave it out", "exclude", [self.name]),
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
    least: Fraction = NEARLY,
) -> tuple[Determination, ...]:
    """The columns that alone determine the decision, exactly or nearly; the strongest first.

    Of all columns, or of those named: by their values, or by pass marks of their numbers. The
    protected attribute and columns equivalent to it are never among them.
    """
    results = (
        _determination_by_marks(counts, name, decision, protected=protected, least=least)
        or _determination(counts, name, decision, protected=protected, least=least)
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


def _determination_by_marks(
    counts: CountTable, name: str, decision: str, *, protected: str | None, least: Fraction
) -> Determination | None:
    """How far cuts of a column's numbers separate the decisions; None if it has no numbers."""
    values, kinds = counts.attribute(name).values, len(counts.attribute(decision))
    numbers = numbers_of(values)
    if numbers is None or _is_too_large(counts, len(values) * kinds):
        return None
    cell = counts.column(name).astype(np.int64) * kinds + counts.column(decision)
    rows = counts.totals(cell, len(values) * kinds).reshape(-1, kinds)
    order = np.argsort(numbers, kind="stable")
    order = order[~np.isnan(numbers[order]) & (rows[order].sum(axis=1) > 0)]
    decided = np.flatnonzero(rows[order].sum(axis=0))
    if len(order) <= _FEWEST_NUMBERS or len(decided) < 2:
        return None
    sides = _sides(rows[order][:, decided])
    expected = rows.argmax(axis=1)  # of what is missing the most frequent decision
    expected[order] = decided[sides]
    total, largest = counts.row_count, int(rows.sum(axis=0).max())
    right = int(rows[np.arange(len(values)), expected].sum())
    strength = Fraction(right - largest, total - largest)
    begins = np.flatnonzero(np.diff(sides)) + 1
    if (
        strength < least
        or len(begins) != len(decided) - 1
        or _may_be_chance(rows.sum(axis=0)[decided], total - right)
    ):
        return None
    gaps = [
        (exact_number(values[order[at - 1]]), exact_number(values[order[at]]))
        for at in begins.tolist()
    ]
    if any(low >= high for low, high in gaps):
        return None  # no cut lies between two spellings of one number
    lines = np.flatnonzero(counts.column(decision) != expected[counts.column(name)])
    return Determination(
        name=name,
        strength=strength,
        exceptions=_rows_by_group(counts, lines, protected, decision),
        marks=tuple(number_text(-roundest(-high, -low)) for low, high in gaps),
    )


def _is_too_large(counts: CountTable, cells: int) -> bool:
    """Whether a dense table of so many cells takes much more memory than the lines."""
    return cells > max(_MOST_CELLS, 8 * len(counts))


def _sides(rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """For each number, in order, the decision that is expected; of two by the best cut."""
    sides: NDArray[np.intp] = rows.argmax(axis=1)
    if rows.shape[1] > 2:
        return sides
    lead = np.cumsum(rows[:, 0] - rows[:, 1])[:-1]  # of the first decision below each cut
    first_below = rows[:, 1].sum() + lead.max() >= rows[:, 0].sum() - lead.min()
    cut = lead.argmax() if first_below else lead.argmin()
    sides[:] = (np.arange(len(rows)) <= cut) != first_below
    return sides


def _may_be_chance(decisions: NDArray[np.int64], wrong: int) -> bool:
    """Whether a cut separates randomly permuted decisions with as few wrong guesses."""
    total = int(decisions.sum())
    orders = _log_choices(total, decisions.tolist())
    wrong = min(wrong, total // 2)
    excused = _log_choices(total, [wrong, total - wrong]) + log(2 * (total + 1) * (wrong + 1))
    return excused - orders > log(_RARE)


def _log_choices(total: int, parts: Iterable[int]) -> float:
    """The logarithm of the number of ways to divide rows into parts of these sizes."""
    return lgamma(total + 1) - sum(lgamma(part + 1) for part in parts)


def roundest(low: Fraction, high: Fraction) -> Fraction:
    """The number from low to below high with the fewest digits; the least if there are several.

    ``low`` is less than ``high``.

    >>> print(roundest(Fraction(4781), Fraction(5178)), roundest(Fraction(36), Fraction(37)))
    5000 36
    """
    if low <= 0 < high:
        return Fraction(0)
    step = Fraction(10) ** len(str(int(max(abs(low), abs(high)))))
    while True:
        for size in (step, step / 2):
            candidate = -(-low // size) * size
            if candidate < high:
                return candidate
        step /= 10


def numbers_of(values: Sequence[str]) -> NDArray[np.float64] | None:
    """The numbers of labels, NaN for what is missing or looks so; None if one is no number.

    >>> numbers_of(["70", "?", "3.5"]).tolist(), numbers_of(["70", "low"])
    ([70.0, nan, 3.5], None)
    """
    numbers = np.full(len(values), np.nan)
    for at, value in enumerate(values):
        try:
            numbers[at] = float(value.replace("_", " "))  # which Python would read over
        except ValueError:
            if value != MISSING and not looks_missing(value):
                return None
    return None if np.isinf(numbers).any() else numbers


def jointly_determining(
    counts: CountTable, names: Iterable[str], decision: str
) -> tuple[tuple[str, str], ...]:
    """Pairs of columns that together determine the decision, and neither of them alone.

    Pairs of lines that agree in the first column and differ in the decision differ in the
    second one, too: a sample of such lines excludes most pairs of columns.
    """
    rows = counts.value_totals(decision)
    if np.count_nonzero(rows) < 2 or rows[rows > 0].min() < _FEWEST_DECIDED:
        return ()
    names = [*names][:_MOST_PAIRED]
    decisions, pairs = counts.column(decision), []
    columns = [counts.column(name) for name in names]
    size = min(len(decisions), _WITNESSES)
    lines = np.random.default_rng(0).choice(len(decisions), size, replace=False)
    witnesses = [_differing_lines(column, decisions, lines) for column in columns]
    for one, other in combinations(range(len(names)), 2):
        if any(
            not len(lines[0]) or (column[lines[0]] == column[lines[1]]).any()
            for lines, column in (
                (witnesses[one], columns[other]),
                (witnesses[other], columns[one]),
            )
        ):
            continue
        pair = names[one], names[other]
        group, first = counts.groups(pair)
        joint = counts.with_column(_JOINT, [*map(str, range(len(first)))], group)
        if (decisions == decisions[first][group]).all() and repeats(joint, _JOINT, decision):
            pairs.append(pair)
    return tuple(pairs)


def _differing_lines(
    column: NDArray[np.unsignedinteger],
    decisions: NDArray[np.unsignedinteger],
    lines: _Lines,
) -> tuple[_Lines, _Lines]:
    """Pairs of some lines that agree in a column and differ in the decision."""
    order = lines[np.argsort(column[lines], kind="stable")]
    one, other = order[:-1], order[1:]
    differ = (column[one] == column[other]) & (decisions[one] != decisions[other])
    return one[differ][:_SAMPLE], other[differ][:_SAMPLE]


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
    """Yield the names of columns that are constant in a group of ``by``, and not by chance.

    Columns with too many values for the number of groups are left out.
    """
    group, groups = counts.column(by), len(counts.attribute(by))
    for name in names:
        values = len(counts.attribute(name))
        if _is_too_large(counts, groups * values):
            continue
        rows = counts.totals(
            group.astype(np.int64) * values + counts.column(name), groups * values
        ).reshape(groups, values)
        own, most = rows.sum(axis=1), rows.max(axis=1)
        rest = own.sum() - own
        differing = rest - (rows.sum(axis=0)[rows.argmax(axis=1)] - most)
        expected = own * differing / np.maximum(rest, 1)
        if ((own == most) & (expected >= _LEAST_EXPECTED)).any():
            yield name
