"""The graph of recorded decisions, with a model's predictions in the decision's place.

Predictions are compared among people alike in the causes of the recorded decision. What that
decision brought about, predictions did not: it is no part of their graph.
"""

from collections.abc import Collection
from typing import TypeAlias

from evenhand.graph.causal_graph import CausalGraph
from evenhand.graph.orientation import both_ways
from evenhand.graph.partial_graph import PartialGraph

_Graph: TypeAlias = CausalGraph | PartialGraph


def graph_of_predictions(
    graph: _Graph, decision: str, predictions: str, *, kept: Collection[str] = ()
) -> _Graph:
    """The graph with predictions in place of the decision, and without what that caused.

    The graph stays whole where one of these effects is to be kept, where an edge without
    direction leaves open what an effect is, or where edits made an effect of a cause.
    """
    effects = graph.descendants(decision)
    if effects.isdisjoint(kept) and all(
        _is_last(one, effects) for one in (graph, graph.unedited) if one is not None
    ):
        graph = graph.without_effects(effects)
    return graph.renamed(decision, predictions)


def _is_last(graph: _Graph, nodes: frozenset[str]) -> bool:
    """Whether nothing else comes after the nodes, or may do so."""
    return not any(
        cause in nodes and effect not in nodes
        for cause, effect in (*graph.arrows, *both_ways(graph.undirected))
    )
