"""What a release costs: in counts, in causes that are learned anew, and in right predictions.

What is learned is reported beside the certificate and is no part of it: on finite data a
re-learned graph can gain or lose a cause.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute, CountTable, examined_counts
from evenhand.display import Described, Plain, ProgressCallback, Summary, percent
from evenhand.errors import ColumnError, QuestionError
from evenhand.evidence import Certificate, Partition, Verdict, certify
from evenhand.evidence.prediction_errors import share_of_right
from evenhand.evidence.statistics.expected_by_chance import ByChance
from evenhand.graph import PartialGraph, discover
from evenhand.question import REST, SIGNIFICANCE, Knowledge, Tiers
from evenhand.question.parse_values import require_text
from evenhand.rows import Rows

COSTS = " ".join(
    f"{name}=utility.{name}"
    for name in ("distance", "cell_changes", "chi_square", "chi_square_kept_cells")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility(Plain, Described):
    """The paper's measures of loss, on the counts of all columns examined.

    ``distance`` is the Euclidean distance of the two distributions, each cell's change divided
    by the rows before; ``cell_changes`` (n_T) adds up what cells gain and lose, so a changed
    decision counts twice; ``chi_square`` divides each squared change by the new count. A cell
    that the change empties has none: it counts with what it lost, or is left out
    (``chi_square_kept_cells``).

    Paper: table:comparison
    """

    distance: float
    cell_changes: int
    chi_square: float
    chi_square_kept_cells: float

    def summary(self) -> Summary:
        """The measures in words."""
        return Summary(
            title="What the change costs",
            facts=(
                ("distance of the distributions", f"{self.distance:.2e}"),
                ("cell changes (n_T)", f"{self.cell_changes:,}"),
                ("chi-square", f"{self.chi_square:,.1f}"),
                ("chi-square without emptied cells", f"{self.chi_square_kept_cells:,.1f}"),
            ),
        )


def compare_counts(before: CountTable, after: CountTable) -> Utility:
    """Measure the change from one table of counts to another of the same columns.

    >>> old = CountTable.of({"hired": ["no", "yes"]}, [60, 40])
    >>> new = CountTable.of({"hired": ["no", "yes"]}, [50, 50])
    >>> compare_counts(old, new).cell_changes
    20

    Paper: table:comparison
    """
    old, new = _aligned(before, after)
    change = new - old
    kept = new > 0
    # Squares of counts may not fit into 64 bits.
    kept_part = float((change[kept].astype(float) ** 2 / new[kept]).sum())
    return Utility(
        distance=sqrt(float((change.astype(float) ** 2).sum())) / before.row_count,
        cell_changes=int(change.clip(0).sum()) + int((-change).clip(0).sum()),
        chi_square=kept_part + float(old[~kept].sum()),
        chi_square_kept_cells=kept_part,
    )


def _aligned(
    before: CountTable, after: CountTable
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of the same cells before and after, zero where a cell does not occur."""
    merged, codes = [], []
    for name in before.names:
        old, new = before.attribute(name).values, after.attribute(name).values
        position = {value: code for code, value in enumerate(dict.fromkeys((*old, *new)))}
        own, others = (np.array([position[v] for v in of], np.int64) for of in (old, new))
        merged.append(Attribute(name, tuple(position)))
        codes.append(np.concatenate([own[before.column(name)], others[after.column(name)]]))
    ones = np.ones(len(before) + len(after), np.int64)
    cell, first = CountTable(tuple(merged), tuple(codes), ones).groups(before.names)
    old_counts, new_counts = np.zeros((2, len(first)), np.int64)
    old_counts[cell[: len(before)]] = before.counts
    new_counts[cell[len(before) :]] = after.counts
    return old_counts, new_counts


@dataclass(frozen=True, eq=False, kw_only=True)
class Relearned(Plain):
    """The graph of the released counts, what would be certified by it, and what differs.

    ``decision_causes`` are the certain ones, as in a certificate; where the graph leaves more
    open, ``possible_decision_causes`` holds every set of them.
    """

    keys = "decision_causes possible_decision_causes verdict gained lost graph"

    graph: PartialGraph
    decision_causes: tuple[str, ...]
    possible_decision_causes: tuple[tuple[str, ...], ...]
    verdict: Verdict
    gained: tuple[str, ...]
    lost: tuple[str, ...]

    def sentence(self, certificate: Certificate) -> str:
        """What discovery finds otherwise than the release's certificate; nothing if nothing."""
        changes = [
            f"{verb} {', '.join(names)} as {'a cause' if len(names) == 1 else 'causes'}"
            for verb, names in (
                ("no longer finds", self.lost),
                ("also finds", self.gained),
                ("leaves open", self._doubtful),
            )
            if names
        ]
        if not changes and self.verdict is certificate.verdict:
            return ""
        summary = " and ".join(changes) or "finds the same causes"
        return f"Discovery on the released rows {summary}; by that graph: {self.verdict}."

    @property
    def _doubtful(self) -> list[str]:
        """What may be a cause, and may not."""
        possible = {name for names in self.possible_decision_causes for name in names}
        return sorted(possible.difference(self.decision_causes))


def relearn(
    released: CountTable,
    certificate: Certificate,
    *,
    knowledge: Knowledge | Tiers | None = None,
    significance: float = SIGNIFICANCE,
    test: str = "chi-square",
    max_depth: int | None = None,
    progress: ProgressCallback | None = None,
) -> Relearned:
    """Learn the graph of released counts as if nothing else were known, and certify by it.

    The certificate is that of the release or of the data before it: it gives the question and
    the causes to compare with. Effects through other attributes are not measured.
    """
    question = certificate.question.direct
    if question.order:  # a value of it may be that of people alone who are not compared
        question = question.without_absent(released.values(question.decision))
    if certificate.pools_others:
        question = replace(question, other=REST)
    graph = discover(
        examined_counts(released, question).counts,
        knowledge=knowledge,
        significance=significance,
        test=test,
        max_depth=max_depth,
        question=question,
        progress=progress,
    )
    learned = certify(
        released,
        graph,
        question.direct,
        knowledge=knowledge,
        min_coverage=certificate.min_coverage,
    )
    now, before = set(learned.decision_causes), set(certificate.decision_causes)
    possible = {name for names in learned.possible_decision_causes for name in names}
    return Relearned(
        graph=graph,
        decision_causes=learned.decision_causes,
        possible_decision_causes=learned.possible_decision_causes,
        verdict=learned.verdict,
        gained=tuple(sorted(now - before)),
        lost=tuple(sorted(before - possible)),
    )


def differing_text(partition: Partition, chance: ByChance | None) -> str:
    """How many subpopulations differ by the threshold or more, and how many would by chance."""
    numbers = partition.numbers
    differing = f"{numbers['violating']:,} of {numbers['measured']:,} groups differ"
    return (
        f"{differing}; {chance.text(what=' are expected by chance')}" if chance else differing
    )


class Accuracy(NamedTuple):
    """The shares of the rows compared, of those whose label is known."""

    before: Fraction
    after: Fraction

    def to_dict(self) -> dict[str, float]:
        """Both as plain numbers."""
        return {name: float(share) for name, share in self._asdict().items()}

    def __str__(self) -> str:
        return f"{percent(float(self.before))} before, {percent(float(self.after))} after"


def check_apart(column: str, uncounted: Sequence[str], counted: set[str]) -> None:
    """Refuse labels or scores from a column that is compared or held equal."""
    if used := sorted({*uncounted} & counted):
        what = "holds the predictions" if used[0] == column else "is in the graph or question"
        raise QuestionError.of(
            f"The column {used[0]!r} {what}: it cannot hold labels or scores as well.",
            remedy="Name another column.",
        )


def check_labels(labels: str, source: Rows | CountTable, certificate: Certificate) -> None:
    """Refuse labels that are no column of single rows, or one that is compared."""
    labels = require_text(labels, "`labels`")
    question = certificate.question
    check_apart(
        question.decision, [labels], {*certificate.graph.nodes, *question.named_columns}
    )
    names = source.sources[0].names if isinstance(source, Rows) else (labels,)
    if labels not in names:
        raise ColumnError.unknown([labels], names, where="labels")


def accuracy_by(
    labels: str, before: Rows, after: Rows, certificate: Certificate
) -> Accuracy | None:
    """The accuracy by a column of labels; None if nobody who is compared has one.

    Both are judged as the certificate of the rows before has it: a value that nobody is
    predicted to have afterwards is still a value.
    """
    counted = [rows.labelled(labels) for rows in (before, after)]
    shares = [share_of_right(certificate, one, labels) for one in counted if one is not None]
    whole = [share for share in shares if share is not None]
    return Accuracy(*whole) if len(whole) == len(counted) else None
