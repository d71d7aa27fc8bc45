"""Effects through chosen attributes as linear functions, against the effects as measured."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from tests import loans
from tests.joint_brute_force import LOAN_FAVORABLE, LOAN_ROWS, loan_effects
from tests.measured_models import asked, graph_of, some_models, table

from evenhand import CausalGraph, CountTable, PartialGraph, Verdict
from evenhand.effects.indirect import measure_paths
from evenhand.errors import CannotReleaseError
from evenhand.evidence import certify
from evenhand.releasing.apply_to_counts import change_counts
from evenhand.removal import RemovalPlan
from evenhand.removal.path_effects import (
    claim_ends,
    claim_fact,
    claim_values,
    identified_graph,
    planned_claim,
    through_effects,
)
from evenhand.removal.stored_decisions import StoredDecisions

TAU = Fraction(1, 20)


def identified_models(seed, many, **options):
    """Certificates of models in which the effect is identified, some with rows unseen."""
    found = 0
    for model, chosen in some_models(seed, positive=bool(seed % 2)):
        question = asked(chosen, **options)
        certificate = certify(table(model), graph_of(model.parents), question)
        if certificate.indirect.identified:
            found += 1
            yield certificate
        if found == many:
            return


@pytest.mark.parametrize("basis", ["group", "all"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_weighted_rates_are_the_effect_and_the_limits_its_verdict(seed, basis):
    """Also where the protected attribute has causes, or does not cause the decision itself."""
    seen = set()
    for certificate in identified_models(seed, 40, basis=basis):
        (graph,) = certificate.indirect.graphs
        partition = certificate.partition
        counts = partition.favorable[0], partition.rows
        thresholds = [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 2)]
        for direction in ("forward", "backward"):
            for at in thresholds:
                effects = through_effects(certificate, at)
                if not effects:
                    assert not graph.sides.in_use
                    continue
                effect = effects[direction == "backward"]
                measured = graph.directions[direction]
                assert effect.value(*counts) == measured.through.value
                met = measured.verdict(at) is Verdict.CERTIFIED
                assert effect.within_limits(*counts) == met
                seen.add((met, measured.through.lower == measured.through.upper))
    assert {met for met, _ in seen} == {True, False}
    assert (False, False) in seen or seed


def test_the_loan_tables_weights_are_those_of_brute_force():
    certificate = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)
    lines = [
        (zip_, income)
        for zip_, income in (
            tuple(certificate.partition.where(at)[name] for name in ("zip", "income"))
            for at in range(4)
        )
    ]
    order = [lines.index(cell) for cell in (("1", "lo"), ("1", "hi"), ("2", "lo"), ("2", "hi"))]
    effects = through_effects(certificate, TAU)
    for ours, brute in zip(effects, loan_effects(TAU), strict=True):
        assert (ours.weights[:, order] == brute.weights).all()
        assert (ours.lower, ours.upper) == (brute.lower, brute.upper)
    assert certificate.partition.rows[:, order].tolist() == LOAN_ROWS.tolist()
    assert certificate.partition.favorable[0][:, order].tolist() == LOAN_FAVORABLE.tolist()


@pytest.mark.parametrize("graph", [loans.ZIP_FIRST, loans.INCOME_FIRST, loans.APART])
def test_planned_decisions_have_the_effects_that_are_measured_after_the_change(graph):
    """Also bounds, where the effect is not identified."""
    counts = loans.loans()
    certificate = certify(counts, graph, loans.QUESTION)
    rng = np.random.default_rng(1)
    for _ in range(5):
        partition = certificate.partition
        new = rng.integers(0, partition.rows + 1)
        changes = StoredDecisions.of(certificate).changes_across(new - partition.favorable[0])
        plan = RemovalPlan(method="m", policy="p", certificate=certificate, changes=changes)
        planned = planned_claim(certificate, plan.after)
        measured = measure_paths(change_counts(counts, plan, rng), graph, loans.QUESTION)
        assert claim_values(planned) == claim_values(measured)
        assert planned.verdict is measured.verdict
        assert planned.data_gap == measured.data_gap


def test_there_is_no_claim_without_a_question():
    certificate = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION.direct)
    assert planned_claim(certificate, certificate.partition) is None


def test_the_claim_in_words():
    claim = certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION).indirect
    assert claim_fact(claim, "before") == (
        "through zip, before",
        "not certified at 1/20: b to w 0.7, w to b −5.0 points",
    )


def refusal(graph, question=loans.QUESTION):
    with pytest.raises(CannotReleaseError) as caught:
        identified_graph(certify(loans.loans(), graph, question))
    return caught.value


def test_a_witness_is_named_with_what_helps():
    (problem,) = refusal(loans.INCOME_FIRST).problems
    assert "'income' both causes what is asked about" in problem.what
    assert problem.remedies[0].value == ["zip", "income"]


def test_an_open_edge_is_named_with_what_helps():
    edge, *others = refusal(loans.OPEN).problems
    assert edge.found == "The graph does not direct income - zip."
    assert edge.remedies[0].value == ["income -> zip"]
    further = PartialGraph.parse(f"{loans.OPEN}; rent - color")  # leads nowhere
    *columns, people = zip(*loans.lines(), strict=True)
    more = (("a", "b") * 8, ("a", "a", "b", "b") * 4)
    names = (*loans.NAMES, "rent", "color")
    table = CountTable.of(dict(zip(names, (*columns, *more), strict=True)), people)
    with pytest.raises(CannotReleaseError) as caught:
        identified_graph(certify(table, further, loans.QUESTION))
    named = [one.found for one in caught.value.problems if "direct" in one.found]
    assert named == [edge.found]
    assert "not identified" in others[0].what  # by one of the two graphs


def test_a_decision_of_which_nothing_is_favorable_is_refused():
    question = replace(loans.QUESTION, favorable=None, criterion="every")
    assert "favorable" in str(refusal(loans.ZIP_FIRST, question))


def test_what_cannot_be_measured_cannot_be_removed():
    question = replace(loans.QUESTION, group=None, other=None, protected=["race", "income"])
    graph = CausalGraph.parse("race -> zip -> loan; race -> loan; income -> loan")
    assert "one protected attribute" in str(refusal(graph, question))


def test_no_path_has_no_effect_to_limit():
    graph = CausalGraph.parse("race -> loan; zip -> loan; income -> loan")
    certificate = certify(loans.loans(), graph, loans.QUESTION)
    assert through_effects(certificate, TAU) == ()


def test_models_are_not_all_alike():
    certificates = [*islice(identified_models(0, 30), 30)]
    assert any(one.indirect.unseen_mass for one in certificates)
    assert any(one.graph.parents("c") for one in certificates)


def test_the_ends_of_an_effect_over_several_graphs():
    claim = certify(loans.loans(), loans.OPEN, loans.QUESTION).indirect
    assert len(claim.graphs) == 2
    for direction, (lower, upper) in claim_ends(claim).items():
        effect = claim.effects[direction]["through"]
        assert (lower, upper) == (effect.lower, effect.upper)
        assert lower < upper
    assert claim_values(claim) == {
        "verdict": str(claim.verdict),
        "threshold": "1/20",
        "effects": {
            "forward": [pytest.approx(1 / 150), pytest.approx(1 / 60)],
            "backward": [pytest.approx(-0.05), pytest.approx(-13 / 375)],
        },
    }
