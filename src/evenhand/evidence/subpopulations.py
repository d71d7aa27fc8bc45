"""Subpopulations one by one, or as a pyarrow, pandas or polars table."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from evenhand.display import Described, Plain, Summary, points
from evenhand.errors import QuestionError, listed, optional_library
from evenhand.evidence.partition import Partition
from evenhand.question import Question
from evenhand.question.display_labels import Labels, group_heading

_SHOWN_ROWS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Subpopulation(Plain):
    """People who share some values: the four counts of their decisions, and what they tell.

    Statistics are None where one of the groups is absent. Of many groups these are the two that
    the ``labels`` name; ``decision`` is what counts as favorable, unless the question says so.

    Paper: tab:contingencyTable
    """

    keys = (
        "where group=group_counts other=other_counts decision? risk_difference interval "
        "p_zero p_threshold p_adjusted discovery_rate shown"
    )
    where: Mapping[str, str]
    group_yes: int
    group_no: int
    other_yes: int
    other_no: int
    risk_difference: Fraction | None
    interval: tuple[float, float] | None
    p_zero: float | None
    p_threshold: float | None
    p_adjusted: float | None
    discovery_rate: float | None
    shown: bool
    labels: tuple[str, ...] = ()
    decision: str = ""

    @property
    def group(self) -> int:
        """How many rows of the group."""
        return self.group_yes + self.group_no

    @property
    def other(self) -> int:
        """How many rows of the others."""
        return self.other_yes + self.other_no

    @property
    def labelled_counts(self) -> tuple[str, str]:
        """Both groups' favorable decisions and rows, with their names if there are several."""
        group = f"{self.group_yes:,} of {self.group:,}"
        other = f"{self.other_yes:,} of {self.other:,}"
        if self.labels:
            return f"{self.labels[0]}: {group}", f"{self.labels[1]}: {other}"
        return group, other

    @property
    def row_count(self) -> int:
        """How many rows."""
        return self.group + self.other

    @property
    def group_counts(self) -> dict[str, Any]:
        """The group's favorable decisions and rows, with its name if there are several."""
        label = {"value": self.labels[0]} if self.labels else {}
        return {**label, "favorable": self.group_yes, "total": self.group}

    @property
    def other_counts(self) -> dict[str, Any]:
        """The same of the others."""
        label = {"value": self.labels[1]} if self.labels else {}
        return {**label, "favorable": self.other_yes, "total": self.other}


@dataclass(frozen=True, eq=False, repr=False)
class Subpopulations(Described, Sequence[Subpopulation]):
    """Some lines of a partition in some order; each is computed when it is read."""

    partition: Partition
    lines: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, at: int) -> Subpopulation: ...
    @overload
    def __getitem__(self, at: slice) -> "Subpopulations": ...
    def __getitem__(self, at: int | slice) -> "Subpopulation | Subpopulations":
        if isinstance(at, slice):
            return Subpopulations(self.partition, self.lines[at])
        return self._read(int(self.lines[at]))

    def __iter__(self) -> Iterator[Subpopulation]:
        return map(self._read, self.lines.tolist())

    def __eq__(self, other: object) -> bool:
        return (
            list(self) == list(other) if isinstance(other, Subpopulations) else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]  # a sequence that compares by content

    def __repr__(self) -> str:
        return f"<{len(self):,} subpopulations of {', '.join(self.partition.names) or 'all'}>"

    def _read(self, line: int) -> Subpopulation:
        partition = self.partition
        statistics, at = partition.statistics, int(partition.lead[line])
        measured = at >= 0
        p: dict[str, float | None] = {
            name: float(getattr(statistics, name)[at]) if measured else None
            for name in ("p_zero", "p_threshold", "p_adjusted", "discovery_rate")
        }
        group_yes, group, other_yes, other = partition.lead_cells[:, line].tolist()
        labels = partition.lead_labels(line) if partition.question.group is None else ()
        return Subpopulation(
            where=partition.where(line),
            group_yes=group_yes,
            group_no=group - group_yes,
            other_yes=other_yes,
            other_no=other - other_yes,
            labels=labels,
            decision="" if partition.two_groups else partition.lead_decision(line),
            risk_difference=partition.risk_difference(line),
            interval=(float(statistics.low[at]), float(statistics.high[at]))
            if measured
            else None,
            shown=measured and bool(statistics.shown[at]),
            **p,
        )

    def where(self, chosen: NDArray[np.bool_]) -> "Subpopulations":
        """Those among the chosen lines of the partition, in the same order."""
        return Subpopulations(self.partition, self.lines[chosen[self.lines]])

    def sorted_by(self, order: str = "strength") -> "Subpopulations":
        """By strength, size of the difference, people or values; unmeasured ones last.

        A minus in front of the order turns it round.
        """
        name, partition = order.removeprefix("-"), self.partition
        if name not in ORDERS:
            raise QuestionError.of(
                f"There is no order {order!r}.", remedy=f"Choose one of {listed(ORDERS)}."
            )
        place = np.empty(len(partition), np.intp)
        place[_order(partition, name)] = np.arange(len(partition))
        place = (place if name == order else -place)[self.lines]
        absent = ~partition.measured[self.lines]
        if name in ("size", "name"):  # which say something of every group
            absent[:] = False
        return Subpopulations(partition, self.lines[np.lexsort((place, absent))])

    def meeting(
        self, conditions: Iterable[str], labels: Labels | None = None
    ) -> "Subpopulations":
        """Those that meet all conditions, in the same order.

        A condition is one of ``KINDS``, a value as ``attribute=value``, or words, each of which
        must occur in a value of the group or in its label.
        """
        chosen = self
        for condition in conditions:
            chosen = chosen.where(_lines(self.partition, condition, labels or Labels()))
        return chosen

    def to_arrow(self) -> Any:  # noqa: ANN401  # a pyarrow.Table, without importing pyarrow
        """A pyarrow table: labels, counts and statistics; null where nothing is measured."""
        import pyarrow as pa  # noqa: PLC0415  # only for those who ask for a table

        partition, lines = self.partition, self.lines
        columns = {
            attribute.name: pa.array(np.asarray(attribute.values, object)[codes[lines]])
            for attribute, codes in zip(
                partition.assignments.attributes, partition.assignments.codes, strict=True
            )
        }
        group_yes, group, other_yes, other = partition.lead_cells[:, lines]
        counts = {
            "group_yes": group_yes,
            "group_no": group - group_yes,
            "other_yes": other_yes,
            "other_no": other - other_yes,
        }
        columns |= {name: pa.array(column) for name, column in counts.items()}
        columns["reaches"] = pa.array(partition.side[lines] != 0)
        unmeasured = ~partition.measured[lines]
        # An unmeasured line has no statistics: index 0 is a placeholder that the mask hides.
        at = np.where(unmeasured, 0, partition.lead[lines])
        for name, field in _STATISTICS.items():
            values = getattr(partition.statistics, field)
            taken = values[at] if len(values) else np.zeros(len(lines), values.dtype)
            columns[name] = pa.array(taken, mask=unmeasured)
        return pa.table(columns)

    def to_pandas(self) -> Any:  # noqa: ANN401  # a pandas.DataFrame
        """A pandas data frame; needs pandas."""
        with optional_library("pandas"):
            import_module("pandas")  # what Arrow converts to

        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401  # a polars.DataFrame
        """A polars data frame; needs polars."""
        with optional_library("polars"):
            import polars as pl  # noqa: PLC0415  # only for those who have it

        return pl.from_arrow(self.to_arrow())

    @property
    def _group_headings(self) -> tuple[str, ...]:
        question = self.partition.question
        if question.group is None:
            return "group", "compared with"
        return tuple(group_heading(question, value) for value in self.partition.groups)

    def summary(self) -> Summary:
        """The first of them with their counts, differences and intervals."""
        question = self.partition.question
        threshold = question.threshold
        several = len(self.partition.favorable) > 1
        rest = len(self) - _SHOWN_ROWS
        return Summary(
            title=f"{len(self):,} subpopulations",
            columns=(
                *self.partition.names,
                *(("decision",) if several else ()),
                *self._group_headings,
                "difference",
                "95 % interval",
                "p (vs τ)",
            ),
            lines=tuple(
                (
                    *one.where.values(),
                    *((one.decision,) if several else ()),
                    *one.labelled_counts,
                    points(one.risk_difference, threshold=threshold),
                    " to ".join(points(x, threshold=threshold) for x in one.interval or ()),
                    p_value(one.p_threshold) + (", significant" if one.shown else ""),
                )
                for one in self[:_SHOWN_ROWS]
            ),
            more=max(0, rest),
        )


_STATISTICS = {
    "risk_difference": "difference",
    "interval_low": "low",
    "interval_high": "high",
    "p_zero": "p_zero",
    "p_threshold": "p_threshold",
    "p_adjusted": "p_adjusted",
    "discovery_rate": "discovery_rate",
    "shown": "shown",
}


def threshold_points(question: Question) -> str:
    """The threshold in percentage points, with its unit: "5 points", "1 point".

    It has six digits, or as many up to fifteen as make it exact.
    """
    exact = 100 * question.threshold
    number, longer = (f"{float(exact):.{digits}g}" for digits in (6, 15))
    number = longer if Fraction(longer) == exact else number
    return f"{number} point{'' if number == '1' else 's'}"


def p_value(p: float | None) -> str:
    """A p-value with as many digits as it deserves.

    >>> p_value(0.0004), p_value(0.0451), p_value(0.312)
    ('< 0.001', '0.045', '0.31')
    """
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


ORDERS = ("strength", "difference", "size", "name")
KINDS: Mapping[str, Callable[[Partition], NDArray[np.bool_]]] = {
    "violating": lambda partition: partition.violates,
    "shown": lambda partition: partition.shown,
    "tied": lambda partition: partition.tied,
    "measured": lambda partition: partition.measured,
    "unmeasured": lambda partition: ~partition.measured,
}


def _order(partition: Partition, name: str) -> NDArray[np.intp]:
    if name == "strength":
        return partition.strength_order
    if name == "name":
        codes = partition.assignments.codes
        return np.lexsort(codes[::-1]) if codes else np.arange(len(partition))
    difference = np.append(partition.statistics.difference, 0.0)[partition.lead]
    size = abs(difference) if name == "difference" else partition.row_counts
    return np.lexsort((partition.strength_rank, -size))


def _lines(partition: Partition, condition: str, labels: Labels) -> NDArray[np.bool_]:
    if condition in KINDS:
        return KINDS[condition](partition)
    every = np.ones(len(partition), bool)
    columns = [*zip(partition.assignments.attributes, partition.assignments.codes, strict=True)]
    for attribute, codes in columns:
        value = condition.removeprefix(f"{attribute.name}=")
        if value != condition and value in attribute.values:
            same: NDArray[np.bool_] = codes == attribute.values.index(value)
            return same
    for word in condition.casefold().split():
        occurs = np.zeros(len(partition), bool)
        for attribute, codes in columns:
            texts = (
                f"{labels.column(attribute.name)} {value} {labels.value(attribute.name, value)}"
                for value in attribute.values
            )
            occurs |= np.array([word in text.casefold() for text in texts], bool)[codes]
        every &= occurs
    return every
