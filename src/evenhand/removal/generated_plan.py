"""``GeneratedPlan``: a new table, to be generated from the modified model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evenhand.counts import Attribute
from evenhand.display import Described, Summary
from evenhand.evidence import Certificate
from evenhand.graph.conditional_tables import ConditionalTable, Network
from evenhand.removal.removal_plan import FromCertificate, Move, Plan, RemovalPlan


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GeneratedPlan(FromCertificate, Described):
    """A new table of the graph's columns with as many rows as were compared.

    The rows follow the network, with ``decision_shares`` in place of the decision's own table.
    By quotas every decision rate meets the criterion below ``threshold``; sampled independently
    (``sampled``) they meet it only by chance. No row of the input is used, so there are no
    moves, and every row counts as changed.

    Paper: alg:mg
    """

    policy: str
    sampled: bool
    network: Network
    decision_shares: NDArray[np.float64]
    certificate: Certificate
    threshold: Fraction
    names: tuple[str, ...]
    row_count: int
    model_distance: float

    method: ClassVar[str] = "modify-graph"
    moves: ClassVar[tuple[Move, ...]] = ()
    redrawn: ClassVar[tuple[ConditionalTable, ...]] = ()
    changed_decisions: ClassVar[None] = None

    @property
    def changed_rows(self) -> int:
        """All rows."""
        return self.row_count

    @property
    def reaches_criterion(self) -> bool:
        """Whether the generated rows are sure to meet the criterion."""
        return not self.sampled

    @property
    def tables(self) -> Iterator[tuple[Attribute, tuple[str, ...], NDArray[np.float64]]]:
        """Each node, its parents, and its shares given them; causes before effects."""
        modified: Mapping[str, NDArray[np.float64]] = {
            self.question.decision: self.decision_shares
        }
        for name, table in self.network.tables.items():
            yield table.node, table.names[:-1], modified.get(name, table.shares)

    def to_dict(self) -> dict[str, object]:
        """The plan as plain values."""
        return {
            "method": self.method,
            "policy": self.policy,
            "changed_rows": self.changed_rows,
            "changed_decisions": self.changed_decisions,
            "reaches_criterion": self.reaches_criterion,
            "columns": list(self.names),
            "model_distance": self.model_distance,
        }

    def summary(self) -> Summary:
        """How many rows would be generated, and how."""
        how = (
            "drawn independently: nothing promises that they meet the criterion"
            if self.sampled
            else "counted out so that every decision rate meets the criterion"
        )
        return Summary(
            title=f"{self.method} ({self.policy}): {self.row_count:,} new rows, {how}",
            facts=(
                ("columns", ", ".join(self.names)),
                ("distance in the model", f"{self.model_distance:.2e}"),
            ),
        )


def changeable_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that a plan's method changes where it must, whether or not it had to."""
    changed = changed_columns(plan)
    if changed or not isinstance(plan, RemovalPlan):
        return changed
    return (plan.question.decision, *(table.node.name for table in plan.redrawn))


def changed_columns(plan: Plan) -> tuple[str, ...]:
    """The columns in which released rows can differ from those before.

    All of them if rows are generated, none if rows are only left out or doubled.
    """
    if isinstance(plan, GeneratedPlan):
        return plan.names
    if isinstance(plan, RemovalPlan):  # whose moves can be very many, all of one column
        moved = {plan.question.decision: None} if plan.changed_rows else {}
    else:
        moved = dict.fromkeys(name for move in plan.moves for name in move.becomes)
    redrawn = dict.fromkeys(table.node.name for table in plan.redrawn) if moved else {}
    return tuple(moved | redrawn)
