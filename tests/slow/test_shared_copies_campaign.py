"""Six thousand pairs of tables that differ only in withheld cells."""

import pytest
from hypothesis import HealthCheck, given, settings
from tests.properties.test_shared_copies import APART, SECOND, left
from tests.shared_copies import GRAPH, OPEN_GRAPH, check_audits, check_releases, pairs

import evenhand as eh

pytestmark = pytest.mark.slow
CALM = [HealthCheck.filter_too_much, HealthCheck.too_slow]


def check_pairs(check, many):
    """Check so many pairs; those that have no release do not count."""
    checked = []

    @given(pair=pairs())
    @settings(max_examples=many, deadline=None, suppress_health_check=CALM)
    def check_each(pair):
        check(pair)
        checked.append(pair)

    check_each()
    return len(checked)


@pytest.mark.parametrize(("graph", "many"), [(GRAPH, 4000), (OPEN_GRAPH, 1000)])
def test_tables_that_differ_only_in_withheld_cells_give_equal_bytes(
    graph, many, record_property
):
    checked = check_pairs(lambda pair: check_audits(pair, graph=graph), many)
    record_property("pairs", checked)
    assert checked >= many


@pytest.mark.parametrize("method", [eh.ModifyData(), eh.ModifyGraph()], ids=str)
def test_their_releases_do_too(method, record_property):
    checked = check_pairs(lambda pair: check_releases(pair, method), 500)
    record_property("pairs", checked)
    assert checked >= 500


@pytest.mark.parametrize("name", SECOND)
def test_what_two_copies_of_the_same_rows_tell(name, record_property):
    """Of counts that neither shows, how many integer programmes find exactly."""
    found = [values for seed in range(40) for values in left(name, seed)]
    known = sum(values == 1 for values in found)
    record_property("counts", len(found))
    record_property("found exactly", known)
    assert (known == 0) == (name in APART)
