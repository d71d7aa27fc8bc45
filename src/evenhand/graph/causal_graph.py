"""``CausalGraph``: which attribute is a direct cause of which."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evenhand.errors import GraphError, Problem
from evenhand.graph import block_sets
from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.mixed_graph import MixedGraph
from evenhand.question.question import Question


@dataclass(frozen=True, repr=False)
class CausalGraph(MixedGraph):
    """A directed graph without cycles, each arrow from a direct cause to its effect.

    >>> graph = CausalGraph.parse("sex -> major -> admission; test_score -> admission")
    >>> sorted(graph.parents("admission"))
    ['major', 'test_score']
    >>> print(graph)
    major -> admission; sex -> major; test_score -> admission
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.undirected:
            raise GraphError(
                *(
                    Problem(
                        f"The edge {a} - {b} has no direction.",
                        remedy="In a causal graph every edge is an arrow: write it as "
                        f"'{a} -> {b}' or '{b} -> {a}', or use a PartialGraph.",
                    )
                    for a, b in sorted(self.undirected)
                )
            )

    def separated(self, a: str, b: str, given: Iterable[str] = ()) -> bool:
        """Whether the given nodes block every path between the two.

        >>> graph = CausalGraph.parse("a -> m; b -> m")
        >>> graph.separated("a", "b"), graph.separated("a", "b", {"m"})
        (True, False)
        """
        bits = self._bitsets.bits
        return not self._bitsets.connected(bits(a), bits(*given)) & bits(b)

    def decision_causes(self, question: Question) -> tuple[str, ...]:
        """The direct causes of the decision but for the protected attribute, by name.

        Raises where the decision causes that attribute: then no such question can be asked.
        """
        self.check(question=question)
        return tuple(
            sorted(self.parents(question.decision).difference(question.protected_names))
        )

    def check_block_set(self, question: Question, names: Iterable[str]) -> BlockSetCheck:
        """Whether comparing people alike in the names measures the direct effect alone.

        The answer is true or false and prints as text; if false it names the open path.
        """
        return block_sets.check_block_set(self._bitsets, question, names)

    def block_sets(
        self, question: Question, *, minimal: bool = False
    ) -> Iterator[frozenset[str]]:
        """Iterate over all block sets, or over those of which no part is one."""
        find = block_sets.minimal_block_sets if minimal else block_sets.all_block_sets
        return find(block_sets.PrunedGraph.of(self._bitsets, question))
