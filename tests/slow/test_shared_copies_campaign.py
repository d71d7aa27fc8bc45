"""Five thousand pairs of tables that differ only in withheld cells."""

import pytest
from hypothesis import HealthCheck, given, settings
from tests.shared_copies import GRAPH, OPEN_GRAPH, check_audits, check_releases, pairs

import evenhand as eh

pytestmark = pytest.mark.slow
CALM = [HealthCheck.filter_too_much, HealthCheck.too_slow]


@pytest.mark.parametrize(("graph", "many"), [(GRAPH, 4000), (OPEN_GRAPH, 1000)])
def test_tables_that_differ_only_in_withheld_cells_give_equal_bytes(graph, many):
    @given(pair=pairs())
    @settings(max_examples=many, deadline=None, suppress_health_check=CALM)
    def check(pair):
        check_audits(pair, graph=graph)

    check()


@pytest.mark.parametrize("method", [eh.ModifyData(), eh.ModifyGraph()], ids=str)
def test_their_releases_do_too(method):
    @given(pair=pairs())
    @settings(max_examples=500, deadline=None, suppress_health_check=CALM)
    def check(pair):
        check_releases(pair, method)

    check()
