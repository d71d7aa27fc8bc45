"""The causal graph: its structure, what it separates, and how it is learned from counts."""

from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.cached_tests import Marginals
from evenhand.graph.conditional_tables import ConditionalTable, Factor, eliminate, fitted_tables
from evenhand.graph.dag_extensions import ParentSets
from evenhand.graph.discovery import discover
from evenhand.graph.discovery_record import DiscoveryRecord, Separation
from evenhand.graph.graph import (
    CausalGraph,
    PartialGraph,
    graph_of_edges,
    known_order,
    load_graph,
)
from evenhand.graph.independence_tests import Independence
from evenhand.graph.local_discovery import LocalCauses, find_causes
from evenhand.graph.orientation import Conflict, Orientation, orient

__all__ = [
    "BlockSetCheck",
    "CausalGraph",
    "ConditionalTable",
    "Conflict",
    "DiscoveryRecord",
    "Factor",
    "Independence",
    "LocalCauses",
    "Marginals",
    "Orientation",
    "ParentSets",
    "PartialGraph",
    "Separation",
    "discover",
    "eliminate",
    "find_causes",
    "fitted_tables",
    "graph_of_edges",
    "known_order",
    "load_graph",
    "orient",
]
