"""The paper's question about admissions, its graph, one with an open edge, and its numbers."""

import pytest

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
# Of the second table.
SUBPOPULATIONS = {
    "occupied": 4,
    "measured": 4,
    "violating": 4,
    "above": 2,
    "below": 2,
    "violating_rows": 2200,
    "same_decision": 0,
    "same_decision_rows": 0,
    "by_chance": {
        "expected": pytest.approx(1.21535262531),
        "lower": 0,
        "upper": 3,
        "p": pytest.approx(0.00807752075588),
        "rows": pytest.approx(637.287193676),
    },
}
