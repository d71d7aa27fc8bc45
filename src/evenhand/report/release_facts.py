"""``ReleaseFacts``: what a report says of a release."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import Problem
from evenhand.evidence import Certificate, Partition
from evenhand.releasing import Release, Utility
from evenhand.releasing.cost import Relearned
from evenhand.releasing.manifest import notice
from evenhand.removal import ChangedDecisions, changed_columns


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """Both certificates, what the method did, and what it cost.

    ``file`` is the name of the released rows, if they were written. ``changed`` is None if what
    changes is not decisions.
    """

    before: Certificate
    after: Certificate
    file: str | None
    method: str
    policy: str
    notice: str
    changed_columns: tuple[str, ...]
    redrawn: tuple[str, ...]
    changed: ChangedDecisions | None
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
            notice=notice(plan),
            changed_columns=changed_columns(plan),
            redrawn=tuple(table.node.name for table in plan.redrawn),
            changed=plan.changed_decisions,
            changed_rows=release.changed_rows,
            utility=release.utility,
            relearned=release.relearned,
            dropped_columns=release.drop,
            warnings=tuple(release.warnings),
        )


def same_lines(before: Partition, after: Partition) -> bool:
    """Whether both have the same groups in the same order."""
    if before.names != after.names or len(before) != len(after):
        return False
    columns = (
        [np.asarray(a.values, object)[codes] for a, codes in zip(*sides, strict=True)]
        for sides in ((p.assignments.attributes, p.assignments.codes) for p in (before, after))
    )
    return all(np.array_equal(old, new) for old, new in zip(*columns, strict=True))


def changes_by_line(
    before: Partition, after: Partition
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By how many the favorable decisions of the group and of the others grow, by group."""
    return after.group_yes - before.group_yes, after.other_yes - before.other_yes
