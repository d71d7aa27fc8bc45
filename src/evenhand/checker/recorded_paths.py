"""The claims about paths: the side of each child of the protected attribute, and witnesses.

A witness is affected by the protected attribute, makes a chosen attribute and reaches the
decision without one: the effect through the chosen attributes is then not identified.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from .graph_claims import reachable
from .group_comparisons import GroupComparisons, read_share
from .record_fields import Record


@dataclass(frozen=True)
class PathQuestion:
    """Which effects are asked about; ``ends`` are the protected attribute and the decision."""

    ends: dict[str, list[str]]
    chosen: frozenset[str]
    explained: frozenset[str]
    threshold: Fraction
    basis: str

    @classmethod
    def of(cls, question: Record, compared: GroupComparisons) -> "PathQuestion":
        """Read the question; refuse one that nobody can ask."""
        chosen, explained = question["redlining"], question.get("explained", [])
        ends = {compared.column: compared.groups, question["decision"]: compared.kinds}
        own = "redlining_threshold" in question
        threshold = read_share(question["redlining_threshold" if own else "threshold"])
        named = {*chosen, *explained} - {*compared.protected, question["decision"]}
        if len(named) < len(chosen + explained) or not chosen or not 0 < threshold < 1:
            raise ValueError("question: effects through what it names cannot be asked for")
        basis = question.get("basis", "group")
        return cls(ends, frozenset(chosen), frozenset(explained), threshold, basis)


class RecordedPaths:
    """The graph of some tables, among the ancestors of decision and protected attribute."""

    def __init__(self, tables: list[tuple[str, ...]], asked: PathQuestion) -> None:
        self.nodes, self.asked = [names[-1] for names in tables], asked
        self.arrows = frozenset((cause, names[-1]) for names in tables for cause in names[:-1])
        self.protected, self.decision = asked.ends
        for at, names in enumerate(tables):
            if names[:-1] != (*sorted({*names} & {*self.nodes[:at]}),):
                raise ValueError(f"indirect.graphs: the causes of {names} are not there before")
        if sorted(self.nodes) != sorted({*asked.ends}.union(*self.arrows)):
            raise ValueError(f"indirect.graphs: {self.nodes} are not those of its tables")

    def above(self, nodes: set[str], avoid: frozenset[str] = frozenset()) -> set[str]:
        """The nodes, and what leads there past those that are avoided."""
        return reachable(nodes, {(b, a) for a, b in self.arrows if a not in avoid})

    def below(self, node: str, avoid: frozenset[str] = frozenset()) -> set[str]:
        """The node, and what it leads to past those that are avoided."""
        return reachable({node}, {(a, b) for a, b in self.arrows if b not in avoid})

    @cached_property
    def in_use(self) -> frozenset[str]:
        """The chosen nodes on a path."""
        return self.asked.chosen & self.below(self.protected) & self.above({self.decision})

    @cached_property
    def affected(self) -> set[str]:
        """What the protected attribute leads to past all chosen nodes."""
        return self.below(self.protected, self.in_use) - {self.protected}

    @cached_property
    def toward_decision(self) -> set[str]:
        """What is affected and leads to the decision past all chosen nodes; itself too."""
        return self.affected & self.above({self.decision}, self.in_use)

    @cached_property
    def toward_chosen(self) -> set[str]:
        """What is affected and leads to a chosen node."""
        return self.affected & self.above({*self.in_use})

    @cached_property
    def witnesses(self) -> list[str]:
        """The nodes that read both values of the protected attribute."""
        return [n for n in self.nodes if n in self.toward_decision & self.toward_chosen]

    @cached_property
    def sides(self) -> dict[str, str]:
        """The side of each child of the protected attribute."""
        return {
            child: self.side(child) for cause, child in self.arrows if cause == self.protected
        }

    def side(self, child: str) -> str:
        """Which paths lead on from a child."""
        if child == self.decision:
            return "direct"
        if child in self.witnesses:
            return "witness"
        if child in self.in_use | self.toward_chosen:
            return "through"
        judged = not self.asked.explained or child in self.asked.explained
        past = self.below(child, self.asked.explained)
        return "explained" if judged or self.decision not in past else "not judged"
