"""``ReleaseFacts``: what a report says of a release."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import Problem
from evenhand.evidence import Certificate, Partition
from evenhand.releasing import Release, Utility
from evenhand.releasing.cost import Accuracy, Relearned
from evenhand.releasing.manifest import notice
from evenhand.removal import ChangedDecisions, RemovalPlan, changed_columns
from evenhand.removal.removal_plan import DecisionChanges


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """Both certificates, what the method did, and what it cost.

    ``file`` is the name of the released rows, if they were written. ``changed`` is None if what
    changes is not decisions; ``moves`` counts them by group, old and new value.
    """

    before: Certificate
    after: Certificate
    file: str | None
    method: str
    policy: str
    rank: str | None
    accuracy: Accuracy | None
    notice: str
    changed_columns: tuple[str, ...]
    redrawn: tuple[str, ...]
    changed: ChangedDecisions | None
    moves: Mapping[tuple[int, int, int], int]
    changed_rows: int
    utility: Utility
    relearned: Relearned | None
    dropped_columns: tuple[str, ...]
    warnings: tuple[Problem, ...]

    @classmethod
    def of(cls, release: Release) -> "ReleaseFacts":
        """What is known of a release."""
        plan, files = release.plan, release.files
        return cls(
            before=release.before,
            after=release.certificate,
            file=files.data.name if files else None,
            method=plan.method,
            policy=plan.policy,
            rank=plan.rank,
            accuracy=release.accuracy,
            notice=notice(plan),
            changed_columns=changed_columns(plan),
            redrawn=tuple(table.node.name for table in plan.redrawn),
            changed=plan.changed_decisions,
            moves=_moves(plan.changes) if isinstance(plan, RemovalPlan) else {},
            changed_rows=release.changed_rows,
            utility=release.utility,
            relearned=release.relearned,
            dropped_columns=release.drop,
            warnings=tuple(release.warnings),
        )


def _moves(changes: DecisionChanges) -> dict[tuple[int, int, int], int]:
    if not len(changes.rows):
        return {}
    ways, way = np.unique(
        np.stack([changes.group, changes.old, changes.new]), axis=1, return_inverse=True
    )
    rows = np.zeros(ways.shape[1], np.int64)
    np.add.at(rows, way.ravel(), changes.rows)
    return {
        (group, old, new): many
        for (group, old, new), many in zip(ways.T.tolist(), rows.tolist(), strict=True)
    }


def same_lines(before: Partition, after: Partition) -> bool:
    """Whether both have the same groups in the same order."""
    if before.names != after.names or len(before) != len(after):
        return False
    columns = (
        [np.asarray(a.values, object)[codes] for a, codes in zip(*sides, strict=True)]
        for sides in ((p.assignments.attributes, p.assignments.codes) for p in (before, after))
    )
    return all(np.array_equal(old, new) for old, new in zip(*columns, strict=True))


def changes_by_line(before: Partition, after: Partition) -> NDArray[np.int64]:
    """By how many the favorable decisions of each group grow in each subpopulation."""
    change: NDArray[np.int64] = after.favorable[0] - before.favorable[0]
    return change
