"""Every graph of four attributes, against every way to direct its open edges.

    pytest tests/slow/test_open_graphs_campaign.py -m slow

Each, as it is and with contested edges, is asked without knowledge and with each open edge
required to point either way, before the question and with it, under every scope, on three
tables.
"""

import pytest
from tests.open_graphs import all_open_graphs, check_against_all_graphs, contested


@pytest.mark.slow
def test_knowledge_hides_no_contradiction_in_any_graph_of_four_attributes():
    graphs = [*all_open_graphs()]
    assert len(graphs) == 2538
    for partial in graphs:
        check_against_all_graphs(partial)
        check_against_all_graphs(contested(partial))
