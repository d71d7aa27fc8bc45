"""Which plans and seeds are released, and what a release says of itself."""

import pandas as pd
import pytest
from tests.hiring import released, table

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
