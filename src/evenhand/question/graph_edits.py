"""Edits of a graph, each with its reason: what somebody knows better than the data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from evenhand.errors import KnowledgeError, Problem
from evenhand.question.knowledge import Arrow, parse_arrow

# What stands for a reason that is still to be given.
NO_REASON = "no reason given yet"
EditKind: TypeAlias = Literal["add", "remove", "reverse", "open"]
_WORDS = {"add": "added", "remove": "removed", "reverse": "reversed", "open": "left open"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdit:
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
        problems = [
            Problem(
                f"No reason is given why the graph was changed: {edit.kind} "
                f"{' -> '.join(edit.arrow)}.",
                "A certificate carries every change of the graph with its reason.",
                "Write the reason beside the change.",
            )
            for edit in edits
            if edit.reason == NO_REASON
        ]
        if problems:
            raise KnowledgeError(*problems)

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
        try:
            plain = GraphEdit.parse(self.kind, text) == self
        except KnowledgeError:
            plain = False
        return text if plain else [*self.arrow, self.reason]

    @classmethod
    def parse_table(
        cls, table: Mapping[str, Sequence[str | Sequence[str]]]
    ) -> "tuple[GraphEdit, ...]":
        """Parse the lists of a question file: removals, turns, links left open, additions."""
        kinds: tuple[EditKind, ...] = ("remove", "reverse", "open", "add")
        return tuple(cls.parse(kind, text) for kind in kinds for text in table.get(kind, ()))

    def __str__(self) -> str:
        return f"{_WORDS[self.kind]} {' -> '.join(self.arrow)}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"kind": self.kind, "arrow": list(self.arrow), "reason": self.reason}
