"""What is known before any data are seen: an order of tiers, required and forbidden arrows.

A column of a later tier cannot cause one of an earlier tier. Columns of one tier may cause each
other. ``...`` stands for all columns that no tier names.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from types import EllipsisType
from typing import TypeAlias

from evenhand.errors import ColumnError, KnowledgeError, Problem
from evenhand.question.codings import WILDCARD
from evenhand.question.parse_values import require_texts

Arrow: TypeAlias = tuple[str, str]

# The level of independence tests where none is asked for. It is here because the command line
# shows it before any mathematics is loaded.
SIGNIFICANCE = 0.01


@dataclass(frozen=True, init=False, slots=True)
class Tiers:
    """Columns in the order in which they could have come about.

    >>> str(Tiers(["sex", "age"], ["education"], ..., ["income"]))
    'sex, age | education | * | income'
    """

    tiers: tuple[tuple[str, ...] | EllipsisType, ...]

    def __init__(self, *tiers: Iterable[str] | EllipsisType) -> None:
        listed_tiers = tuple(
            tier if tier is ... else require_texts(tier, "a tier") for tier in tiers
        )
        object.__setattr__(self, "tiers", listed_tiers)
        names = [name for tier in listed_tiers if tier is not ... for name in tier]
        twice = sorted({name for name in names if names.count(name) > 1})
        problems = [
            Problem(
                f"The column {name!r} is in more than one tier.",
                remedy="Keep it in one tier.",
                where=f"tiers '{self}'",
            )
            for name in twice
        ]
        if listed_tiers.count(...) > 1:
            problems.append(
                Problem(
                    "The rest of the columns (...) stands in more than one tier.",
                    remedy="Keep it once.",
                    where=f"tiers '{self}'",
                )
            )
        if problems:
            raise KnowledgeError(*problems)

    @classmethod
    def parse(cls, text: str) -> "Tiers":
        """Parse tiers as on the command line: ``'sex,age|education|*|income'``."""
        tiers = [[name.strip() for name in part.split(",")] for part in text.split("|")]
        if not all(name for tier in tiers for name in tier):
            raise KnowledgeError.of(
                f"The tiers {text!r} have an empty place.",
                remedy="Write column names between commas and tiers between bars, "
                "as 'sex,age|education|*|income'.",
            )
        return cls(*(... if tier == [WILDCARD] else tier for tier in tiers))

    @property
    def plain(self) -> list[list[str]]:
        """The tiers as lists; the rest of the columns is written ``["*"]``."""
        return [[WILDCARD] if tier is ... else list(tier) for tier in self.tiers]

    def __str__(self) -> str:
        return " | ".join(map(", ".join, self.plain))


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """Tiers with arrows that must, or must not, be in the graph.

    ``tiers_assumed`` says that nobody gave the tiers: the decision was taken to come last.

    >>> Knowledge(required=["sex -> income"]).required
    (('sex', 'income'),)
    """

    tiers: Tiers | None = None
    required: tuple[Arrow, ...] = ()
    forbidden: tuple[Arrow, ...] = ()
    tiers_assumed: bool = False

    def __post_init__(self) -> None:
        for field in ("required", "forbidden"):
            if isinstance(getattr(self, field), str):
                raise KnowledgeError.of(
                    f"The {field} arrows are {getattr(self, field)!r}, which is no list.",
                    remedy='Write a list, as ["cause -> effect"].',
                )
            arrows = tuple(parse_arrow(arrow) for arrow in getattr(self, field))
            object.__setattr__(self, field, arrows)
        contradicted = sorted(set(self.required) & set(self.forbidden))
        if contradicted:
            raise KnowledgeError(
                *(
                    Problem(
                        f"The arrow {cause} -> {effect} is both required and forbidden.",
                        remedy="Keep one of the two.",
                    )
                    for cause, effect in contradicted
                )
            )

    @classmethod
    def of(cls, knowledge: "Knowledge | Tiers | None") -> "Knowledge":
        """Take tiers alone, or nothing, for knowledge."""
        return knowledge if isinstance(knowledge, Knowledge) else cls(tiers=knowledge)

    def restricted(self, names: Collection[str]) -> "Knowledge":
        """What is known of these columns alone."""
        tiers = self.tiers.tiers if self.tiers else ()
        kept = (t if t is ... else [name for name in t if name in names] for t in tiers)
        return Knowledge(
            tiers=Tiers(*(tier for tier in kept if tier)) if self.tiers else None,
            required=tuple(arrow for arrow in self.required if {*arrow} <= {*names}),
            forbidden=tuple(arrow for arrow in self.forbidden if {*arrow} <= {*names}),
            tiers_assumed=self.tiers_assumed,
        )

    def renamed(self, old: str, new: str) -> "Knowledge":
        """What is known, with another name for a column."""

        def arrows(known: tuple[Arrow, ...]) -> tuple[Arrow, ...]:
            return tuple((new if a == old else a, new if b == old else b) for a, b in known)

        tiers = self.tiers.tiers if self.tiers else ()
        named = (
            tier if tier is ... else [new if name == old else name for name in tier]
            for tier in tiers
        )
        return replace(
            self,
            tiers=Tiers(*named) if self.tiers else None,
            required=arrows(self.required),
            forbidden=arrows(self.forbidden),
        )

    def about(self, names: Sequence[str]) -> "KnownOrder":
        """Apply what is known to the columns that there are."""
        return KnownOrder.resolve(self, tuple(names))

    @property
    def told(self) -> dict[str, list[list[str]]]:
        """What a person told, as a record has it; nothing where tiers were only assumed."""
        told = {
            "tiers": self.tiers.plain if self.tiers and not self.tiers_assumed else [],
            "required": [list(arrow) for arrow in self.required],
            "forbidden": [list(arrow) for arrow in self.forbidden],
        }
        return told if any(told.values()) else {}

    @classmethod
    def recorded(
        cls, told: Mapping[str, Sequence[Sequence[str]]], *, tiers_assumed: bool
    ) -> "Knowledge":
        """What a record says that a person told."""
        tiers = (... if tier == [WILDCARD] else tier for tier in told.get("tiers", ()))
        return cls(
            tiers=Tiers(*tiers) if told.get("tiers") else None,
            required=tuple(map(parse_arrow, told.get("required", ()))),
            forbidden=tuple(map(parse_arrow, told.get("forbidden", ()))),
            tiers_assumed=tiers_assumed,
        )

    def to_dict(self) -> dict[str, object]:
        """Plain lists, as a question file has them."""
        return {
            "tiers": self.tiers.plain if self.tiers else [],
            "require": [_arrow_text(arrow) for arrow in self.required],
            "forbid": [_arrow_text(arrow) for arrow in self.forbidden],
        }


@dataclass(frozen=True, slots=True)
class KnownOrder:
    """Knowledge about certain columns, checked: which may cause which.

    ``tier`` holds a number for each column, or None where no tier names it.
    """

    names: tuple[str, ...]
    tier: dict[str, int | None]
    required: frozenset[Arrow]
    forbidden: frozenset[Arrow]
    tiers_assumed: bool = False

    @classmethod
    def resolve(cls, knowledge: Knowledge, names: tuple[str, ...]) -> "KnownOrder":
        """Replace ``...`` by the columns it stands for, and check for contradictions."""
        tiers = knowledge.tiers.tiers if knowledge.tiers else ()
        named = [name for tier in tiers if tier is not ... for name in tier]
        arrows = (*knowledge.required, *knowledge.forbidden)
        unknown = {*named, *(name for arrow in arrows for name in arrow)}
        unknown -= set(names)
        if unknown:
            raise ColumnError.unknown(sorted(unknown), names, where="tiers and arrows")
        tier: dict[str, int | None] = dict.fromkeys(names)
        for level, members in enumerate(tiers):
            for name in names if members is ... else members:
                if members is not ... or name not in named:
                    tier[name] = level
        order = cls(
            names,
            tier,
            frozenset(knowledge.required),
            frozenset(knowledge.forbidden),
            knowledge.tiers_assumed,
        )
        backward = [arrow for arrow in sorted(order.required) if not order.may_cause(*arrow)]
        problems = [
            Problem(
                f"The required arrow {cause} -> {effect} runs against the order of columns.",
                order.later(cause, effect),
                "Drop the arrow, or give tiers that allow it.",
            )
            for cause, effect in backward
        ]
        cycle = _cycle(order.required)
        if cycle:
            problems.append(
                Problem(
                    f"The required arrows form a cycle: {' -> '.join(cycle)}.",
                    remedy="Drop one of them.",
                )
            )
        if problems:
            raise KnowledgeError(*problems)
        return order

    def may_cause(self, cause: str, effect: str) -> bool:
        """Whether the arrow is allowed by tiers, required and forbidden arrows."""
        if (cause, effect) in self.forbidden or (effect, cause) in self.required:
            return False
        before, after = self.tier[cause], self.tier[effect]
        return before is None or after is None or before <= after

    def later(self, cause: str, effect: str) -> str:
        """In words that by the tiers the cause comes after the effect."""
        if self.tiers_assumed:
            return f"No tiers were given: {cause!r} is taken to come after all other columns."
        return f"{cause!r} stands in a later tier than {effect!r}."


def parse_arrow(arrow: object) -> Arrow:
    """Parse ``"a -> b"`` or a pair of names."""
    parts = (
        tuple(part.strip() for part in arrow.split("->"))
        if isinstance(arrow, str)
        else tuple(arrow)
        if isinstance(arrow, Sequence)
        else ()
    )
    if len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
        raise KnowledgeError.of(
            f"{arrow!r} is not an arrow.",
            remedy="Write it as 'cause -> effect', or as a pair of names.",
        )
    if parts[0] == parts[1]:
        raise KnowledgeError.of(
            f"The arrow {parts[0]} -> {parts[1]} points at its own tail.",
            remedy="Name two different columns.",
        )
    return parts


def _arrow_text(arrow: Arrow) -> str | list[str]:
    """The arrow as text, or as a list where the text could not be parsed back."""
    text = " -> ".join(arrow)
    plain = [part.strip() for part in text.split("->")] == list(arrow)
    return text if plain else list(arrow)


def _cycle(arrows: Iterable[Arrow]) -> list[str]:
    """A cycle among the arrows, as a closed path from its first name; or nothing."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for cause, effect in sorted(arrows):
        sorter.add(effect, cause)
    try:
        sorter.prepare()
    except CycleError as error:
        nodes: list[str] = error.args[1][1:]
        first = nodes.index(min(nodes))
        return [*nodes[first:], *nodes[: first + 1]]
    return []
