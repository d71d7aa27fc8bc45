"""The paper's question about admissions, its graph, and a graph with an open edge."""

from evenhand import datasets
from evenhand.graph import CausalGraph, PartialGraph

QUESTION = datasets.question("admissions").question
GRAPH = CausalGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score -> admission"
)
OPEN_GRAPH = PartialGraph.parse(
    "gender -> major -> admission; gender -> admission; test_score - admission; "
    "gender -> test_score; major -> test_score"
)
