"""What removing averages alone would do to the loans."""

import pytest
from tests import loans

from evenhand.errors import CannotReleaseError
from evenhand.evidence import certify
from evenhand.removal.effects_only import plan_effects_only, sentence_left, values_left


@pytest.fixture(scope="module")
def certificate():
    return certify(loans.loans(), loans.ZIP_FIRST, loans.QUESTION)


@pytest.mark.parametrize(("policy", "rows"), [("averages", 5), ("through", 1)])
def test_the_loans_need_few_rows_and_still_differ(certificate, policy, rows):
    plan = plan_effects_only(certificate, policy)
    assert (plan.changed_rows, plan.is_proven) == (rows, True)
    assert plan.after.violating
    assert not plan.reaches_criterion
    values = values_left(plan)
    assert (values["changed_rows"], values["violating_before"]) == (rows, 3)
    assert values["indirect"]["verdict"] == "certified"
    assert values["direct_before"] == pytest.approx(0.11)
    assert abs(values["direct"]) < (0.05 if policy == "averages" else 1)


def test_it_says_that_it_is_no_plan(certificate):
    sentence = sentence_left(plan_effects_only(certificate, "through"))
    assert sentence.startswith(
        "Removing only the effect through zip at 1/20 would change 1 row. Then 3 of 4 measured "
        "differ, before 3; the average direct effect goes from 11.0 to "
    )
    assert sentence.endswith("This is no plan for a release.")


def test_what_is_not_identified_is_refused():
    certificate = certify(loans.loans(), loans.INCOME_FIRST, loans.QUESTION)
    with pytest.raises(CannotReleaseError, match="income"):
        plan_effects_only(certificate, "averages")


def test_each_effect_has_its_own_threshold():
    asked = loans.asking(redlining_threshold="0.03")
    certificate = certify(loans.loans(), loans.ZIP_FIRST, asked)
    plans = {
        policy: plan_effects_only(certificate, policy) for policy in ("averages", "through")
    }
    assert "through zip at 3/100 would" in sentence_left(plans["through"])
    assert "through zip at 3/100 and the average direct effect at 1/20 would" in sentence_left(
        plans["averages"]
    )
    assert values_left(plans["through"])["threshold"] == "3/100"
