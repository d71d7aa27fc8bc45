"""Which rates are compared: of favorable decisions, of each value, or of each or better."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

OR = " or "  # between decisions that count as one


@dataclass(frozen=True, slots=True)
class Favorable:
    """The rate of decisions with one of some values."""

    values: tuple[str, ...]

    @property
    def label(self) -> str:
        """What counts as favorable, as one text."""
        return OR.join(self.values)

    def text(self, decisions: int) -> str:  # noqa: ARG002  # as others have it
        """Which of so many kinds of decision are compared, after the name of their column."""
        return f" = {self.label}"

    def decisions(self, values: Sequence[str]) -> tuple[str, ...]:
        """The kinds of decision that are counted apart, the favorable one first."""
        others = [value for value in values if value not in self.values]
        return self.label, others[0] if len(others) == 1 else f"not {self.label}"

    def kinds(self, values: Sequence[str]) -> list[int]:
        """For each value the index of its kind."""
        return [int(value not in self.values) for value in values]

    def cuts(self, decisions: int) -> tuple[tuple[bool, ...], ...]:
        """For each rate that is compared, which of so many kinds of decision it counts."""
        return (_first(1, decisions),)


@dataclass(frozen=True, slots=True)
class Every:
    """The rate of each value; of two values that of the first, which tells the other's."""

    def text(self, decisions: int) -> str:
        """As of favorable ones."""
        return f", each of {decisions} values"

    def decisions(self, values: Sequence[str]) -> tuple[str, ...]:
        """As of favorable ones."""
        return tuple(values)

    def kinds(self, values: Sequence[str]) -> list[int]:
        """As of favorable ones."""
        return [*range(len(values))]

    def cuts(self, decisions: int) -> tuple[tuple[bool, ...], ...]:
        """As of favorable ones."""
        if decisions < 3:
            return (_first(1, decisions),)
        kinds = range(decisions)
        return tuple(tuple(kind == one for kind in kinds) for one in kinds)


@dataclass(frozen=True, slots=True)
class Cumulative:
    """The rate of each value or a better one, by their order; all but the last.

    >>> Cumulative(("low", "medium", "high")).cuts(3)
    ((True, False, False), (True, True, False))
    """

    order: tuple[str, ...]

    def text(self, decisions: int) -> str:
        """As of favorable ones."""
        return f", each cut of {decisions} values"

    def decisions(self, values: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002  # as others
        """As of favorable ones."""
        return self.order

    def kinds(self, values: Sequence[str]) -> list[int]:
        """As of favorable ones."""
        return [*map(self.order.index, values)]

    def cuts(self, decisions: int) -> tuple[tuple[bool, ...], ...]:
        """As of favorable ones."""
        return tuple(_first(many, decisions) for many in range(1, decisions))


def _first(many: int, decisions: int) -> tuple[bool, ...]:
    return tuple(kind < many for kind in range(decisions))


Outcome: TypeAlias = Favorable | Every | Cumulative
