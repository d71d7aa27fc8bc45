"""``ReleaseStatement``: what a certificate says of how its rows were changed.

The rows before are not in the certificate, so most of it cannot be checked. What follows from
other fields the checker does: the notice, and bounds on the numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

Change: TypeAlias = Literal["edited", "resampled", "generated"]
_COUNTS = ("changed_rows", "dropped_before", "left_out_before")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseStatement:
    """How released rows were made of others.

    They were ``edited`` in some columns, ``resampled`` (left out and doubled), or ``generated``
    from a model. ``can_change`` are the columns that the method changes where it must. Others
    are told these, and not whether and how many rows it had to change: they have no counts.
    ``accepted_graph`` is why a person relied on a graph by which nobody could tell the answer.
    """

    change: Change
    decision: str
    method: str
    policy: str
    seed_commitment: str
    changed_columns: tuple[str, ...] = ()
    dropped_columns: tuple[str, ...] = ()
    changed_rows: int | None = None
    dropped_before: int | None = None
    left_out_before: int | None = None
    can_change: tuple[str, ...] = ()
    accepted_graph: str | None = None

    @classmethod
    def parse(
        cls, content: Mapping[str, Any], question: Mapping[str, Any]
    ) -> "ReleaseStatement":
        """Read the ``release`` block of a record with this question."""
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in content.items()
            if name != "notice"
        }
        return cls(decision=question["decision"], **fields)

    @property
    def notice(self) -> str:
        """The warning that accompanies released rows."""
        were, was = ("may have been",) * 2 if self.is_for_others else ("were", "was")
        columns = self.columns
        if self.change == "generated":
            what = (
                "These rows were generated from a model, and none of the rows before was kept,"
            )
        elif self.change == "resampled":
            what = "Some rows were left out and others doubled"
        elif not columns:
            return "Nothing was changed in these rows."
        elif columns == (self.decision,):
            what = f"Decisions in these rows {were} changed"
        elif columns[0] == self.decision:
            effects = ", ".join(columns[1:])
            what = (
                f"Decisions in these rows {were} changed, and with them {effects} drawn anew,"
            )
        else:
            what = f"The protected attribute {', '.join(columns)} {was} changed in these rows"
        return (
            f"{what} to remove differences between groups: they are not records about persons."
        )

    @property
    def acceptance(self) -> tuple[str, ...]:
        """Why a person relied on the graph, as a sentence; none where nobody had to."""
        return (
            (f"The graph was accepted: {self.accepted_graph}",) if self.accepted_graph else ()
        )

    @property
    def is_for_others(self) -> bool:
        """Whether how many rows were changed is left out."""
        return self.changed_rows is None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were changed; for others, those that may have been."""
        return self.can_change if self.is_for_others else self.changed_columns

    def to_dict(self) -> dict[str, Any]:
        """The ``release`` block of a document."""
        return {
            "notice": self.notice,
            "change": self.change,
            "method": self.method,
            "policy": self.policy,
            "seed_commitment": self.seed_commitment,
            "can_change" if self.is_for_others else "changed_columns": list(self.columns),
            **({"dropped_columns": [*self.dropped_columns]} if self.dropped_columns else {}),
            **({"accepted_graph": self.accepted_graph} if self.accepted_graph else {}),
            **{name: n for name in _COUNTS if (n := getattr(self, name)) is not None},
        }

    @property
    def for_others(self) -> "ReleaseStatement":
        """The statement without what depends on how many rows had to be changed, and which."""
        return replace(
            self,
            changed_columns=(),
            can_change=self.can_change or self.changed_columns,
            changed_rows=None,
            dropped_before=None,
            left_out_before=None,
        )


def rows_not_released(dropped: int) -> str:
    """How many rows lack a value, so that they are in no release; empty if none does.

    >>> rows_not_released(0), rows_not_released(1)
    ('', '1 row that lacks a value is not released.')
    """
    if not dropped:
        return ""
    verbs = ("row that lacks", "is") if dropped == 1 else ("rows that lack", "are")
    return f"{dropped:,} {verbs[0]} a value {verbs[1]} not released."
