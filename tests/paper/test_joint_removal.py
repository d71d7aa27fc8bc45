"""How many rows the direct claim and the one through marital_status need, on real data."""

from dataclasses import replace
from fractions import Fraction

import pytest
from tests.paper.test_effects_along_paths import DECLARED

from evenhand import ModifyGraph, certify, datasets, plan_removal
from evenhand.removal.effects_only import plan_effects_only, values_left
from evenhand.reproduction.follow_up import FOLLOW_UPS, learn_setting


def asked(name, threshold="0.05"):
    question = datasets.question(name).question
    return replace(question, redlining=("marital_status",), threshold=Fraction(threshold))


def ordered(name, counts):
    """The certificate with the follow-up's order, on the group's rows."""
    graph = learn_setting(name, counts, FOLLOW_UPS[name].settings[1])
    return certify(counts, graph, asked(name))


def rows_needed(certificate):
    """Rows that the direct claim, averages, and both claims need; all proven."""
    question = certificate.question.direct
    direct = plan_removal(certify(certificate.examined.counts, certificate.graph, question))
    averages, both = plan_effects_only(certificate, "averages"), plan_removal(certificate)
    assert averages.is_proven
    assert both.is_proven
    assert both.reaches_criterion
    return direct.changed_rows, averages.changed_rows, both.changed_rows


@pytest.mark.parametrize(
    ("threshold", "rows"), [("0.05", (212, 2_601, 2_967)), ("0.1", (71, 799, 1_174))]
)
def test_adult_with_a_declared_graph(adult, threshold, rows):
    assert rows_needed(certify(adult, DECLARED, asked("adult", threshold))) == rows


def test_adult_as_the_follow_up_orders_it(paper_adult):
    certificate = ordered("adult", paper_adult)
    assert rows_needed(certificate) == (643, 2_683, 4_115)
    averages = values_left(plan_effects_only(certificate, "averages"))
    assert averages["violating"] == 169
    through = values_left(plan_effects_only(certificate, "through"))
    assert through["direct_before"] == pytest.approx(0.0213, abs=5e-5)
    assert through["direct"] > 0.15  # what removing the indirect effect alone does
    nearest = ModifyGraph().plan(certificate)
    assert nearest.reaches_criterion
    assert nearest.model_distance == pytest.approx(0.0072, abs=5e-5)
    assert nearest.changed_rows <= 5_981  # with a margin off the limits, as published


def test_the_census_needs_no_more_rows_for_both_claims(dutch):
    certificate = ordered("dutch", dutch)
    assert rows_needed(certificate) == (4_420, 4_273, 4_420)
    assert values_left(plan_effects_only(certificate, "averages"))["violating"] == 10
    nearest = ModifyGraph().plan(certificate)
    assert nearest.reaches_criterion
    assert nearest.model_distance == pytest.approx(0.0049, abs=5e-5)
