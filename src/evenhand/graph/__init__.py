"""The causal graph: its structure, what it separates, and how it is learned from counts."""

from evenhand.graph.block_sets import BlockSetCheck
from evenhand.graph.dag import CausalGraph
from evenhand.graph.discovery import discover
from evenhand.graph.independence import Independence, Tester
from evenhand.graph.local import LocalCauses, find_causes
from evenhand.graph.orientation import Conflict, Orientation, orient
from evenhand.graph.parent_sets import ParentSets
from evenhand.graph.partial import (
    DiscoveryRecord,
    Extension,
    PartialGraph,
    Separation,
    load_graph,
)
from evenhand.graph.tables import ConditionalTable, Factor, Network, eliminate

__all__ = [
    "BlockSetCheck",
    "CausalGraph",
    "ConditionalTable",
    "Conflict",
    "DiscoveryRecord",
    "Extension",
    "Factor",
    "Independence",
    "LocalCauses",
    "Network",
    "Orientation",
    "ParentSets",
    "PartialGraph",
    "Separation",
    "Tester",
    "discover",
    "eliminate",
    "find_causes",
    "load_graph",
    "orient",
]
