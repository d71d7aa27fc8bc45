"""What is known better than data tell: tiers, required and forbidden arrows, edits of a graph.

A column of a later tier cannot cause one of an earlier tier. Columns of one tier may cause each
other. ``...`` stands for all columns that no tier names.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from types import EllipsisType
from typing import Any, Literal, TypeAlias, get_args

from evenhand.display import Plain
from evenhand.errors import ColumnError, KnowledgeError, Problem
from evenhand.question.parse_values import WILDCARD, require_texts

Arrow: TypeAlias = tuple[str, str]

# The level of independence tests where none is asked for. It is here because the command line
# shows it before any mathematics is loaded.
SIGNIFICANCE = 0.01


@dataclass(frozen=True, init=False, slots=True)
class Tiers:
    """Columns in the order in which they could have come about.

    ``...``, or ``["*"]`` as a file has it, stands for the rest of the columns.

    >>> str(Tiers(["sex", "age"], ["education"], ..., ["income"]))
    'sex, age | education | * | income'
    """

    tiers: tuple[tuple[str, ...] | EllipsisType, ...]

    def __init__(self, *tiers: Iterable[str] | EllipsisType) -> None:
        read = (one if one is ... else require_texts(one, "a tier") for one in tiers)
        known = tuple(... if tier == (WILDCARD,) else tier for tier in read)
        object.__setattr__(self, "tiers", known)
        names = Counter(self.named)
        twice = [f"The column {name!r}" for name in sorted(names) if names[name] > 1]
        twice += ["The rest of the columns (...)"] * (known.count(...) > 1)
        if twice:
            what, where = "{} is in more than one tier.", f"tiers '{self}'"
            problems = (
                Problem(what.format(one), "", "Keep it in one.", where) for one in twice
            )
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
        return cls(*tiers)

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that some tier names."""
        return tuple(name for tier in self.tiers if tier is not ... for name in tier)

    @property
    def plain(self) -> list[list[str]]:
        """The tiers as lists; the rest of the columns is written ``["*"]``."""
        return [[WILDCARD] if tier is ... else list(tier) for tier in self.tiers]

    def __str__(self) -> str:
        return " | ".join(map(", ".join, self.plain))


_NO_TIERS = Tiers()


def parse_arrow(arrow: object) -> Arrow:
    """Parse ``"a -> b"`` or a pair of names."""
    parts: tuple[Any, ...] = ()
    if isinstance(arrow, str):
        parts = tuple(part.strip() for part in arrow.split("->"))
    elif isinstance(arrow, Sequence):
        parts = tuple(arrow)
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
    return text if [part.strip() for part in text.split("->")] == [*arrow] else [*arrow]


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
        tiers: Any = self.tiers  # perhaps lists, as a file or a record has them
        if not isinstance(tiers, Tiers):
            object.__setattr__(self, "tiers", Tiers(*tiers) if tiers else None)
        for field in ("required", "forbidden"):
            if isinstance(getattr(self, field), str):
                raise KnowledgeError.of(
                    f"The {field} arrows are {getattr(self, field)!r}, which is no list.",
                    remedy='Write a list, as ["cause -> effect"].',
                )
            arrows = tuple(map(parse_arrow, getattr(self, field)))
            object.__setattr__(self, field, arrows)
        if both := sorted({*self.required} & {*self.forbidden}):
            named = ", ".join(map(" -> ".join, both))
            raise KnowledgeError.of(
                f"Arrows are both required and forbidden: {named}.",
                remedy="Keep one of the two.",
            )

    @classmethod
    def of(cls, knowledge: "Knowledge | Tiers | None") -> "Knowledge":
        """Take tiers alone, or nothing, for knowledge."""
        return knowledge if isinstance(knowledge, Knowledge) else cls(tiers=knowledge)

    @property
    def named(self) -> set[str]:
        """The columns of which something is known."""
        tiers = self.tiers or _NO_TIERS
        return {*tiers.named}.union(*self.required, *self.forbidden)

    def restricted(self, names: Collection[str]) -> "Knowledge":
        """What is known of these columns alone."""
        return self._renamed({name: name for name in names})

    def renamed(self, old: str, new: str) -> "Knowledge":
        """What is known, with another name for a column."""
        return self._renamed({name: name for name in self.named} | {old: new})

    def _renamed(self, names: Mapping[str, str]) -> "Knowledge":
        """What is known of columns that have a name here, under this name."""

        def arrows(known: Iterable[Arrow]) -> tuple[Arrow, ...]:
            return tuple((names[a], names[b]) for a, b in known if {a, b} <= names.keys())

        tiers = (self.tiers or _NO_TIERS).tiers
        kept = (t if t is ... else [names[one] for one in t if one in names] for t in tiers)
        return replace(
            self,
            tiers=Tiers(*(tier for tier in kept if tier)) if self.tiers else None,
            required=arrows(self.required),
            forbidden=arrows(self.forbidden),
        )

    def about(self, names: Sequence[str]) -> "KnownOrder":
        """Apply what is known to the columns that there are; contradictions are refused."""
        if unknown := self.named - {*names}:
            raise ColumnError.unknown(sorted(unknown), names, where="tiers and arrows")
        tiers, tier = self.tiers or _NO_TIERS, dict[str, int | None].fromkeys(names)
        for level, members in enumerate(tiers.tiers):
            rest = [name for name in names if name not in tiers.named]
            tier |= dict.fromkeys(rest if members is ... else members, level)
        required, forbidden = frozenset(self.required), frozenset(self.forbidden)
        order = KnownOrder(tuple(names), tier, required, forbidden, self.tiers_assumed)
        problems = [
            Problem(
                f"The required arrow {cause} -> {effect} runs against the order of columns.",
                order.later(cause, effect),
                "Drop the arrow, or give tiers that allow it.",
            )
            for cause, effect in sorted(required)
            if not order.may_cause(cause, effect)
        ]
        if cycle := " -> ".join(_cycle(required)):
            what = f"The required arrows form a cycle: {cycle}."
            problems.append(Problem(what, remedy="Drop one of them."))
        if problems:
            raise KnowledgeError(*problems)
        return order

    @property
    def told(self) -> dict[str, list[list[str]]]:
        """What a person told, as a record has it; nothing where tiers were only assumed."""
        told = {
            "tiers": self.tiers.plain if self.tiers and not self.tiers_assumed else [],
            "required": [list(arrow) for arrow in self.required],
            "forbidden": [list(arrow) for arrow in self.forbidden],
        }
        return told if any(told.values()) else {}

    def to_dict(self) -> dict[str, object]:
        """Plain lists, as a question file has them."""
        return {
            "tiers": (self.tiers or _NO_TIERS).plain,
            "require": [*map(_arrow_text, self.required)],
            "forbid": [*map(_arrow_text, self.forbidden)],
        }


# What stands for a reason that is still to be given.
NO_REASON = "no reason given yet"
EditKind: TypeAlias = Literal["add", "remove", "reverse", "open"]
_WORDS = {"add": "added", "remove": "removed", "reverse": "reversed", "open": "left open"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdit(Plain):
    """An arrow to add, remove, reverse or leave open in a graph that else stays as it is.

    >>> print(GraphEdit.parse("add", "age -> income: pay grows with the years of service"))
    added age -> income: pay grows with the years of service
    """

    kind: EditKind
    arrow: Arrow
    reason: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "arrow", parse_arrow(self.arrow))
        if self.kind not in get_args(EditKind) or not str(self.reason).strip():
            raise KnowledgeError.of(
                f"The edit of {' -> '.join(self.arrow)} has no reason, or is of no kind.",
                remedy='Write add, remove, reverse or open, as add = ["a -> b: the reason"].',
            )

    @staticmethod
    def check_reasons(edits: "Iterable[GraphEdit]") -> None:
        """Refuse edits that still wait for their reason: a certificate carries it."""
        waiting = [edit for edit in edits if edit.reason == NO_REASON]
        if waiting:
            named = ", ".join(f"{edit.kind} {' -> '.join(edit.arrow)}" for edit in waiting)
            raise KnowledgeError.of(
                f"No reason is given why the graph was changed: {named}.",
                "A certificate carries every change of the graph with its reason.",
                "Write the reason beside the change.",
            )

    @classmethod
    def parse(cls, kind: EditKind, text: str | Sequence[str]) -> "GraphEdit":
        """Parse ``"a -> b: reason"``, or cause, effect and reason one by one."""
        if not isinstance(text, str):
            return cls(kind=kind, arrow=parse_arrow(text[:2]), reason="".join(text[2:]))
        end = text.find(":", text.find("->"))
        arrow = parse_arrow(text if end < 0 else text[:end])
        return cls(kind=kind, arrow=arrow, reason=text[end + 1 :].strip() if end > 0 else "")

    @property
    def notation(self) -> str | list[str]:
        """What ``parse`` reads: one text, or a list if that could not be parsed back."""
        text = f"{' -> '.join(self.arrow)}: {self.reason}"
        with suppress(KnowledgeError):
            if GraphEdit.parse(self.kind, text) == self:
                return text
        return [*self.arrow, self.reason]

    @classmethod
    def parse_table(
        cls, table: Mapping[str, Sequence[str | Sequence[str]]]
    ) -> "tuple[GraphEdit, ...]":
        """Parse the lists of a question file: removals, turns, links left open, additions."""
        kinds: tuple[EditKind, ...] = ("remove", "reverse", "open", "add")
        return tuple(cls.parse(kind, text) for kind in kinds for text in table.get(kind, ()))

    def __str__(self) -> str:
        return f"{_WORDS[self.kind]} {' -> '.join(self.arrow)}: {self.reason}"


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
