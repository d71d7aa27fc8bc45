"""Which plans and seeds are released, and what a release says of itself."""

import pandas as pd
import pytest
from tests.hiring import released, table

import evenhand as eh
from evenhand import checker
from evenhand.errors import CannotReleaseError, QuestionError
from evenhand.removal import (
    LocalMassaging,
    LocalPreferentialSampling,
    ModifyData,
    ModifyGraph,
    ShuffleProtected,
)


def test_a_policy_that_does_not_reach_the_criterion_is_refused_with_places():
    frame = pd.DataFrame(table(60))
    with pytest.raises(CannotReleaseError, match="degree = .*minimal") as refusal:
        released(frame, method=ModifyData(policy="paper"))
    assert refusal.value.exit_status == 3


def test_baselines_are_refused_unless_allowed(tmp_path):
    frame = pd.DataFrame(table())
    for method in (ShuffleProtected(), LocalMassaging(), LocalPreferentialSampling()):
        with pytest.raises(CannotReleaseError):
            released(frame, method=method)
        made = released(frame, method=method, uncertified=True)
        files = made.write(tmp_path / f"{method.name}.csv")
        assert files.data.name == f"{method.name}.uncertified.csv"
        assert files.certificate.name == f"{method.name}.uncertified.certificate.json"


@pytest.mark.parametrize("seed", [-1, 2**128, 1.5, "7", True])
def test_only_whole_numbers_are_seeds(seed):
    with pytest.raises(QuestionError, match="seed"):
        released(pd.DataFrame(table()), seed=seed)


def test_without_a_seed_the_choice_differs_from_run_to_run():
    frame = pd.DataFrame(table())
    first, second = (released(frame, seed=None) for _ in range(2))
    assert first.seed != second.seed
    assert not first.rows.equals(second.rows)


def test_the_distance_in_the_model_stands_beside_the_measured_one():
    made = released(pd.DataFrame(table()), method=ModifyGraph())
    assert made.to_dict()["model_distance"] == made.plan.model_distance > 0
    assert "distance in the model" in dict(made.summary().facts)
    plain = released(pd.DataFrame(table()))
    assert plain.to_dict()["model_distance"] == plain.plan.model_distance


def test_a_release_describes_itself():
    made = released(pd.DataFrame(table()))
    assert "certified after modify-data (minimal)" in str(made)
    found = made.to_dict()
    assert found["changed_rows"] == found["cell_changes"] // 2 == made.changed_rows
    assert found["after"]["subpopulations"]["violating"] == 0
    assert found["relearned"] is None


@pytest.mark.parametrize(
    "method",
    [
        *(ModifyData(policy=policy) for policy in ("minimal", "group", "raise", "printed")),
        ModifyGraph(),
        LocalMassaging(),
    ],
    ids=str,
)
def test_who_gains_and_who_loses_is_what_the_rows_show(method):
    """Row by row: the decisions before beside those after."""
    frame = pd.DataFrame(table())
    made = released(frame, method=method, uncertified=True)
    both = pd.crosstab(frame["sex"], [frame["hired"], made.rows["hired"]])
    seen = {
        name: {
            "to_favorable": int(both.get(("no", "yes"), {}).get(sex, 0)),
            "to_unfavorable": int(both.get(("yes", "no"), {}).get(sex, 0)),
        }
        for name, sex in (("group", "f"), ("other", "m"))
    }
    assert made.to_dict()["changed_decisions"] == seen
    assert made.changed_rows == sum(sum(ways.values()) for ways in seen.values()) > 0
    losses = sum(ways["to_unfavorable"] for ways in seen.values())
    assert ("nobody loses" in str(made)) == (losses == 0)


def test_new_rows_have_no_decision_before():
    made = released(pd.DataFrame(table()), method=ModifyGraph(generate=True))
    assert made.to_dict()["changed_decisions"] is None
    assert "to favorable" not in str(made)


HIRED = eh.CausalGraph.parse("sex -> hired")
CUMULATIVE = {"criterion": "cumulative", "threshold": "0.01"}
# The value c, between the others, is that of somebody who is not compared.
BETWEEN = {"fa": 30, "ma": 40, "fb": 30, "mb": 20, "xa": 5, "xc": 3}


def in_cells(cells, form):
    """People of some sex and decision, so many of each, as counts or as rows."""
    columns = {"sex": [cell[0] for cell in cells], "hired": [cell[1] for cell in cells]}
    if form == "counts":
        return eh.CountTable.of(columns, [*cells.values()])
    frame = pd.DataFrame(columns)
    return frame.loc[frame.index.repeat([*cells.values()])]


def cells_of(rows):
    """The same people once more: how many there are of each sex and decision."""
    counts = rows if isinstance(rows, eh.CountTable) else eh.read(rows).count()
    return {"".join(labels): many for labels, many in counts}


@pytest.mark.parametrize("form", ["counts", "pandas"])
@pytest.mark.parametrize("policy", ["minimal", "rows"])
@pytest.mark.parametrize("order", ["acb", "cab", "abc"])
def test_an_order_may_name_a_value_of_people_who_are_not_compared(order, policy, form):
    asked = eh.Question(
        protected="sex", group="f", other="m", decision="hired", order=[*order], **CUMULATIVE
    )
    found = in_cells(BETWEEN, form)
    audit = eh.audit(found, asked, graph=HIRED)
    made = eh.release(found, audit.plan(method=ModifyData(policy=policy)), seed=1)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert checker.verify(made.certificate.to_json()).status == 0
    after = cells_of(made.rows)
    assert sum(abs(after.get(c, 0) - BETWEEN.get(c, 0)) for c in {*after, *BETWEEN}) > 0
    assert {cell: many for cell, many in after.items() if cell[0] == "x"} == {"xa": 5, "xc": 3}


@pytest.mark.parametrize("order", ["acb", "cab", "abc"])
def test_a_graph_is_learned_anew_without_a_value_of_people_who_are_not_compared(order):
    asked = eh.Question(
        protected="sex", group="f", other="m", decision="hired", order=[*order], **CUMULATIVE
    )
    made = eh.audit(in_cells(BETWEEN, "counts"), asked).release(seed=1, accept_graph="A test.")
    assert made.relearned.verdict is eh.Verdict.CERTIFIED


def test_nothing_is_learned_anew_where_all_who_are_compared_got_one_decision():
    cells = {"fa": 10, "ma": 19, "mb": 1, "xa": 5, "xb": 3}
    asked = eh.Question(
        protected="sex",
        group="f",
        other="m",
        decision="hired",
        criterion="cumulative",
        order=["a", "b"],
        threshold="0.04",
    )
    made = eh.audit(in_cells(cells, "counts"), asked).release(seed=1, accept_graph="A test.")
    assert cells_of(made.rows) == {"fa": 10, "ma": 20, "xa": 5, "xb": 3}
    assert made.relearned is None


@pytest.mark.parametrize("asked", [{"criterion": "every"}, {"favorable": "a"}])
def test_where_values_are_not_cumulated_an_order_may_name_such_a_value_too(asked):
    asked = eh.Question(
        protected="sex", group="f", other="m", decision="hired", order=[*"acb"], **asked
    )
    found = in_cells(BETWEEN, "counts")
    made = eh.release(found, eh.audit(found, asked, graph=HIRED).plan(), seed=1)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert checker.verify(made.certificate.to_json()).status == 0
    assert cells_of(made.rows).keys() == BETWEEN.keys()


def test_predictions_of_people_who_are_not_compared_may_be_others():
    found = in_cells(BETWEEN, "pandas").reset_index(drop=True)
    asked = eh.Question(
        protected="sex", group="f", other="m", decision="hired", order=[*"acb"], **CUMULATIVE
    )
    made = eh.audit_predictions(found, found["hired"], asked, graph=HIRED).release(seed=1)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert (found["sex"] == made.rows["sex"]).all()


@pytest.mark.parametrize("form", ["counts", "pandas"])
def test_a_value_of_an_order_may_be_left_to_nobody(form):
    found = in_cells({"fa": 30, "ma": 30, "fb": 29, "mb": 31, "fc": 1}, form)
    asked = eh.Question(protected="sex", decision="hired", order=[*"cab"], **CUMULATIVE)
    made = eh.release(found, eh.audit(found, asked, graph=HIRED).plan(), seed=1)
    assert made.certificate.verdict is eh.Verdict.CERTIFIED
    assert made.certificate.question.order == ("a", "b")
    assert cells_of(made.rows) == {"fa": 30, "ma": 30, "fb": 30, "mb": 31}
    again = eh.Question(protected="sex", decision="hired", order=[*"ab"], **CUMULATIVE)
    assert eh.audit(made.rows, again, graph=HIRED).plan().changed_rows == 0
