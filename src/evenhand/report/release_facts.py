"""``ReleaseFacts``: what a report says of a release, for its owner or for others."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import Problem
from evenhand.evidence import Certificate, Partition, shown_part
from evenhand.releasing import Release, Utility
from evenhand.releasing.cost import Relearned
from evenhand.releasing.manifest import notice
from evenhand.removal import ByDirection, ChangedDecisions, changed_columns


@dataclass(frozen=True, kw_only=True)
class ReleaseFacts:
    """Both certificates, what the method did, and what it cost as far as that may be told.

    ``file`` and ``record`` are the names of the released rows and of their certificate, if they
    were written. ``changed`` is None if it is not decisions that change.
    """

    before: Certificate
    after: Certificate
    file: str | None
    record: str | None
    method: str
    policy: str
    notice: str
    changed_columns: tuple[str, ...]
    redrawn: tuple[str, ...]
    changed: ChangedDecisions | None
    changed_rows: int
    utility: Utility | None
    relearned: Relearned | None
    dropped_columns: tuple[str, ...]
    warnings: tuple[Problem, ...]

    @classmethod
    def of(cls, release: Release) -> "ReleaseFacts":
        """Everything, for the owner of the rows."""
        plan, files = release.plan, release.files
        return cls(
            before=release.before,
            after=release.certificate,
            file=files.data.name if files else None,
            record=files.certificate.name if files else None,
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

    @classmethod
    def for_others(cls, release: Release, *, least_count: int) -> "ReleaseFacts":
        """What follows from the groups that are large enough before and after the release."""
        full, files = cls.of(release), release.files
        before = shown_part(full.before, least_count=least_count, beside=full.after)
        after = shown_part(full.after, least_count=least_count, beside=full.before)
        statement = after.release
        columns = statement.changed_columns if statement else ()
        shown = replace(
            full,
            before=before,
            after=after,
            record=files.shared.name if files and files.shared else full.record,
            notice=statement.notice if statement else "",
            changed_columns=columns,
            utility=None,
            relearned=None,
            warnings=(),
        )
        if full.changed is None:
            return replace(shown, changed_rows=0)
        group, other = map(ByDirection.of, changes_by_line(before.partition, after.partition))
        changed = ChangedDecisions(group=group, other=other)
        return replace(
            shown, changed=changed, changed_rows=sum((*changed.group, *changed.other))
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
