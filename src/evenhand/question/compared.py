"""Who is compared with whom: one pair of groups, all pairs, or each group with one other."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

REST = "rest"  # as ``other``: all other groups, pooled


@dataclass(frozen=True, slots=True)
class Pair:
    """One group and one other: a value, everybody else pooled, or the only one there is."""

    group: str
    other: str | None

    def text(self, groups: Sequence[str]) -> str:  # noqa: ARG002  # as others have it
        """Who is compared with whom."""
        return f"{self.group} against {self.other}"

    def groups(self, labels: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  # as others have
        """The groups that are compared, of those that there are."""
        return self.group, str(self.other)

    def pairs(self, groups: Sequence[str]) -> tuple[tuple[int, int], ...]:  # noqa: ARG002
        """Which groups are compared, as indices: the group asked about and the other."""
        return ((0, 1),)


@dataclass(frozen=True, slots=True)
class Pairs:
    """All groups, each with each."""

    def text(self, groups: Sequence[str]) -> str:
        """As of one pair."""
        return f"in pairs of {len(groups)} groups"

    def groups(self, labels: Sequence[str]) -> tuple[str, ...]:
        """As of one pair."""
        return tuple(labels)

    def pairs(self, groups: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """As of one pair."""
        return tuple(combinations(range(len(groups)), 2))


@dataclass(frozen=True, slots=True)
class Against(Pairs):
    """Each group with one reference.

    >>> Against("c").pairs(("a", "b", "c"))
    ((0, 2), (1, 2))
    """

    other: str

    def text(self, groups: Sequence[str]) -> str:
        """As of one pair."""
        return f"against {self.other}: {len(groups) - 1} groups"

    def pairs(self, groups: Sequence[str]) -> tuple[tuple[int, int], ...]:
        """As of one pair."""
        reference = groups.index(self.other)
        return tuple((at, reference) for at in range(len(groups)) if at != reference)


Comparison: TypeAlias = Pair | Pairs | Against
