"""Measures that people know, computed from the same counts, each with what it does not see.

They answer other questions than the criterion does: most compare everybody with everybody. They
stand beside a result, decide nothing, and are no order of methods. Each is about two groups; of
more, about the pair whose mean difference leads.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import ExaminedCounts
from evenhand.display import Plain
from evenhand.evidence.partition import Partition

Counts: TypeAlias = NDArray[np.int64]
Value: TypeAlias = Fraction | float | None

EIGHTY_PERCENT = Fraction(4, 5)
LIFT = Fraction(5, 4)
_LARGEST_PRODUCT = 2**60


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureKind:
    """A measure: its name, its formula, and one sentence on what it does not see."""

    name: str
    formula: str
    unseen: str


KINDS: Mapping[str, MeasureKind] = MappingProxyType(
    {
        "ratio": MeasureKind(
            name="80 % ratio",
            formula="rate(group) / rate(other)",
            unseen="It ignores that the groups may differ in the causes of the decision.",
        ),
        "gap": MeasureKind(
            name="plain gap",
            formula="rate(other) − rate(group)",
            unseen="It does not say where the gap comes from, and it misses differences in "
            "comparable groups that cancel out.",
        ),
        "slift": MeasureKind(
            name="slift of 1.25 or more",
            formula="P(unfavorable | group, q) / P(unfavorable | other, q) ≥ 1.25",
            unseen="It ignores chance, how many people are concerned and differences in the "
            "other direction; where unfavorable decisions are rare, a small difference is a "
            "large ratio.",
        ),
        "explained": MeasureKind(
            name="explained part of the gap",
            formula="Σ P*(+ | q) (P(q | other) − P(q | group)), P* the mean of both rates",
            unseen="It ignores whether the protected attribute influences a cause, and counts "
            "people who cannot be compared as explained.",
        ),
        "unexplained": MeasureKind(
            name="unexplained part of the gap",
            formula="gap − explained part",
            unseen="It is a mean, in which differences in opposite directions cancel out.",
        ),
        "ber": MeasureKind(
            name="BER of predicting the group",
            formula="mean of both groups' error rates if the group is predicted from all other "
            "attributes; limit 1/2 − rate(group)/8",
            unseen="It is not about decisions: it says how well the group could be guessed "
            "from the other attributes.",
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMeasure:
    """One measure's value; None where a group has no rows or a rate to divide by is zero.

    ``limit`` is the value that is commonly asked for, ``of`` the number that a count is out of.
    """

    key: str
    value: Value
    limit: Fraction | None = None
    of: int | None = None

    @property
    def kind(self) -> MeasureKind:
        """Name, formula and blind spot."""
        return KINDS[self.key]

    @property
    def text(self) -> str:
        """The value in digits, never rounded across its limit."""
        if self.value is None or self.of == 0:
            return "not measured"
        if self.of is not None:
            return f"{int(self.value):,} of {self.of:,}"
        return decimal(self.value, self.limit)

    @property
    def sentence(self) -> str:
        """The value beside its limit, if it has one."""
        if self.value is None or self.limit is None:
            return self.text
        is_under = self.value < self.limit
        said = f"{self.text}, {'under' if is_under else 'not under'} {decimal(self.limit)}"
        is_open = is_under and self.key == "ber"
        return f"{said}; disparate impact is not excluded" if is_open else said

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "key": self.key,
            "name": self.kind.name,
            "value": None if self.value is None else float(self.value),
            **({} if self.limit is None else {"limit": float(self.limit)}),
            **({} if self.of is None else {"of": self.of}),
            "formula": self.kind.formula,
            "does_not_see": self.kind.unseen,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """The two groups that measures are about, and what counts as favorable, as a cut's index.

    ``pairs`` says out of how many pairs, and kinds of decision, it was chosen.
    """

    group: str
    other: str
    cut: int
    decision: str
    pairs: int

    @classmethod
    def of(cls, partition: Partition) -> "ComparedPair":
        """The two groups asked about, or those whose mean difference leads."""
        group, other = partition.leading_labels
        pairs = len(partition.pairs)
        return cls(
            group=group,
            other=other,
            cut=partition.statistics.leading // pairs,
            decision=partition.leading_decision,
            pairs=pairs * len(partition.favorable),
        )

    @property
    def sentence(self) -> str:
        """Who is compared."""
        chosen = f", of {self.pairs:,} comparisons the clearest" if self.pairs > 1 else ""
        groups = f"group: {self.group}; other: {self.other}"
        return f"{groups}; rate: share with {self.decision}{chosen}"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMeasures(Plain):
    """All of them, about one pair of groups."""

    keys = "group=pair.group other=pair.other favorable=pair.decision pairs=pair.pairs measures"

    pair: ComparedPair
    measures: tuple[KnownMeasure, ...]

    def __getitem__(self, key: str) -> KnownMeasure:
        return next(one for one in self.measures if one.key == key)


def known_measures(
    examined: ExaminedCounts,
    names: Collection[str],
    *,
    causes: Collection[str],
    pair: ComparedPair | None = None,
) -> KnownMeasures:
    """Measure examined counts, by subpopulations of the causes.

    The group is told from those of ``names`` that the question is not about. Without a pair it
    is that of ``ComparedPair.of``.
    """
    question = examined.question
    partition = Partition.of(examined, causes)
    pair = pair or ComparedPair.of(partition)
    labels = (pair.group, pair.other)
    ends = [at for label in labels for at, one in enumerate(partition.groups) if one == label]
    rows, yes = partition.rows[ends], partition.favorable[pair.cut][ends]
    totals = [*map(int, rows.sum(axis=1))]
    if len(ends) < 2 or not all(totals):
        return KnownMeasures(
            pair=pair, measures=tuple(KnownMeasure(key=key, value=None) for key in KINDS)
        )
    group, other = (
        Fraction(int(many), total) for many, total in zip(yes.sum(axis=1), totals, strict=True)
    )
    others = [n for n in examined.counts.names if n in names and n not in question.columns]
    alike = Partition.of(examined, others).rows[ends]
    is_measured = (rows >= question.min_rows).all(axis=0)
    explained = explained_part(yes, rows)
    values = (
        KnownMeasure(key="ratio", value=group / other if other else None, limit=EIGHTY_PERCENT),
        KnownMeasure(key="gap", value=other - group),
        KnownMeasure(
            key="slift",
            value=lifted(yes[:, is_measured], rows[:, is_measured]),
            of=int(np.count_nonzero(is_measured)),
        ),
        KnownMeasure(key="explained", value=explained),
        KnownMeasure(key="unexplained", value=float(other - group) - explained),
        KnownMeasure(key="ber", value=balanced_error(*alike), limit=Fraction(1, 2) - group / 8),
    )
    return KnownMeasures(pair=pair, measures=values)


def lifted(yes: Counts, rows: Counts) -> int:
    """In how many subpopulations the unfavorable rate is at least 1.25 times the other's.

    Where only the group has unfavorable decisions the ratio is infinite, and counted.

    >>> lifted(np.array([[5, 9, 10], [6, 10, 10]]), np.array([[10, 10, 10], [10, 10, 10]]))
    2
    """
    (no, other_no), (size, other_size) = _exact(rows - yes), _exact(rows)
    above = LIFT.denominator * no * other_size >= LIFT.numerator * other_no * size
    return int(np.count_nonzero(above & (no > 0)))


def explained_part(yes: Counts, rows: Counts) -> float:
    """The gap that would be left if both groups had the mean of their rates everywhere.

    Žliobaitė, Kamiran and Calders, "Handling Conditional Discrimination" (ICDM 2011). Where one
    group is absent, the mean is the rate of the other.
    """
    rates = yes / np.maximum(rows, 1)
    mean = rates.sum(axis=0) / np.maximum(np.count_nonzero(rows, axis=0), 1)
    group, other = rows / rows.sum(axis=1, keepdims=True)
    return fsum((mean * (other - group)).tolist())


def balanced_error(group: Counts, other: Counts) -> Fraction:
    """Half the sum of both groups' error rates if each person's group is told by the others.

    ``group`` and ``other`` are rows by assignment of all other attributes. A person is taken to
    be of the group of which the larger share has the same attributes, among all rows but the
    person's own (so no attribute tells the group by being unique); on a tie by lot. It is at
    most 1/2: where nothing can be learned that way, one may as well guess.

    >>> balanced_error(np.array([3, 1]), np.array([1, 3]))
    Fraction(1, 4)
    >>> balanced_error(np.array([3, 2]), np.array([3, 2]))
    Fraction(1, 2)
    """
    errors = Fraction(0)
    for own, rest in ((group, other), (other, group)):
        many, size = int(own.sum()), int(rest.sum())
        here = own > 0
        alike, unlike = (_exact(counts[here], max(many, size)) for counts in (own, rest))
        margin = (alike - 1) * size - unlike * (many - 1)
        wrong, by_lot = (sum(alike[which].tolist()) for which in (margin < 0, margin == 0))
        errors += Fraction(2 * wrong + by_lot, 2 * many)
    return min(errors / 2, Fraction(1, 2))


def decimal(value: Fraction | float, limit: Fraction | None = None) -> str:
    """Three digits after the point, or as many as tell the value from the limit.

    >>> decimal(Fraction(9, 25)), decimal(Fraction(7999, 10000), Fraction(4, 5))
    ('0.360', '0.7999')
    """
    digits = 3
    text = f"{float(value):.3f}"
    while limit is not None and (Fraction(text) < limit) != (value < limit) and digits < 17:
        digits += 1
        text = f"{float(value):.{digits}f}"
    return text.replace("-", "−") if float(text) else text.removeprefix("-")


def _exact(counts: Counts, factor: int = 0) -> NDArray[Any]:
    """The counts as integers whose products, with each other and a factor, cannot overflow."""
    largest = max(int(counts.max(initial=0)), factor)
    return counts.astype(object) if largest**2 >= _LARGEST_PRODUCT else counts
