"""Several ways to class the numbers of some columns, with counts that serve them all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.counts.count_table import CountTable
from evenhand.question import Bins


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassChoices:
    """For each column several classes, and counts of the classes between all their cuts.

    ``supervised`` says whether some cuts were found by looking at the decision.
    """

    ways: Mapping[str, Sequence[Bins]]
    counts: CountTable
    supervised: bool
