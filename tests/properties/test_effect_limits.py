"""Plans for questions about effects through other attributes: every claim is met afterwards."""

from fractions import Fraction

import numpy as np
import pytest
from tests import loans
from tests.measured_models import asked, graph_of, some_models, table

from evenhand import (
    CausalGraph,
    ModifyData,
    ModifyGraph,
    Verdict,
    certify,
    plan_removal,
    release,
)
from evenhand.effects.measure import measure_paths
from evenhand.errors import CannotReleaseError
from evenhand.releasing.apply_to_counts import apply_to_counts

METHODS = [
    ModifyData(),
    ModifyData(policy="raise"),
    ModifyData(only=("w",)),
    ModifyData(margin="0.01"),
]


@pytest.fixture(scope="module")
def certificate():
    return certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_released_loans_meet_both_claims(certificate, method):
    plan = plan_removal(certificate, method=method)
    assert plan.reaches_criterion
    released = release(loans.loans(), plan, seed=3)
    after = released.certificate
    assert after.verdict is after.indirect.verdict is Verdict.CERTIFIED
    limit = after.question.threshold - method.margin
    for direction in after.indirect.graphs[0].directions.values():
        assert direction.through.bounds.within(limit)
    assert all(abs(after.partition.risk_difference(at)) < limit for at in range(4))
    assert plan.indirect.effects["forward"]["through"].value == (
        after.indirect.effects["forward"]["through"].value
    )


@pytest.mark.parametrize("method", [ModifyGraph(), ModifyGraph(generate=True)], ids=str)
def test_modify_graph_is_refused_where_effects_are_asked_about(certificate, method):
    with pytest.raises(CannotReleaseError, match=r"through 'zip'.*Use modify-data"):
        plan_removal(certificate, method=method)


@pytest.mark.parametrize("threshold", ["1/50", "1/10"])
def test_the_claim_has_a_threshold_of_its_own(threshold):
    question = loans.asking(redlining_threshold=threshold)
    plan = plan_removal(certify(loans.loans(), loans.ZIP_FIRST, question))
    for direction in plan.indirect.graphs[0].directions.values():
        assert direction.through.bounds.within(Fraction(threshold))
    alone = plan_removal(certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION.direct))
    rows = plan.changed_rows
    assert rows > alone.changed_rows if threshold == "1/50" else rows == alone.changed_rows


@pytest.mark.parametrize("seed", [10, 11])
@pytest.mark.parametrize("basis", ["group", "all"])
def test_random_models_meet_both_claims_after_a_plan(seed, basis):
    """With causes of the group, rows unseen, no direct arrow: or the plan is refused."""
    rng = np.random.default_rng(seed)
    kinds = {"planned": 0, "refused": 0, "not identified": 0}
    for model, chosen in some_models(seed, positive=bool(seed % 2)):
        counts, graph = table(model), graph_of(model.parents)
        question = asked(chosen, basis=basis, threshold="1/10")
        before = certify(counts, graph, question)
        if not before.indirect.identified:
            kinds["not identified"] += 1
            with pytest.raises(CannotReleaseError, match="identified"):
                plan_removal(before)
            continue
        try:
            plan = plan_removal(before)
        except CannotReleaseError:
            kinds["refused"] += 1
            assert before.indirect.unseen_mass
            continue
        kinds["planned"] += 1
        assert plan.reaches_criterion
        after = apply_to_counts(counts, plan, rng)
        assert certify(after, graph, question.direct).partition.violating == 0
        assert measure_paths(after, graph, question).verdict is Verdict.CERTIFIED
        if kinds["planned"] >= 24 and kinds["not identified"]:
            break


def test_effects_on_people_who_do_not_occur_cannot_be_removed():
    """Each race has a district of its own."""
    own = {"b": "1", "w": "2"}
    cells = {cell: rows for cell, rows in loans.CELLS.items() if cell[1] == own[cell[0]]}
    certificate = certify(loans.loans(cells), loans.ZIP_FIRST, loans.QUESTION)
    with pytest.raises(CannotReleaseError, match="people who do not occur"):
        plan_removal(certificate)


def test_a_plan_without_a_path_is_that_of_the_direct_claim():
    graph = CausalGraph.parse("race -> loan; zip -> loan; income -> loan")
    joint, direct = (
        plan_removal(certify(loans.loans(), graph, question))
        for question in (loans.QUESTION, loans.QUESTION.direct)
    )
    assert list(joint.moves) == list(direct.moves)
    assert joint.is_proven


def test_who_is_called_the_group_does_not_matter():
    """From b to w on the rows of b is the backward effect if w is asked about."""
    rows = {
        group: plan_removal(certify(loans.loans(), loans.ZIP_FIRST, loans.asking(group=group)))
        for group in ("b", "w")
    }
    assert rows["b"].changed_rows == rows["w"].changed_rows == 7
    assert rows["b"].is_proven
    assert rows["w"].is_proven


def test_the_order_of_columns_and_lines_does_not_matter():
    counts = loans.loans()
    turned = counts.marginal(("loan", "income", "zip", "race"))
    one, other = (
        plan_removal(certify(table, loans.ZIP_FIRST, loans.QUESTION))
        for table in (counts, turned)
    )
    assert one.changed_rows == other.changed_rows


def test_twice_the_rows_need_no_more_than_twice_the_changes(certificate):
    """The doubled plan meets both claims, so the fewest changes are no more."""
    double = {cell: (2 * rows, 2 * yes) for cell, (rows, yes) in loans.CELLS.items()}
    plan = plan_removal(certify(loans.loans(double), loans.ZIP_FIRST, loans.QUESTION))
    assert plan.is_proven
    assert plan.changed_rows <= 2 * plan_removal(certificate).changed_rows
