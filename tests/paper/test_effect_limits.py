"""How many rows the direct claim and the one through marital_status need, on real data."""

from dataclasses import replace
from fractions import Fraction

import pytest
from bench.follow_up import FOLLOW_UPS, learn_setting
from tests.paper.test_effects_along_paths import DECLARED

from evenhand import certify, datasets, plan_removal


def asked(name, threshold="0.05"):
    question = datasets.question(name).question
    return replace(question, redlining=("marital_status",), threshold=Fraction(threshold))


def ordered(name, counts):
    """The certificate with the follow-up's order, on the group's rows."""
    graph = learn_setting(name, counts, FOLLOW_UPS[name].settings[1])
    return certify(counts, graph, asked(name))


def rows_needed(certificate):
    """Rows that the direct claim and both claims need; the latter proven."""
    question = certificate.question.direct
    direct = plan_removal(certify(certificate.examined.counts, certificate.graph, question))
    both = plan_removal(certificate)
    assert both.is_proven
    assert both.reaches_criterion
    return direct.changed_rows, both.changed_rows


@pytest.mark.parametrize(("threshold", "rows"), [("0.05", (212, 2_967)), ("0.1", (71, 1_174))])
def test_adult_with_a_declared_graph(adult, threshold, rows):
    assert rows_needed(certify(adult, DECLARED, asked("adult", threshold))) == rows


def test_adult_as_the_follow_up_orders_it(paper_adult):
    assert rows_needed(ordered("adult", paper_adult)) == (643, 4_115)


def test_the_census_needs_no_more_rows_for_both_claims(dutch):
    assert rows_needed(ordered("dutch", dutch)) == (4_420, 4_420)
