"""Edits of a graph, each with its reason: what somebody knows better than the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from evenhand.errors import KnowledgeError
from evenhand.question.knowledge import Arrow, parse_arrow

EditKind: TypeAlias = Literal["add", "remove", "reverse"]
_WORDS = {"add": "added", "remove": "removed", "reverse": "reversed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEdit:
    """An arrow to add, remove or reverse in a graph that otherwise stays as it is.

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
                remedy='Write add, remove or reverse, as add = ["a -> b: the reason"].',
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
        try:
            plain = GraphEdit.parse(self.kind, text) == self
        except KnowledgeError:
            plain = False
        return text if plain else [*self.arrow, self.reason]

    @classmethod
    def parse_table(
        cls, table: Mapping[str, Sequence[str | Sequence[str]]]
    ) -> "tuple[GraphEdit, ...]":
        """Parse the lists of a question file, removals first, then turns, then additions."""
        kinds: tuple[EditKind, ...] = ("remove", "reverse", "add")
        return tuple(cls.parse(kind, text) for kind in kinds for text in table.get(kind, ()))

    def __str__(self) -> str:
        return f"{_WORDS[self.kind]} {' -> '.join(self.arrow)}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"kind": self.kind, "arrow": list(self.arrow), "reason": self.reason}
